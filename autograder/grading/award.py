"""Points for one exercise, as the last value of an nbgrader test cell."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..checking.judge import decide
from ..checking.run_locally import ask
from ..checking.verdict import Verdict
from ..secret import seed_for
from ..student.given import own
from .outputs import verdict_data, verdict_line


class Points(float):
    """Points that carry their verdict: a notebook keeps both."""

    verdict: Verdict

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return verdict_data(self.verdict)


def award(exercise_id: str, function: Callable[..., Any], points: float | None = None) -> Points:
    """Judge ``function`` on hidden cases and return its points.

    Parameters
    ----------
    exercise_id : str
    function : callable
        The student's function.
    points : float, optional
        What the cell gives; a release writes that in. As many as the exercise suggests when left out.

    Returns
    -------
    Points
        A float: nbgrader reads the last value of a test cell as the points earned,
        which is how partial credit works there.

    Notes
    -----
    Prints the verdict and its message, without inputs or expected values. All students
    are asked the same: nobody says here whose notebook runs, and code in the same process
    could find out what it is asked in any case. The
    cell must print nothing to stderr: nbgrader gives 0 for that.
    """
    exercise = own(exercise_id)
    if points is not None:
        exercise = replace(exercise, points=points)
    cases = exercise.cases(seed_for(exercise_id))
    verdict = decide(exercise, cases, ask(function, cases, exercise.allowed), hidden=True)
    print(verdict_line(verdict), end="")
    earned = Points(verdict.score)
    earned.verdict = verdict
    return earned
