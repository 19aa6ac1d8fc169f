"""Exercise on which run of a job costs a room the least energy, idle nodes included, within its deadline."""

import numpy as np

from chip2cluster import economics
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE = 60.0


def greenest(nodes, seconds, kilowatts, room_nodes, idle_kilowatts, deadline_minutes):
    """Number of nodes of the run with the least energy of the room among those in time; 0 where none was."""
    fits = np.asarray(seconds) <= MINUTE * deadline_minutes
    # What the room draws anyway is the same for each run.
    more = economics.device_energy(nodes, seconds, 1e3 * (np.asarray(kilowatts) - idle_kilowatts))
    return _least(nodes, more, fits)


def _least(nodes, amount, fits):
    return int(nodes[np.argmin(np.where(fits, amount, np.inf))]) if np.any(fits) else 0


def _case(nodes, seconds, kilowatts, room, idle, minutes):
    return {
        "nodes": np.array(nodes),
        "seconds": np.array(seconds, dtype=float),
        "kilowatts": np.array(kilowatts, dtype=float),
        "room_nodes": room,
        "idle_kilowatts": idle,
        "deadline_minutes": minutes,
    }


def _drawn(generator):
    """Five runs in any order, of which some node counts waste power and some time."""
    count = 5
    nodes = 2 ** np.sort(generator.choice(np.arange(7), count, replace=False))
    alone = generator.uniform(4e3, 4e4)
    seconds = alone / nodes ** generator.uniform(0.75, 1.0) * generator.uniform(0.6, 1.5, count)
    kilowatts = generator.uniform(3.5, 9, count)
    order = generator.permutation(count)
    nodes, seconds, kilowatts = nodes[order], np.round(seconds[order], 1), np.round(kilowatts[order], 2)
    minutes = float(np.round(np.sort(seconds)[generator.integers(2, 5)] * generator.uniform(1.01, 1.1) / MINUTE, 1))
    return _case(
        nodes,
        seconds,
        kilowatts,
        8 * int(generator.integers(9, 20)),
        round(float(generator.uniform(1.2, 2.8)), 1),
        minutes,
    )


def _clear(case):
    fits = case["seconds"] <= MINUTE * case["deadline_minutes"]
    amount = case["nodes"] * case["seconds"] * (case["kilowatts"] - case["idle_kilowatts"])
    first, second = np.sort(amount[fits])[:2] if sum(fits) > 1 else (1, 2)
    return second > 1.03 * first


def _runs(generator):
    # The job's own meter likes one node, the stop watch four, and the meter of the room two. A student sees this one.
    drawn = [_case([1, 2, 4], [1500, 900, 240], [4.0, 3.5, 7.0], 4, 2.0, 30.0)]
    drawn += [
        draw_until(lambda case, name=name: _clear(case) and _tells(case, name), lambda: _drawn(generator))
        for name in (*_REST, *_REST)
    ]
    return drawn


def _tells(case, name):
    """Whether this slip is wrong here, and no other slip of which it could be the twin."""
    other = {"the fewest nodes": "the slowest", "the slowest": "the fewest nodes"}.get(name)
    found = _REST[name](**case)
    return found != greenest(**case) and (other is None or found != _REST[other](**case))


def _late(generator):
    def drawn():
        return draw_until(_clear, lambda: _drawn(generator))

    late, just, half = drawn(), drawn(), drawn()
    fastest, quick = float(min(just["seconds"])), float(min(half["seconds"]))
    return [
        {**late, "deadline_minutes": round(0.9 * float(min(late["seconds"])) / MINUTE, 2)},
        # Its fastest run ends at the deadline, and all others after it.
        {
            **just,
            "seconds": np.round(just["seconds"] - fastest + MINUTE * np.ceil(fastest / MINUTE), 1),
            "deadline_minutes": float(np.ceil(fastest / MINUTE)),
        },
        # Its fastest run is half a minute late.
        {
            **half,
            "seconds": np.round(half["seconds"] - quick + MINUTE * np.ceil(quick / MINUTE) + 30, 1),
            "deadline_minutes": float(np.ceil(quick / MINUTE)),
        },
    ]


def _in_time(seconds, minutes):
    return seconds <= MINUTE * minutes


def _like(amount, fits=_in_time, none=0):
    """The least of another amount; it sees nodes, seconds, kW, nodes of the room, idle kW and the deadline in s."""

    def wrong(nodes, seconds, kilowatts, room_nodes, idle_kilowatts, deadline_minutes):
        amounts = amount(nodes, seconds, kilowatts, room_nodes, idle_kilowatts, MINUTE * deadline_minutes)
        found = _least(nodes, amounts, fits(seconds, deadline_minutes))
        return found or (none and none(nodes, seconds))

    return wrong


def _room(n, t, p, room, idle, end):
    return n * t * (p - idle)


