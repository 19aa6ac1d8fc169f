"""The codes of verdicts, which exercises name and stored results hold."""

from enum import StrEnum


class Ruling(StrEnum):
    """What a verdict says; the words are those that a student reads and a stored result holds."""

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
    """Why an answer is refused; it stands where another verdict has the name of a mistake."""

    PACKAGE = "calls the answer itself"
    IGNORES = "ignores what it is asked"


# An exercise names them as ``v.UNIT``.
CORRECT, NOT_WRITTEN, RAISES, TYPE = Ruling.CORRECT, Ruling.NOT_WRITTEN, Ruling.RAISES, Ruling.TYPE
UNIT, FACTOR, MISCONCEPTION = Ruling.UNIT, Ruling.FACTOR, Ruling.MISCONCEPTION
EDGES, VALUE, REFUSED = Ruling.EDGES, Ruling.VALUE, Ruling.REFUSED
