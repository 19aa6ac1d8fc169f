"""What a graded cell of an instructor's notebook asks for: an exercise, a test of their own, or a person."""

import ast
from dataclasses import dataclass
from typing import Any

from ..exercises import Exercise, exercise

BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"  # nbgrader's marks


@dataclass(frozen=True)
class Task:
    """One cell that is marked by machine.

    Attributes
    ----------
    cell : str
        Its ``grade_id``.
    exercise : str
        Id of the exercise that it awards; for a test of the instructor's own the cell's name again.
    function : str
        That is asked; empty for a test of the instructor's own.
    points : float
        What the cell gives, and nobody else says so.
    answer : str
        The model answer that defines the function; empty where there is none.
    test : str
        Source of a test of the instructor's own, hidden part included; empty where an exercise is awarded.
    """

    cell: str
    exercise: str
    function: str
    points: float
    answer: str = ""
    test: str = ""

    @property
    def known(self) -> Exercise | None:
        """The exercise; None for a test of the instructor's own."""
        return None if self.test else exercise(self.exercise)

    @property
    def title(self) -> str:
        return self.known.title if self.known else f"Test `{self.cell}`"


def graded(notebook: dict[str, Any]) -> dict[str, float]:
    """Points of every cell that gives any, by ``grade_id``.

    Raises
    ------
    ValueError
        For a cell without a name or points, and for two of one name.
    """
    points: dict[str, float] = {}
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if not (marks.get("grade") or marks.get("task")):
            continue
        name, worth = marks.get("grade_id"), marks.get("points")
        if not isinstance(name, str) or not isinstance(worth, int | float):
            raise ValueError(
                f"a graded cell ({name!r}) lacks its name or its points: give it both, then release it again"
            )
        if name in points:
            raise ValueError(f"two graded cells are called {name!r}: give each its own name")
        points[name] = float(worth)
    return points


def tasks(notebook: dict[str, Any]) -> tuple[Task, ...]:
    """The cells of an instructor's notebook that are marked by machine, in order.

    Raises
    ------
    ValueError
        For an exercise that does not exist or is awarded twice, and for an ``award`` that cannot be read.
    """
    points = graded(notebook)
    found: dict[str, Task] = {}
    answers: dict[str, str] = {}  # by the function that each defines
    for cell in notebook["cells"]:
        marks, source = cell["metadata"].get("nbgrader", {}), "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        if marks.get("solution"):
            answers |= dict.fromkeys(_defined(source), source)
        elif marks.get("grade"):
            task = _task(marks["grade_id"], points[marks["grade_id"]], source, answers)
            if task.exercise in found:
                raise ValueError(
                    f"the cells {found[task.exercise].cell!r} and {task.cell!r} both award {task.exercise}: one of them can"
                )
            found[task.exercise] = task
    return tuple(found.values())


def award_in(source: str) -> ast.Call | None:
    """The first call of ``award`` in a cell, however it is written; None where there is none."""
    calls = (node for node in ast.walk(_parsed(source)) if isinstance(node, ast.Call))
    return next((call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "award"), None)


def without_hidden(source: str) -> str:
    """The part of a test that its reader sees, line for line where it was."""
    hidden, kept = False, []
    for line in source.splitlines():
        hidden = hidden or BEGIN in line
        kept.append("" if hidden else line)
        hidden = hidden and END not in line
    return "\n".join(kept)


def _task(name: str, points: float, source: str, answers: dict[str, str]) -> Task:
    match award_in(source):
        case None:
            return Task(name, name, "", points, test=source or "pass")
        case ast.Call(args=[ast.Constant(value=str(awarded)), ast.Name(id=function)], keywords=[]):
            return Task(name, exercise(awarded).id, function, points, answer=answers.get(function, ""))
    raise ValueError(
        f'the award in the graded cell {name!r} cannot be read: write award("EXERCISE", function) in its hidden part'
    )


def _defined(source: str) -> list[str]:
    return [node.name for node in _parsed(source).body if isinstance(node, ast.FunctionDef)]


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:  # such as a cell with a magic: it awards nothing and defines nothing that we look for
        return ast.Module(body=[], type_ignores=[])
