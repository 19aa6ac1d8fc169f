"""What failures make of a run, exactly, where they come at a constant rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import flag, plain, positive
from ._exponential import grown, grown_by

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class Breakdown:
    """Expected seconds of a run by what they are spent on; scalars, or arrays that broadcast together.

    Attributes
    ----------
    work : float or array
        What is kept in the end.
    checkpoints : float or array
        Dumps that were finished and used, and the wait for the last one to be safe.
    lost : float or array
        Work and dumps between the last safe dump and a failure.
    restarts : float or array
        Restarts, and those that a failure broke off.

    Examples
    --------
    >>> Breakdown(work=90.0, checkpoints=4.0, lost=5.0, restarts=1.0).goodput
    0.9
    """

    work: FloatOrArray
    checkpoints: FloatOrArray
    lost: FloatOrArray
    restarts: FloatOrArray

    @property
    def total(self) -> FloatOrArray:
        """All of it, seconds."""
        return self.work + self.checkpoints + self.lost + self.restarts

    @property
    def goodput(self) -> FloatOrArray:
        """Share of the time that is work, 0 to 1."""
        return self.work / self.total


class _Run(NamedTuple):
    """What every question takes, checked."""

    interval: Any
    dump: Any
    restart: Any
    mean: Any
    persist: Any
    during: bool


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
    ValueError, TypeError
        For negative times, work, intervals and means that are not above zero, and a dump
        that is still on its way when the next one begins.

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
    run = _checked(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    segments = positive("work_seconds", work_seconds) / run.interval
    return plain(_before(run) * _attempts(run, segments))


def time_breakdown(
    work_seconds: ArrayLike,
    interval: ArrayLike,
    checkpoint_seconds: ArrayLike,
    restart_seconds: ArrayLike,
    mtbf: ArrayLike,
    *,
    persist_seconds: ArrayLike = 0.0,
    failures_during_restart: bool = True,
) -> Breakdown:
    """Split the expected time of a run into work, dumps, lost work and restarts.

    Parameters
    ----------
    work_seconds, interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart
        As `expected_time`.

    Returns
    -------
    Breakdown
        Its total is `expected_time`.

    Raises
    ------
    ValueError, TypeError
        As `expected_time`.

    Notes
    -----
    Ignores what `expected_time` ignores. Source: as there, once with restarts that take no time.

    Examples
    --------
    >>> spent = time_breakdown(54 * 86400, 1200, 60, 600, 3.09 * 3600)
    >>> [round(part / 86400, 1) for part in (spent.work, spent.checkpoints, spent.lost, spent.restarts)]
    [54.0, 2.7, 3.3, 3.3]
    """
    run = _checked(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    work = positive("work_seconds", work_seconds)
    segments = work / run.interval
    attempts = _attempts(run, segments)
    dumps = segments * run.dump + run.persist
    at_work = run.mean * attempts  # with restarts that take no time
    more = _before(run) - run.mean
    restarts = attempts * more if type(more) is float and more else np.where(more > 0, attempts, 0.0) * more
    return Breakdown(plain(work + 0.0), plain(dumps + 0.0), plain(at_work - work - dumps), plain(restarts))


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

    Raises
    ------
    ValueError, TypeError
        For anything but finite numbers above zero.

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

    Raises
    ------
    ValueError, TypeError
        As `expected_time`.

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
    run = _checked(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    alone = grown(run.persist / run.mean) * grown_by((run.interval + run.dump) / run.mean)
    return plain(run.interval / (_before(run) * alone))


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

    Raises
    ------
    ValueError, TypeError
        As `expected_time`.

    Notes
    -----
    For losses of a few per cent. Ignores that what is lost must be done again under the same
    failures. Source: the first terms of `goodput`.

    Examples
    --------
    >>> round(goodput_first_order(1200, 60, 600, 3.09 * 3600), 3)
    0.837
    """
    run = _checked(interval, checkpoint_seconds, restart_seconds, mtbf, 0.0, True)
    return plain(1.0 - run.dump / run.interval - (run.interval / 2.0 + run.dump + run.restart) / run.mean)


def _before(run: _Run) -> Any:
    """Expected time until a failure and the end of the restart that follows."""
    return run.mean * grown(run.restart / run.mean) if run.during else run.mean + run.restart


def _attempts(run: _Run, segments: Any) -> Any:
    """Expected time of the run in means between failures, with restarts that take no time."""
    late = run.persist / run.mean
    return segments * grown(late) * grown_by((run.interval + run.dump) / run.mean) + grown_by(late)


def _checked(
    interval: Any, checkpoint_seconds: Any, restart_seconds: Any, mtbf: Any, persist_seconds: Any, during: Any
) -> _Run:
    run = _Run(
        positive("interval", interval),
        positive("checkpoint_seconds", checkpoint_seconds, allow_zero=True),
        positive("restart_seconds", restart_seconds, allow_zero=True),
        positive("mtbf", mtbf),
        positive("persist_seconds", persist_seconds, allow_zero=True),
        flag("failures_during_restart", during),
    )
    late = run.persist > run.interval + run.dump
    if late if type(late) is bool else late.any():
        raise ValueError(
            "persist_seconds must be at most interval and checkpoint_seconds together, or two dumps are on their way "
            f"at once, got {persist_seconds!r} and {plain(run.interval + run.dump)!r}"
        )
    return run
