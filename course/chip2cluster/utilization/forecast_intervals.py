"""Interval of a forecast from uncertain inputs, and the share of each input in its width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import positive, shortened

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray


def product_interval(factor: float, low: ArrayLike, high: ArrayLike, powers: ArrayLike) -> tuple[float, float]:
    """Smallest and largest value of a product whose inputs are known only between two bounds.

    Parameters
    ----------
    factor : float
        Known factor.
    low, high : array, shape (inputs,)
        Bounds of each input, in its own unit.
    powers : array, shape (inputs,)
        Exponent of each input in the product: 1 in the numerator, -1 in the
        denominator, 0 if it does not matter.

    Returns
    -------
    tuple of float
        ``factor`` times the smallest and the largest product, in the unit of the product.

    Notes
    -----
    All inputs at their worst at the same time: a bound, and wider than what is likely. An input
    in the denominator contributes its high bound to the low end. Days and dollars of a
    training run are such products (`training_time_at`). Source: interval arithmetic, R. Moore 1966.

    Examples
    --------
    >>> days = 6 * 70e9 * 15e12 / 1024 / 86400                    # over peak and utilization
    >>> low, high = product_interval(days, [989.4e12, 0.35], [989.4e12, 0.45], [-1, -1])
    >>> round(low), round(high)
    (160, 206)
    """
    bounds, exponents = _bounds(low, high, powers)
    ends = np.sort(bounds**exponents, axis=0)
    return tuple(float(end) for end in positive("factor", factor) * ends.prod(axis=1))  # type: ignore[return-value]


def interval_shares(low: ArrayLike, high: ArrayLike, powers: ArrayLike) -> NDArray[np.float64]:
    """Share of each input in a product's uncertainty: what measuring that input would remove.

    Parameters
    ----------
    low, high, powers : array, shape (inputs,)
        Bounds and exponents of the inputs, see `product_interval`.

    Returns
    -------
    array, shape (inputs,)
        Shares of the logarithm of high end over low end; they add up to 1, and are all 0
        if everything is known.

    Notes
    -----
    In a product ratios count: an input between 2 and 4 leaves as much uncertainty as
    one between 200 and 400. Source: see `product_interval`.

    Examples
    --------
    >>> interval_shares([2.0, 200.0, 1.0], [4.0, 400.0, 1.0], [1, -1, 1])
    array([0.5, 0.5, 0. ])
    """
    bounds, exponents = _bounds(low, high, powers)
    widths = np.abs(exponents) * np.log(bounds[1] / bounds[0])
    total = widths.sum()
    return widths / total if total else widths


def _bounds(low: ArrayLike, high: ArrayLike, powers: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return low and high bounds as two rows, and the exponents."""
    lows, highs = np.atleast_1d(positive("low", low)), np.atleast_1d(positive("high", high))
    exponents = np.atleast_1d(np.asarray(powers, dtype=float))
    if not (lows.ndim == 1 and lows.shape == highs.shape == exponents.shape):
        raise ValueError(
            f"low, high and powers must be lists of one length, got {lows.shape}, {highs.shape} and {exponents.shape}"
        )
    if not np.isfinite(exponents).all():
        raise ValueError(f"powers must be finite, got {shortened(powers)}")
    if (highs < lows).any():
        raise ValueError(f"high must not be below low, got {shortened(high)} and {shortened(low)}")
    return np.stack([lows, highs]), exponents
