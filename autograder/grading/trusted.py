"""From what a box says to outcomes that the judge may trust.

Every sentence that a student will read is written on this side. Of the box's own
words only those of fixed lists pass: others could carry a hidden input out.
"""

import builtins
import re
from collections.abc import Mapping, Sequence

from ..answers import Reason
from ..box import Answered, Silence
from ..box.inside.codes import Reply
from ..outcome import (
    NO_ANSWER,
    UNWRITTEN,
    Outcome,
    calls_package,
    raised,
    returned,
    takes_others,
    too_slow,
    unusable,
)

# What needs no more than the name of the function to be said.
_SENTENCES = {
    Reply.MISSING: "There is no function called `{}` in the notebook.",
    Reply.UNCALLABLE: "`{}` is not a function.",
    Silence.DIED: "Your function ended the whole interpreter: it crashed, exited or used too much memory.",
    Silence.NEVER: "The notebook did not get this far: a cell before it had to be stopped.",
    Silence.BUDGET: "There was no time left to ask `{}`: the cells and the functions before it took all that a submission has.",
    Silence.GARBLED: "Your function gave no answer that could be read.",
}
_ERRORS = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}
_ERRORS |= {"LinAlgError", "AxisError", "JSONDecodeError", "InvalidOperation"}
# Names of types that may be told, by the reason for which a value was no answer; the other reasons name none.
_TYPES = {
    Reason.OTHER_ARRAY: {"object", "str", "bytes", "void", "complex64", "complex128", "datetime64", "timedelta64"},
    Reason.MIXED_ITEMS: {"list", "tuple"},
    Reason.OBJECT: {
        *("dict", "set", "frozenset", "bytes", "complex", "range", "map", "zip", "type", "function", "generator"),
        *("Series", "DataFrame", "Fraction", "Decimal"),
    },
}


def trusted(answered: Answered, function: str, arguments: Sequence[str], sources: Mapping[int, str]) -> Outcome:
    """Turn what a box answered to one call into an `Outcome`.

    Parameters
    ----------
    answered : Answered
        From `Box.run`; not to be trusted.
    function : str
        Name of the function that was asked.
    arguments : list of str
        Names of its arguments, for a sentence.
    sources : dict
        Source of each code cell by its number among the steps.
    """
    match answered.code:
        case Reply.VALUE:
            outcome = returned(answered.value)
            return outcome if outcome.value is not None else NO_ANSWER
        case Reply.UNWRITTEN:
            return UNWRITTEN
        case Reply.UNUSABLE:
            return _unusable(answered)
        case Reply.PACKAGE:
            known = re.fullmatch(r"chip2cluster(\.\w{1,40}){1,3}", answered.name)
            return calls_package(answered.name if known else "the package")
        case Reply.RAISED:
            kind = answered.name if answered.name in _ERRORS else "An error of its own"
            return raised(f"{kind}{_where(answered.line, sources)}.")
        case Reply.ARITY:
            return takes_others(arguments)
        case Silence.SLOW:
            return too_slow(answered.value)
        case code:
            return raised(_SENTENCES[code].format(function))


def _unusable(answered: Answered) -> Outcome:
    reason, name = answered.reason, answered.name
    if reason is None or (reason in _TYPES and name not in _TYPES[reason]):
        return NO_ANSWER
    return unusable(reason, name)


def _where(place: tuple[int, int] | None, sources: Mapping[int, str]) -> str:
    """The student's own line, looked up in what was handed in."""
    step, number = place or (-1, 0)
    lines = sources.get(step, "").splitlines()
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    # A back-tick would end the code that a card sets the line as.
    return f" in the line `{text[:120].replace('`', chr(39))}`" if text else ""
