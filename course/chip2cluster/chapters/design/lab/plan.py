"""A student's plan: parsed, checked against the offer, and simulated in unseen worlds."""

from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np

from chip2cluster import capstone
from chip2cluster.exercise.scored_answers import Rating

from .scenario import DAY, scenario_of, written_seconds

WORLDS = 60
GIVEN_UP = 5.0  # times the expected days: length assigned to a run that does not end
WRITES = "writes"
LIMITS = {
    "capital_dollars": "the price of the machine", "watts": "the power", "deadline_seconds": "the deadline",
    WRITES: "your share of the file system's time",
}  # fmt: skip
ADVICE = "Return the text that capstone.to_text(design, mfu=…, checkpoint_interval=…, days_low=…, days_high=…) gives."


@dataclass(frozen=True)
class Plan:
    """A design that can run in the student's scenario, its expected outcome, and the promised numbers."""

    outcome: capstone.Outcome
    promised: dict
    write_share: float = inf

    @property
    def constraints(self):
        """Limits of the scenario, and the share of the file system's time that checkpoints may take."""
        share = written_seconds(self.outcome) / self.outcome.checkpoint_interval
        return (*self.outcome.constraints, capstone.Constraint(WRITES, share, self.write_share))


def read(answer, numbers):
    """Return the plan in an answer, or the `Rating` of an answer without a plan that can run."""
    if not isinstance(answer, str):
        return Rating(0.0, f"Your function returned {type(answer).__name__}, not a text. {ADVICE}", "no plan")
    try:
        design, promised = capstone.from_text(answer)
    except (ValueError, TypeError) as error:
        return Rating(0.0, f"Your plan cannot be read: {error}. {ADVICE}", "no plan")
    if odd := _not_offered(design, numbers["offer"]):
        return Rating(0.0, odd, "not on offer")
    scenario = scenario_of(numbers["scenario"], numbers["prices"], numbers["failures"])
    try:
        outcome = capstone.evaluate(design, scenario, nearest=False)
    except (ValueError, TypeError, OverflowError) as error:
        return Rating(0.0, f"Your design cannot be evaluated: {error}.", "cannot run")
    if not outcome.fits:
        return Rating(0.0, f"Your design cannot run: {outcome.problems[0].says}.", "cannot run")
    return Plan(outcome, promised, numbers["write_share"])


def _not_offered(design, offer):
    """Name a decision that is not on offer; empty if all are."""
    plain = capstone.Design(chip=design.chip, nodes=design.nodes)
    for name in ("chips_per_node", "domain", "oversubscription", "leaf_nodes", "precision"):
        if getattr(design, name) != getattr(plain, name):
            return f"{name} is {getattr(plain, name)} for everybody; your design has {getattr(design, name)}."
    for name, value, offered in (
        ("chip", design.accelerator.name, offer["chips"]),
        ("nic_bytes_per_second_one_way", design.nic_bytes_per_second_one_way, offer["networks"]),
        ("storage_bytes_per_second", design.storage_bytes_per_second, offer["storages"]),
    ):
        if value not in offered:
            return f"{name} is one of {' or '.join(_words(name, one) for one in offered)}; your design has {value}."
    if design.nodes > offer["nodes"]:
        return f"At most {offer['nodes']} nodes are on offer; your design has {design.nodes:g}."
    if design.spares is None or design.spares > offer["spares"]:
        return f"spares must be a number up to {offer['spares']}, because you cannot borrow nodes here; your design has {design.spares}."
    return ""


def _words(name, value):
    """Return a decision as the design takes it, with the words of the page."""
    if name == "chip":
        return value
    return f"{value:g} ({8e-9 * value:.0f} Gb/s)" if name.startswith("nic") else f"{value:g} ({1e-9 * value:.0f} GB/s)"


def tried(plan, seed, numbers):
    """Days that a plan takes in worlds drawn from a seed, sorted; equal for each task with that seed."""
    outcome = plan.outcome
    return _tried(
        outcome.design, outcome.scenario, outcome.days, seed, numbers["kernel_factor"], numbers["mtbf_factor"]
    )


@lru_cache(maxsize=256)
def _tried(design, scenario, days, seed, kernel_factor, mtbf_factor):
    some = capstone.worlds(scenario, design.chip, WORLDS, seed, kernel_factor=kernel_factor, mtbf_factor=mtbf_factor)
    played = np.array([_days(design, world, seed + number) for number, world in enumerate(some)])
    return np.sort(np.minimum(played, GIVEN_UP * days))


def _days(design, world, seed):
    # A design that barely fits may not fit in a world with more failures: such a run never ends.
    if not capstone.evaluate(design, world, nearest=False).fits:
        return inf
    return capstone.play_many(design, world, 1, seed).days[0]


def percentile(days, percent):
    """What so many of a hundred worlds do not exceed, a world's own number; of sorted days."""
    return float(days[int(np.ceil(percent / 100 * len(days))) - 1])


def broken(constraints):
    """How far each limit is broken, as a share of it, by its name; nothing of those that are kept."""
    return {one.name: -one.margin for one in constraints if one.name in LIMITS and not one.met}


def over(share):
    """Return in words by how much a limit is broken."""
    return f"by {100 * share:.2g} %" if share < 0.995 else f"by a factor of {1 + share:.2g}"


def keeps(share, most=0.25):
    """1 if the limit is kept, falling to 0 at a fraction ``most`` over it."""
    return float(np.clip(1 - share / most, 0, 1))


def kept(plan):
    """How well a plan keeps the limits as expected, between 0 and 1."""
    return float(np.prod([keeps(share) for share in broken(plan.constraints).values()]))


def late(plan, days):
    """By how much of the deadline a run of so many days is late; 0 if it is not."""
    return max(0.0, days * DAY / plan.outcome.scenario.deadline_seconds - 1)
