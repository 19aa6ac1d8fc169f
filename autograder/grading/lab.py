"""A lab as the grader trusts it: the released notebook and what its cells are worth.

Read from the course folder, never from a submission.
"""

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..exercises import exercise


@dataclass(frozen=True)
class Task:
    """One check cell: its ``grade_id``, the exercise it awards, the function it asks, its points."""

    cell: str
    exercise: str
    function: str
    points: float


@dataclass(frozen=True)
class Lab:
    """One lab of a course.

    Attributes
    ----------
    name : str
        The folder's name, such as ``"03_roofline"``.
    released : dict
        The notebook that students got, as JSON of nbformat 4.
    tasks : tuple of Task
        Cells marked by machine, in order.
    by_hand : dict
        Points of each cell that a person marks, by ``grade_id``.
    folder : Path
        Where the released files are; the notebook and what lies beside it.
    private : tuple of Path
        What no submission may see: the course folder, and what else of the course lies elsewhere.
    """

    name: str
    released: dict[str, Any]
    tasks: tuple[Task, ...]
    by_hand: dict[str, float]
    folder: Path
    private: tuple[Path, ...] = ()

    @property
    def max_score(self) -> float:
        """Points marked by machine."""
        return sum(task.points for task in self.tasks)

    @property
    def allowed(self) -> tuple[str, ...]:
        """Modules of the package that answers may call, over all exercises of the lab."""
        named = {module for task in self.tasks for module in exercise(task.exercise).allowed}
        return tuple(sorted(module for module in named if module.startswith("chip2cluster.")))


def load(root: str | Path, name: str) -> Lab:
    """Read a lab from a course folder.

    Parameters
    ----------
    root : path
        The course folder, which holds ``solutions/`` and ``labs/``.
    name : str
        The lab's name.

    Raises
    ------
    ValueError
        For a lab that does not exist (the message names those that do), that was
        not released, or has a graded code cell that awards nothing.
    """
    root = Path(root)
    source = root / "solutions" / name / f"{name}.ipynb"
    if not source.is_file():
        known = sorted(
            folder.name for folder in (root / "solutions").glob("*/") if (folder / f"{folder.name}.ipynb").exists()
        )
        raise ValueError(f"no lab is called {name!r}; there are {', '.join(known) or 'none under ' + str(root)}")
    released = root / "labs" / name / f"{name}.ipynb"
    if not released.is_file():
        raise ValueError(f"{name} has not been released: run `autograder labs` first")
    tasks: list[Task] = []
    by_hand: dict[str, float] = {}
    for cell in json.loads(source.read_text(encoding="utf-8"))["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("grade") and not marks.get("solution"):
            tasks.append(_task(cell, marks))
        elif marks.get("grade") or marks.get("task"):
            by_hand[marks["grade_id"]] = float(marks["points"])
    return Lab(
        name,
        json.loads(released.read_text(encoding="utf-8")),
        tuple(tasks),
        by_hand,
        released.parent,
        (root.absolute(),),
    )


def _task(cell: dict[str, Any], marks: dict[str, Any]) -> Task:
    """The one ``award("id", function)`` of a check cell."""
    for node in ast.walk(ast.parse("".join(cell["source"]))):
        match node:
            case ast.Call(func=ast.Name(id="award"), args=[ast.Constant(value=str(name)), ast.Name(id=function)]):
                task = exercise(name)
                if task.points != marks["points"]:
                    raise ValueError(
                        f"the cell {marks['grade_id']!r} gives {marks['points']:g} points, {task.id} {task.points:g}: "
                        "make them the same"
                    )
                return Task(marks["grade_id"], task.id, function, float(marks["points"]))
    raise ValueError(
        f'the graded cell {marks["grade_id"]!r} awards nothing: end it with award("EXERCISE", function) in its hidden part'
    )
