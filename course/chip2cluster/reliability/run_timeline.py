"""Timeline of one simulated run: phases of work, checkpoints, lost work, restarts and waiting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_positive, plain, positive
from .plan import RunPlan
from .run_simulation import Stretch, stretches

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

KINDS = ("work", "checkpoint", "lost", "restart", "wait")


class Phase(NamedTuple):
    """Activity of the job from ``start`` to ``end``, seconds; ``kind`` is one of `KINDS`."""

    kind: str
    start: float
    end: float


class Failure(NamedTuple):
    """Failure of the job: its time, seconds, and the number of broken nodes."""

    time: float
    nodes: int


@dataclass(frozen=True)
class Run:
    """Timeline of one simulated run.

    Attributes
    ----------
    plan : RunPlan
        Plan of the run.
    phases : tuple of Phase
        Phases in order and without gaps; ``"lost"`` is work and checkpoints that a failure destroyed.
    failures : tuple of Failure
        Failures of the job, in order.

    Examples
    --------
    >>> run = simulate_run(RunPlan(3000, 1000, 100, 50, node_mtbf=3000), seed=10)
    >>> for phase in run.phases:
    ...     print(phase.kind, round(phase.start), round(phase.end))
    work 0 1000
    checkpoint 1000 1100
    work 1100 2100
    checkpoint 2100 2200
    lost 2200 2323
    restart 2323 2373
    work 2373 3373
    checkpoint 3373 3473
    """

    plan: RunPlan
    phases: tuple[Phase, ...] = field(repr=False)
    failures: tuple[Failure, ...] = field(repr=False)

    @property
    def seconds(self) -> float:
        """Duration of the run, seconds."""
        return self.phases[-1].end

    @cached_property
    def spent(self) -> dict[str, float]:
        """Seconds by kind of phase; they add up to the duration."""
        sums = dict.fromkeys(KINDS, 0.0)
        for phase in self.phases:
            sums[phase.kind] += phase.end - phase.start
        return sums

    def work_done(self, seconds: ArrayLike) -> FloatOrArray:
        """Productive work done up to given times.

        Parameters
        ----------
        seconds : float or array
            Times since the start of the run, seconds.

        Returns
        -------
        float or array
            Seconds of work, without lost work.

        Examples
        --------
        >>> run = simulate_run(RunPlan(3000, 1000, 100, 50, node_mtbf=3000), seed=10)
        >>> run.work_done([500, 1050, 2323, 1e9]).tolist()
        [500.0, 1000.0, 2000.0, 3000.0]
        """
        edges = [(phase.start, phase.end) for phase in self.phases if phase.kind == "work"]
        done = np.concatenate([[0.0], np.cumsum([end - start for start, end in edges])])
        steps = np.stack([done[:-1], done[1:]], axis=1).ravel()
        return plain(np.interp(positive("seconds", seconds, allow_zero=True), np.ravel(edges), steps))

    @property
    def goodput(self) -> float:
        """Productive work divided by the duration."""
        return self.spent["work"] / self.seconds


def simulate_run(plan: RunPlan, seed: int, until: float | None = None) -> Run:
    """Simulate one run of a plan and return its timeline.

    Parameters
    ----------
    plan : RunPlan
        Job, nodes and failure rates.
    seed : int
        Seed of `numpy.random.default_rng`; ``simulate(plan, 1, seed)`` gives the same run.
    until : float, optional
        End of the timeline, seconds, also with work left. Work that a later failure destroys counts as lost.
        If the job never waits for nodes, runs with one seed and one MTBF fail at the same times for any interval and
        checkpoint time.

    Returns
    -------
    Run
        Timeline of the run.

    Raises
    ------
    ValueError
        The plan would hardly ever finish, unless ``until`` ends it.

    Notes
    -----
    Ignores the same effects as `RunPlan`. Source: same process as `simulate`.

    Examples
    --------
    >>> run = simulate_run(RunPlan(54 * 86400, 1200, 60, 600, node_mtbf=264 * 86400, nodes=2048), seed=1)
    >>> len(run.failures), round(run.seconds / 86400, 1), round(run.goodput, 2)
    (506, 63.7, 0.85)

    The first day of the same run, with a checkpoint every 20 minutes and every two hours.

    >>> often, seldom = (RunPlan(54 * 86400, interval, 60, 600, 264 * 86400, 2048) for interval in (1200, 7200))
    >>> [round(simulate_run(plan, seed=1, until=86400).goodput, 2) for plan in (often, seldom)]
    [0.89, 0.81]
    """
    end = inf if until is None else one_positive("until", until)
    return Run(plan, *timeline(plan, stretches(plan, seed, end), end))


def timeline(plan: RunPlan, parts: list[Stretch], end: float = inf) -> tuple[tuple[Phase, ...], tuple[Failure, ...]]:
    """Return phases and failures of consecutive stretches, up to a time."""
    phases: list[Phase] = []
    failures: list[Failure] = []
    now, left = 0.0, plan.work_seconds
    for stretch in parts:
        for kind, seconds in _within(plan, stretch, left):
            if now + seconds > now:
                phases.append(Phase(kind, now, min(now + seconds, end)))
                now += seconds
            if now >= end:
                return tuple(phases), tuple(failures)
        left -= stretch.safe * plan.interval
        if stretch.broken:
            failures.append(Failure(now, stretch.broken))
    return tuple(phases), tuple(failures)


def work_saved(
    failures: ArrayLike, until: float, interval: float, checkpoint_seconds: float, restart_seconds: float
) -> float:
    """Work that a run has checkpointed if its failures come at given times.

    Parameters
    ----------
    failures : array, shape (failures,)
        Times of the failures since the start of the run, in order, seconds; those after ``until`` are ignored.
    until : float
        End of the count, seconds.
    interval, checkpoint_seconds, restart_seconds : float
        Times, same as in `expected_time`, seconds.

    Returns
    -------
    float
        Seconds of work with a completed checkpoint: one interval for every whole segment of
        ``interval + checkpoint_seconds`` between a restart and the next failure.

    Notes
    -----
    A failure during a restart starts the restart again. Ignores waiting for nodes. Source: counting.

    Examples
    --------
    Ten hours with a checkpoint of 10 minutes after every 50 minutes of work; one failure, half an hour to restart.

    >>> work_saved([4.75 * 3600], 10 * 3600, 3000, 600, 1800) / 60
    400.0
    """
    moments = np.atleast_1d(positive("failures", failures, allow_zero=True)) if np.size(failures) else np.empty(0)
    end, work = one_positive("until", until), one_positive("interval", interval)
    dump = one_positive("checkpoint_seconds", checkpoint_seconds, allow_zero=True)
    restart = one_positive("restart_seconds", restart_seconds, allow_zero=True)
    if np.any(np.diff(moments) < 0):
        raise ValueError("failures must be in order, earliest first")
    struck = moments[moments < end]
    running = np.diff(np.concatenate([[0.0], struck, [end]]))
    running[1:] -= restart
    return float(work * np.floor(np.maximum(running, 0.0) / (work + dump)).sum())


def _within(plan: RunPlan, stretch: Stretch, left: float) -> Iterator[tuple[str, float]]:
    """Yield the phases of a stretch, given the work that is left at its start."""
    yield "wait", stretch.waiting
    yield "restart", stretch.restart
    for _ in range(stretch.safe):
        work = min(plan.interval, left)
        left -= work
        yield "work", work
        yield "checkpoint", plan.checkpoint_seconds
    if stretch.broken:
        yield "lost", stretch.running - stretch.safe * plan.segment_seconds
    else:
        yield "checkpoint", plan.persist_seconds
