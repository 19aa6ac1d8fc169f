"""The names under which an instructor's own labs import verdicts and their codes."""

from chip2cluster.exercise.verdict_codes import (
    CORRECT,
    EDGES,
    FACTOR,
    MISCONCEPTION,
    NOT_WRITTEN,
    RAISES,
    REFUSED,
    TYPE,
    UNIT,
    VALUE,
    Refusal,
    Ruling,
)

from .checking.verdict import Verdict

__all__ = [
    "CORRECT",
    "EDGES",
    "FACTOR",
    "MISCONCEPTION",
    "NOT_WRITTEN",
    "RAISES",
    "REFUSED",
    "TYPE",
    "UNIT",
    "VALUE",
    "Refusal",
    "Ruling",
    "Verdict",
]
