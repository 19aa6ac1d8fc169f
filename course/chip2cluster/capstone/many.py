"""Many runs of one design: how long they take, and what may be promised."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import choice, one_positive, one_whole
from ..reliability.nodes import play_nodes
from .evaluate import evaluate
from .outcome import Constraint, Outcome
from .play import run_plan
from .prices import DAY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._typing import NDArray
    from ..scheduling import Job
    from .design import Design
    from .scenario import Scenario

GROW = {"deadline_seconds", "dollars", "kg_co2"}  # limits on what grows with the time that a run takes
WEEK = 7 * DAY


@dataclass(frozen=True)
class Runs:
    """Runs of one design: arrays of shape (runs,).

    Attributes
    ----------
    outcome : Outcome
        As expected.
    seeds : array of int
        ``play`` with one of them is that run.
    seconds : array
        From start to end; inf where a run was given up.
    failures : array of int
        That stopped the job.
    lost_seconds, restart_seconds, waiting_seconds : array
        Work in vain, restarts, and the wait for nodes, as far as it was played.
    """

    outcome: Outcome
    seeds: NDArray = field(repr=False)
    seconds: NDArray = field(repr=False)
    failures: NDArray = field(repr=False)
    lost_seconds: NDArray = field(repr=False)
    restart_seconds: NDArray = field(repr=False)
    waiting_seconds: NDArray = field(repr=False)

    @property
    def days(self) -> NDArray:
        """From start to end."""
        return self.seconds / DAY

    @property
    def goodput(self) -> NDArray:
        """Work over time, of each run."""
        return self.outcome.work_seconds / self.seconds

    @property
    def dollars(self) -> NDArray:
        """Of each run: electricity and write-off go on for as long as it takes."""
        return self.outcome.dollars * self.seconds / self.outcome.seconds

    def percentile(self, name: str, percent: float) -> float:
        """What so many of a hundred runs do not exceed.

        Parameters
        ----------
        name : str
            Such as ``"days"``, ``"dollars"`` or ``"failures"``.
        percent : float
            Above 0, at most 100.

        Returns
        -------
        float
            One of the runs' own, not one between two.
        """
        values = getattr(self, choice("name", name, NAMES))
        if one_positive("percent", percent) > 100:
            raise ValueError(f"percent must be at most 100, got {percent}")
        return float(np.sort(values)[int(np.ceil(percent / 100 * len(values))) - 1])

    def constraints(self, percent: float = 90) -> tuple[Constraint, ...]:
        """The limits of the scenario, against a percentile of the runs and not the expectation.

        Parameters
        ----------
        percent : float

        Returns
        -------
        tuple of Constraint
            Time, dollars and carbon follow the run; power, capital and memory are the same in each.
        """
        longer = self.percentile("seconds", percent) / self.outcome.seconds
        return tuple(
            replace(limit, value=limit.value * longer) if limit.name in GROW else limit
            for limit in self.outcome.constraints
        )

    def seed_at(self, percent: float) -> int:
        """The seed of the run that stands at a percentile of the time, to be looked at with `play`.

        Parameters
        ----------
        percent : float

        Returns
        -------
        int
        """
        return int(self.seeds[int(np.flatnonzero(self.seconds == self.percentile("seconds", percent))[0])])


NAMES = ("seconds", "days", "dollars", "failures", "goodput", "lost_seconds", "restart_seconds", "waiting_seconds")


def play_many(design: Design, scenario: Scenario, runs: int = 200, seed: int = 0, *, jobs: Iterable[Job] = ()) -> Runs:
    """Run a design many times: what is likely, and what may be promised.

    Parameters
    ----------
    design : Design
    scenario : Scenario
    runs : int
    seed : int
        Of the first run; the others have the numbers that follow. Each of them is ``play`` with that seed.
    jobs : iterable of scheduling.Job
        As `play`; the same in each run.

    Returns
    -------
    Runs

    Notes
    -----
    Where spares never run out the mean tends to ``outcome.seconds``. Ignores what `play` ignores; what the model
    itself is wrong by is in ``outcome.interval``, not here. Source: as `play`.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> asked = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> runs = capstone.play_many(capstone.Design(chip="H100 SXM", nodes=16, spares=1), asked, 100)
    >>> [round(runs.percentile("days", percent) / runs.outcome.days, 2) for percent in (10, 50, 90)]
    [1.0, 1.0, 1.0]
    """
    count, first = one_whole("runs", runs), one_whole("seed", seed, 0)
    outcome = evaluate(design, scenario, nearest=False)
    plan, known = run_plan(outcome), tuple(jobs)
    seeds = np.arange(first, first + count)
    table = np.zeros((5, count))
    for place, number in enumerate(seeds.tolist()):
        game = play_nodes(plan, number, known)
        parts = game.course
        waiting = sum(part.waiting for part in parts)
        restarts = sum(part.restart for part in parts)
        running = sum(part.running - part.safe * plan.segment_seconds for part in parts[:-1])
        seconds = sum(part.seconds for part in parts) if game.done else inf
        table[:, place] = seconds, len(game.stretches), running, restarts, waiting
    return Runs(outcome, seeds, table[0], table[1].astype(int), *table[2:])


def bad_week(design: Design, scenario: Scenario, runs: int = 200, seed: int = 0) -> int:
    """Find a run in which a switch takes many nodes along: of many, the one with the worst week after it.

    Parameters
    ----------
    design : Design
    scenario : Scenario
        Whose ``failures`` have groups.
    runs, seed
        As `play_many`: the runs that are looked through.

    Returns
    -------
    int
        A seed for `play`.

    Raises
    ------
    ValueError
        The scenario has no switch groups, or no switch used by the job failed in any run.

    Notes
    -----
    Worst is where most of the seven days is lost work, restarts and waiting. Source: searched.
    """
    count, first = one_whole("runs", runs), one_whole("seed", seed, 0)
    outcome = evaluate(design, scenario, nearest=False)
    plan = run_plan(outcome)
    if plan.group_nodes is None:
        raise ValueError("scenario.failures must have group_nodes and group_mtbf, or no switch can break, got None")
    worst, found = 0.0, None
    for number in range(first, first + count):
        bad = _worst_week(play_nodes(plan, number, ()).course, plan.segment_seconds)
        if bad > worst:
            worst, found = bad, number
    if found is None:
        raise ValueError(
            f"no switch broke under the job in {count} runs: choose more runs, or a shorter failures.group_mtbf "
            f"than {plan.group_mtbf:g} s"
        )
    return found


def _worst_week(parts: list, segment: float) -> float:
    """Seconds without progress in the seven days after a failure of several nodes, at most."""
    several = [place for place, part in enumerate(parts[:-1]) if part.broken > 1]
    if not several:
        return 0.0
    struck = np.cumsum([part.seconds for part in parts])
    wasted = np.cumsum(
        [part.waiting + part.restart + (part.running - part.safe * segment) * (part.broken > 0) for part in parts]
    )
    worst = 0.0
    for place in several:
        last = int(np.searchsorted(struck, struck[place] + WEEK, side="right"))
        before = wasted[place - 1] if place else 0.0
        worst = max(worst, float(wasted[min(last, len(parts) - 1)] - before))
    return worst
