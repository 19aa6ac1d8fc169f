"""Exponentials that say inf where a float is too small for them: such a run never ends."""

from __future__ import annotations

from math import exp, expm1, inf
from typing import Any

import numpy as np

LARGEST = 709.78  # of an exponent


def grown(exponent: Any) -> Any:
    """e to this power."""
    if type(exponent) is float:
        return exp(exponent) if exponent < LARGEST else inf
    with np.errstate(over="ignore"):
        return np.exp(exponent)


def grown_by(exponent: Any) -> Any:
    """e to this power, less one, exact for small ones."""
    if type(exponent) is float:
        return expm1(exponent) if exponent < LARGEST else inf
    with np.errstate(over="ignore"):
        return np.expm1(exponent)
