"""Result of one evaluated design: feasibility, step waterfall, time, energy and cost, each with its interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, exp, hypot, inf, isfinite, log, log1p, nan
from typing import TYPE_CHECKING

from .._validate import choice, known
from .kernel_efficiency import KernelShare

if TYPE_CHECKING:
    from ..parallelism import Layout
    from .design import Design
    from .scenario import Scenario

DAY = 86400.0
NEAR = 0.05  # a constraint binds if less than this share of its limit is left
TAIL = 1.2816  # standard deviations from the mean to the tenth and the ninetieth percentile
# Exponents with which each number depends on the step time and on the random failures.
FOLLOWS = {
    "step_seconds": (1, 0), "work_seconds": (1, 0), "mfu": (-1, 0), "goodput": (0, -1), "seconds": (1, 1), "days": (1, 1),
    "joules": (1, 1), "kg_by_location": (1, 1), "running_dollars": (1, 1), "dollars": (1, 1),
    "mtbf": (0, 0), "checkpoint_interval": (0, 0), "watts": (0, 0), "capital_dollars": (0, 0), "memory_bytes": (0, 0),
}  # fmt: skip
# Limits in words.
LABELS = {
    "memory_bytes": "memory of a chip", "capital_dollars": "price of the machine", "dollars": "cost of the run",
    "watts": "power", "deadline_seconds": "deadline", "kg_co2": "carbon",
}  # fmt: skip


@dataclass(frozen=True)
class Term:
    """One term of a time breakdown: its name, seconds, the public function that computes it, and the topic of its chapter."""

    name: str
    seconds: float
    function: str
    chapter: str


@dataclass(frozen=True)
class Constraint:
    """One limit of a scenario, the value of the design, and the margin.

    A constraint binds if it is violated or if less than 5 % of the limit is left.
    """

    name: str
    value: float
    limit: float

    @property
    def label(self) -> str:
        """Name of the limit in words, such as ``"price of the machine"`` for ``capital_dollars``."""
        return LABELS.get(self.name, self.name)

    @property
    def margin(self) -> float:
        """Fraction of the limit that is left; negative if it is violated."""
        return (self.limit - self.value) / self.limit if self.value < inf else -inf

    @property
    def met(self) -> bool:
        """Whether the value is within the limit."""
        return self.value <= self.limit

    @property
    def binds(self) -> bool:
        """Whether the limit is violated, or nearly."""
        return not self.margin >= NEAR


@dataclass(frozen=True)
class Problem:
    """Reason why a design cannot run: the violated rule, a sentence, and the nearest feasible design."""

    rule: str
    says: str
    nearest: Design | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Outcome:
    """Evaluation of a design in a scenario: MFU, goodput, time, energy, carbon and cost in SI units and dollars.

    Attributes
    ----------
    design : Design
        The design, with the layout that was found if it was left open.
    scenario : Scenario
        The requirement.
    problems : tuple of Problem
        Reasons why the design cannot run; empty if it can.
    constraints : tuple of Constraint
        Memory, and each limit that the scenario sets.
    terms : tuple of Term
        Terms of a step; they add up to ``step_seconds``.
    run_terms : tuple of Term
        Terms of the whole run (work, checkpoints, failures); they add up to ``seconds``.
    mfu, goodput : float
        Model FLOPs utilization (MFU) while the job works; fraction of the time that is productive work.
    work_seconds, seconds : float
        Time without failures and checkpoints, and expected time with them.
    mtbf, checkpoint_interval, checkpoint_seconds, persist_seconds, restart_seconds : float
        MTBF of the whole job; work between two checkpoints; stall per checkpoint; time until a checkpoint is
        written; time from a failure until work continues.
    waiting_share : float
        Fraction of the time in which the job waits for repairs because no spare is left.
    joules, kg_by_location : float
        Energy of the facility and its location-based carbon, whole run.
    watts : float
        Provisioned power, spares included.
    capital_dollars, running_dollars, dollars : float
        Price of the machine; electricity of the run; electricity plus the run's share of the depreciation.
    memory_bytes : float
        Bytes in the fullest chip.
    kernel_share : KernelShare
        Fraction of peak that was assumed for the kernels.
    """

    design: Design
    scenario: Scenario
    problems: tuple[Problem, ...]
    constraints: tuple[Constraint, ...]
    terms: tuple[Term, ...] = field(repr=False)
    run_terms: tuple[Term, ...] = field(repr=False)
    mfu: float
    goodput: float
    work_seconds: float
    seconds: float
    mtbf: float
    checkpoint_interval: float
    checkpoint_seconds: float
    persist_seconds: float
    restart_seconds: float
    waiting_share: float
    joules: float
    watts: float
    kg_by_location: float
    capital_dollars: float
    running_dollars: float
    dollars: float
    memory_bytes: float
    kernel_share: KernelShare = field(repr=False)

    @property
    def fits(self) -> bool:
        """Whether the design can run."""
        return not self.problems

    @property
    def meets(self) -> bool:
        """Whether the design can run and meets every limit of the scenario."""
        return self.fits and all(one.met for one in self.constraints)

    @property
    def layout(self) -> Layout | None:
        """Parallel layout; None if no layout fits."""
        return self.design.layout

    @property
    def step_seconds(self) -> float:
        """Duration of one step, seconds."""
        return sum(term.seconds for term in self.terms) if self.terms else nan

    @property
    def days(self) -> float:
        """Expected duration with failures, days."""
        return self.seconds / DAY

    @property
    def failures(self) -> float:
        """Expected number of failures in the run."""
        return self.seconds * (1.0 - self.waiting_share) / self.mtbf if isfinite(self.seconds) else self.seconds

    @property
    def bill(self) -> dict[str, float]:
        """Dollars of the run by cause: its share of the machine's depreciation, and its electricity.

        Returns
        -------
        dict of str to float
            Dollars under ``"depreciation"`` and ``"electricity"``; they add up to ``dollars``.

        Notes
        -----
        Ignores staff, space and the network outside the machine. Source: `economics.own_cost`.

        Examples
        --------
        >>> from chip2cluster import capstone
        >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
        >>> outcome = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario)
        >>> [*outcome.bill], round(sum(outcome.bill.values()) / outcome.dollars, 9)
        (['depreciation', 'electricity'], 1.0)
        """
        return {"depreciation": self.dollars - self.running_dollars, "electricity": self.running_dollars}

    @property
    def nodes_per_copy(self) -> int:
        """Number of nodes that hold one copy of the model, at least one.

        Returns
        -------
        int
            Nodes of the devices that process one sequence together, ``tensor * pipeline * context``; with ZeRO-3 nodes
            of all devices, because they shard the weights over the data-parallel group too.

        Raises
        ------
        ValueError
            If no layout fits.

        Notes
        -----
        Ignores where the devices of a copy are placed: they fill node after node. Source: Rajbhandari et al. 2020 (ZeRO).

        Examples
        --------
        >>> from chip2cluster import capstone, parallelism
        >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
        >>> layout = parallelism.Layout(tensor=8, pipeline=2, data=8)
        >>> capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, layout=layout), scenario).nodes_per_copy
        2
        """
        layout = known("layout", self.design.layout)
        sharding = layout.data if layout.zero_stage == 3 else 1
        return ceil(layout.tensor * layout.pipeline * layout.context * sharding / self.design.chips_per_node)

    def interval(self, name: str) -> tuple[float, float]:
        """Interval that holds a number in four of five cases.

        Parameters
        ----------
        name : str
            Name of a number, such as ``"days"``, ``"mfu"`` or ``"dollars"``.

        Returns
        -------
        tuple of float
            Low and high end, in the unit of the number; both equal the number if it is certain in this model.

        Notes
        -----
        The interval has two parts: the distance of published training runs from this model (four of five are slower
        by at most ``kernel_share.spread`` and faster by at most ``kernel_share.faster``), and the random failures, whose
        number is Poisson distributed and each of which loses up to one interval. Ignores uncertain prices and
        failure rates (`sensitivity`), and that the layout was optimized in this model: training runs in published
        layouts took 1.26 times as long in the median. Source: the kind "designs" of `reality`; C. Palm 1943 for the sum.
        """
        model, luck = FOLLOWS[choice("name", name, FOLLOWS)]
        middle = getattr(self, name)
        if not isfinite(middle):
            return middle, middle
        slow, fast = log(self.kernel_share.spread), log(self.kernel_share.faster)
        down, up = (fast, slow) if model > 0 else (slow, fast)
        random = abs(luck) * TAIL * self._luck()
        low, high = middle * exp(-hypot(model * down, random)), middle * exp(hypot(model * up, random))
        return (low, min(high, 1.0)) if name in ("mfu", "goodput") else (low, high)

    def _luck(self) -> float:
        """Return the standard deviation of the log time that follows from the random number and cost of failures."""
        segment = self.checkpoint_interval + self.checkpoint_seconds
        each = (segment / 2 + self.persist_seconds + self.restart_seconds) ** 2 + segment**2 / 12
        waits = self.waiting_share * self.seconds * self.scenario.failures.repair_seconds
        relative = (self.failures * each + 2 * waits) ** 0.5 / self.seconds
        return log1p(relative)
