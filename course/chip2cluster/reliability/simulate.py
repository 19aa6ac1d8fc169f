"""Many runs at once, failure by failure: each pass of the loop is the next failure of every run that still goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gamma, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_whole
from .plan import RunPlan

if TYPE_CHECKING:
    from .._typing import NDArray

MOST_FAILURES = 100_000  # of one run, on average
_KEPT = 4_000_000  # times of failures held at once for the spares


@dataclass(frozen=True)
class Runs:
    """What became of many runs of one plan: arrays of shape (runs,), seconds.

    Attributes
    ----------
    plan : RunPlan
    failures : array of int
        That struck each run.
    lost, restarts, waiting : array
        Work and dumps done in vain, restarts, and the wait for a repair where spares ran out.

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
        """From the start of each run to its end."""
        return self.plan.unbroken_seconds + self.lost + self.restarts + self.waiting

    @property
    def mean(self) -> float:
        """Of all runs, seconds."""
        return float(self.seconds.mean())

    @property
    def standard_error(self) -> float:
        """Of that mean, seconds."""
        count = len(self.failures)
        return float(self.seconds.std(ddof=1) / count**0.5) if count > 1 else inf

    @property
    def goodput(self) -> NDArray:
        """Work over time, of each run."""
        return self.plan.work_seconds / self.seconds


class Stretch(NamedTuple):
    """From one failure to the next in a run: what `simulate_run` draws its timeline from."""

    waiting: float  # for nodes, before anything else
    restart: float  # whole, or as far as it came
    running: float  # then, until the failure or the end
    safe: int  # segments that this stretch brought home
    broken: int  # nodes that the failure took; 0 at the end of the run

    @property
    def seconds(self) -> float:
        return self.waiting + self.restart + self.running


def simulate(plan: RunPlan, runs: int, seed: int) -> Runs:
    """Play a plan many times, with failures drawn at random.

    Parameters
    ----------
    plan : RunPlan
    runs : int
    seed : int
        Of `numpy.random.default_rng`.

    Returns
    -------
    Runs

    Raises
    ------
    ValueError
        The plan would hardly ever finish.

    Notes
    -----
    Times between failures are drawn from a Weibull distribution with the mean of the plan. With
    shape 1, spares without end and work of whole intervals the mean tends to `expected_time`.
    Ignores what `RunPlan` ignores. Source: a renewal process; no formula of `expected_time` is used.

    Examples
    --------
    Two weeks behind 64 switches that take 32 nodes each, with spares without end and with 32.

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
    parts = [_play(plan, min(most, count - start), drawn, None) for start in range(0, count, most)]
    return Runs(plan, *(np.concatenate(values) for values in zip(*parts, strict=True)))


def stretches(plan: RunPlan, seed: int, until: float = inf) -> list[Stretch]:
    """Play a plan once and keep what happened from failure to failure; as one run of `simulate`.

    With ``until`` it ends with the stretch in which so many seconds are over, however much is left to do.
    """
    log: list[Stretch] = []
    _refuse_endless(plan, refuse=until == inf)
    _play(plan, 1, np.random.default_rng(one_whole("seed", seed, 0)), log, until)
    return log


def _refuse_endless(plan: RunPlan, refuse: bool = True) -> None:
    if not isinstance(plan, RunPlan):
        raise TypeError(f"plan must be a RunPlan, got {plan!r}")
    if not refuse:
        return
    # A stretch between two failures brings k segments home if it is long enough for k: the mean is a sum of chances.
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
    """Of the Weibull distribution of the times between failures, seconds."""
    return plan.mtbf / gamma(1.0 + 1.0 / plan.shape)


def _play(
    plan: RunPlan, count: int, drawn: np.random.Generator, log: list[Stretch] | None, until: float = inf
) -> tuple[NDArray, ...]:
    """Failures, lost, restarts and waiting of each run; the arrays inside hold only those that still go."""
    scale, segment, persist = _scale(plan), plan.segment_seconds, plan.persist_seconds
    results = np.zeros((4, count))
    going = np.arange(count)
    now, lost, restarts, waiting, left = np.zeros((5, count))
    left += plan.segments
    waited = clock = 0.0
    pool = None if plan.spares is None else _Pool(count, plan.spares, plan.repair_seconds)
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
                pool.keep(keep)
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
    """Nodes that the failure of each run takes."""
    if plan.group_nodes is None:
        return 1
    return np.where(drawn.random(count) < plan.group_share, plan.group_nodes, 1)


class _Pool:
    """Spares: who breaks comes back after a while, and a run waits while more are away than there are spares.

    That is until the node that broke as the (spares + 1)-th last is back: so many times are held, in a ring.
    """

    def __init__(self, count: int, spares: int, repair: float) -> None:
        self.size, self.repair = spares + 1, repair
        self.times = np.full((count, self.size), -inf)
        self.next = np.zeros(count, dtype=np.intp)

    def keep(self, those: NDArray) -> None:
        self.times, self.next = self.times[those], self.next[those]

    def wait(self, now: NDArray, broken: NDArray | int) -> NDArray:
        """Break nodes now, and say how long it takes until enough run again."""
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
