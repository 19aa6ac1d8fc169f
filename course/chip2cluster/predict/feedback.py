"""Patterns, limits and sentences of predictions: how a guess is parsed and what is reported about it.

They are data, so that a page without Python can parse guesses and report in the same way.
"""

import re
from collections.abc import Sequence
from math import ceil, log10
from unicodedata import normalize

from ..units import significant

# A number as people write it, and the text after it; the same in Python and in a browser.
NUMBER = r"([+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(.*)"
REFUSED = {
    "number": "Type a number above zero, such as 40 or 1.2e3; the answer is wanted in {unit}.",
    "comma": "Write the decimal sign as a point (1.5), and thousands as 1,200 or 1200.",
    "unit": "Type the number alone: the answer is wanted in {unit}, not in '{rest}'.",
    "huge": "That number is too large; nothing here is.",
    "zero": "The answer is above zero, and wanted in {unit}.",
}
SMALLEST, LARGEST = 1e-100, 1e100  # within these, a quotient of two numbers is a number
RIGHT, WITHIN = 1.005, 1.15  # up to these factors a guess is right, or its error is given in percent
NEAR = (  # from, to, words for a factor between them
    (WITHIN, 1.4, ": close"),
    (2.5, 4.0, ": half an order of magnitude"),
    (8.0, 12.5, ": an order of magnitude"),
)
FAR = 20.0  # from this factor on, orders of magnitude are counted
SAYINGS = {
    "right": "You were right.",
    "within": "You were within {percent} %.",
    "off": "You were {times} times too {side}{near}.",
    "far": ": {orders} orders of magnitude",
}
EVEN = 0.1  # orders of magnitude; a smaller mean error counts as neither high nor low
SUMMARY = "{count} prediction{s}, on average off by a factor of {times} ({orders} orders of magnitude), leaning {lean}."
NONE_YET = "No prediction yet."
LEANINGS = {"high": "too high", "low": "too low", "even": "neither high nor low"}


def parse(text: str, unit: str) -> float:
    """Parse a guess: ``40``, ``1.2e3``, ``1,200``, with or without the unit.

    Parameters
    ----------
    text : str
        Input of the reader.
    unit : str
        Unit of the answer.

    Returns
    -------
    float
        Number in that unit.

    Raises
    ------
    ValueError
        If it is anything else; the message says what to type.

    Examples
    --------
    >>> parse("1,200", "tokens/s"), parse("1.2e3 tokens/s", "tokens/s")
    (1200.0, 1200.0)
    """
    match = re.fullmatch(NUMBER, str(text).strip(), re.DOTALL)
    if not match:
        raise ValueError(REFUSED["number"].format(unit=unit))
    number, rest = match.groups()
    if rest.startswith(","):
        raise ValueError(REFUSED["comma"])
    if rest and _normalized(rest) != _normalized(unit):
        raise ValueError(REFUSED["unit"].format(unit=unit, rest=rest))
    value = float(number.replace(",", ""))
    if value > LARGEST:
        raise ValueError(REFUSED["huge"])
    if value < SMALLEST:
        raise ValueError(REFUSED["zero"].format(unit=unit))
    return value


def verdict(guess: float, truth: float) -> str:
    """Return a sentence on how far a guess is from the truth.

    Parameters
    ----------
    guess, truth : float
        Numbers above zero, in one unit.

    Returns
    -------
    str
        One sentence.

    Examples
    --------
    >>> verdict(120.0, 40.0), verdict(40.0, 40.0)
    ('You were 3.0 times too high: half an order of magnitude.', 'You were right.')
    >>> verdict(80.0, 40.0)
    'You were 2.0 times too high.'
    >>> verdict(30.0, 28.74)  # 4.4 %
    'You were within 5 %.'
    """
    ratio = max(guess / truth, truth / guess)
    if ratio < RIGHT:
        return SAYINGS["right"]
    if ratio < WITHIN:
        return SAYINGS["within"].format(percent=ceil(round(100 * (ratio - 1), 6)))
    near = next((words for start, end, words in NEAR if start <= ratio < end), "")
    if ratio >= FAR:
        near = SAYINGS["far"].format(orders=f"{log10(ratio):.1f}")
    return SAYINGS["off"].format(times=factor(ratio), side="high" if guess > truth else "low", near=near)


def summary(orders: Sequence[float]) -> str:
    """Return a sentence on how good several guesses were.

    Parameters
    ----------
    orders : sequence of float
        Errors in orders of magnitude, ``log10(guess / truth)``.

    Returns
    -------
    str
        One sentence.

    Examples
    --------
    >>> summary([0.5, 0.3])
    '2 predictions, on average off by a factor of 2.5 (0.40 orders of magnitude), leaning too high.'
    """
    if not orders:
        return NONE_YET
    count = len(orders)
    mean, lean = sum(map(abs, orders)) / count, sum(orders) / count
    side = "even" if abs(lean) < EVEN else "high" if lean > 0 else "low"
    return SUMMARY.format(
        count=count, s="s" * (count > 1), times=factor(10**mean), orders=f"{mean:.2f}", lean=LEANINGS[side]
    )


def factor(ratio: float) -> str:
    """Return a factor in two digits.

    >>> factor(2.96), factor(150), factor(12345), factor(3e7)
    ('3.0', '150', '12,345', '3.0e+07')
    """
    return significant(ratio, 2) if ratio < 1000 else f"{ratio:,.0f}" if ratio < 1e6 else f"{ratio:.1e}"


def _normalized(unit: str) -> str:
    """Return a unit without spaces and case, and with one of the two micro signs."""
    return normalize("NFKC", unit).replace(" ", "").lower()
