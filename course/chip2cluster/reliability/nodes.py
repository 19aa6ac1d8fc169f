"""Simulation of a run with individual nodes: failures, hot spares, repairs, and jobs of other users."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import choice, one_positive, one_whole, plain, positive, shortened
from .node_events import NodeSimulation
from .plan import RunPlan
from .run_simulation import Stretch
from .run_timeline import Failure, Run, timeline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._typing import ArrayLike, FloatOrArray, NDArray
    from ..scheduling import Job

LONGEST = 5  # a run is aborted after so many times its duration without failures
STATES = ("working", "idle", "broken", "lent")


class Change(NamedTuple):
    """Change of state of some nodes at one time; ``kind`` is one of `CHANGES`, ``job`` the id of another user's job."""

    time: float
    kind: str
    nodes: tuple[int, ...]
    job: int | str | None = None


CHANGES = (
    "node breaks",  # one node
    "switch breaks",  # all nodes behind it
    "back",  # repaired, idle again
    "takes over",  # idle nodes join the job
    "waits",  # the job waits, because too few nodes are idle
    "goes on",  # the job has all its nodes and restarts
    "lent",  # to a job of another user
    "given back",  # by that job
)
_BECOME = {
    "node breaks": "broken", "switch breaks": "broken", "back": "idle", "takes over": "working", "lent": "lent",
    "given back": "idle",
}  # fmt: skip


