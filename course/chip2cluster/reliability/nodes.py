"""A run on a machine whose nodes have numbers: who breaks, who takes over, and who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import choice, one_positive, one_whole, plain, positive, shortened
from .machine import Game
from .plan import RunPlan
from .run import Failure, Run, timeline
from .simulate import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._typing import ArrayLike, FloatOrArray, NDArray
    from ..scheduling import Job

LONGEST = 5  # times what a run takes without failures: then it is given up
STATES = ("working", "idle", "broken", "lent")


class Change(NamedTuple):
    """What became of some nodes at one moment; ``kind`` is one of `CHANGES`, ``job`` that of another user."""

    time: float
    kind: str
    nodes: tuple[int, ...]
    job: int | str | None = None


CHANGES = (
    "node breaks",  # one
    "switch breaks",  # all that hang on it
    "back",  # repaired, and among the spares
    "takes over",  # what was idle is the job's from now on
    "waits",  # the job, because fewer are idle than it lacks
    "goes on",  # the job: it has all its nodes, and restarts
    "lent",  # to a job of another user
    "given back",  # by it
)
_BECOME = {
    "node breaks": "broken", "switch breaks": "broken", "back": "idle", "takes over": "working", "lent": "lent",
    "given back": "idle",
}  # fmt: skip


@dataclass(frozen=True)
class NodeRun:
    """A run with the numbers of its nodes.

    Attributes
    ----------
    plan : RunPlan
    finished : bool
        Whether all work was done in it.
    played : float
        Seconds from the start to the end, or to where it was given up or cut off.
    stretches : tuple of Stretch
        From one failure of the job to the next.
    changes : tuple of Change
        In order.

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
        """From the start to the end; inf where the end was not seen."""
        return self.played if self.finished else inf

    @property
    def nodes(self) -> int:
        """Of the machine: those of the job come first, then the spares."""
        return self.plan.nodes + (self.plan.spares or 0)

    @cached_property
    def run(self) -> Run:
        """What the job did, phase by phase: every interval and every dump of it."""
        return Run(self.plan, *timeline(self.plan, list(self.stretches), inf if self.finished else self.played))

    @cached_property
    def spans(self) -> dict[str, NDArray]:
        """Beginnings and ends of what the job did, shape (stretches, 2), seconds: "wait", "restart", "kept", "lost".

        What is kept is work and its dumps together; of a run that was cut off all that was done counts as kept.
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
        """Seconds that went into one kind of `spans` until these moments.

        Parameters
        ----------
        kind : str
            "wait", "restart", "kept" or "lost".
        moments : float or array
            Since the start of the run, seconds.

        Returns
        -------
        float or array
        """
        spans = self.spans[choice("kind", kind, ("wait", "restart", "kept", "lost"))]
        sums = np.concatenate([[0.0], np.cumsum(spans[:, 1] - spans[:, 0])])
        steps = np.stack([sums[:-1], sums[1:]], axis=1).ravel()
        return plain(np.interp(positive("moments", moments, allow_zero=True), spans.ravel(), steps))

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """When the job was stopped, and how many of its nodes broke."""
        ends = np.cumsum([part.seconds for part in self.stretches]).tolist()
        return tuple(Failure(end, part.broken) for end, part in zip(ends, self.stretches, strict=True) if part.broken)

    @cached_property
    def _steps(self) -> tuple[NDArray, NDArray, NDArray]:
        """Moment, node and new state of every change of a single node."""
        steps = [
            (change.time, node, STATES.index(_BECOME[change.kind])) for change in self.changes for node in change.nodes
        ]
        times, nodes, states = zip(*steps, strict=True) if steps else ((), (), ())
        return np.array(times, dtype=float), np.array(nodes, dtype=int), np.array(states, dtype=int)

    def states_at(self, seconds: float) -> NDArray:
        """What each node does at a moment.

        Parameters
        ----------
        seconds : float
            Since the start of the run.

        Returns
        -------
        array of int, shape (nodes,)
            Places in `STATES`. A node that the job keeps while it waits for others counts as working.
        """
        moment = one_positive("seconds", seconds, allow_zero=True)
        times, nodes, new = self._steps
        states = np.zeros(self.nodes, dtype=int)
        states[self.plan.nodes :] = STATES.index("idle")
        until = int(np.searchsorted(times, moment, side="right"))
        states[nodes[:until]] = new[:until]  # of several for one node the last one stays
        return states


def simulate_nodes(plan: RunPlan, seed: int, jobs: Iterable[Job] = (), until: float | None = None) -> NodeRun:
    """Play a plan once on a machine whose nodes have numbers.

    Parameters
    ----------
    plan : RunPlan
    seed : int
        The same seed gives each node and each switch the same lives: the same failures of the same nodes,
        whatever the interval, the dumps and the spares, as long as nobody waits for nodes.
    jobs : iterable of scheduling.Job
        Of other users, who may use nodes that the run does not need: each as soon as so many are
        idle and the run waits for none, the first submitted first. They keep them for their ``runtime``; one that
        needs more than all spares never starts, and one that loses a node is over.
    until : float, optional
        Seconds after which the timeline ends. Without it a run is given up after five times what
        it would take without failures.

    Returns
    -------
    NodeRun

    Raises
    ------
    ValueError
        The failures of the plan do not come at a constant rate, or never strike during restarts.

    Notes
    -----
    Switch number i feeds the nodes from i * ``group_nodes`` on, spares as well; who hangs on a broken
    one is back when it is repaired. Nodes and switches break while the job runs or restarts, spares do not. The
    first idle nodes by number take over, and all repairs go on at once. Where nobody lends and nothing breaks in groups it
    is `simulate`, in numbers. Ignores stragglers, silent corruption, and that a job could go on with fewer nodes. Source: the rules
    of `RunPlan`, node by node.

    Examples
    --------
    Two weeks on 2,048 nodes with 16 spares; then the spares are lent to others while they idle.

    >>> from chip2cluster import scheduling
    >>> plan = RunPlan(14 * 86400, 1200, 60, 600, node_mtbf=264 * 86400, nodes=2048, spares=16, repair_seconds=86400)
    >>> others = scheduling.generate(1000, 32, 0.4, seed=1)
    >>> [round(simulate_nodes(plan, 1, jobs).seconds / 86400, 1) for jobs in ((), others)]
    [16.6, 17.5]
    """
    end = inf if until is None else one_positive("until", until)
    game = play_nodes(plan, seed, jobs, end, log=True)
    course = tuple(game.course)
    played = game.end if game.done else game.limit
    return NodeRun(plan, game.done, played, course, tuple(Change(*change) for change in game.log or ()))


def play_nodes(plan: RunPlan, seed: int, jobs: Iterable[Job], until: float = inf, *, log: bool = False) -> Game:
    """Play to the end, to ``until``, or until it is given up; `simulate_nodes` without a timeline."""
    if not isinstance(plan, RunPlan):
        raise TypeError(f"plan must be a RunPlan, got {plan!r}")
    if plan.shape != 1:
        raise ValueError(f"plan.shape must be 1 where nodes break each on its own, got {plan.shape}")
    if not plan.failures_during_restart:
        raise ValueError("plan.failures_during_restart must be True where nodes break each on its own, got False")
    try:
        asked = [(job.submit, job.nodes, job.runtime, job.id) for job in jobs]
    except (AttributeError, TypeError):
        raise TypeError(f"jobs must hold jobs of scheduling, got {shortened(jobs)}") from None
    fitting = sorted((job for job in asked if job[1] <= (plan.spares or 0)), key=lambda job: job[0])
    numbered = [(*job, place) for place, job in enumerate(fitting)]
    limit = min(until, LONGEST * plan.unbroken_seconds)
    return Game(plan, one_whole("seed", seed, 0), numbered, limit, log).play()
