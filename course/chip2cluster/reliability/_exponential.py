"""Exponentials that return inf on overflow: such a run never ends."""

from __future__ import annotations

from math import exp, expm1, inf
from typing import Any

import numpy as np

LARGEST = 709.78  # largest exponent whose exponential is a finite float


def safe_exp(exponent: Any) -> Any:
    """Return exp, or inf on overflow."""
    if type(exponent) is float:
        return exp(exponent) if exponent < LARGEST else inf
    with np.errstate(over="ignore"):
        return np.exp(exponent)


def safe_expm1(exponent: Any) -> Any:
    """Return expm1, or inf on overflow."""
    if type(exponent) is float:
        return expm1(exponent) if exponent < LARGEST else inf
    with np.errstate(over="ignore"):
        return np.expm1(exponent)
