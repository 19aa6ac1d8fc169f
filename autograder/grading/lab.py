"""A lab as the grader trusts it: the released notebook and what its cells are worth.

Read from the course folder, never from a submission.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chip2cluster._package import is_model

from .. import lab_names
from ..exercises import also_in
from .check_cells import Task, graded, tasks
from .releases import earlier

__all__ = ["Lab", "Task", "load", "source_of"]

# Each keeps a socket and a frozen copy of the notebook in the box.
MOST_TASKS = 60


@dataclass(frozen=True)
class Lab:
    """One lab of a course.

    Attributes
    ----------
    name : str
        The folder's name, such as ``"03_roofline"``: the assignment.
    notebook : str
        The notebook's name without the suffix, such as ``"lab_03_roofline"``.
    released : dict
        The notebook that students got, as JSON of nbformat 4.
    tasks : tuple of Task
        Cells marked by machine, in order; their points are those of the instructor's notebook.
    by_hand : dict
        Points of each cell that a person marks, by ``grade_id``.
    folder : Path
        Where the released files are; the notebook and what lies beside it.
    private : tuple of Path
        What no submission may see: the course folder, and what else of the course lies elsewhere.
    earlier : tuple of dict
        What was released under this name before, as far as it was kept; the latest first.
    """

    name: str
    notebook: str
    released: dict[str, Any]
    tasks: tuple[Task, ...]
    by_hand: dict[str, float]
    folder: Path
    private: tuple[Path, ...] = ()
    earlier: tuple[dict[str, Any], ...] = ()

    @property
    def max_score(self) -> float:
        """Points marked by machine."""
        return sum(task.points for task in self.tasks)

    @property
    def allowed(self) -> tuple[str, ...]:
        """Models that answers may call, over all exercises of the lab; the whole package where none is awarded."""
        known = [task.known for task in self.tasks if task.known]
        if not known:
            return ("chip2cluster",)
        named = {module for exercise in known for module in exercise.allowed}
        return tuple(sorted(filter(is_model, named)))


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
        For a lab that does not exist (the message names those that do), that was not
        released or whose release gives other points, and for one that cannot be
        graded here: another kernel, several notebooks, an ``award`` that is none.
    """
    root = Path(root)
    also_in(root)
    notebook = source_of(root, name)
    source = _read(notebook)
    file = root / "labs" / name / notebook.name
    if not file.is_file():
        raise ValueError(
            f"{name} has not been released: run `autograder generate-labs` or `nbgrader generate_assignment {name}` first"
        )
    released = _read(file)
    _refuse_other_points(name, graded(source), graded(released))
    found = tasks(source)
    if len(found) > MOST_TASKS:
        raise ValueError(f"{name} has {len(found)} cells that are graded by machine, and {MOST_TASKS} is the most")
    machine = {task.cell for task in found}
    by_hand = {cell: points for cell, points in graded(source).items() if cell not in machine}
    return Lab(
        name, notebook.stem, released, found, by_hand, file.parent, (root.absolute(),), earlier(root, name, released)
    )


def source_of(root: Path, name: str) -> Path:
    """The instructor's notebook of a lab, or a ValueError that names those that there are."""
    notebooks = sorted(path.stem for path in (root / "solutions" / name).glob("*.ipynb"))
    if len(notebooks) == 1 and notebooks[0] in _called(name):
        return root / "solutions" / name / f"{notebooks[0]}.ipynb"
    if notebooks:
        raise ValueError(
            f"solutions/{name} holds {', '.join(f'{one}.ipynb' for one in notebooks)}: this grader takes one notebook for "
            f"each assignment, called {' or '.join(f'{one}.ipynb' for one in _called(name))}"
        )
    known = sorted(
        folder.name
        for folder in (root / "solutions").glob("*/")
        if any((folder / f"{one}.ipynb").exists() for one in _called(folder.name))
    )
    raise ValueError(f"no lab is called {name!r}; there are {', '.join(known) or 'none under ' + str(root)}")


def _called(name: str) -> tuple[str, str]:
    """What an assignment's notebook may be called."""
    return lab_names.notebook(name), name


def _read(file: Path) -> dict[str, Any]:
    """A notebook of the course's own."""
    try:
        notebook: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        kernel = notebook["metadata"].get("kernelspec", {})
        language, _ = kernel.get("language") or "python", notebook["cells"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file} is no notebook of format 4: open it in JupyterLab, save it and try again") from None
    if language.lower() != "python":
        raise ValueError(f"{file} is written in {language}; this grader grades Python alone")
    return notebook


def _refuse_other_points(name: str, wanted: dict[str, float], released: dict[str, float]) -> None:
    """Students are told points by the release; those that count must be the same."""
    again = f"release it again with `nbgrader generate_assignment {name}`, or take the change back"
    if odd := sorted(wanted.keys() ^ released.keys()):
        raise ValueError(
            f"the graded cells of solutions/{name} are no longer those of its release ({', '.join(odd)}): {again}"
        )
    for cell, points in wanted.items():
        if points != released[cell]:
            raise ValueError(
                f"solutions/{name} gives {points:g} points for the cell {cell!r}, its release {released[cell]:g}: {again}"
            )
