"""The fastest tier that holds a working set."""

import math

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant

NAMES = ["L2", "HBM", "node HBM", "host memory", "cluster HBM", "remote storage"]


def home(working_set_bytes, names, capacities):
    """Name of the first tier, fastest first, that holds a working set whole."""
    return next(name for name, room in zip(names, capacities, strict=True) if room >= working_set_bytes)


def _ladder(generator):
    hbm = round(float(generator.uniform(64, 192)))
    node = 8 * hbm
    host = node + round(float(generator.uniform(300, 900)))
    cluster = 32 * node
    return [50e6, hbm * 1e9, node * 1e9, host * 1e9, cluster * 1e9, math.inf]


def _sets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "working_set_bytes": 140e9,
        "names": ["HBM", "node HBM", "host memory", "remote storage"],
        "capacities": [80e9, 640e9, 2000e9, math.inf],
    }
    drawn = []
    rows = ((1, 1.01), (0, 1.0004), (2, 1.02), (4, 1.01), (1, 0.3), (3, 1.01), (2, 0.95))
    for full, factor in (rows[place] for place in generator.permutation(len(rows))):
        rooms = _ladder(generator)
        drawn.append({"working_set_bytes": factor * rooms[full], "names": NAMES, "capacities": rooms})
    return [easy, *drawn]


def _odd_sets(generator):
    small_disk = ["HBM", "node HBM", "local NVMe", "remote storage"]
    rooms = [180e9, 1440e9, 960e9, math.inf]
    return [
        {"working_set_bytes": 80e9, "names": NAMES[1:], "capacities": [80e9, 640e9, 2000e9, 20480e9, math.inf]},
        {"working_set_bytes": 900e9, "names": small_disk, "capacities": rooms},
        {"working_set_bytes": 5000e9, "names": small_disk, "capacities": rooms},
    ]


def _tightest(working_set_bytes, names, capacities):
    return min((room, name) for name, room in zip(names, capacities, strict=True) if room >= working_set_bytes)[1]


def _strict(working_set_bytes, names, capacities):
    return next(name for name, room in zip(names, capacities, strict=True) if room > working_set_bytes)


def _together(working_set_bytes, names, capacities):
    total = 0
    for name, room in zip(names, capacities, strict=True):
        total += room
        if total >= working_set_bytes:
            return name


def _before(working_set_bytes, names, capacities):
    return names[max(0, names.index(home(working_set_bytes, names, capacities)) - 1)]


def _nearest(working_set_bytes, names, capacities):
    return min(zip(names, capacities, strict=True), key=lambda tier: abs(tier[1] - working_set_bytes))[0]


HOME = Exercise(
    id="machine.home",
    title="Where do the bytes live?",
    signature="home(working_set_bytes, names, capacities)",
    unit="",
    points=2,
    reference=home,
    groups=(
        Group("working sets", 0.8, _sets),
        Group(
            "edges",
            0.2,
            _odd_sets,
            advice="Exactly full still counts, and a slower tier may be smaller than a faster one (a small local disk).",
        ),
    ),
    hints=(
        "Go down the ladder from the top. When do you stop?",
        "At the first tier whose capacity is at least the working set. zip(names, capacities) gives them in pairs.",
        "for name, room in zip(names, capacities): if room >= working_set_bytes: return name",
    ),
    solution="""
def home(working_set_bytes, names, capacities):
    for name, room in zip(names, capacities):
        if room >= working_set_bytes:
            return name
""",
    explanation=(
        "Bytes that are used again and again live in the fastest place that holds all of them, and every pass over them "
        "runs at its speed. One byte too many, and the whole pass runs at the speed of the next tier, or the work is "
        "split so that it fits."
    ),
    mistakes=(
        Mistake(
            "the slowest that holds it",
            lambda working_set_bytes, names, capacities: names[-1],
            "You returned the last tier. It holds everything and is the slowest: stop at the first one with room.",
        ),
        Mistake(
            "the fastest, whatever it holds",
            lambda working_set_bytes, names, capacities: names[0],
            "You returned the first tier. It is the fastest, and the working set is too large for it.",
        ),
        Mistake(
            "the tier that overflows",
            _before,
            "You returned a tier that is too small: one rung further down there is room.",
        ),
        Mistake(
            "the nearest capacity",
            _nearest,
            "You took the tier whose capacity is nearest. It has to be at least as large as the working set.",
        ),
        Mistake(
            "capacities added up",
            _together,
            "You added up the tiers above. The working set has to lie whole in one tier.",
        ),
        Mistake(
            "strictly larger",
            _strict,
            "A tier that is exactly full still holds the working set: >= instead of >.",
            share=0.8,
        ),
        Mistake(
            "the smallest that holds it",
            _tightest,
            "You took the smallest tier with room. A slower tier may be smaller: go by the order, the fastest first.",
            share=0.8,
        ),
    ),
    mutants=(
        Mutant(
            source="""
def home(w, names, rooms):
    return 2
""",
            verdict=v.TYPE,
            says="Return text",
        ),
        Mutant(
            source="""
def home(w, names, rooms):
    return "HBM"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
)
