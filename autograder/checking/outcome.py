"""Outcome of one call of a student's function, with the sentence that describes it.

Both callers of the function, in this process and in the sandbox, report their result as an outcome.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from chip2cluster.exercise.answers import MOST_AXES, MOST_ITEMS, Answer, UnusableAnswer, UnusableReason, normalize


class OutcomeKind(StrEnum):
    """Result of a call."""

    VALUE = "value"
    RAISED = "raised"
    UNWRITTEN = "unwritten"
    PACKAGE = "package"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class Outcome:
    """Outcome of one call.

    Attributes
    ----------
    kind : OutcomeKind
    value : Answer or None
        Normalized answer; None for every kind except `OutcomeKind.VALUE`.
    text : str
        Sentence that describes any other outcome.
    brief : str
        The same sentence without text that the student's code could have chosen.
    """

    kind: OutcomeKind
    value: Answer | None = None
    text: str = ""
    brief: str = ""


UNWRITTEN = Outcome(OutcomeKind.UNWRITTEN)

_UNUSABLE = {
    UnusableReason.NOTHING: "nothing (None). Is a `return` missing? None itself is not an answer.",
    UnusableReason.TRUTH_VALUES: "truth values where numbers are wanted: 1 for True, 0 for False.",
    UnusableReason.OTHER_ARRAY: "an array of {}, not of numbers.",
    UnusableReason.MIXED_ITEMS: "a {} whose items are neither all numbers nor all names.",
    UnusableReason.TOO_LARGE: "a number too large for a 64-bit float.",
    UnusableReason.TOO_MANY: f"more than an answer can hold, which is {MOST_ITEMS} numbers or letters in {MOST_AXES} axes.",
    UnusableReason.OBJECT: "an object of type {}, which is not a plain answer.",
}
NONE_ON_PURPOSE = "Your function returned None, which is not an answer here. Does every branch `return` one?"
NO_ANSWER = Outcome(OutcomeKind.UNUSABLE, text="Your function returned something that is not a plain answer.")


def value_outcome(value: Any) -> Outcome:
    """Return the outcome of a call that returned ``value``."""
    try:
        return Outcome(OutcomeKind.VALUE, normalize(value))
    except UnusableAnswer as unfit:
        return unusable_outcome(unfit.reason, unfit.type_name)


def unusable_outcome(reason: UnusableReason, type_name: str) -> Outcome:
    """Return the outcome of a call whose value cannot be an answer."""
    return Outcome(OutcomeKind.UNUSABLE, text=f"Your function returned {_UNUSABLE[reason].format(type_name)}")


def error_outcome(text: str, brief: str = "") -> Outcome:
    """Return the outcome of a call without a value; ``brief`` is ``text`` unless it is given."""
    return Outcome(OutcomeKind.RAISED, text=text, brief=brief or text)


def package_call_outcome(name: str) -> Outcome:
    """Return the outcome of a call that used the part of the package that is the answer."""
    return Outcome(OutcomeKind.PACKAGE, text=name)


def timeout_outcome(seconds: float) -> Outcome:
    """Return the outcome of a call that was stopped after its time."""
    return error_outcome(f"Still running after {seconds:g} s. Does your loop end for every input?")


def signature_outcome(names: Iterable[str]) -> Outcome:
    """Return the outcome for a function that cannot be called with these arguments."""
    names = [*names]
    return error_outcome(f"Your function must take {len(names)} arguments, in this order: {', '.join(names)}.")
