"""Distribution of the load of the fullest of several uplinks under a uniform hash."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .._typing import NDArray

MOST_FLOWS = 1024  # a polynomial of this degree still takes milliseconds


@lru_cache(maxsize=1024)
def mean_worst_load(flows: int, uplinks: int) -> float:
    """Return the mean number of flows on the fullest uplink."""
    return float(worst_load_probabilities(flows, uplinks) @ np.arange(flows + 1))


@lru_cache(maxsize=1024)
def mean_largest_binomial(others: int, uplinks: int, borders: int) -> float:
    """Return the mean of the largest of ``borders`` binomial numbers: the sum of P(largest > k) over k."""
    probabilities = [comb(others, k) * (uplinks - 1) ** (others - k) / uplinks**others for k in range(others)]
    return float(np.sum(1.0 - np.minimum(np.cumsum(probabilities), 1.0) ** borders))


@lru_cache(maxsize=1024)
def worst_load_probabilities(flows: int, uplinks: int) -> NDArray:
    """Return the probabilities that the fullest uplink carries 0, 1, 2, ... flows.

    A load is a Poisson number of mean flows / uplinks, and the sum of the loads is one of
    mean ``flows``; conditioned on the sum ``flows`` the loads are those of the hash.
    """
    if flows > MOST_FLOWS:
        raise ValueError(f"flows, times queue_pairs if given, must be at most {MOST_FLOWS:,}, got {flows:,}")
    numbers = np.arange(1, flows + 1)
    mean = flows / uplinks
    one = np.exp(np.concatenate([[0.0], np.cumsum(np.log(mean / numbers))]) - mean)
    one[one < 1e-150] = 0.0
    exactly = np.exp(np.sum(np.log(flows / numbers)) - flows)
    below = np.ones(flows + 1)
    for most in range(flows):
        below[most] = 0.0 if most * uplinks < flows else _power(one[: most + 1], uplinks, flows) / exactly
        if most and below[most] > 0.5 and below[most] - below[most - 1] < 1e-14:
            break  # the rest is rounding error
    below = np.minimum(np.maximum.accumulate(below), 1.0)
    return np.diff(below, prepend=0.0)


def _power(polynomial: NDArray, exponent: int, degree: int) -> float:
    """Return the coefficient of the given degree in a power of a polynomial of probabilities."""
    result, square = np.ones(1), polynomial
    while exponent:
        if exponent % 2:
            result = _product(result, square, degree)
        exponent //= 2
        if exponent:
            square = _product(square, square, degree)
    return float(result[degree]) if len(result) > degree else 0.0


def _product(one: NDArray, other: NDArray, degree: int) -> NDArray:
    """Return the product of two polynomials up to a degree, with negligible coefficients set to zero."""
    # Arithmetic with denormal numbers is slow.
    product = np.convolve(one, other)[: degree + 1]
    product[product < 1e-150] = 0.0
    return product
