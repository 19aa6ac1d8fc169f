"""Counts of bytes, whole and exact up to 8 EiB."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._validate import holds, one_whole, shortened, whole

MOST_BYTES = 2**63  # what a 64-bit offset cannot hold any more


def counted(name: str, value: Any, minimum: int = 0) -> Any:
    """Whole numbers as an int, or as an array of them."""
    number: Any = whole(name, value, minimum=minimum)
    if type(number) is int:
        if number >= MOST_BYTES:
            raise _too_many(name, value)
        return number
    given = np.asarray(value)
    if given.dtype.kind == "i":  # exact, which the floats that were checked are not
        return given.astype(np.int64)
    if holds(number >= MOST_BYTES):
        raise _too_many(name, value)
    return number.astype(np.int64)


def one_count(name: str, value: Any, minimum: int = 0) -> int:
    """One such number."""
    number = one_whole(name, value, minimum)
    if number >= MOST_BYTES:
        raise _too_many(name, value)
    return number


def _too_many(name: str, value: Any) -> ValueError:
    return ValueError(f"{name} must be below 2**63 bytes, as a file's offset is, got {shortened(value)}")
