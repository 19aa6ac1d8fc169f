"""Lookup of stored links by name and width."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

from .._validate import whole
from .link import data

if TYPE_CHECKING:
    from collections.abc import Collection

    from .._typing import ArrayLike, IntOrArray


def generation_key(value: float | str, family: str) -> str:
    """Return the key of a numbered generation: 5, 5.0 and "5.0" are equivalent."""
    known = data()[family]
    if isinstance(value, bool) or not isinstance(value, (Real, str)):
        raise TypeError(f"generation must be one of {', '.join(known)}, got {value!r}")
    text = value.strip() if isinstance(value, str) else f"{float(value):g}"
    key = text.removesuffix(".0")
    if key not in known:
        raise ValueError(f"generation must be one of {', '.join(known)}, got {value!r}")
    return key


def row_key(name: str, value: str, family: str) -> str:
    """Return the key of a named row, in any case."""
    known = data()[family]
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    if value in known:
        return value
    for key in known:
        if key.casefold() == value.strip().casefold():
            return key
    raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


def standard_width(name: str, value: ArrayLike, choices: Collection[int], standard: str) -> IntOrArray:
    """Return a number of lanes after checking that the standard has it."""
    width = whole(name, value)
    standardized = width in choices if isinstance(width, int) else set(width.flat) <= set(choices)
    if not standardized:
        raise ValueError(f"{name} of {standard} must be one of {', '.join(map(str, choices))}, got {value!r}")
    return width


def label(prefix: str, width: IntOrArray) -> str:
    """Return the name of a link; an array of widths is written as n."""
    return f"{prefix}{width}" if isinstance(width, int) else f"{prefix}n"
