"""Codes of verdicts, which exercises name and stored results contain."""

from enum import StrEnum


class Ruling(StrEnum):
    """Ruling of a verdict; the words are shown to students and stored in results."""

    CORRECT = "correct"
    NOT_WRITTEN = "not written yet"
    RAISES = "raises"
    TYPE = "wrong type or shape"
    UNIT = "wrong unit"
    FACTOR = "off by a known factor"
    MISCONCEPTION = "a named misconception"
    EDGES = "wrong at the edges"
    VALUE = "wrong value"
    REFUSED = "refused"


class Refusal(StrEnum):
    """Why an answer is refused; it takes the position of a mistake's name."""

    PACKAGE = "calls the answer itself"
    IGNORES = "ignores what it is asked"


# An exercise names them as ``v.UNIT``.
CORRECT, NOT_WRITTEN, RAISES, TYPE = Ruling.CORRECT, Ruling.NOT_WRITTEN, Ruling.RAISES, Ruling.TYPE
UNIT, FACTOR, MISCONCEPTION = Ruling.UNIT, Ruling.FACTOR, Ruling.MISCONCEPTION
EDGES, VALUE, REFUSED = Ruling.EDGES, Ruling.VALUE, Ruling.REFUSED
