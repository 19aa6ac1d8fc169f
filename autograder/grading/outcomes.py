"""From what a box says to outcomes that the judge may trust.

Every sentence that a student will read is written here. Of the box's own words
nothing passes: they could carry a hidden input out.
"""

import builtins
import re

from ..answers import Unusable, plain
from ..judge import Outcome

_KNOWN = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}
_KINDS = _KNOWN | {"LinAlgError", "AxisError", "JSONDecodeError", "InvalidOperation"}
_PLAIN_SENTENCES = tuple(
    re.compile(f"Your function returned {pattern}")
    for pattern in (
        r"nothing \(None\)\. Is a `return` missing\?",
        r"an array of truth values where numbers are wanted\.",
        r"an array of (object|complex\d+|<U\d{1,3}), not of numbers\.",
        r"a (list|tuple) whose items are neither all numbers nor all names\.",
        r"an object of type (dict|set|bytes|complex|Series|DataFrame|function|generator|range|type|Fraction|Decimal|map|zip), "
        r"which is not a plain answer\.",
        r"a number too large for a 64-bit float\.",
    )
)


def outcome(said, function, arguments, sources):
    """Turn one answer of a box into an `Outcome`.

    Parameters
    ----------
    said : dict
        From `Box.run`; not to be trusted.
    function : str
        Name of the function that was asked.
    arguments : list of str
        Names of its arguments, for a sentence.
    sources : dict
        Source of each code cell by its number among the steps.
    """
    match said:
        case {"value": value}:
            try:
                return Outcome("value", plain(value))
            except Unusable:
                return Outcome("unusable", text="Your function returned something that is not a plain answer.")
        case {"unwritten": _}:
            return Outcome("unwritten")
        case {"unusable": str(text)}:
            known = any(pattern.fullmatch(text) for pattern in _PLAIN_SENTENCES)
            return Outcome(
                "unusable", text=text if known else "Your function returned something that is not a plain answer."
            )
        case {"package": str(name)}:
            known = re.fullmatch(r"chip2cluster(\.\w{1,40}){1,3}", name)
            return Outcome("package", text=name if known else "the package")
        case {"raised": str(kind), **rest}:
            return _raised(f"{kind if kind in _KINDS else 'An error of its own'}{_where(rest.get('line'), sources)}.")
        case {"missing": _}:
            return _raised(f"There is no function called `{function}` in the notebook.")
        case {"uncallable": _}:
            return _raised(f"`{function}` is not a function.")
        case {"arity": _}:
            return _raised(
                f"Your function must take {len(arguments)} arguments, in this order: {', '.join(arguments)}."
            )
        case {"slow": seconds}:
            return _raised(f"Still running after {seconds:g} s. Does your loop end for every input?")
        case {"died": _}:
            return _raised("Your function ended the whole interpreter: it crashed, exited or used too much memory.")
        case {"never": _}:
            return _raised("The notebook did not get this far: a cell before it had to be stopped.")
    return _raised("Your function gave no answer that could be read.")


def _raised(text):
    return Outcome("raised", text=text, brief=text)


def _where(line, sources):
    """The student's own line, looked up in what was handed in."""
    match line:
        case [int(cell), int(number)] if cell in sources:
            lines = sources[cell].splitlines()
            if 0 < number <= len(lines) and (text := lines[number - 1].strip()):
                return f" in the line `{text[:120].replace('`', chr(39))}`"
    return ""