@dataclass(frozen=True)
class NodeRun:
    """A simulated run with its individual nodes.

    Attributes
    ----------
    plan : RunPlan
        Plan of the run.
    finished : bool
        Whether all work was done.
    played : float
        Simulated time from the start to the end, the abort, or ``until``, seconds.
    stretches : tuple of Stretch
        Parts of the run between failures of the job.
    changes : tuple of Change
        Changes of node states, in order of time.

    Examples
    --------
    >>> plan = RunPlan(3000, 1000, 100, 50, node_mtbf=6000, nodes=2, spares=1, repair_seconds=500)
    >>> for change in simulate_nodes(plan, seed=13).changes:
    ...     print(round(change.time), change.kind, change.nodes)
    930 node breaks (1,)
    930 takes over (2,)
    930 goes on ()
    1430 back (1,)
    """

    plan: RunPlan
    finished: bool
    played: float
    stretches: tuple[Stretch, ...] = field(repr=False)
    changes: tuple[Change, ...] = field(repr=False)

    @property
    def seconds(self) -> float:
        """Duration of the run, seconds; inf if it did not finish."""
        return self.played if self.finished else inf

    @property
    def nodes(self) -> int:
        """Number of nodes of the machine: those of the job first, then the spares."""
        return self.plan.nodes + (self.plan.spares or 0)

    @cached_property
    def run(self) -> Run:
        """Timeline of the job with every interval and every checkpoint."""
        return Run(self.plan, *timeline(self.plan, list(self.stretches), inf if self.finished else self.played))

    @cached_property
    def spans(self) -> dict[str, NDArray]:
        """Start and end times by kind ("wait", "restart", "kept", "lost"), shape (stretches, 2), seconds.

        "kept" includes work and its checkpoints; in an unfinished run everything since the last failure counts as kept.
        """
        waits, restarts, running, safe, broken = (
            np.array(column, dtype=float) for column in zip(*self.stretches, strict=True)
        )
        kept = np.where(broken > 0, safe * self.plan.segment_seconds, running)
        parts = np.stack([waits, restarts, kept, running - kept], axis=1)
        edges = np.minimum(np.concatenate([[0.0], np.cumsum(parts)]), self.played)
        return {
            kind: np.stack([edges[:-1][place::4], edges[1:][place::4]], axis=1)
            for place, kind in enumerate(("wait", "restart", "kept", "lost"))
        }

    def spent(self, kind: str, moments: ArrayLike) -> FloatOrArray:
        """Seconds spent in one kind of `spans` up to given times.

        Parameters
        ----------
        kind : str
            One of "wait", "restart", "kept" and "lost".
        moments : float or array
            Times since the start of the run, seconds.

        Returns
        -------
        float or array
            Seconds.
        """
        spans = self.spans[choice("kind", kind, ("wait", "restart", "kept", "lost"))]
        sums = np.concatenate([[0.0], np.cumsum(spans[:, 1] - spans[:, 0])])
        steps = np.stack([sums[:-1], sums[1:]], axis=1).ravel()
        return plain(np.interp(positive("moments", moments, allow_zero=True), spans.ravel(), steps))

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Failures of the job: time, and number of its nodes that broke."""
        ends = np.cumsum([part.seconds for part in self.stretches]).tolist()
        return tuple(Failure(end, part.broken) for end, part in zip(ends, self.stretches, strict=True) if part.broken)

    @cached_property
    def _steps(self) -> tuple[NDArray, NDArray, NDArray]:
        """Time, node and new state of every change of a single node."""
        steps = [
            (change.time, node, STATES.index(_BECOME[change.kind])) for change in self.changes for node in change.nodes
        ]
        times, nodes, states = zip(*steps, strict=True) if steps else ((), (), ())
        return np.array(times, dtype=float), np.array(nodes, dtype=int), np.array(states, dtype=int)

    def states_at(self, seconds: float) -> NDArray:
        """State of each node at a given time.

        Parameters
        ----------
        seconds : float
            Time since the start of the run, seconds.

        Returns
        -------
        array of int, shape (nodes,)
            Indices into `STATES`. A node that the job holds while it waits for others counts as working.
        """
        moment = one_positive("seconds", seconds, allow_zero=True)
        times, nodes, new = self._steps
        states = np.zeros(self.nodes, dtype=int)
        states[self.plan.nodes :] = STATES.index("idle")
        until = int(np.searchsorted(times, moment, side="right"))
        states[nodes[:until]] = new[:until]  # the last of several changes of one node wins
        return states


def simulate_nodes(plan: RunPlan, seed: int, jobs: Iterable[Job] = (), until: float | None = None) -> NodeRun:
    """Simulate one run of a plan with individual nodes and hot spares.

    Parameters
    ----------
    plan : RunPlan
        Job, nodes and failure rates.
    seed : int
        Seed of the random failures. The same seed gives each node and switch the same lifetimes for any interval,
        checkpoint time and number of spares, as long as the job never waits for nodes.
    jobs : iterable of scheduling.Job
        Jobs of other users, which may use idle spares. They start in order of submission, each as soon as enough
        nodes are idle and the run itself lacks none, and hold them for their ``runtime``. A job larger than all
        spares never starts; a job that loses a node ends.
    until : float, optional
        End of the timeline, seconds; None aborts after five times the duration without failures.

    Returns
    -------
    NodeRun
        The run with its node states.

    Raises
    ------
    ValueError
        The failures of the plan do not come at a constant rate, or never strike during restarts.

    Notes
    -----
    Switch i serves the nodes from i * ``group_nodes`` on, spares included; its nodes return when it is repaired.
    Nodes and switches fail while the job runs or restarts; spares do not fail. The idle nodes with the lowest numbers
    take over, and all repairs run in parallel. Without other jobs and switch groups the results agree with `simulate`.
    Ignores stragglers, silent data corruption (SDC), and elastic jobs that continue on fewer nodes. Source: the rules
    of `RunPlan`, node by node.

    Examples
    --------
    Two weeks on 2,048 nodes with 16 hot spares; then idle spares run jobs of other users.

    >>> from chip2cluster import scheduling
    >>> plan = RunPlan(14 * 86400, 1200, 60, 600, node_mtbf=264 * 86400, nodes=2048, spares=16, repair_seconds=86400)
    >>> others = scheduling.generate(1000, 32, 0.4, seed=1)
    >>> [round(simulate_nodes(plan, 1, jobs).seconds / 86400, 1) for jobs in ((), others)]
    [16.6, 17.5]
    """
    end = inf if until is None else one_positive("until", until)
    simulation = run_simulation(plan, seed, jobs, end, log=True)
    played = simulation.end if simulation.done else simulation.limit
    changes = tuple(Change(*change) for change in simulation.log or ())
    return NodeRun(plan, simulation.done, played, tuple(simulation.all_stretches), changes)


def run_simulation(
    plan: RunPlan, seed: int, jobs: Iterable[Job], until: float = inf, *, log: bool = False
) -> NodeSimulation:
    """Simulate up to the end, ``until`` or the abort; `simulate_nodes` without the timeline."""
    if not isinstance(plan, RunPlan):
        raise TypeError(f"plan must be a RunPlan, got {plan!r}")
    if plan.shape != 1:
        raise ValueError(f"plan.shape must be 1 in a simulation of individual nodes, got {plan.shape}")
    if not plan.failures_during_restart:
        raise ValueError("plan.failures_during_restart must be True in a simulation of individual nodes, got False")
    try:
        requests = [(job.submit, job.nodes, job.runtime, job.id) for job in jobs]
    except (AttributeError, TypeError):
        raise TypeError(f"jobs must hold scheduling.Job, got {shortened(jobs)}") from None
    fitting = sorted((job for job in requests if job[1] <= (plan.spares or 0)), key=lambda job: job[0])
    numbered = [(*job, place) for place, job in enumerate(fitting)]
    limit = min(until, LONGEST * plan.unbroken_seconds)
    return NodeSimulation(plan, one_whole("seed", seed, 0), numbered, limit, log).run()
