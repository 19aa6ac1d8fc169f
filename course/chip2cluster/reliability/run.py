"""One simulated run as a timeline: what the job did, from when until when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_positive, plain, positive
from .plan import RunPlan
from .simulate import Stretch, stretches

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

KINDS = ("work", "checkpoint", "lost", "restart", "wait")


class Phase(NamedTuple):
    """What the job does from ``start`` to ``end``, seconds: one of `KINDS`."""

    kind: str
    start: float
    end: float


class Failure(NamedTuple):
    """When nodes broke, seconds, and how many."""

    time: float
    nodes: int


@dataclass(frozen=True)
class Run:
    """A run of a plan, phase by phase.

    Attributes
    ----------
    plan : RunPlan
    phases : tuple of Phase
        In order and without gaps. ``"work"`` and ``"checkpoint"`` were kept, ``"lost"`` was done in vain.
    failures : tuple of Failure

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
        """From start to end."""
        return self.phases[-1].end

    @cached_property
    def spent(self) -> dict[str, float]:
        """Seconds of each kind of phase; together they are all seconds."""
        sums = dict.fromkeys(KINDS, 0.0)
        for phase in self.phases:
            sums[phase.kind] += phase.end - phase.start
        return sums

    def work_done(self, seconds: ArrayLike) -> FloatOrArray:
        """Work that will be kept, done up to these moments.

        Parameters
        ----------
        seconds : float or array
            Since the start of the run.

        Returns
        -------
        float or array
            Seconds of work; work in vain is not in it.

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
        """Work that was kept over time."""
        return self.spent["work"] / self.seconds


def simulate_run(plan: RunPlan, seed: int, until: float | None = None) -> Run:
    """Play a plan once and keep its timeline.

    Parameters
    ----------
    plan : RunPlan
    seed : int
        Of `numpy.random.default_rng`; the same seed gives the same run, also to ``simulate(plan, 1, seed)``.
    until : float, optional
        Seconds after which the timeline ends, however much work is left. Work that a later failure
        takes back is lost in it, too. Where no one waits for nodes, runs of one seed and one MTBF
        fail at the same moments, whatever their interval and their dumps.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        The plan would hardly ever finish, unless ``until`` ends it.

    Notes
    -----
    Ignores what `RunPlan` ignores. Source: as `simulate`.

    Examples
    --------
    >>> run = simulate_run(RunPlan(54 * 86400, 1200, 60, 600, node_mtbf=264 * 86400, nodes=2048), seed=1)
    >>> len(run.failures), round(run.seconds / 86400, 1), round(run.goodput, 2)
    (506, 63.7, 0.85)

    The first day of the same run, with a dump after every 20 minutes and after every two hours.

    >>> often, seldom = (RunPlan(54 * 86400, interval, 60, 600, 264 * 86400, 2048) for interval in (1200, 7200))
    >>> [round(simulate_run(plan, seed=1, until=86400).goodput, 2) for plan in (often, seldom)]
    [0.89, 0.81]
    """
    end = inf if until is None else one_positive("until", until)
    return Run(plan, *timeline(plan, stretches(plan, seed, end), end))


def timeline(plan: RunPlan, parts: list[Stretch], end: float = inf) -> tuple[tuple[Phase, ...], tuple[Failure, ...]]:
    """Phases and failures of stretches in a row, as far as a moment."""
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
    """Work that a run has saved when its failures come at given moments.

    Parameters
    ----------
    failures : array, shape (failures,)
        Moments of the failures since the start of the run, in order, seconds; later ones than ``until`` count for nothing.
    until : float
        Moment of the count, seconds.
    interval, checkpoint_seconds, restart_seconds : float
        As `expected_time`.

    Returns
    -------
    float
        Seconds of work whose dump was finished: an interval for every whole segment of
        ``interval + checkpoint_seconds`` between a restart and the next failure.

    Notes
    -----
    A failure during a restart begins it anew. Ignores waiting for nodes. Source: counted.

    Examples
    --------
    Ten hours, saved after every 50 minutes of work in 10; a failure, and half an hour to restart.

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
    """What a stretch consists of, with the work that is left at its start."""
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
