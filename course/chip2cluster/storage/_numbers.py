"""Counts of bytes, whole and exact up to 8 EiB, and shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._validate import one_whole, positive, shortened, whole

MOST_BYTES = 2**63  # what a 64-bit offset cannot hold any more


def counted(name: str, value: Any, minimum: int = 0) -> Any:
    """Whole numbers as an int, or as an array of them."""
    number = whole(name, value, minimum=minimum)
    if np.max(number, initial=0) >= MOST_BYTES:
        raise _too_many(name, value)
    if type(number) is int:
        return number
    given = np.asarray(value)
    return (given if given.dtype.kind in "iu" else number).astype(np.int64)  # type: ignore[union-attr]


def one_count(name: str, value: Any, minimum: int = 0) -> int:
    """One such number."""
    number = one_whole(name, value, minimum)
    if number >= MOST_BYTES:
        raise _too_many(name, value)
    return number


def share(name: str, value: Any) -> Any:
    """A share, 0 to 1."""
    number = positive(name, value, allow_zero=True)
    above = number > 1
    if above if type(above) is bool else above.any():
        raise ValueError(f"{name} must be 0 to 1, got {shortened(value)}")
    return number


def _too_many(name: str, value: Any) -> ValueError:
    return ValueError(f"{name} must be below 2**63 bytes, as a file's offset is, got {shortened(value)}")
