"""Vectorized simulation of many runs: each pass of the loop is the next failure of every run that is still going."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gamma, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_whole
from .plan import RunPlan

if TYPE_CHECKING:
    from .._typing import NDArray

MOST_FAILURES = 100_000  # most failures of one run, on average
_KEPT = 4_000_000  # most failure times held at once for the spares


@dataclass(frozen=True)
class Runs:
    """Many simulated runs of one plan: arrays of shape (runs,), seconds.

    Attributes
    ----------
    plan : RunPlan
        Plan of the runs.
    failures : array of int
        Number of failures of each run.
    lost, restarts, waiting : array
        Lost work and checkpoints, restarts, and waiting for a repair when the spares ran out.

    Examples
    --------
    >>> runs = simulate(RunPlan(36000, 900, 60, 300, node_mtbf=7200), runs=2000, seed=1)
    >>> bool(abs(runs.mean - 42825) < 4 * runs.standard_error)
    True
    """

    plan: RunPlan
    failures: NDArray
    lost: NDArray = field(repr=False)
    restarts: NDArray = field(repr=False)
    waiting: NDArray = field(repr=False)

    @property
    def seconds(self) -> NDArray:
        """Duration of each run."""
        return self.plan.unbroken_seconds + self.lost + self.restarts + self.waiting

    @property
    def mean(self) -> float:
        """Mean duration of all runs, seconds."""
        return float(self.seconds.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, seconds."""
        count = len(self.failures)
        return float(self.seconds.std(ddof=1) / count**0.5) if count > 1 else inf

    @property
    def goodput(self) -> NDArray:
        """Goodput of each run: work divided by duration."""
        return self.plan.work_seconds / self.seconds


class Stretch(NamedTuple):
    """Part of a run from one failure to the next; `simulate_run` builds its timeline from these."""

    waiting: float  # seconds of waiting for nodes, first
    restart: float  # seconds of the restart, possibly interrupted
    running: float  # seconds after that, until the failure or the end
    safe: int  # segments with a completed checkpoint
    broken: int  # nodes that the failure broke; 0 at the end of the run

    @property
    def seconds(self) -> float:
        """Length of the stretch, seconds."""
        return self.waiting + self.restart + self.running


