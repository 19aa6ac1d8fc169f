"""Expected breakdown of the time of a run: work, checkpoints, lost work, restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive
from ._segments import attempts, checked_inputs, cycle

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


@dataclass(frozen=True)
class Breakdown:
    """Expected seconds of a run by cause; scalars, or arrays that broadcast together.

    Attributes
    ----------
    work : float or array
        Productive work.
    checkpoints : float or array
        Completed checkpoints, and the wait until the last one is written.
    lost : float or array
        Lost work: work and checkpoints between the last completed checkpoint and a failure.
    restarts : float or array
        Restarts, including those that a failure interrupted.

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
        """Total time, seconds."""
        return self.work + self.checkpoints + self.lost + self.restarts

    @property
    def goodput(self) -> FloatOrArray:
        """Fraction of the time that is work (goodput), 0 to 1."""
        return self.work / self.total


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
    """Split the expected time of a run into work, checkpoints, lost work and restarts.

    Parameters
    ----------
    work_seconds, interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds : float or array
        Times, same as in `expected_time`, seconds.
    failures_during_restart : bool
        Whether a restart can fail, too.

    Returns
    -------
    Breakdown
        Parts of the time; their total is `expected_time`.

    Notes
    -----
    Ignores the same effects as `expected_time`. Source: that formula, with and without the time of restarts.

    Examples
    --------
    >>> spent = time_breakdown(54 * 86400, 1200, 60, 600, 3.09 * 3600)
    >>> [round(part / 86400, 1) for part in (spent.work, spent.checkpoints, spent.lost, spent.restarts)]
    [54.0, 2.7, 3.3, 3.3]
    """
    run = checked_inputs(interval, checkpoint_seconds, restart_seconds, mtbf, persist_seconds, failures_during_restart)
    work = positive("work_seconds", work_seconds)
    segments = work / run.interval
    tries = attempts(run, segments)
    dumps = segments * run.dump + run.persist
    at_work = run.mean * tries  # with restarts that take no time
    more = cycle(run) - run.mean
    restarts = tries * more if type(more) is float and more else np.where(more > 0, tries, 0.0) * more
    lost = np.maximum(at_work - work - dumps, 0.0)  # rounding must not make it negative
    return Breakdown(plain(work + 0.0), plain(dumps + 0.0), plain(lost), plain(restarts))
