"""Helpers and base classes of nbgrader that are importable but not documented as its API.

Everything else imports them from here, so that a move in nbgrader is one change.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nbgrader import preprocessors
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    Execute,
    IncludeHeaderFooter,
    NbGraderPreprocessor,
)
from nbgrader.utils import is_grade, is_locked, is_solution, is_task, parse_utc, rmtree

__all__ = [
    "AssignLatePenalties",
    "CheckCellMetadata",
    "CourseDirectory",
    "Execute",
    "IncludeHeaderFooter",
    "NbGraderPreprocessor",
    "is_grade",
    "is_locked",
    "is_solution",
    "is_task",
    "parse_utc",
    "preprocessors",
    "rmtree",
    "temporary_traits",
]


@contextmanager
def temporary_traits(configurable: Any, **values: Any) -> Iterator[None]:
    """Set traits of nbgrader's course directory for a block, and restore them also after an error.

    ``nbgrader.utils.temp_attrs``, which this replaces, leaves them changed then.
    """
    before = {name: getattr(configurable, name) for name in values}
    try:
        for name, value in values.items():
            setattr(configurable, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(configurable, name, value)
