"""From what a box says to outcomes that the judge may trust.

Every sentence that a student will read is written on this side. Of the box's own
words only those of fixed lists pass, since a function can choose them by what it is
asked and so carry a hidden input out. What one message can carry, in bits:

===================================  ====
an error: its kind, its line            9
a value that can be no answer           5
a part of the package                   9
no answer at all                        3
a shape, a width, a ratio, a time       0
===================================  ====

A message says one of these. Beside them stand the verdict, the score and the name of
a mistake, which are what grading is there to tell.
"""

from collections.abc import Mapping, Sequence

import chip2cluster
from chip2cluster.exercise.answers import Reason

from ..checking.outcome import (
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
from ..sandbox import CallReply, NoReply
from ..sandbox.inside.codes import ReplyCode
from ..sandbox.page_files import VIEWS
from .intake.matching import bound

# What needs no more than the name of the function to be said.
_SENTENCES = {
    ReplyCode.MISSING: "There is no function called `{}` in the notebook.",
    ReplyCode.UNCALLABLE: "`{}` is not a function.",
    NoReply.DIED: "Your function ended the whole interpreter: it crashed, exited or used too much memory.",
    NoReply.NEVER: "The notebook did not get this far: a cell before it had to be stopped.",
    NoReply.BUDGET: "There was no time left to ask `{}`: the cells and the functions before it took all that a submission has.",
    NoReply.GARBLED: "Your function gave no answer that could be read.",
}
_POOL = " A pool of threads or processes that another cell made is gone while you are graded: make it in your function."
# Those that honest work meets.
_ERRORS = {
    *("AssertionError", "AttributeError", "FileNotFoundError", "IndexError", "KeyError", "MemoryError"),
    *("ModuleNotFoundError", "NameError", "OverflowError", "RecursionError", "RuntimeError", "TypeError"),
    *("UnboundLocalError", "ValueError", "ZeroDivisionError"),
}
MOST_LINES = 31  # of code in a cell of which one line is quoted; the longest model answer has 12
# Names of types that may be told, by the reason for which a value was no answer; the other reasons name none.
_TYPES = {
    Reason.OTHER_ARRAY: {"object", "str", "bytes", "void", "complex64", "complex128", "datetime64", "timedelta64"},
    Reason.MIXED_ITEMS: {"list", "tuple"},
    Reason.OBJECT: {
        *("dict", "set", "frozenset", "bytes", "complex", "range", "map", "zip", "type", "function", "generator"),
        *("Series", "DataFrame", "Fraction", "Decimal"),
    },
}


def trusted(answered: CallReply, function: str, arguments: Sequence[str], sources: Mapping[int, str]) -> Outcome:
    """Turn what a box answered to one call into an `Outcome`.

    Parameters
    ----------
    answered : CallReply
        From `Sandbox.run`; not to be trusted.
    function : str
        Name of the function that was asked.
    arguments : list of str
        Names of its arguments, for a sentence.
    sources : dict
        Source of the cell that defines the function, by its number among the steps: see `own_cell`.
    """
    match answered.code:
        case ReplyCode.VALUE:
            outcome = returned(answered.value)
            return outcome if outcome.value is not None else NO_ANSWER
        case ReplyCode.UNWRITTEN:
            return UNWRITTEN
        case ReplyCode.UNUSABLE:
            return _unusable(answered)
        case ReplyCode.PACKAGE:
            return calls_package(_part(answered.name))
        case ReplyCode.RAISED:
            kind = answered.name if answered.name in _ERRORS else "An error of another kind"
            return raised(f"{kind}{_where(answered.line, sources)}.")
        case ReplyCode.ARITY:
            return takes_others(arguments)
        case NoReply.SLOW:
            return raised(too_slow(answered.value).text + _POOL)
        case code:
            return raised(_SENTENCES[code].format(function))


def _unusable(answered: CallReply) -> Outcome:
    reason, name = answered.reason, answered.name
    if reason is None or (reason in _TYPES and name not in _TYPES[reason]):
        return NO_ANSWER
    return unusable(reason, name)


def own_cell(sources: Mapping[int, str], function: str, question: int) -> dict[int, str]:
    """The last cell before a question that defines its function, of all cells by their number."""
    numbers = [number for number, source in sources.items() if number < question and function in bound(source)]
    return {number: sources[number] for number in numbers[-1:]}


def _part(name: str) -> str:
    """The subject of the package that a reply names, as far as there is one; which of its parts would tell more than it needs."""
    match name.split("."):
        case ["chip2cluster", module, *_] if module in chip2cluster.__all__ and module not in VIEWS:
            return f"chip2cluster.{module}"
    return "the package"


def _where(place: tuple[int, int] | None, sources: Mapping[int, str]) -> str:
    """The student's own line, looked up in what was handed in; a cell of many lines could tell much by one of them."""
    step, number = place or (-1, 0)
    lines = [line.strip() for line in sources.get(step, "").splitlines()]
    code = [line for line in lines if line and not line.startswith("#")]
    text = lines[number - 1] if 0 < number <= len(lines) and len(code) <= MOST_LINES else ""
    text = "" if text.startswith("#") else text
    # A back-tick would end the code that a card sets the line as.
    return f" in the line `{text[:120].replace('`', chr(39))}`" if text else ""
