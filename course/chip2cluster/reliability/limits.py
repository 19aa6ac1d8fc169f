"""Longest checkpoint or restart for a given goodput."""

from __future__ import annotations

from math import exp, log, log1p

from .._validate import one_positive
from .intervals import optimal_interval


def longest_dump(goodput: float, restart_seconds: float, mtbf: float) -> float:
    """Longest checkpoint with which a run at the optimal interval still has a given goodput.

    Parameters
    ----------
    goodput : float
        Required fraction of the time that is work, above 0 and below 1.
    restart_seconds : float
        Time from a failure until work continues, seconds; may be 0.
    mtbf : float
        Mean time between failures of the whole job, seconds.

    Returns
    -------
    float
        Seconds, ``M (-log(1 - u) - u)`` with ``u = 1 - goodput exp(R/M)``; 0 if restarts alone cost more.

    Notes
    -----
    At the optimal interval ``u M`` the goodput is ``exp(-R/M) (1 - u)``. Restarts can fail, too. Ignores the same
    effects as `expected_time`. Source: follows from `optimal_interval`.

    Examples
    --------
    Goodput of 0.9 at an MTBF of 3.09 hours, with restarts of ten minutes.

    >>> round(longest_dump(0.9, 600, 3.09 * 3600), 1)
    14.5
    """
    wanted, mean = one_positive("goodput", goodput), one_positive("mtbf", mtbf)
    if not wanted < 1:
        raise ValueError(f"goodput must be above 0 and below 1, got {goodput!r}")
    restart = one_positive("restart_seconds", restart_seconds, allow_zero=True)
    left = wanted * exp(restart / mean) if restart < 700 * mean else 1.0  # 1 - u
    return mean * (-log1p(left - 1.0) - (1.0 - left)) if left < 1 else 0.0


def longest_restart(goodput: float, checkpoint_seconds: float, mtbf: float) -> float:
    """Longest restart with which a run at the optimal interval still has a given goodput.

    Parameters
    ----------
    goodput : float
        Required fraction of the time that is work, above 0 and below 1.
    checkpoint_seconds, mtbf : float
        Checkpoint time and MTBF, same as in `young_interval`, seconds.

    Returns
    -------
    float
        Seconds from a failure until work continues, ``M log((1 - u) / goodput)`` with the optimal interval ``u M``;
        0 if the checkpoints alone cost more.

    Notes
    -----
    At the optimal interval the goodput is ``exp(-R/M) (1 - u)``. Restarts can fail, too. Ignores the same effects
    as `expected_time`. Source: follows from `optimal_interval`.

    Examples
    --------
    Goodput of 0.9 at an MTBF of 3.09 hours, with checkpoints of 3 s and of 60 s.

    >>> [round(longest_restart(0.9, dump, 3.09 * 3600) / 60, 1) for dump in (3, 60)]
    [15.2, 0.0]
    """
    wanted = one_positive("goodput", goodput)
    if not wanted < 1:
        raise ValueError(f"goodput must be above 0 and below 1, got {goodput!r}")
    dump, mean = one_positive("checkpoint_seconds", checkpoint_seconds), one_positive("mtbf", mtbf)
    left = 1.0 - optimal_interval(dump, mean) / mean
    return max(mean * log(left / wanted), 0.0) if left > 0.0 else 0.0
