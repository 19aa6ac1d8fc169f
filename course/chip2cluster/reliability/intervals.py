"""How long to work between two checkpoints: Young, Daly, and the exact optimum."""

from __future__ import annotations

from math import expm1, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._validate import choice, plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

Order = Literal["first", "higher"]


def young_interval(checkpoint_seconds: ArrayLike, mtbf: ArrayLike) -> FloatOrArray:
    """Young's interval between checkpoints, the square root that everybody quotes.

    Parameters
    ----------
    checkpoint_seconds : float or array
        Time that one dump keeps the job from working, seconds.
    mtbf : float or array
        Mean time between failures of the whole job, seconds; not of one node.

    Returns
    -------
    float or array
        Seconds of work between the end of one dump and the start of the next: ``sqrt(2 d M)``.

    Notes
    -----
    For dumps much shorter than the MTBF; some authors count the dump within the interval.
    Ignores restarts, and failures during a dump. Source: J. Young, "A first order
    approximation to the optimum checkpoint interval", CACM 17 (1974).

    Examples
    --------
    >>> round(young_interval(60, 3.09 * 3600) / 60, 1)
    19.3
    """
    dump, mean = _checked(checkpoint_seconds, mtbf)
    return _root(2.0 * dump * mean)


def daly_interval(checkpoint_seconds: ArrayLike, mtbf: ArrayLike, order: Order = "higher") -> FloatOrArray:
    """Daly's interval between checkpoints, which takes the dump itself into account.

    Parameters
    ----------
    checkpoint_seconds, mtbf : float or array
        As `young_interval`.
    order : {"higher", "first"}
        The series to its third term, or the root alone less the dump.

    Returns
    -------
    float or array
        Seconds of work between two dumps. ``"first"``: ``sqrt(2 d M) - d``, which is negative
        for ``d > 2 M``. ``"higher"``: ``sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d``,
        and ``M`` from ``d = 2 M`` on.

    Notes
    -----
    Failures at a constant rate, during dumps and restarts too. Source: J. Daly, "A higher order
    estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer
    Systems 22 (2006), equation 37.

    Examples
    --------
    The paper's figure 3: dumps of 5 minutes, a failure a day.

    >>> round(daly_interval(300, 86400) / 60), round(daly_interval(300, 86400, "first") / 60)
    (117, 115)
    """
    dump, mean = _checked(checkpoint_seconds, mtbf)
    choice("order", order, ("higher", "first"))
    root = _root(2.0 * dump * mean)
    if order == "first":
        return plain(root - dump)
    half = dump / (2.0 * mean)
    series = root * (1.0 + _root(half) / 3.0 + half / 9.0) - dump
    if type(series) is float:
        return series if dump < 2.0 * mean else mean
    return plain(np.where(np.less(dump, 2.0 * mean), series, mean))


def optimal_interval(checkpoint_seconds: ArrayLike, mtbf: ArrayLike) -> FloatOrArray:
    """Interval between checkpoints with the smallest expected time of all.

    Parameters
    ----------
    checkpoint_seconds, mtbf : float or array
        As `young_interval`.

    Returns
    -------
    float or array
        Seconds of work between two dumps: ``M (1 + W(-exp(-d/M - 1)))`` with the main branch
        of Lambert's W. Always below both ``sqrt(2 d M)`` and ``M``.

    Notes
    -----
    Where the derivative of `expected_time` is zero: neither the restart nor the work is in it.
    The minimum is flat, so judge an interval by the time that it costs, not by its distance
    from this one. Ignores that work may not be a whole number of intervals. Source: the
    derivative of Daly 2006, equation 20.

    Examples
    --------
    >>> round(optimal_interval(300, 86400), 1), round(daly_interval(300, 86400), 1)
    (7001.4, 7001.4)
    >>> optimal_interval([60.0, 600.0], 11135.0).round()
    array([1116., 3267.])
    """
    dump, mean = _checked(checkpoint_seconds, mtbf)
    return plain(mean * _share(dump / mean))


def _share(ratio: Any) -> Any:
    """The optimum as a share of the MTBF, from the dump as one: u with -log(1 - u) - u = ratio.

    Newton's steps on y = -log(1 - u), from above the root, where they fall to it without fail.
    """
    less_one = expm1 if type(ratio) is float else np.expm1
    y = _root(2.0 * ratio) + ratio
    for _ in range(6):
        fallen = less_one(-y)  # -u
        y = y + (y + fallen - ratio) / fallen
    return -less_one(-y)


def _root(value: Any) -> Any:
    return sqrt(value) if type(value) is float else np.sqrt(value)


def _checked(checkpoint_seconds: ArrayLike, mtbf: ArrayLike) -> tuple[FloatOrArray, FloatOrArray]:
    return positive("checkpoint_seconds", checkpoint_seconds), positive("mtbf", mtbf)
