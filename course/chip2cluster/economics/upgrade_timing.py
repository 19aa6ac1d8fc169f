"""Start now or wait for faster chips, and growth rates of published quantities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def time_with_wait(work_seconds: ArrayLike, wait_seconds: ArrayLike, doubling_seconds: ArrayLike) -> FloatOrArray:
    """Time from today until a job is done that starts later, on the hardware that the same money buys then.

    Parameters
    ----------
    work_seconds : float or array
        Duration of the job on hardware bought today, seconds.
    wait_seconds : float or array
        Delay of the start, seconds; may be 0.
    doubling_seconds : float or array
        Time in which the speed per dollar doubles, seconds.

    Returns
    -------
    float or array
        Seconds, including the wait.

    Notes
    -----
    ``x + T 2^(-x/d)``. Ignores the value of an earlier result, and that speed improves in steps.
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
    """Wait with which a job is done earliest, counted from today.

    Parameters
    ----------
    work_seconds, doubling_seconds : float or array
        Duration of the job and doubling time, same as in `time_with_wait`, seconds.

    Returns
    -------
    float or array
        Seconds; 0 if the job takes at most the doubling time divided by ln 2.

    Notes
    -----
    ``d log2(T ln 2 / d)``, the minimum of `time_with_wait`. The job then takes ``d / ln 2``, independent of its
    original length. Source: same as `time_with_wait`.

    Examples
    --------
    >>> round(best_wait(60.0, 24.0), 1), best_wait(30.0, 24.0)            # in months
    (19.0, 0.0)
    """
    work, doubling = positive("work_seconds", work_seconds), positive("doubling_seconds", doubling_seconds)
    return plain(np.maximum(doubling * np.log2(work * np.log(2.0) / doubling), 0.0))


def growth_factor(years: ArrayLike, amounts: ArrayLike, per_years: float = 2.0) -> float:
    """Growth factor of a quantity over a number of years, from a log-linear fit.

    Parameters
    ----------
    years : array, shape (k,)
        Years of the observations, at least two different ones.
    amounts : array, shape (k,)
        Observed values, above zero.
    per_years : float
        Period of the factor, years.

    Returns
    -------
    float
        Factor by which the quantity grows in that period.

    Raises
    ------
    ValueError
        The arrays differ in length or are too short, or all years are equal.

    Notes
    -----
    Least squares of the logarithms. Ignores changes of the growth rate: try other years. Source: the definition.

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
