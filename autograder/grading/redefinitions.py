"""Which functions must be asked again at the end of a notebook: those for which cells below their check matter."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .intake.matching import bound, imported, made

# What binds names without saying which.
_UNSEEN = re.compile(
    r"^[ \t]*(?:%(?:run|pylab)\b|from[ \t]+\S+[ \t]+import[ \t]*\*)|\b(?:exec|eval|globals|setattr|run_line_magic)\b",
    re.M,
)
_NAMED = re.compile(r"\b(?:def|class|as|import|global)[ \t]+(\w+)|\b(\w+)[ \t]*:=")
# Blanks before the first of them are passed once: every share of them would be tried.
_TARGETS = re.compile(r"^[ \t]*+([\w,*()][\w \t,*()]{0,199}?)(?::[^=\n]{0,100})?=(?!=)", re.M)


@dataclass(frozen=True)
class Code:
    """A code cell: its text, and whether that is the released one."""

    source: str
    released: bool


def asked_again(cells: Sequence[Code | None], checks: Mapping[int, str]) -> list[int]:
    """Find the checks above which something stands that a cell below them defines.

    Parameters
    ----------
    cells : list of Code or None
        By place in the notebook; None for what is not run.
    checks : dict
        The function that is asked, by the place of its check.

    Returns
    -------
    list of int
        Places of those checks, in order. One too many costs time, no mark.
    """
    sources = [cell.source if cell else "" for cell in cells]
    words = [set(re.findall(r"\w+", source)) for source in sources]
    names = [bound(source) for source in sources]
    # To import once more what is there changes nothing.
    renewed = [made(source) - imported(source) for source in sources]
    functions = [_anywhere(set(checks.values()), source) for source in sources]
    unseen = [bool(_UNSEEN.search(source)) for source in sources]
    again = []
    for place, function in checks.items():
        had = _all(names[:place])
        later = [number for number in range(place + 1, len(cells)) if (cell := cells[number]) and not cell.released]
        new = _all(names[number] - had | renewed[number] & had | functions[number] for number in later)
        if any(unseen[number] for number in later) or new & (_all(words[:place]) | {function}):
            again.append(place)
    return again


def _anywhere(functions: set[str], source: str) -> set[str]:
    """Those of some functions that a cell may bind, inside of an ``if`` too."""
    found = {name for pair in _NAMED.findall(source) for name in pair}
    for targets in _TARGETS.findall(source):
        found.update(re.findall(r"\w+", targets))
    return found & functions


def _all(sets: Iterable[set[str]]) -> set[str]:
    return set[str]().union(*sets)
