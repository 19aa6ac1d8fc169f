"""Many simulated runs of one design: distribution of the duration, and percentiles to commit to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import choice, one_positive, one_whole
from ..reliability.nodes import run_simulation
from .evaluation import evaluate
from .outcome import Constraint, Outcome
from .prices import DAY
from .run_simulation import run_plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._typing import NDArray
    from ..scheduling import Job
    from .design import Design
    from .scenario import Scenario

GROW = {"deadline_seconds", "dollars", "kg_co2"}  # limits on quantities that grow with the duration of a run
WEEK = 7 * DAY


@dataclass(frozen=True)
class Runs:
    """Many simulated runs of one design: arrays of shape (runs,).

    Attributes
    ----------
    outcome : Outcome
        Expected result of the design.
    seeds : array of int
        Seeds that reproduce each run with `play`.
    seconds : array
        Duration of each run; inf if the run was aborted.
    failures : array of int
        Number of failures that stopped the job.
    lost_seconds, restart_seconds, waiting_seconds : array
        Lost work, restarts, and waiting for nodes, as far as the run was simulated.
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
        """Duration of each run, days."""
        return self.seconds / DAY

    @property
    def goodput(self) -> NDArray:
        """Goodput of each run: work divided by duration."""
        return self.outcome.work_seconds / self.seconds

    @property
    def dollars(self) -> NDArray:
        """Cost of each run: electricity and depreciation accrue for its whole duration."""
        return self.outcome.dollars * self.seconds / self.outcome.seconds

    def percentile(self, name: str, percent: float) -> float:
        """Percentile of a number over the runs.

        Parameters
        ----------
        name : str
            Name of the number, such as ``"days"``, ``"dollars"`` or ``"failures"``.
        percent : float
            Percentile, above 0 and at most 100.

        Returns
        -------
        float
            Value of one of the runs, without interpolation.
        """
        values = getattr(self, choice("name", name, NAMES))
        if one_positive("percent", percent) > 100:
            raise ValueError(f"percent must be at most 100, got {percent}")
        return float(np.sort(values)[int(np.ceil(percent / 100 * len(values))) - 1])

    def constraints(self, percent: float = 90) -> tuple[Constraint, ...]:
        """Limits of the scenario, compared with a percentile of the runs instead of the expectation.

        Parameters
        ----------
        percent : float
            Percentile, above 0 and at most 100.

        Returns
        -------
        tuple of Constraint
            Constraints; time, dollars and carbon follow the run, and power, capital and memory are the same in each.
        """
        longer = self.percentile("seconds", percent) / self.outcome.seconds
        return tuple(
            replace(limit, value=limit.value * longer) if limit.name in GROW else limit
            for limit in self.outcome.constraints
        )

    def seed_at(self, percent: float) -> int:
        """Seed of the run at a percentile of the duration, to be replayed with `play`.

        Parameters
        ----------
        percent : float
            Percentile, above 0 and at most 100.

        Returns
        -------
        int
            Seed.
        """
        return int(self.seeds[int(np.flatnonzero(self.seconds == self.percentile("seconds", percent))[0])])


NAMES = ("seconds", "days", "dollars", "failures", "goodput", "lost_seconds", "restart_seconds", "waiting_seconds")


def play_many(design: Design, scenario: Scenario, runs: int = 200, seed: int = 0, *, jobs: Iterable[Job] = ()) -> Runs:
    """Simulate many runs of a design, for the distribution of its duration and cost.

    Parameters
    ----------
    design : Design
        Cluster and layout; it must be able to run.
    scenario : Scenario
        Training run, its limits and assumptions.
    runs : int
        Number of runs.
    seed : int
        Seed of the first run; the others use the following integers, and `play` reproduces each.
    jobs : iterable of scheduling.Job
        Jobs of other users, same as in `play`; identical in each run.

    Returns
    -------
    Runs
        Duration, failures and losses of each run.

    Notes
    -----
    If spares never run out the mean approaches ``outcome.seconds``. Ignores the same effects as `play`; the error of
    the model itself is in ``outcome.interval``, not here.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> runs = capstone.play_many(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario, 100)
    >>> [round(runs.percentile("days", percent) / runs.outcome.days, 2) for percent in (10, 50, 90)]
    [1.0, 1.0, 1.0]
    """
    count, first = one_whole("runs", runs), one_whole("seed", seed, 0)
    outcome = evaluate(design, scenario, nearest=False)
    plan, known = run_plan(outcome), tuple(jobs)
    seeds = np.arange(first, first + count)
    table = np.zeros((5, count))
    for place, number in enumerate(seeds.tolist()):
        simulation = run_simulation(plan, number, known)
        parts = simulation.all_stretches
        waiting = sum(part.waiting for part in parts)
        restarts = sum(part.restart for part in parts)
        running = sum(part.running - part.safe * plan.segment_seconds for part in parts[:-1])
        seconds = sum(part.seconds for part in parts) if simulation.done else inf
        table[:, place] = seconds, len(simulation.stretches), running, restarts, waiting
    return Runs(outcome, seeds, table[0], table[1].astype(int), *table[2:])


def bad_week(design: Design, scenario: Scenario, runs: int = 200, seed: int = 0) -> int:
    """Find the run with the worst week after a switch failure that takes many nodes down.

    Parameters
    ----------
    design : Design
        Cluster and layout; it must be able to run.
    scenario : Scenario
        Training run; its ``failures`` must have switch groups.
    runs, seed : int
        Number of simulated runs and seed of the first, same as in `play_many`.

    Returns
    -------
    int
        Seed for `play`.

    Raises
    ------
    ValueError
        The scenario has no switch groups, or no switch used by the job failed in any run.

    Notes
    -----
    The worst week has the most lost work, restarts and waiting in seven days. Source: search over the runs.
    """
    count, first = one_whole("runs", runs), one_whole("seed", seed, 0)
    outcome = evaluate(design, scenario, nearest=False)
    plan = run_plan(outcome)
    if plan.group_nodes is None:
        raise ValueError("scenario.failures must have group_nodes and group_mtbf, or no switch can break, got None")
    worst, found = 0.0, None
    for number in range(first, first + count):
        bad = _worst_week(run_simulation(plan, number, ()).all_stretches, plan.segment_seconds)
        if bad > worst:
            worst, found = bad, number
    if found is None:
        raise ValueError(
            f"no switch broke under the job in {count} runs: choose more runs, or a shorter failures.group_mtbf "
            f"than {plan.group_mtbf:g} s"
        )
    return found


def _worst_week(parts: list, segment: float) -> float:
    """Return the most seconds without progress in the seven days after a failure of several nodes."""
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
