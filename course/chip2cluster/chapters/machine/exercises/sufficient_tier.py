"""Exercise on the slowest memory tier that is fast enough."""

from chip2cluster import hierarchy
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

NAMES = ["HBM", "NVLink", "PCIe", "network", "storage"]


def belongs_on(step_bytes, step_seconds, names, bandwidths):
    """Name of the slowest tier that moves the bytes of a step within the step, or "none"."""
    enough = [(rate, name) for name, rate in zip(names, bandwidths, strict=True) if rate * step_seconds >= step_bytes]
    return min(enough)[1] if enough else "none"


def _machine(generator):
    middle = (3500e9, 500e9, 70e9, 40e9, 5e9)
    return [round(float(rate * generator.uniform(0.8, 1.2)) / 1e8) * 1e8 for rate in middle]


def _steps(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "step_bytes": 90e9,
        "step_seconds": 1.0,
        "names": ["HBM", "NVLink", "PCIe", "network"],
        "bandwidths": [3000e9, 450e9, 60e9, 50e9],
    }
    drawn = []
    # Steps well below and well above a second, so that bytes and bytes/s cannot be taken for each other.
    for tier, about in zip(generator.permutation((0, 1, 2, 3, 3, 4)), (0.05, 4, 0.2, 2.5, 0.4, 5), strict=True):
        rates, seconds = _machine(generator), round(float(about * generator.uniform(0.8, 1.2)), 3)
        size = float(f"{rates[tier] * seconds * generator.uniform(0.8, 0.95):.3g}")
        drawn.append({"step_bytes": size, "step_seconds": seconds, "names": NAMES, "bandwidths": rates})
    return [easy, *drawn]


MIXED = {"names": ["network", "HBM", "storage", "NVLink"], "bandwidths": [50e9, 3000e9, 5e9, 450e9]}


def _odd_steps(generator):
    return [
        {"step_bytes": 100e9, "step_seconds": 0.5, **MIXED},
        {"step_bytes": 25e9, "step_seconds": 0.5, **MIXED},
        {"step_bytes": 10e9, "step_seconds": 0.5, **MIXED},
    ]


def _too_much(generator):
    return [{"step_bytes": 8000e9, "step_seconds": 0.5, **MIXED}]


def _choose(enough, best=min):
    def wrong(step_bytes, step_seconds, names, bandwidths):
        fitting = [
            (rate, name) for name, rate in zip(names, bandwidths, strict=True) if enough(rate, step_bytes, step_seconds)
        ]
        return best(fitting)[1] if fitting else "none"

    return wrong


def _in_order(step_bytes, step_seconds, names, bandwidths):
    fitting = [name for name, rate in zip(names, bandwidths, strict=True) if rate * step_seconds >= step_bytes]
    return fitting[-1] if fitting else "none"


def _meaning():
    tiers = hierarchy.system("DGX H100").tiers
    names, rates = zip(
        *((tier.name, tier.bandwidth_one_way) for tier in tiers if tier.scope in ("node", "cluster")), strict=True
    )
    slow, fast = (belongs_on(16e9, seconds, names, rates) for seconds in (1.0, 0.1))
    return (
        f"The gradients of 8 billion parameters, 16 GB a step: on a DGX H100 a step of 1 s may leave them to the {slow}, "
        f"a step of 0.1 s needs the {fast}. A faster chip can move traffic up a tier."
    )


BELONGS = Exercise(
    id="machine.belongs_on",
    title="Which tier does the traffic belong on?",
    signature="belongs_on(step_bytes, step_seconds, names, bandwidths)",
    unit="",
    points=3,
    reference=belongs_on,
    groups=(
        Group("steps", 0.7, _steps),
        Group(
            "edges",
            0.2,
            _odd_steps,
            advice="Consider tiers in another order, and a tier that is exactly fast enough.",
        ),
        Group(
            "too much",
            0.1,
            _too_much,
            advice='Here even the fastest tier is too slow: return the text "none", which is not None.',
        ),
    ),
    hints=(
        "How many bytes/s does the step need?",
        "Keep the tiers with at least that bandwidth. Which of them is the slowest?",
        'Collect pairs (rate, name) with rate >= step_bytes / step_seconds; return min() of them, or "none" if there are none.',
    ),
    solution="""
def belongs_on(step_bytes, step_seconds, names, bandwidths):
    needed = step_bytes / step_seconds
    enough = [(rate, name) for name, rate in zip(names, bandwidths) if rate >= needed]
    return min(enough)[1] if enough else "none"
""",
    explanation=(
        "Fast tiers are small and expensive, so each kind of traffic goes to the slowest tier that keeps up. That one sentence "
        "puts a split matrix product on NVLink, gradients on the network, and training data on storage."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the fastest",
            _choose(lambda rate, size, time: rate * time >= size, max),
            "You took the fastest tier, or the first of the list that keeps up. It works, but other traffic needs it: take the slowest tier that keeps up.",
        ),
        Mistake(
            "too slow",
            _choose(lambda rate, size, time: rate * time < size, max),
            "You returned a tier that is too slow: it needs longer than the step. Bandwidth × time must be at least the bytes.",
        ),
        Mistake(
            "strictly faster",
            _choose(lambda rate, size, time: rate * time > size),
            "A tier that takes exactly the step counts: >= instead of >.",
            share=0.8,
        ),
        Mistake(
            "the slowest that is too slow",
            _choose(lambda rate, size, time: rate * time <= size),
            "You returned a tier that is too slow: it needs longer than the step. Reverse the comparison.",
        ),
        Mistake(
            "the slowest of all",
            _choose(lambda rate, size, time: True),
            "You took the slowest tier without checking whether it keeps up with the step.",
        ),
        Mistake(
            "the step forgotten",
            _choose(lambda rate, size, time: rate >= size),
            "You compared bytes with bytes/s. Divide the bytes by the seconds of the step first.",
            v.UNIT,
        ),
        Mistake(
            "multiplied by the time",
            _choose(lambda rate, size, time: rate >= size * time),
            "You multiplied the bytes by the seconds. The rate that a step needs is bytes over seconds.",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes",
            _choose(lambda rate, size, time: rate * time >= 8 * size),
            "You counted in bits on one side. Both the step and the bandwidths are in bytes.",
            v.UNIT,
        ),
        Mistake(
            "both ways",
            _choose(lambda rate, size, time: rate * time >= 2 * size),
            "You halved the bandwidths (or doubled the bytes). They already count one direction.",
            v.FACTOR,
        ),
        Mistake(
            "the last in the list",
            _in_order,
            "You took the last tier of the list that keeps up. The list is in no order: take the one with the least bandwidth.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["machine.belongs_on"],
)