_REST = {
    "the job alone": _like(lambda n, t, p, room, idle, end: n * t * p),
    "idle while it runs": _like(lambda n, t, p, room, idle, end: t * (n * p + (room - n) * idle)),
    "idle of its own nodes": _like(lambda n, t, p, room, idle, end: n * (t * p + (end - t) * idle)),
    "switched off after the run": _like(lambda n, t, p, room, idle, end: n * t * p + (room - n) * end * idle),
    "one node": _like(lambda n, t, p, room, idle, end: t * (p - idle)),
    "the fastest": _like(lambda n, t, p, room, idle, end: t),
    "the slowest": _like(lambda n, t, p, room, idle, end: -t),
    "the fewest nodes": _like(lambda n, t, p, room, idle, end: n),
    "power of a node": _like(lambda n, t, p, room, idle, end: p),
    "node-hours": _like(lambda n, t, p, room, idle, end: n * t),
    "no deadline": _like(_room, fits=lambda seconds, minutes: seconds > 0),
    "minutes": _like(_room, fits=lambda seconds, minutes: seconds <= minutes),
}

GREENEST = Exercise(
    id="economics.greenest",
    title="The greenest for the room",
    signature="greenest(nodes, seconds, kilowatts, room_nodes, idle_kilowatts, deadline_minutes)",
    unit="",
    points=4,
    reference=greenest,
    shows=(greenest, economics.device_energy),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "just in time",
            0.2,
            _late,
            advice="A run that ends at the deadline is in time, one half a minute after it is not; if all are late, return 0.",
        ),
    ),
    hints=(
        "What does the room draw until the deadline if nobody starts the job at all? How much more does it draw with the job?",
        "While they work, the nodes of a run draw more than they would idle. Only that difference counts, over the time of the run; the rest of "
        "the room and the rest of the time are the same for all runs.",
        "Compare nodes * seconds * (kilowatts − idle_kilowatts) among the runs in time. The deadline is in minutes.",
    ),
    solution="""
def greenest(nodes, seconds, kilowatts, room_nodes, idle_kilowatts, deadline_minutes):
    runs = zip(nodes, seconds, kilowatts)
    more = [(n * t * (p - idle_kilowatts), n) for n, t, p in runs if t <= 60 * deadline_minutes]
    return int(min(more)[1]) if more else 0
""",
    explanation=(
        "How many nodes the room has, and when the deadline is, drop out: they are the same for every run. A job is responsible for the energy that "
        "would not have been drawn without it. On the meter of the job alone another run may look greener."
    ),
    meaning=lambda: _meaning(),
    mistakes=(
        Mistake(
            "the job alone",
            _REST["the job alone"],
            "You counted the job alone. Its nodes would have drawn their idle power in that time anyway.",
        ),
        Mistake(
            "idle while it runs",
            _REST["idle while it runs"],
            "You stopped the room's meter when the run ends. It runs to the deadline, with all nodes idle.",
        ),
        Mistake(
            "idle of its own nodes",
            _REST["idle of its own nodes"],
            "You left out the nodes that the run doesn't use. They are switched on as well.",
        ),
        Mistake(
            "switched off after the run",
            _REST["switched off after the run"],
            "You switched the nodes of the run off when it ends. They idle until the deadline, as the rest of the room does.",
        ),
        Mistake("one node", _REST["one node"], "You counted one node of each run. All of them draw."),
        Mistake(
            "the fastest",
            _REST["the fastest"],
            "You took the fastest of those in time. Return the one with the least energy of the room.",
        ),
        Mistake(
            "the slowest",
            _REST["the slowest"],
            "You took the slowest of those in time. Return the one with the least energy of the room.",
        ),
        Mistake(
            "the fewest nodes",
            _REST["the fewest nodes"],
            "You took the fewest nodes that are in time. They work longest: compare the energy.",
        ),
        Mistake(
            "power of a node",
            _REST["power of a node"],
            "You compared the power of a node. Energy is power times time: how long does it last, and on how many nodes?",
        ),
        Mistake(
            "node-hours",
            _REST["node-hours"],
            "You compared node-hours. A node that waits draws less: multiply by its power over idle.",
        ),
        Mistake("no deadline", _REST["no deadline"], "You took a run that ends after the deadline."),
        Mistake("minutes", _REST["minutes"], "You compared seconds with minutes: the deadline is in minutes."),
        Mistake(
            "before the deadline",
            _like(_room, fits=lambda seconds, minutes: seconds < MINUTE * minutes),
            "You dropped a run that ends exactly at the deadline. It is in time.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "whole minutes",
            _like(_room, fits=lambda seconds, minutes: seconds // MINUTE <= minutes),
            "You cut seconds off to whole minutes. A run that is half a minute late is late.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "the least late",
            _like(_room, none=lambda nodes, seconds: int(nodes[np.argmin(seconds)])),
            "You returned a run that is late. Where none is in time, return 0.",
            "wrong at the edges",
            share=0.8,
        ),
    ),
)


def _meaning():
    runs = economics.measured_tunings()
    rows = (
        np.array([run.nodes for run in runs]),
        np.array([run.seconds for run in runs]),
        np.array([run.joules_dc / run.seconds / run.nodes / 1e3 for run in runs]),
    )
    chosen = {minutes: greenest(*rows, 64, 2.0, minutes) for minutes in (30, 10, 3)}
    told = ", ".join(f"{many} in {minutes} minutes" for minutes, many in chosen.items())
    one, *_, many = runs
    return (
        f"Of MLPerf's three runs, in a room of 64 nodes that idle at 2 kW, these are the greenest: {told}. To be "
        f"{one.seconds / many.seconds:.1f} times as fast as on one node takes {many.joules_dc / one.joules_dc:.1f} times the energy, network included."
    )
