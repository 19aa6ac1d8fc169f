"""Conversion between human-readable units and the base units of the models: bytes, seconds, FLOP.

`show` formats a quantity, `parse` parses one and rejects an ambiguous unit.
GB is always 10**9 bytes and GiB is 2**30 bytes.

>>> show(312e12, "FLOP/s")
'312 TFLOP/s'
>>> show(2.0e12, "B/s", digits=2)
'2.0 TB/s'
>>> parse("400 Gb/s", "B/s")
50000000000.0
"""

from __future__ import annotations

import re
from math import floor, isfinite, log10

from .units_parse import parse

__all__ = [
    "GB",
    "GIB",
    "KB",
    "KIB",
    "MB",
    "MIB",
    "PB",
    "PREFIXES",
    "TB",
    "TIB",
    "parse",
    "show",
    "significant",
    "with_minus",
]

KB, MB, GB, TB, PB = 1e3, 1e6, 1e9, 1e12, 1e15
KIB, MIB, GIB, TIB = 2.0**10, 2.0**20, 2.0**30, 2.0**40

PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E", 21: "Z"}
_SIGN = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)|(?<=\de)-(?=\d)")


def show(value: float, unit: str = "", digits: int = 3) -> str:
    """Format ``value`` with an SI prefix and ``digits`` significant digits.

    Parameters
    ----------
    value : float
        Quantity in the base unit.
    unit : str
        Base unit: ``"FLOP/s"``, ``"B"``, ``"B/s"``, ``"s"``, ``"W"`` ...
    digits : int
        Number of significant digits, including trailing zeros.

    Returns
    -------
    str
        Text such as ``"312 TFLOP/s"``.

    Examples
    --------
    >>> show(0.00384, "s")
    '3.84 ms'
    >>> show(999.6e9, "B/s")
    '1.00 TB/s'
    """
    value = float(value)
    if value == 0 or not isfinite(value):
        return f"{value:g} {unit}".rstrip()
    rounded = float(f"{value:.{digits - 1}e}")
    exponent = 3 * floor(log10(abs(rounded)) / 3)
    exponent = min(max(exponent, min(PREFIXES)), max(PREFIXES))
    scaled = rounded / 10.0**exponent
    return f"{significant(scaled, digits)} {PREFIXES[exponent]}{unit}".rstrip()


def with_minus(text: str) -> str:
    """Write the sign of negative numbers as a minus, for people; data for programs keep the hyphen.

    Parameters
    ----------
    text : str
        Numbers as Python formats them, with or without words.

    Returns
    -------
    str
        Text with U+2212 before each negative number; hyphens inside words, ranges and dates stay.

    Examples
    --------
    >>> with_minus("-5.02 ms, 2026-11-27")
    '−5.02 ms, 2026-11-27'
    """
    return _SIGN.sub("\N{MINUS SIGN}", text)


def significant(value: float, digits: int = 3) -> str:
    """Format a number with ``digits`` significant digits and no exponent.

    Parameters
    ----------
    value : float
        Number to format.
    digits : int
        Number of significant digits.

    Returns
    -------
    str
        Decimal number without thousands separators.

    Examples
    --------
    >>> significant(295.34), significant(0.6402, 2), significant(16384)
    ('295', '0.64', '16384')
    """
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - floor(log10(abs(float(f"{value:.{digits - 1}e}")))))
    return f"{value:.{decimals}f}"
