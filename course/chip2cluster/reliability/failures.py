"""Failure rates and MTBF of machines with many parts: rates add, so mean times divide."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def mtbf(parts: ArrayLike, failures_per_part_second: ArrayLike) -> FloatOrArray:
    """Mean time between failures (MTBF) of a machine that needs all of its parts.

    Parameters
    ----------
    parts : int or array of int
        Number of nodes or devices, the same kind of part as in the rate.
    failures_per_part_second : float or array
        Failures of one part per second of operation, from `failure_rate`.

    Returns
    -------
    float or array
        Seconds, ``1 / (parts * failures_per_part_second)``.

    Notes
    -----
    Parts fail independently and at a constant rate. Ignores correlated failures of many nodes behind one switch
    (`RunPlan`), infant mortality and wear. Source: Daly 2006, section 2.

    Examples
    --------
    The Llama 3 job failed 419 times in 54 days on 2,048 nodes.

    >>> rate = failure_rate(419, parts=2048, seconds=54 * 86400)
    >>> round(mtbf(2048, rate) / 3600, 2), round(mtbf(128, rate) / 3600, 1)
    (3.09, 49.5)
    """
    return plain(1.0 / (whole("parts", parts) * positive("failures_per_part_second", failures_per_part_second)))


def failure_rate(failures: ArrayLike, parts: ArrayLike, seconds: ArrayLike) -> FloatOrArray:
    """Failure rate of one part, from a count over a time.

    Parameters
    ----------
    failures : float or array
        Number of failures counted, all parts.
    parts : int or array of int
        Number of nodes or devices.
    seconds : float or array
        Length of the observation, seconds.

    Returns
    -------
    float or array
        Failures per part and second; times 86,400,000, the commonly published failures per thousand node-days.

    Notes
    -----
    Ignores the uncertainty of the count: ``n`` varies by about the square root of ``n``.
    Source: the definition.

    Examples
    --------
    >>> round(failure_rate(419, parts=2048, seconds=54 * 86400) * 1000 * 86400, 2)
    3.79
    """
    time = whole("parts", parts) * positive("seconds", seconds)
    return plain(positive("failures", failures, allow_zero=True) / time)


def combined_mtbf(mtbfs: ArrayLike) -> float:
    """Mean time between failures of a machine that stops when a part of any kind fails.

    Parameters
    ----------
    mtbfs : array, shape (kinds,)
        MTBF of all nodes, of all switches, of all disks ..., seconds.

    Returns
    -------
    float
        Seconds, the inverse of the sum of the rates.

    Notes
    -----
    Ignores that one failure may cause another. Source: rates of independent Poisson processes add.

    Examples
    --------
    >>> round(combined_mtbf([3.0 * 3600, 6.0 * 3600]) / 3600, 9)
    2.0
    """
    times = np.atleast_1d(positive("mtbfs", mtbfs))
    if not times.size:
        raise ValueError("mtbfs must hold at least one time, got none")
    return float(1.0 / np.sum(1.0 / times))


def survival(seconds: ArrayLike, mtbf: ArrayLike) -> FloatOrArray:
    """Probability that nothing fails for a given time.

    Parameters
    ----------
    seconds, mtbf : float or array
        Time without failure, and mean time between failures, seconds.

    Returns
    -------
    float or array
        Probability ``exp(-seconds / mtbf)``, 0 to 1.

    Notes
    -----
    Constant rate. Ignores infant mortality and wear. Source: the exponential distribution.

    Examples
    --------
    A day without an interruption, at an MTBF of 3.09 hours.

    >>> round(survival(86400, 3.09 * 3600), 5)
    0.00042
    """
    ratio = positive("seconds", seconds, allow_zero=True) / positive("mtbf", mtbf)
    return exp(-ratio) if type(ratio) is float else plain(np.exp(-ratio))
