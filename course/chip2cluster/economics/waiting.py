"""To begin now or to wait for faster chips, and how fast a quantity grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def time_with_wait(work_seconds: ArrayLike, wait_seconds: ArrayLike, doubling_seconds: ArrayLike) -> FloatOrArray:
    """From today until a work is done that is begun later, on what the same money buys by then.

    Parameters
    ----------
    work_seconds : float or array
        That it takes on what the money buys today.
    wait_seconds : float or array
        0 or more.
    doubling_seconds : float or array
        In which what the money buys becomes twice as fast.

    Returns
    -------
    float or array
        Seconds, the wait included.

    Notes
    -----
    ``x + T 2^(-x/d)``. Ignores what the result is worth earlier, and that speed comes in steps.
    Source: Gottbrath et al. 1999, "The effects of Moore's law and slacking on large computations".

    Examples
    --------
    >>> time_with_wait(48.0, 24.0, 24.0)                     # in months: half the work is left after 24
    48.0
    """
    work, doubling = positive("work_seconds", work_seconds), positive("doubling_seconds", doubling_seconds)
    wait = positive("wait_seconds", wait_seconds, allow_zero=True)
    return plain(wait + work * np.exp2(-wait / doubling))


def best_wait(work_seconds: ArrayLike, doubling_seconds: ArrayLike) -> FloatOrArray:
    """The wait after which a work is done earliest, counted from today.

    Parameters
    ----------
    work_seconds, doubling_seconds : float or array
        As `time_with_wait`.

    Returns
    -------
    float or array
        Seconds; 0 where the work takes no longer than a doubling over ln 2.

    Notes
    -----
    ``d log2(T ln 2 / d)``, where `time_with_wait` is flat. What is left then takes ``d / ln 2``,
    however long the work was. Source: as `time_with_wait`.

    Examples
    --------
    >>> round(best_wait(60.0, 24.0), 1), best_wait(30.0, 24.0)            # in months
    (19.0, 0.0)
    """
    work, doubling = positive("work_seconds", work_seconds), positive("doubling_seconds", doubling_seconds)
    return plain(np.maximum(doubling * np.log2(work * np.log(2.0) / doubling), 0.0))


def growth_factor(years: ArrayLike, amounts: ArrayLike, per_years: float = 2.0) -> float:
    """By what an amount multiplies in so many years, from a straight line through its logarithms.

    Parameters
    ----------
    years : array, shape (k,)
        When each was seen, at least two different ones.
    amounts : array, shape (k,)
        What was seen, above zero.
    per_years : float
        Of the factor.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        The arrays differ in length or are too short, or all years are equal.

    Notes
    -----
    Least squares of the logarithms. Ignores that growth bends: choose other years and see. Source:
    the definition.

    Examples
    --------
    >>> round(growth_factor([2018, 2020, 2022], [1.0, 3.0, 9.0]), 6)
    3.0
    """
    when, seen = np.atleast_1d(positive("years", years)), np.atleast_1d(positive("amounts", amounts))
    if when.ndim != 1 or when.shape != seen.shape or np.unique(when).size < 2:
        raise ValueError(
            f"years and amounts must be lists of one length with two different years, got {years!r} and {amounts!r}"
        )
    slope = np.polyfit(when - when.mean(), np.log(seen), 1)[0]
    return float(np.exp(slope * positive("per_years", per_years)))
