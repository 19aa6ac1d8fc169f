"""Optimal checkpoint interval: Young, Daly (together Young/Daly), and the exact optimum."""

from __future__ import annotations

from math import expm1, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._validate import choice, plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

Order = Literal["first", "higher"]


def young_interval(checkpoint_seconds: ArrayLike, mtbf: ArrayLike) -> FloatOrArray:
    """Young's checkpoint interval, the square-root (Young/Daly) formula.

    Parameters
    ----------
    checkpoint_seconds : float or array
        Time that one checkpoint stops the job (d), seconds.
    mtbf : float or array
        Mean time between failures of the whole job, not of one node (M), seconds.

    Returns
    -------
    float or array
        Seconds of work between the end of one checkpoint and the start of the next, ``sqrt(2 d M)``.

    Notes
    -----
    Valid for checkpoints much shorter than the MTBF; some authors include the checkpoint in the interval.
    Ignores restarts, and failures during a checkpoint. Source: J. Young, "A first order
    approximation to the optimum checkpoint interval", CACM 17 (1974).

    Examples
    --------
    >>> round(young_interval(60, 3.09 * 3600) / 60, 1)
    19.3
    """
    dump, mean = _checked(checkpoint_seconds, mtbf)
    return _root(2.0 * dump * mean)


def daly_interval(checkpoint_seconds: ArrayLike, mtbf: ArrayLike, order: Order = "higher") -> FloatOrArray:
    """Daly's checkpoint interval, the Young/Daly formula that accounts for the checkpoint itself.

    Parameters
    ----------
    checkpoint_seconds, mtbf : float or array
        Checkpoint time d and MTBF M, same as in `young_interval`, seconds.
    order : {"higher", "first"}
        Series to its third term, or the root minus the checkpoint time.

    Returns
    -------
    float or array
        Seconds of work between two checkpoints. ``"first"``: ``sqrt(2 d M) - d``, which is negative
        for ``d > 2 M``. ``"higher"``: ``sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d``,
        and ``M`` for ``d >= 2 M``.

    Notes
    -----
    Failures have a constant rate, also during checkpoints and restarts. Source: J. Daly, "A higher order
    estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer
    Systems 22 (2006), equation 37.

    Examples
    --------
    Figure 3 of the paper: checkpoints of 5 minutes, one failure per day.

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
    """Optimal checkpoint interval: the one with the smallest expected time.

    Parameters
    ----------
    checkpoint_seconds, mtbf : float or array
        Checkpoint time d and MTBF M, same as in `young_interval`, seconds.

    Returns
    -------
    float or array
        Seconds of work between two checkpoints, ``M (1 + W(-exp(-d/M - 1)))`` with the main branch
        of Lambert's W; always below both ``sqrt(2 d M)`` and ``M``.

    Notes
    -----
    The derivative of `expected_time` is zero here, independent of restart and work. The minimum is flat, so judge
    an interval by the time that it costs, not by its distance from this one. Ignores that work may not be a whole
    number of intervals. Source: the derivative of Daly 2006, equation 20.

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
    """Return the optimum over the MTBF from the checkpoint time over the MTBF: u with -log(1 - u) - u = ratio.

    Newton's method on y = -log(1 - u) starts above the root, where it converges monotonically.
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
