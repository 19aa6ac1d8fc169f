"""Simulation of one training run, day by day: failures, hot spares, lost work, and trained tokens."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import plain, positive
from ..reliability import NodeRun, RunPlan, simulate_nodes
from ..reliability.nodes import STATES
from .evaluation import evaluate
from .outcome import Outcome
from .prices import DAY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._typing import ArrayLike, FloatOrArray, NDArray
    from ..scheduling import Job
    from .design import Design
    from .scenario import Scenario

EVENTS = {
    "node breaks": "node", "switch breaks": "switch", "back": "repair", "waits": "waits for nodes", "goes on": "goes on",
    "lent": "other users' job", "given back": "other users are done",
}  # fmt: skip


class Event(NamedTuple):
    """One event of a simulated run.

    Attributes
    ----------
    time : float
        Seconds since the start of the run.
    kind : str
        "node", "switch", "checkpoint lost", "waits for nodes", "goes on", "repair", "other users' job" or
        "other users are done".
    nodes : tuple of int
        Nodes concerned, by number.
    seconds : float
        Lost work of a failure, or duration of a wait; 0 otherwise.
    """

    time: float
    kind: str
    nodes: tuple[int, ...] = ()
    seconds: float = 0.0


class Day(NamedTuple):
    """One day of a simulated run.

    Attributes
    ----------
    day : int
        Number of the day, from 1.
    tokens : float
        Tokens trained and checkpointed by the end of the day.
    failures : int
        Failures that stopped the job.
    nodes_down, spares_left, lent : int
        Nodes that are broken, idle, and lent to other users at the end of the day.
    lost_seconds, restart_seconds, waiting_seconds : float
        Seconds of lost work, of restarts, and of waiting for nodes.
    """

    day: int
    tokens: float
    failures: int
    nodes_down: int
    spares_left: int
    lent: int
    lost_seconds: float
    restart_seconds: float
    waiting_seconds: float


@dataclass(frozen=True)
class Play:
    """One simulated run of a design, the result of `play`.

    Attributes
    ----------
    outcome : Outcome
        Expected result of the design.
    seed : int
        Seed of the random failures.
    nodes_run : reliability.NodeRun
        Timeline of the run and of every node.
    """

    outcome: Outcome
    seed: int
    nodes_run: NodeRun = field(repr=False)

    @property
    def finished(self) -> bool:
        """Whether all tokens were trained."""
        return self.nodes_run.finished

    @property
    def seconds(self) -> float:
        """Duration of the run; inf if the run was aborted or stopped early."""
        return self.nodes_run.seconds

    @property
    def goodput(self) -> float:
        """Fraction of the simulated time that is productive (checkpointed) work."""
        return float(self._worked(self.nodes_run.played)) / self.nodes_run.played

    @property
    def failures(self) -> int:
        """Number of failures that stopped the job."""
        return len(self.nodes_run.failures)

    def tokens_at(self, seconds: ArrayLike) -> FloatOrArray:
        """Tokens trained and checkpointed by given times.

        Parameters
        ----------
        seconds : float or array
            Times since the start of the run, seconds.

        Returns
        -------
        float or array
            Tokens, as if the time of checkpoints were spread evenly over the work between them.
        """
        return self._worked(seconds) / self.outcome.work_seconds * self.outcome.scenario.tokens

    def states_at(self, seconds: float) -> NDArray:
        """State of each node at a given time, same as `reliability.NodeRun.states_at`.

        Parameters
        ----------
        seconds : float
            Time since the start of the run, seconds.

        Returns
        -------
        array of int
            Indices into ``reliability.nodes.STATES``.
        """
        return self.nodes_run.states_at(seconds)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All events in order of time."""
        run = self.nodes_run
        lost = [(end, end - start) for start, end in run.spans["lost"].tolist()]
        waits = [(start, end - start) for start, end in run.spans["wait"].tolist() if end > start]
        events = []
        for change in run.changes:
            if change.kind not in EVENTS:
                continue
            breaks = change.kind in ("node breaks", "switch breaks")
            seconds = _length_at(change.time, lost if breaks else waits if change.kind == "waits" else [])
            events.append(Event(change.time, EVENTS[change.kind], change.nodes, seconds))
            if breaks and seconds > run.plan.interval:
                events.append(Event(change.time, "checkpoint lost", (), seconds))
        return tuple(events)

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """All days of the run in order."""
        run = self.nodes_run
        edges = np.append(np.arange(0.0, run.played, DAY), run.played)
        spent = {kind: np.diff(run.spent(kind, edges)) for kind in ("lost", "restart", "wait")}
        struck = np.histogram([failure.time for failure in run.failures], edges)[0]
        tokens = np.atleast_1d(self.tokens_at(edges[1:]))
        rows = []
        for place, end in enumerate(edges[1:].tolist()):
            counts = np.bincount(self.states_at(end), minlength=len(STATES))
            rows.append(Day(
                place + 1, float(tokens[place]), int(struck[place]), int(counts[STATES.index("broken")]),
                int(counts[STATES.index("idle")]), int(counts[STATES.index("lent")]),
                *(float(spent[kind][place]) for kind in ("lost", "restart", "wait")),
            ))  # fmt: skip
        return tuple(rows)

    @cached_property
    def _work(self) -> tuple[NDArray, NDArray]:
        """Times, and the checkpointed work at these times."""
        run, plan = self.nodes_run, self.nodes_run.plan
        done = np.minimum(np.cumsum([part.safe for part in run.stretches]) * plan.interval, plan.work_seconds)
        done = np.concatenate([[0.0], done])
        kept = run.spans["kept"].copy()
        if not run.finished:
            part = run.stretches[-1]
            kept[-1, 1] = kept[-1, 0] + part.running  # extrapolated, because no query is later than the end of the run
        return kept.ravel(), np.stack([done[:-1], done[1:]], axis=1).ravel()

    def _worked(self, seconds: ArrayLike) -> FloatOrArray:
        return plain(np.interp(positive("seconds", seconds, allow_zero=True), *self._work))


