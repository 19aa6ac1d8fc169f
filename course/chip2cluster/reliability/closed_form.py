"""Expected time and goodput of a run with failures at a constant rate, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive
from ._exponential import safe_exp, safe_expm1
from ._segments import attempts, checked_inputs, cycle

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
    """Expected time of a run that writes a checkpoint after every interval of work.

    Parameters
    ----------
    work_seconds : float or array
        Time of the run without checkpoints and failures, seconds.
    interval : float or array
        Work between two checkpoints, seconds.
    checkpoint_seconds : float or array
        Time that a checkpoint stops the job (d), seconds; may be 0.
    restart_seconds : float or array
        Time from a failure until work continues from the last checkpoint (R), seconds; may be 0.
    mtbf : float or array
        Mean time between failures of the whole job (M), seconds.
    persist_seconds : float or array
        Time for which an asynchronous checkpoint is still being written after the job continues (P), seconds; at
        most ``interval + checkpoint_seconds``.
    failures_during_restart : bool
        Whether a restart can fail, too.

    Returns
    -------
    float or array
        Seconds. With n = work / interval, which need not be whole, and segments of
        s = interval + d: ``M exp(R/M) (n exp(P/M) (exp(s/M) - 1) + exp(P/M) - 1)``;
        without failures during restarts M + R replaces M exp(R/M). ``inf`` on overflow.

    Raises
    ------
    ValueError
        A checkpoint is still being written when the next one begins.

    Notes
    -----
    Failures are a Poisson process and strike during work and checkpoints. The last interval ends with a checkpoint,
    too. Asynchronous writing costs no more than a restart that is longer by the same time.
    Ignores waiting for spare nodes (`simulate`). Source: Daly 2006, equation 20; for an
    asynchronous checkpoint, the same argument for two segments in a row.

    Examples
    --------
    54 days on the machine of Llama 3, a checkpoint of 60 s every 20 minutes, 10 minutes to restart.

    >>> round(expected_time(54 * 86400, 1200, 60, 600, 3.09 * 3600) / 86400, 1)
    63.4
    """
    run = checked_inputs(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    segments = positive("work_seconds", work_seconds) / run.interval
    return plain(cycle(run) * attempts(run, segments))


def expected_failures(expected_seconds: ArrayLike, mtbf: ArrayLike) -> FloatOrArray:
    """Expected number of failures in a run of a given expected time.

    Parameters
    ----------
    expected_seconds, mtbf : float or array
        Result of `expected_time`, and the mean time between failures, seconds.

    Returns
    -------
    float or array
        Mean number of failures.

    Notes
    -----
    Holds if restarts can fail, too; otherwise exclude the time of restarts. Ignores the same effects as
    `expected_time`. Source: Wald's identity for a Poisson process.

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
    """Goodput of a long run: the fraction of its time that is productive work.

    Parameters
    ----------
    interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds : float or array
        Times, same as in `expected_time`, seconds.
    failures_during_restart : bool
        Whether a restart can fail, too.

    Returns
    -------
    float or array
        Fraction of the time, 0 to 1.

    Notes
    -----
    Counts the time of the running job only; the effective training time ratio (ETTR) also counts waiting in the
    queue. Says nothing about the efficiency of the work itself (`utilization.mfu`).
    Source: follows from `expected_time`.

    Examples
    --------
    >>> round(goodput(1200, 60, 600, 3.09 * 3600), 3), round(goodput(3600, 60, 600, 3.09 * 3600), 3)
    (0.852, 0.787)
    """
    run = checked_inputs(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    alone = safe_exp(run.persist / run.mean) * safe_expm1((run.interval + run.dump) / run.mean)
    return plain(run.interval / (cycle(run) * alone))


def goodput_first_order(
    interval: ArrayLike, checkpoint_seconds: ArrayLike, restart_seconds: ArrayLike, mtbf: ArrayLike
) -> FloatOrArray:
    """First-order estimate of the goodput: checkpoints, half an interval per failure, and restarts.

    Parameters
    ----------
    interval, checkpoint_seconds, restart_seconds, mtbf : float or array
        Times, same as in `expected_time`, seconds.

    Returns
    -------
    float or array
        Fraction ``1 - d / interval - (interval / 2 + d + R) / M``; negative for large losses.

    Notes
    -----
    Valid for losses of a few percent. Ignores failures while lost work is repeated. Source: the first terms of
    `goodput`.

    Examples
    --------
    >>> round(goodput_first_order(1200, 60, 600, 3.09 * 3600), 3)
    0.837
    """
    run = checked_inputs(interval, checkpoint_seconds, restart_seconds, mtbf, 0.0, True)
    return plain(1.0 - run.dump / run.interval - (run.interval / 2.0 + run.dump + run.restart) / run.mean)
