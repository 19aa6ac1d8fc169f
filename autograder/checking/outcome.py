"""What one call of a student's function gave, and the sentences that say it.

Whoever calls the function, here or in a box, tells what happened as one of these.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from chip2cluster.exercise.answers import MOST_AXES, MOST_ITEMS, Answer, Reason, Unusable, plain


class Kind(StrEnum):
    """What came of a call."""

    VALUE = "value"
    RAISED = "raised"
    UNWRITTEN = "unwritten"
    PACKAGE = "package"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class Outcome:
    """What one call gave.

    ``value`` is a plain answer, None for every kind but `Kind.VALUE`; ``text`` says
    what happened otherwise, ``brief`` the same without anything that the student's
    code could have put into it.
    """

    kind: Kind
    value: Answer | None = None
    text: str = ""
    brief: str = ""


UNWRITTEN = Outcome(Kind.UNWRITTEN)

_UNUSABLE = {
    Reason.NOTHING: "nothing (None). Is a `return` missing? None itself is no answer.",
    Reason.TRUTH_VALUES: "truth values where numbers are wanted: 1 for True, 0 for False.",
    Reason.OTHER_ARRAY: "an array of {}, not of numbers.",
    Reason.MIXED_ITEMS: "a {} whose items are neither all numbers nor all names.",
    Reason.TOO_LARGE: "a number too large for a 64-bit float.",
    Reason.TOO_MANY: f"more than an answer can hold, which is {MOST_ITEMS} numbers or letters in {MOST_AXES} axes.",
    Reason.OBJECT: "an object of type {}, which is not a plain answer.",
}
NONE_ON_PURPOSE = "Your function returned None, which is no answer here. Does every branch `return` one?"
NO_ANSWER = Outcome(Kind.UNUSABLE, text="Your function returned something that is not a plain answer.")


def returned(value: Any) -> Outcome:
    """The outcome of a call that returned ``value``, whatever that is."""
    try:
        return Outcome(Kind.VALUE, plain(value))
    except Unusable as unfit:
        return unusable(unfit.reason, unfit.type_name)


def unusable(reason: Reason, type_name: str) -> Outcome:
    """The outcome of a call that returned what can be no answer."""
    return Outcome(Kind.UNUSABLE, text=f"Your function returned {_UNUSABLE[reason].format(type_name)}")


def raised(text: str, brief: str = "") -> Outcome:
    """The outcome of a call that gave no value; ``text`` itself is brief where nothing else is said."""
    return Outcome(Kind.RAISED, text=text, brief=brief or text)


def calls_package(name: str) -> Outcome:
    """The outcome of a call that used a part of the package that is the answer."""
    return Outcome(Kind.PACKAGE, text=name)


def too_slow(seconds: float) -> Outcome:
    """The outcome of a call that was stopped after its time."""
    return raised(f"Still running after {seconds:g} s. Does your loop end for every input?")


def takes_others(names: Iterable[str]) -> Outcome:
    """The outcome for a function that cannot be called with these arguments."""
    names = [*names]
    return raised(f"Your function must take {len(names)} arguments, in this order: {', '.join(names)}.")
