"""A training as it goes, day by day: what breaks, who takes over, what is lost, and how far the tokens are."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import plain, positive
from ..reliability import NodeRun, RunPlan, simulate_nodes
from ..reliability.nodes import STATES
from .evaluate import evaluate
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
    """What happened at a moment, seconds since the start.

    ``kind`` is "node", "switch", "checkpoint lost", "waits for nodes", "goes on", "repair", "other users' job" or
    "other users are done"; ``nodes`` are those concerned, by number. ``seconds`` of a failure is the work
    that it takes back, of a wait how long it lasts; else 0.
    """

    time: float
    kind: str
    nodes: tuple[int, ...] = ()
    seconds: float = 0.0


class Day(NamedTuple):
    """One day of a run: tokens kept until its end, failures in it, nodes at its end, seconds of it.

    ``failures`` counts what stopped the job; ``nodes_down``, ``spares_left`` and ``lent`` are nodes broken, idle and
    with other users. The seconds are those of work in vain, of restarts and of waiting for nodes.
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
    """One run of a design, as `play` gives it.

    Attributes
    ----------
    outcome : Outcome
        Of the design, as expected.
    seed : int
    nodes_run : reliability.NodeRun
        With the timeline, and what became of every node.
    """

    outcome: Outcome
    seed: int
    nodes_run: NodeRun = field(repr=False)

    @property
    def finished(self) -> bool:
        """Whether all tokens were trained on."""
        return self.nodes_run.finished

    @property
    def seconds(self) -> float:
        """From the start to the end; inf where the run was given up or cut off."""
        return self.nodes_run.seconds

    @property
    def goodput(self) -> float:
        """Share of the time, as far as it was played, that is work which is kept."""
        return float(self._worked(self.nodes_run.played)) / self.nodes_run.played

    @property
    def failures(self) -> int:
        """That stopped the job."""
        return len(self.nodes_run.failures)

    def tokens_at(self, seconds: ArrayLike) -> FloatOrArray:
        """Tokens trained on and kept at these moments.

        Parameters
        ----------
        seconds : float or array
            Since the start of the run.

        Returns
        -------
        float or array
            As if dumps were spread evenly over the work between them.
        """
        return self._worked(seconds) / self.outcome.work_seconds * self.outcome.scenario.tokens

    def states_at(self, seconds: float) -> NDArray:
        """What each node does at a moment, as `reliability.NodeRun.states_at`.

        Parameters
        ----------
        seconds : float

        Returns
        -------
        array of int
        """
        return self.nodes_run.states_at(seconds)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All that happened, in order."""
        run = self.nodes_run
        lost = [(end, end - start) for start, end in run.spans["lost"].tolist()]
        waits = [(start, end - start) for start, end in run.spans["wait"].tolist() if end > start]
        events = []
        for change in run.changes:
            if change.kind not in EVENTS:
                continue
            breaks = change.kind in ("node breaks", "switch breaks")
            seconds = _at(change.time, lost if breaks else waits if change.kind == "waits" else [])
            events.append(Event(change.time, EVENTS[change.kind], change.nodes, seconds))
            if breaks and seconds > run.plan.interval:
                events.append(Event(change.time, "checkpoint lost", (), seconds))
        return tuple(events)

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """Day by day, until the end."""
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
        """Moments, and the work that is done and kept until then."""
        run, plan = self.nodes_run, self.nodes_run.plan
        done = np.minimum(np.cumsum([part.safe for part in run.stretches]) * plan.interval, plan.work_seconds)
        done = np.concatenate([[0.0], done])
        kept = run.spans["kept"].copy()
        if not run.finished:
            part = run.stretches[-1]
            kept[-1, 1] = kept[-1, 0] + part.running  # as far as it would go: moments end before
        return kept.ravel(), np.stack([done[:-1], done[1:]], axis=1).ravel()

    def _worked(self, seconds: ArrayLike) -> FloatOrArray:
        return plain(np.interp(positive("seconds", seconds, allow_zero=True), *self._work))


def _at(moment: float, lengths: list[tuple[float, float]]) -> float:
    """What stands beside a moment, in order; two clocks that add up in another order differ by far less than this."""
    place = bisect_left(lengths, (moment - 1e-3, 0.0))
    return lengths[place][1] if place < len(lengths) and lengths[place][0] <= moment + 1e-3 else 0.0


def run_plan(outcome: Outcome) -> RunPlan:
    """The plan that `play` simulates: how the run saves itself, on how many nodes, and how these break.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    reliability.RunPlan

    Raises
    ------
    ValueError
        The design cannot run.

    Notes
    -----
    A switch with more nodes than the job takes the whole job. Source: the outcome's own numbers.
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
    """Run a design once, with failures drawn at random, and keep what happened.

    Parameters
    ----------
    design : Design
    scenario : Scenario
    seed : int
        The same seed gives every node and every switch the same failures: change one decision, and the rest is the
        same luck, as long as no one waits for nodes.
    jobs : iterable of scheduling.Job
        Of other users, who may use the spares while they idle, as in `reliability.simulate_nodes`.
    until : float, optional
        Seconds after which to stop. Without it a run is given up after five times what it would take without failures.

    Returns
    -------
    Play

    Raises
    ------
    ValueError
        The design cannot run.

    Notes
    -----
    Ignores what `evaluate` and `reliability.simulate_nodes` ignore; a step takes as long on each day. Source: as there.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> asked = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> run = capstone.play(capstone.Design(chip="H100 SXM", nodes=16, spares=1), asked, seed=3)
    >>> run.finished, [event.kind for event in run.events][:3]
    (True, ['node', 'goes on', 'repair'])
    """
    outcome = evaluate(design, scenario, nearest=False)
    return Play(outcome, seed, simulate_nodes(run_plan(outcome), seed, jobs, until))
