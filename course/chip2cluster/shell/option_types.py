"""Types of option values: quantities with units, counts, fractions, dollars; imports no heavy modules."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Collection
from math import isfinite

from ..units_parse import parse
from .synonyms import FORMATS, nearest

MOST = 1e24  # upper limit of all inputs; products of two such numbers are finite
MOST_CHIPS = 1_000_000
_SUFFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12,
             "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}  # fmt: skip
_WRITTEN = {
    "s": '"30 days", "8 h" or "50 ms"',
    "B": '"80 GB"',
    "B/s": '"400 Gb/s" or "50 GB/s"',
    "W": '"700 W"',
    "FLOP/s": '"71 TFLOP/s"',
}
_PLAIN = re.compile(r"\$?\s*((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([a-zA-Z]*)")


_BARE = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+]?[0-9]+)?")


def quantity(unit: str, *, zero: bool = False, binary: bool = False) -> Callable[[str], float]:
    """Return a parser of quantities such as ``"400 Gb/s"``, in one base unit; a plain number counts bytes.

    ``binary`` reads KB as CUDA and its profilers print it, 1,024 bytes.
    """

    def read(text: str) -> float:
        if unit == "B" and _BARE.fullmatch(text.strip()):
            return _sized(text, float(text), zero)
        if binary and (plain := re.fullmatch(r"\s*([0-9.]+)\s*[kK]\s*", text)):
            raise ArgumentTypeError(
                f"{text!r} has no unit: write {plain[1]} KB (1,024 bytes each, as CUDA counts), or plain bytes"
            )
        if unit == "s" and (months := re.fullmatch(r"\s*([0-9.]+)\s*mo(?:nth)?s?\s*", text)):
            raise ArgumentTypeError(
                f"{text!r}: a month has 28 to 31 days; write days, such as '{30 * float(months[1]):g} days'"
            )
        try:
            value = parse(re.sub(r"(?<=[0-9 ])[kK]B$", "KiB", text.strip()) if binary else text, unit)
        except ValueError as problem:
            raise ArgumentTypeError(f"{problem}; it is written as {_WRITTEN[unit]}") from None
        return _sized(text, value, zero)

    return read


def number(*, least: float = 0.0, most: float = MOST, zero: bool = False) -> Callable[[str], float]:
    """Return a parser of plain numbers such as 15e12, 15T, 70B or $5M."""

    def read(text: str) -> float:
        match = _PLAIN.fullmatch(text.strip())
        if not match:
            raise ArgumentTypeError(f"{text!r} is not a number: write it as 15000, 15e3 or 15k{_grouped(text)}")
        digits, suffix = match.groups()
        if suffix not in _SUFFIXES:
            raise ArgumentTypeError(f"{text!r} has an unknown suffix {suffix!r}: there are k, M, B (10^9), T (10^12)")
        value = _sized(text, float(digits) * _SUFFIXES[suffix], zero)
        if value < least or value > most:
            raise ArgumentTypeError(f"{text!r} must be between {least:g} and {most:g}")
        return value

    return read


def whole(*, least: int = 1, most: float = 1e15) -> Callable[[str], int]:
    """Return a parser of counts."""

    def read(text: str) -> int:
        value = number(most=most, zero=True)(text)
        if value != int(value) or value < least:
            raise ArgumentTypeError(f"{text!r} must be a whole number of at least {least}")
        return int(value)

    return read


def share(*, zero: bool = False) -> Callable[[str], float]:
    """Return a parser of fractions such as 0.4 or 40 %."""

    def read(text: str) -> float:
        stripped = text.strip()
        percent = stripped.endswith("%")
        value = number(zero=zero)(stripped.removesuffix("%")) / (100 if percent else 1)
        if value > 1:
            raise ArgumentTypeError(f"{text!r} is more than 1: write a fraction such as 0.4, or 40%")
        return value

    return read


def precision(text: str) -> str:
    """Return the name of a number format here, also if it is written as in a framework."""
    return FORMATS.get(re.sub(r"[^a-z0-9]", "", text.casefold()), text)


def one_of(choices: Collection[str]) -> Callable[[str], str]:
    """Return a parser of one of several words, case ignored."""

    def read(text: str) -> str:
        by_key = {choice.casefold(): choice for choice in choices}
        if text.casefold() in by_key:
            return by_key[text.casefold()]
        raise ArgumentTypeError(f"{text!r} is not known{nearest(text, choices)}; there are {', '.join(choices)}")

    return read


def _sized(text: str, value: float, zero: bool) -> float:
    if not isfinite(value) or value > MOST:
        raise ArgumentTypeError(f"{text!r} is too large: at most {MOST:g}")
    if value == 0 and not zero:
        raise ArgumentTypeError(f"{text!r} must be above zero")
    if 0 < value < 1 / MOST:
        raise ArgumentTypeError(f"{text!r} is too small: at least {1 / MOST:g}")
    return value


def _grouped(text: str) -> str:
    return "; a comma may group thousands or begin decimals" if "," in text else ""
