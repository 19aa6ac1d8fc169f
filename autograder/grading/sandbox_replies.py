"""Turn the sandbox's untrusted replies into outcomes that the judge may trust.

Every sentence that a student reads is written here, outside the sandbox. Words of a reply pass only
if they are in a fixed list: a student's function can choose them by its arguments, and so leak a hidden
input. Information that one message can leak, in bits:

===================================  ====
an error: its kind, its line            9
a value of an unusable type             5
a part of the package                   9
no reply at all                         3
a shape, a width, a ratio, a time       0
===================================  ====

A message contains one of these. In addition it shows the verdict, the score and the name of
a mistake, which are the purpose of grading.
"""

from collections.abc import Mapping, Sequence

import chip2cluster
from chip2cluster.exercise.answers import UnusableReason

from ..checking.outcome import (
    NO_ANSWER,
    UNWRITTEN,
    Outcome,
    error_outcome,
    package_call_outcome,
    signature_outcome,
    timeout_outcome,
    unusable_outcome,
    value_outcome,
)
from ..sandbox import CallReply, NoReply
from ..sandbox.inside.reply_codes import ReplyCode
from ..sandbox.page_files import VIEWS
from .intake.cell_matching import bound_names

# Sentences that need only the name of the function.
_SENTENCES = {
    ReplyCode.MISSING: "There is no function called `{}` in the notebook.",
    ReplyCode.UNCALLABLE: "`{}` is not a function.",
    NoReply.DIED: "Your function ended the whole interpreter: it crashed, exited or used too much memory.",
    NoReply.NEVER: "The notebook did not get this far: a cell before it had to be stopped.",
    NoReply.BUDGET: "There was no time left to call `{}`: the cells and functions before it used up the time limit of a submission.",
    NoReply.GARBLED: "Your function returned nothing that could be read.",
}
_POOL = " A pool of threads or processes that another cell created does not exist while you are graded: create it in your function."
# Types of errors that honest work raises.
_ERRORS = {
    *("AssertionError", "AttributeError", "FileNotFoundError", "IndexError", "KeyError", "MemoryError"),
    *("ModuleNotFoundError", "NameError", "OverflowError", "RecursionError", "RuntimeError", "TypeError"),
    *("UnboundLocalError", "ValueError", "ZeroDivisionError"),
}
MAX_QUOTABLE_LINES = (
    31  # lines of code in a cell; the number of a quoted line leaks 5 bits. Model answers have up to 12
)
# Names of types that a message may contain, by the reason that made a value unusable; other reasons name none.
_TYPES = {
    UnusableReason.OTHER_ARRAY: {
        "object",
        "str",
        "bytes",
        "void",
        "complex64",
        "complex128",
        "datetime64",
        "timedelta64",
    },
    UnusableReason.MIXED_ITEMS: {"list", "tuple"},
    UnusableReason.OBJECT: {
        *("dict", "set", "frozenset", "bytes", "complex", "range", "map", "zip", "type", "function", "generator"),
        *("Series", "DataFrame", "Fraction", "Decimal"),
    },
}


def trusted_outcome(reply: CallReply, function: str, arguments: Sequence[str], sources: Mapping[int, str]) -> Outcome:
    """Turn the reply to one call into an `Outcome`.

    Parameters
    ----------
    reply : CallReply
        Untrusted reply from `Sandbox.run`.
    function : str
        Name of the called function.
    arguments : list of str
        Names of its parameters, for a sentence.
    sources : dict
        Source of the cell that defines the function, by its number among the steps; see `defining_cell`.
    """
    match reply.code:
        case ReplyCode.VALUE:
            outcome = value_outcome(reply.value)
            return outcome if outcome.value is not None else NO_ANSWER
        case ReplyCode.UNWRITTEN:
            return UNWRITTEN
        case ReplyCode.UNUSABLE:
            return _unusable(reply)
        case ReplyCode.PACKAGE:
            return package_call_outcome(_package_part(reply.name))
        case ReplyCode.RAISED:
            kind = reply.name if reply.name in _ERRORS else "An error of another kind"
            return error_outcome(f"{kind}{_quoted_line(reply.line, sources)}.")
        case ReplyCode.ARITY:
            return signature_outcome(arguments)
        case NoReply.SLOW:
            return error_outcome(timeout_outcome(reply.value).text + _POOL)
        case code:
            return error_outcome(_SENTENCES[code].format(function))


def _unusable(reply: CallReply) -> Outcome:
    reason, name = reply.reason, reply.name
    if reason is None or (reason in _TYPES and name not in _TYPES[reason]):
        return NO_ANSWER
    return unusable_outcome(reason, name)


def defining_cell(sources: Mapping[int, str], function: str, query: int) -> dict[int, str]:
    """Return the last cell before a query that defines its function, by its number among the steps."""
    numbers = [number for number, source in sources.items() if number < query and function in bound_names(source)]
    return {number: sources[number] for number in numbers[-1:]}


def _package_part(name: str) -> str:
    """Return the subpackage of `chip2cluster` that a reply names; a longer name would leak more than is needed."""
    match name.split("."):
        case ["chip2cluster", module, *_] if module in chip2cluster.__all__ and module not in VIEWS:
            return f"chip2cluster.{module}"
    return "the package"


def _quoted_line(place: tuple[int, int] | None, sources: Mapping[int, str]) -> str:
    """Quote the student's line from the submission; not from a long cell, where the choice of a line could leak much."""
    step, number = place or (-1, 0)
    lines = [line.strip() for line in sources.get(step, "").splitlines()]
    code = [line for line in lines if line and not line.startswith("#")]
    text = lines[number - 1] if 0 < number <= len(lines) and len(code) <= MAX_QUOTABLE_LINES else ""
    text = "" if text.startswith("#") else text
    # A back-tick would end the code formatting of the line.
    return f" in the line `{text[:120].replace('`', chr(39))}`" if text else ""
