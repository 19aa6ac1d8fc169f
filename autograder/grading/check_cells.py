"""Graded cells of an instructor's notebook: cells that award an exercise, tests of the instructor, manual grading."""

import ast
from dataclasses import dataclass, replace
from typing import Any

from ..exercises import Exercise, exercise

BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"  # nbgrader's delimiters


@dataclass(frozen=True)
class GradedTask:
    """One autograded cell.

    Attributes
    ----------
    cell : str
        The ``grade_id`` of the cell.
    exercise : str
        Id of the exercise that the cell awards; the cell's name for a test of the instructor's own.
    function : str
        Name of the student's function; empty for a test of the instructor's own.
    points : float
        Points of the cell; the only place that states them.
    answer : str
        Source of the model answer that defines the function; empty if there is none.
    test : str
        Source of a test of the instructor's own, hidden part included; empty if the cell awards an exercise.
    credit : tuple of (str, float)
        Known mistakes that keep a share of the points by the instructor's decision; see `partial_credit`.
    solutions : tuple of str
        Sources of all solution cells above the graded cell; the answer may need functions that no task asks for.
    """

    cell: str
    exercise: str
    function: str
    points: float
    answer: str = ""
    test: str = ""
    credit: tuple[tuple[str, float], ...] = ()
    solutions: tuple[str, ...] = ()

    @property
    def definition(self) -> Exercise | None:
        """Exercise that the cell awards; None for a test of the instructor's own."""
        return None if self.test else exercise(self.exercise)

    @property
    def title(self) -> str:
        """Title for reports and feedback."""
        return self.definition.title if self.definition else f"Test `{self.cell}`"


def points_by_cell(notebook: dict[str, Any]) -> dict[str, float]:
    """Return the points of every graded cell, by ``grade_id``.

    Raises
    ------
    ValueError
        If a cell lacks its name or its points, or if two cells have the same name.
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


def graded_tasks(notebook: dict[str, Any]) -> tuple[GradedTask, ...]:
    """Return the autograded cells of an instructor's notebook, in order.

    Raises
    ------
    ValueError
        If an exercise does not exist or is awarded twice, or if an ``award`` has another form.
    """
    points = points_by_cell(notebook)
    found: dict[str, GradedTask] = {}
    answers: dict[str, str] = {}  # by the function that each defines
    solutions: list[str] = []
    for cell in notebook["cells"]:
        marks, source = cell["metadata"].get("nbgrader", {}), "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        if marks.get("solution"):
            answers |= dict.fromkeys(_defined(source), source)
            solutions.append(source)
        elif marks.get("grade"):
            task = _task(marks["grade_id"], points[marks["grade_id"]], source, answers)
            if task.exercise in found:
                raise ValueError(
                    f"the cells {found[task.exercise].cell!r} and {task.cell!r} both award {task.exercise}: only one of them may"
                )
            found[task.exercise] = replace(task, solutions=tuple(solutions))
    return tuple(found.values())


def find_award(source: str) -> ast.Call | None:
    """Return the first call of ``award`` in a cell, or None."""
    calls = (node for node in ast.walk(_parsed(source)) if isinstance(node, ast.Call))
    return next((call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "award"), None)


def without_hidden(source: str) -> str:
    """Return a test with blank lines in place of its hidden part, so that line numbers stay."""
    hidden, kept = False, []
    for line in source.splitlines():
        hidden = hidden or BEGIN_HIDDEN in line
        kept.append("" if hidden else line)
        hidden = hidden and END_HIDDEN not in line
    return "\n".join(kept)


def _task(name: str, points: float, source: str, answers: dict[str, str]) -> GradedTask:
    match find_award(source):
        case None:
            return GradedTask(name, name, "", points, test=source or "pass")
        case ast.Call(args=[ast.Constant(value=str(awarded)), ast.Name(id=function)], keywords=[]):
            return GradedTask(name, exercise(awarded).id, function, points, answer=answers.get(function, ""))
    raise ValueError(
        f'the award in the graded cell {name!r} cannot be read: write award("EXERCISE", function) in its hidden part'
    )


def _defined(source: str) -> list[str]:
    return [node.name for node in _parsed(source).body if isinstance(node, ast.FunctionDef)]


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        # A cell with a magic, for example: it awards and defines nothing of interest.
        return ast.Module(body=[], type_ignores=[])
