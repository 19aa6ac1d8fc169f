"""What failures make of a run, exactly, where they come at a constant rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive
from ._exponential import grown, grown_by
from ._segments import attempts, checked, cycle

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def expected_time(
    work_seconds: ArrayLike,
    interval: ArrayLike,
    checkpoint_seconds: ArrayLike,
    restart_seconds: ArrayLike,
    mtbf: ArrayLike,
    *,
    persist_seconds: ArrayLike = 0.0,
    failures_during_restart: bool = True,
) -> FloatOrArray:
    """Expected time of a run that saves itself after every interval of work.

    Parameters
    ----------
    work_seconds : float or array
        What the run would take without dumps and failures, seconds.
    interval : float or array
        Work between two dumps, seconds.
    checkpoint_seconds : float or array
        Time that a dump keeps the job from working, seconds; may be 0.
    restart_seconds : float or array
        From a failure until work goes on at the last safe dump, seconds; may be 0.
    mtbf : float or array
        Mean time between failures of the whole job, seconds.
    persist_seconds : float or array
        How long after the job went on a dump is still on its way and of no use: an
        asynchronous checkpoint. At most the interval and the dump together.
    failures_during_restart : bool
        Whether a restart can fail, too.

    Returns
    -------
    float or array
        Seconds. With n = work / interval, which need not be whole, and segments of
        s = interval + dump: ``M exp(R/M) (n exp(P/M) (exp(s/M) - 1) + exp(P/M) - 1)``;
        without failures during restarts M + R stands in the place of M exp(R/M).
        ``inf`` where a float is too small for it.

    Raises
    ------
    ValueError
        A checkpoint is still being written when the next one begins.

    Notes
    -----
    Failures are a Poisson process: they strike work and dumps alike. A dump follows the last
    interval, too. A dump on its way costs no more than a restart that is longer by as much.
    Ignores waiting for spare nodes (`simulate`). Source: Daly 2006, equation 20; with a dump
    on its way, the same argument for two segments in a row.

    Examples
    --------
    54 days on the machine of Llama 3, a dump of 60 s every 20 minutes, 10 minutes to restart.

    >>> round(expected_time(54 * 86400, 1200, 60, 600, 3.09 * 3600) / 86400, 1)
    63.4
    """
    run = checked(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    segments = positive("work_seconds", work_seconds) / run.interval
    return plain(cycle(run) * attempts(run, segments))


def expected_failures(expected_seconds: ArrayLike, mtbf: ArrayLike) -> FloatOrArray:
    """Failures to be expected in a run of a given expected time.

    Parameters
    ----------
    expected_seconds, mtbf : float or array
        As `expected_time` gives it, and the mean time between failures, seconds.

    Returns
    -------
    float or array
        Their mean number.

    Notes
    -----
    Holds where restarts can fail, too; elsewhere leave the time of restarts out. Ignores what
    `expected_time` ignores. Source: Wald's identity for a Poisson process.

    Examples
    --------
    >>> round(expected_failures(expected_time(54 * 86400, 1200, 60, 600, 3.09 * 3600), 3.09 * 3600))
    492
    """
    return plain(positive("expected_seconds", expected_seconds) / positive("mtbf", mtbf))


def goodput(
    interval: ArrayLike,
    checkpoint_seconds: ArrayLike,
    restart_seconds: ArrayLike,
    mtbf: ArrayLike,
    *,
    persist_seconds: ArrayLike = 0.0,
    failures_during_restart: bool = True,
) -> FloatOrArray:
    """Share of the time of a long run that is work which is kept.

    Parameters
    ----------
    interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart
        As `expected_time`.

    Returns
    -------
    float or array
        0 to 1.

    Notes
    -----
    Of the time of the job alone; the effective training time ratio (ETTR) counts waiting in the
    queue as well. Says nothing of how well the time of work is used (`utilization.mfu`).
    Source: follows from `expected_time`.

    Examples
    --------
    >>> round(goodput(1200, 60, 600, 3.09 * 3600), 3), round(goodput(3600, 60, 600, 3.09 * 3600), 3)
    (0.852, 0.787)
    """
    run = checked(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    alone = grown(run.persist / run.mean) * grown_by((run.interval + run.dump) / run.mean)
    return plain(run.interval / (cycle(run) * alone))


def goodput_first_order(
    interval: ArrayLike, checkpoint_seconds: ArrayLike, restart_seconds: ArrayLike, mtbf: ArrayLike
) -> FloatOrArray:
    """Goodput as one reckons it in the head: dumps, half an interval for each failure, and restarts.

    Parameters
    ----------
    interval, checkpoint_seconds, restart_seconds, mtbf
        As `expected_time`.

    Returns
    -------
    float or array
        ``1 - d / interval - (interval / 2 + d + R) / M``; below zero where losses are large.

    Notes
    -----
    For losses of a few per cent. Ignores that what is lost must be done again under the same
    failures. Source: the first terms of `goodput`.

    Examples
    --------
    >>> round(goodput_first_order(1200, 60, 600, 3.09 * 3600), 3)
    0.837
    """
    run = checked(interval, checkpoint_seconds, restart_seconds, mtbf, 0.0, True)
    return plain(1.0 - run.dump / run.interval - (run.interval / 2.0 + run.dump + run.restart) / run.mean)
