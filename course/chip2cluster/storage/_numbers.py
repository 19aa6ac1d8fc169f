"""Counts of bytes: whole, and exact as far as a 64-bit float counts them, 9 PB."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._validate import positive, whole


def counted(name: str, value: Any, minimum: int = 0) -> Any:
    """Whole numbers as an int, or as an array of them."""
    number = whole(name, value, minimum=minimum)
    return number if type(number) is int else np.asarray(number).astype(np.int64)


def share(name: str, value: Any) -> Any:
    """A share, 0 to 1."""
    number = positive(name, value, allow_zero=True)
    above = number > 1
    if above if type(above) is bool else above.any():
        raise ValueError(f"{name} must be 0 to 1, got {value!r}")
    return number
