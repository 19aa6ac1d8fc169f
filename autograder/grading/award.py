"""Award points for one exercise, as the last value of an nbgrader test cell."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..checking.judge import grade_outcomes
from ..checking.local_runner import call_on_cases
from ..checking.verdict import Verdict
from ..secret import seed_for
from ..student.given import personal_exercise
from .outputs import verdict_data, verdict_line


class Points(float):
    """Points together with their verdict, so that a notebook stores both."""

    verdict: Verdict

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return verdict_data(self.verdict)


def award(exercise_id: str, function: Callable[..., Any], points: float | None = None) -> Points:
    """Judge ``function`` on hidden cases and return its points.

    Parameters
    ----------
    exercise_id : str
        Id of the exercise, such as ``"roofline.attainable"``.
    function : callable
        The student's function.
    points : float, optional
        Points of the cell, which a release writes in; the points that the exercise suggests if omitted.

    Returns
    -------
    Points
        Points earned, a float: nbgrader gives partial credit by the last value of a test cell.

    Notes
    -----
    Prints the verdict and its message, without inputs or expected values. All students get
    the same cases, because the student is unknown here, and code in the same process could
    find out its cases anyway. The cell must not write to stderr: nbgrader gives 0 points for that.
    """
    exercise = personal_exercise(exercise_id)
    if points is not None:
        exercise = replace(exercise, points=points)
    cases = exercise.cases(seed_for(exercise_id))
    verdict = grade_outcomes(exercise, cases, call_on_cases(function, cases, exercise.allowed), hidden=True)
    print(verdict_line(verdict), end="")
    earned = Points(verdict.score)
    earned.verdict = verdict
    return earned
