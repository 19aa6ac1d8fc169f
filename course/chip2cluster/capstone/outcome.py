"""What comes out: whether it can be, a step as a waterfall, days, joules and dollars, each with its interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, hypot, inf, isfinite, log, log1p, nan
from typing import TYPE_CHECKING

from .._validate import choice
from .kernels import KernelShare

if TYPE_CHECKING:
    from ..parallelism import Layout
    from .design import Design
    from .scenario import Scenario

DAY = 86400.0
NEAR = 0.05  # of a limit: nearer than this a constraint binds
TAIL = 1.2816  # standard deviations from the mean to the tenth and the ninetieth percentile
# How each number follows the time of a step (first power) and the luck of failures (second one).
FOLLOWS = {
    "step_seconds": (1, 0), "work_seconds": (1, 0), "mfu": (-1, 0), "goodput": (0, -1), "seconds": (1, 1), "days": (1, 1),
    "joules": (1, 1), "kg_by_location": (1, 1), "running_dollars": (1, 1), "dollars": (1, 1),
    "mtbf": (0, 0), "checkpoint_interval": (0, 0), "watts": (0, 0), "capital_dollars": (0, 0), "memory_bytes": (0, 0),
}  # fmt: skip


@dataclass(frozen=True)
class Term:
    """Seconds by what they are spent on, the public function that gives them, and the topic of its chapter."""

    name: str
    seconds: float
    function: str
    chapter: str


@dataclass(frozen=True)
class Constraint:
    """One limit: what it asks of, what is allowed, and how much of that is left, as a share of it.

    It binds if it is broken or less than a twentieth of it is left.
    """

    name: str
    value: float
    limit: float

    @property
    def margin(self) -> float:
        """Share of the limit that is left; below zero where it is broken."""
        return (self.limit - self.value) / self.limit if self.value < inf else -inf

    @property
    def met(self) -> bool:
        """Whether the limit holds."""
        return self.value <= self.limit

    @property
    def binds(self) -> bool:
        """Whether the limit is broken, or nearly."""
        return not self.margin >= NEAR


@dataclass(frozen=True)
class Problem:
    """Why a design cannot be: the rule that it breaks, in a sentence, and the nearest design that can."""

    rule: str
    says: str
    nearest: Design | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Outcome:
    """What becomes of a design in a scenario; seconds, joules, watts, bytes, dollars.

    Attributes
    ----------
    design : Design
        With the layout that was searched, where it was left open.
    scenario : Scenario
    problems : tuple of Problem
        Why it cannot run; empty if it can.
    constraints : tuple of Constraint
        Memory, and each limit that the scenario names.
    terms : tuple of Term
        Of a step; they add up to ``step_seconds``.
    run_terms : tuple of Term
        Of the whole run: work, checkpoints, what failures cost; they add up to ``seconds``.
    mfu, goodput : float
        Share of the peak that is the model's arithmetic while the job works; share of the time that is kept work.
    work_seconds, seconds : float
        Without failures and checkpoints, and expected with them.
    mtbf, checkpoint_interval, checkpoint_seconds, persist_seconds, restart_seconds : float
        Of the whole job; work between two checkpoints; how long one stalls the job, and is on its way; from a
        failure until work goes on.
    waiting_share : float
        Of the time, for nodes to be repaired because no spare is left.
    joules, kg_by_location : float
        Of the facility, for the whole training.
    watts : float
        To be provided for, spares included.
    capital_dollars, running_dollars, dollars : float
        The machine; the electricity of the training; that and its share of the write-off.
    memory_bytes : float
        Of the fullest chip.
    kernel_share : KernelShare
        What the time of the kernels was reckoned with.
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
        """Whether it can run at all."""
        return not self.problems

    @property
    def meets(self) -> bool:
        """Whether it can run, and every limit of the scenario is met."""
        return self.fits and all(one.met for one in self.constraints)

    @property
    def layout(self) -> Layout | None:
        """How the model lies on the chips; None where nothing fits."""
        return self.design.layout

    @property
    def step_seconds(self) -> float:
        """Of one step."""
        return sum(term.seconds for term in self.terms) if self.terms else nan

    @property
    def days(self) -> float:
        """Expected, with failures."""
        return self.seconds / DAY

    @property
    def failures(self) -> float:
        """To be expected in the run."""
        return self.seconds * (1.0 - self.waiting_share) / self.mtbf if isfinite(self.seconds) else self.seconds

    def interval(self, name: str) -> tuple[float, float]:
        """Where a number lies in four of five cases.

        Parameters
        ----------
        name : str
            Such as ``"days"``, ``"mfu"`` or ``"dollars"``.

        Returns
        -------
        tuple of float
            Low and high, in the unit of the number; both the number itself where nothing is uncertain here.

        Notes
        -----
        Two things are in it: how far published trainings lie from this model (slower by ``kernel_share.spread`` and faster
        by ``kernel_share.faster``, which four of five of them keep to, whatever the reason), and the luck of failures, whose number is
        Poisson's and each of which loses up to an interval. Ignores that prices and failure rates
        may be others: `sensitivity`; and that a layout was searched: it is the one the model likes best, and
        trainings in the layouts that people chose took 1.26 times as long in the middle. Source: the kind "designs" of `reality`; C. Palm 1943 for the sum.
        """
        model, luck = FOLLOWS[choice("name", name, FOLLOWS)]
        middle = getattr(self, name)
        if not isfinite(middle):
            return middle, middle
        slow, fast = log(self.kernel_share.spread), log(self.kernel_share.faster)
        down, up = (fast, slow) if model > 0 else (slow, fast)
        chance = abs(luck) * TAIL * self._luck()
        low, high = middle * exp(-hypot(model * down, chance)), middle * exp(hypot(model * up, chance))
        return (low, min(high, 1.0)) if name in ("mfu", "goodput") else (low, high)

    def _luck(self) -> float:
        """Standard deviation of the logarithm of the time, by the number of failures and what each one costs."""
        segment = self.checkpoint_interval + self.checkpoint_seconds
        each = (segment / 2 + self.persist_seconds + self.restart_seconds) ** 2 + segment**2 / 12
        waits = self.waiting_share * self.seconds * self.scenario.failures.repair_seconds
        relative = (self.failures * each + 2 * waits) ** 0.5 / self.seconds
        return log1p(relative)