def simulate(plan: RunPlan, runs: int, seed: int) -> Runs:
    """Simulate many runs of a plan with random failures.

    Parameters
    ----------
    plan : RunPlan
        Job, nodes and failure rates.
    runs : int
        Number of runs.
    seed : int
        Seed of `numpy.random.default_rng`.

    Returns
    -------
    Runs
        Failures and times of each run.

    Raises
    ------
    ValueError
        The plan would hardly ever finish.

    Notes
    -----
    Times between failures have a Weibull distribution with the mean of the plan. With shape 1, unlimited spares
    and work of whole intervals the mean approaches `expected_time`.
    Ignores the same effects as `RunPlan`. Source: renewal process, independent of the formula of `expected_time`.

    Examples
    --------
    Two weeks on 64 switches with 32 nodes each, with unlimited spares and with 32.

    >>> plan = dict(interval=1200, checkpoint_seconds=60, restart_seconds=600, node_mtbf=264 * 86400, nodes=2048,
    ...             group_nodes=32, group_mtbf=400 * 86400, repair_seconds=86400)
    >>> [round(simulate(RunPlan(14 * 86400, spares=spares, **plan), 500, seed=1).mean / 86400) for spares in (None, 32)]
    [16, 19]
    """
    count = one_whole("runs", runs)
    drawn = np.random.default_rng(one_whole("seed", seed, 0))
    _refuse_endless(plan)
    held = 1 if plan.spares is None else plan.spares + 1
    most = max(1, _KEPT // held)
    parts = [_simulate(plan, min(most, count - start), drawn, None) for start in range(0, count, most)]
    return Runs(plan, *(np.concatenate(values) for values in zip(*parts, strict=True)))


def stretches(plan: RunPlan, seed: int, until: float = inf) -> list[Stretch]:
    """Simulate one run, the same as one run of `simulate`, and return its stretches.

    The simulation ends with the stretch that contains ``until``, also with work left.
    """
    log: list[Stretch] = []
    _refuse_endless(plan, refuse=until == inf)
    _simulate(plan, 1, np.random.default_rng(one_whole("seed", seed, 0)), log, until)
    return log


def _refuse_endless(plan: RunPlan, refuse: bool = True) -> None:
    if not isinstance(plan, RunPlan):
        raise TypeError(f"plan must be a RunPlan, got {plan!r}")
    if not refuse:
        return
    # The mean number of segments that a stretch completes is the sum over k of the probability that k fit.
    reach = np.arange(1, min(plan.segments, 10_000) + 1) * plan.segment_seconds + plan.persist_seconds
    reach = np.minimum(reach, plan.unbroken_seconds) + (plan.restart_seconds if plan.failures_during_restart else 0.0)
    with np.errstate(over="ignore"):
        home = np.exp(-((reach / _scale(plan)) ** plan.shape)).sum()
    if plan.segments > MOST_FAILURES * home:
        raise ValueError(
            f"plan would hardly ever end: more than {MOST_FAILURES:,} failures of a job that needs {reach[0]:g} s to save "
            f"itself once and fails every {plan.mtbf:g} s; choose a shorter interval or a longer node_mtbf"
        )


def _scale(plan: RunPlan) -> float:
    """Return the scale of the Weibull distribution of the times between failures, seconds."""
    return plan.mtbf / gamma(1.0 + 1.0 / plan.shape)


def _simulate(
    plan: RunPlan, count: int, drawn: np.random.Generator, log: list[Stretch] | None, until: float = inf
) -> tuple[NDArray, ...]:
    """Return failures, lost, restarts and waiting of each run; the inner arrays hold only unfinished runs."""
    scale, segment, persist = _scale(plan), plan.segment_seconds, plan.persist_seconds
    results = np.zeros((4, count))
    going = np.arange(count)
    now, lost, restarts, waiting, left = np.zeros((5, count))
    left += plan.segments
    waited = clock = 0.0
    pool = None if plan.spares is None else _SparePool(count, plan.spares, plan.repair_seconds)
    number = -1
    while len(going):
        number += 1
        gap = scale * (drawn.weibull(plan.shape, len(going)) if plan.shape != 1 else drawn.exponential(size=len(going)))
        restart = plan.restart_seconds if number else 0.0
        running = gap - restart if plan.failures_during_restart else gap
        need = left * segment + (plan.unbroken_seconds - plan.segments * segment)
        ends = running >= need
        if ends.any():
            restarts[ends] += restart
            results[0, going[ends]] = number
            results[1:, going[ends]] = lost[ends], restarts[ends], waiting[ends]
            if log is not None:
                log.append(Stretch(waited, restart, float(need[0]), int(left[0]), 0))
            keep = ~ends
            going = going[keep]
            now, lost, restarts, waiting = now[keep], lost[keep], restarts[keep], waiting[keep]
            left, gap, running = left[keep], gap[keep], running[keep]
            if pool:
                pool.select(keep)
            if not len(going):
                break
        took = np.minimum(restart, gap) if plan.failures_during_restart else restart
        running = np.maximum(running, 0.0)
        safe = np.minimum(np.maximum(np.floor((running - persist) / segment), 0.0), left - 1.0)
        left -= safe
        lost += running - safe * segment
        restarts += took
        broken = _broken(plan, len(going), drawn)
        if log is not None:
            log.append(Stretch(waited, float(np.max(took)), float(running[0]), int(safe[0]), int(np.max(broken))))
            clock += log[-1].seconds
            if clock >= until:
                break
        if pool:
            now += running + took
            wait = pool.wait(now, broken)
            waiting += wait
            now += wait
            waited = float(wait[0])
    return tuple(results)


def _broken(plan: RunPlan, count: int, drawn: np.random.Generator) -> NDArray | int:
    """Return the number of nodes that the failure of each run breaks."""
    if plan.group_nodes is None:
        return 1
    return np.where(drawn.random(count) < plan.group_share, plan.group_nodes, 1)


class _SparePool:
    """Spares of all runs: a broken node returns after its repair, and a run waits while more nodes are broken than spares.

    The wait ends when the node that broke as the (spares + 1)-th last returns, so a ring buffer holds that many times.
    """

    def __init__(self, count: int, spares: int, repair: float) -> None:
        self.size, self.repair = spares + 1, repair
        self.times = np.full((count, self.size), -inf)
        self.next = np.zeros(count, dtype=np.intp)

    def select(self, those: NDArray) -> None:
        """Drop all runs but those selected."""
        self.times, self.next = self.times[those], self.next[those]

    def wait(self, now: NDArray, broken: NDArray | int) -> NDArray:
        """Break nodes now, and return the seconds until enough nodes run again."""
        flat, rows = self.times.reshape(-1), np.arange(0, self.times.size, self.size)
        flat[rows + self.next] = now
        if not isinstance(broken, int):
            several = np.flatnonzero(broken > 1)
            first = self.next[several]
            for more in range(1, min(int(broken.max()), self.size)):
                flat[rows[several] + (first + more) % self.size] = now[several]
        self.next = self.next + broken
        self.next %= self.size
        return np.maximum(flat.take(rows + self.next) + (self.repair - now), 0.0)
