"""Which of several runs of one job took the least energy and was in time."""

import numpy as np

from chip2cluster import economics

from ..draws import draw_until
from ..model import Exercise, Group, Mistake

MINUTE = 60.0


def greenest(nodes, seconds, kilowatts, deadline_minutes):
    """Number of nodes of the run with the least energy among those in time; 0 where none was."""
    energy = economics.device_energy(nodes, seconds, 1e3 * np.asarray(kilowatts))
    return _least(nodes, energy, np.asarray(seconds) <= MINUTE * deadline_minutes)


def _least(nodes, amount, fits):
    return int(nodes[np.argmin(np.where(fits, amount, np.inf))]) if np.any(fits) else 0


def _case(nodes, seconds, kilowatts, minutes):
    return {
        "nodes": np.array(nodes),
        "seconds": np.array(seconds, dtype=float),
        "kilowatts": np.array(kilowatts, dtype=float),
        "deadline_minutes": minutes,
    }


def _drawn(generator):
    """Five runs in any order, of which some node counts waste power and some time."""
    count = 5
    nodes = 2 ** np.sort(generator.choice(np.arange(8), count, replace=False))
    alone = generator.uniform(2e3, 4e4)
    seconds = alone / nodes ** generator.uniform(0.8, 1.05) * generator.uniform(0.75, 1.35, count)
    kilowatts = generator.uniform(4.5, 10, count)
    order = generator.permutation(count)
    nodes, seconds, kilowatts = nodes[order], np.round(seconds[order], 1), np.round(kilowatts[order], 2)
    minutes = float(np.round(np.sort(seconds)[generator.integers(2, 5)] * generator.uniform(1.01, 1.1) / MINUTE, 1))
    return _case(nodes, seconds, kilowatts, minutes)


def _clear(case):
    energy = case["nodes"] * case["seconds"] * case["kilowatts"]
    first, second = np.sort(energy)[:2]
    return second > 1.03 * first


def _runs(generator):
    # Twenty node-minutes at 5 kW beat sixteen at 7; the one that is greener still comes too late. A student sees this one.
    drawn = [_case([1, 2, 4], [1500, 600, 240], [3.0, 5.0, 7.0], 20.0)]
    drawn += [
        draw_until(
            lambda case, name=name: _clear(case) and greenest(**case) != _REST[name](**case), lambda: _drawn(generator)
        )
        for name in (*_REST, *_REST)
    ]
    return drawn


def _late(generator):
    late = draw_until(_clear, lambda: _drawn(generator))
    just = draw_until(_clear, lambda: _drawn(generator))
    fastest = float(min(just["seconds"]))
    return [
        {**late, "deadline_minutes": round(0.9 * float(min(late["seconds"])) / MINUTE, 2)},
        {
            **just,
            "seconds": just["seconds"] - fastest + 60.0 * np.ceil(fastest / 60),
            "deadline_minutes": float(np.ceil(fastest / 60)),
        },
    ]


def _like(amount, fits=lambda seconds, minutes: seconds <= MINUTE * minutes, none=0):
    def wrong(nodes, seconds, kilowatts, deadline_minutes):
        found = _least(nodes, amount(nodes, seconds, kilowatts), fits(seconds, deadline_minutes))
        return found or (none and none(nodes, seconds))

    return wrong


def _energy(n, t, p):
    return n * t * p


_REST = {
    "the fastest": _like(lambda n, t, p: t),
    "one node's power": _like(lambda n, t, p: p),
    "power for energy": _like(lambda n, t, p: n * p),
    "one node's energy": _like(lambda n, t, p: t * p),
    "node-hours": _like(lambda n, t, p: n * t),
    "no deadline": _like(_energy, fits=lambda seconds, minutes: seconds > 0),
}

GREENEST = Exercise(
    id="economics.greenest",
    title="The greenest in time",
    signature="greenest(nodes, seconds, kilowatts, deadline_minutes)",
    unit="",
    points=3,
    reference=greenest,
    shows=(greenest, economics.device_energy),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "just in time",
            0.2,
            _late,
            advice="A run that ends at the deadline is in time; where all are late, return 0.",
        ),
    ),
    hints=(
        "Energy is power times time, and the power is that of one node.",
        "nodes * seconds * kilowatts for each run; then leave out those that are late. Mind that the deadline is in minutes.",
        "Go through the runs with zip, skip where seconds > 60 * deadline_minutes, and keep the one with the least product.",
    ),
    solution="""
def greenest(nodes, seconds, kilowatts, deadline_minutes):
    in_time = [(n * t * p, n) for n, t, p in zip(nodes, seconds, kilowatts) if t <= 60 * deadline_minutes]
    return int(min(in_time)[1]) if in_time else 0
""",
    explanation=(
        "More nodes are faster and wait for each other more, so the fastest run is seldom the greenest, and neither is the one of "
        "least power, which is merely slow. A deadline with some air in it is the cheapest saving of energy there is."
    ),
    meaning=lambda: _meaning(),
    mistakes=(
        Mistake(
            "the fastest",
            _REST["the fastest"],
            "You took the fastest. The least energy is wanted: power times time of all nodes.",
        ),
        Mistake(
            "one node's power",
            _REST["one node's power"],
            "You compared the power of a node. A power is no energy: how long does it last, and on how many nodes?",
        ),
        Mistake("power for energy", _REST["power for energy"], "You compared powers. Energy is power times time."),
        Mistake("one node's energy", _REST["one node's energy"], "You counted one node of each run. All of them draw."),
        Mistake(
            "node-hours",
            _REST["node-hours"],
            "You compared node-hours. Nodes that wait draw less: multiply by their power.",
        ),
        Mistake("no deadline", _REST["no deadline"], "You took a run that comes too late."),
        Mistake(
            "before the deadline",
            _like(_energy, fits=lambda seconds, minutes: seconds < MINUTE * minutes),
            "You dropped a run that ends exactly at the deadline. It is in time.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "the least late",
            _like(_energy, none=lambda nodes, seconds: int(nodes[np.argmin(seconds)])),
            "You returned a run that is late. Where none is in time, return 0.",
            "wrong at the edges",
            share=0.8,
        ),
    ),
)


def _meaning():
    runs = economics.measured_tunings()
    rows = (
        [run.nodes for run in runs],
        [run.seconds for run in runs],
        [run.node_joules_dc / run.seconds / run.nodes / 1e3 for run in runs],
    )
    chosen = {minutes: greenest(*map(np.array, rows), minutes) for minutes in (30, 10, 3)}
    told = ", ".join(f"{many} in {minutes} minutes" for minutes, many in chosen.items())
    return f"Of MLPerf's three runs these numbers of nodes are the greenest: {told}. Who wants it 13.8 times as fast pays 3.9 times the energy."