def _length_at(moment: float, lengths: list[tuple[float, float]]) -> float:
    """Return the length that belongs to a time, within 1 ms, because the two sums are rounded differently."""
    place = bisect_left(lengths, (moment - 1e-3, 0.0))
    return lengths[place][1] if place < len(lengths) and lengths[place][0] <= moment + 1e-3 else 0.0


def run_plan(outcome: Outcome) -> RunPlan:
    """Derive the plan that `play` simulates: checkpointing, nodes, spares, and failure rates.

    Parameters
    ----------
    outcome : Outcome
        Evaluation of a design that can run.

    Returns
    -------
    reliability.RunPlan
        Input of `reliability.simulate_nodes`.

    Raises
    ------
    ValueError
        The design cannot run.

    Notes
    -----
    A switch group larger than the job is limited to the nodes of the job. Source: the numbers of the outcome.
    """
    if not isinstance(outcome, Outcome):
        raise TypeError(f"outcome must be a capstone.Outcome, got {outcome!r}")
    if not outcome.fits:
        raise ValueError(f"design cannot run: {outcome.problems[0].says}")
    rates, nodes = outcome.scenario.failures, outcome.design.nodes
    return RunPlan(
        outcome.work_seconds, outcome.checkpoint_interval, outcome.checkpoint_seconds, outcome.restart_seconds,
        node_mtbf=rates.node_mtbf, nodes=nodes, persist_seconds=outcome.persist_seconds, spares=outcome.design.spares,
        repair_seconds=rates.repair_seconds, group_mtbf=rates.group_mtbf,
        group_nodes=None if rates.group_nodes is None else min(rates.group_nodes, nodes),
    )  # fmt: skip


def play(
    design: Design, scenario: Scenario, seed: int, *, jobs: Iterable[Job] = (), until: float | None = None
) -> Play:
    """Simulate one run of a design with random failures of nodes and switches.

    Parameters
    ----------
    design : Design
        Cluster and layout; it must be able to run.
    scenario : Scenario
        Training run, its limits and assumptions.
    seed : int
        Seed of the random failures. The same seed gives every node and switch the same failure times, so that designs
        which differ in one decision can be compared, as long as the job never waits for nodes.
    jobs : iterable of scheduling.Job
        Jobs of other users that may use idle spares, as in `reliability.simulate_nodes`.
    until : float, optional
        End of the simulation, seconds; None aborts after five times the duration without failures.

    Returns
    -------
    Play
        The simulated run with its events.

    Raises
    ------
    ValueError
        The design cannot run.

    Notes
    -----
    Ignores the same effects as `evaluate` and `reliability.simulate_nodes`; every step takes equally long. Same sources.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> run = capstone.play(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario, seed=3)
    >>> run.finished, [event.kind for event in run.events][:3]
    (True, ['node', 'goes on', 'repair'])
    """
    outcome = evaluate(design, scenario, nearest=False)
    return Play(outcome, seed, simulate_nodes(run_plan(outcome), seed, jobs, until))
