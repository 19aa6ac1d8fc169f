"""The learner's names while work is graded: they are there, and say nothing.

The grader asks the functions itself, from outside.
"""

from typing import Any

from .null_object import Quiet

own: dict[str, dict[str, Any]] = {}  # the student's own constants, by exercise


def check(exercise_id: Any, function: Any = None, points: float | None = None) -> Quiet:
    """Do nothing: the grader checks."""
    return Quiet()


def hint(exercise_id: Any = None) -> Quiet:
    """Do nothing."""
    return Quiet()


def reveal(exercise_id: Any = None) -> Quiet:
    """Do nothing."""
    return Quiet()


def progress(*_: Any, **__: Any) -> Quiet:
    """Do nothing."""
    return Quiet()


def given(exercise_id: str) -> dict[str, Any]:
    """The student's own constants, as the page shows them."""
    return dict(own[exercise_id])
