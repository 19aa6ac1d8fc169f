"""Exercise on a diagnosis of a slow server, from its log."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .server_log import CAUSES, CROWD, FEW_SHARE, HEALTHY, MOST_SHARE, OTHER, PAUSE, observed


def diagnose(log, healthy):
    """Name what makes users wait, from what a server says every ten seconds."""
    return _name(log, healthy)


def _name(
    log,
    healthy,
    middle=np.median,
    order=("cache", "seats", "reading"),
    queue=True,
    waits=None,
    full=0.9,
    hits=0.5,
    seats=0.9,
    most=None,
):
    """By the first thing in the order that has run out; without a line in front of it nothing has."""
    seen = {name: middle(values) for name, values in log.items()}
    if queue and (waits or middle)(log["waiting"]) < 1:
        return "nothing"
    out = {
        "cache": seen["cache"] >= full,
        "seats": seen["running"] >= seats * healthy["max_sequences"],
        "reading": seen["reading"] >= (most or 0.9 * healthy["reading"]),
    }
    found = next((kind for kind in order if out[kind]), "slow")
    if found == "reading":
        return "prefix" if _lost(log, healthy, hits) else "prompts"
    return found


def _lost(log, healthy, share=0.5):
    return np.median(log["hit_rate"]) < share * healthy["hit_rate"]


def _like(**changed):
    return lambda log, healthy: _name(log, healthy, **changed)


def _hits_alone(*found_before):
    """A low hit rate is the cause, whatever the rate of reading, unless one of these was found before."""

    def wrong(log, healthy):
        found = _name(log, healthy)
        return "prefix" if found not in ("nothing", *found_before) and _lost(log, healthy) else found

    return wrong


def _logs(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    drawn = [observed("cache", generator)]
    for healthy in (HEALTHY, OTHER):
        drawn += [observed(str(cause), generator, healthy=healthy) for cause in generator.permutation(CAUSES)]
        # A full cache that throws out what it had read, and reads it again.
        drawn.append(
            observed("cache", generator, healthy=healthy, reading=0.97, hits=float(generator.uniform(0.1, 0.3)))
        )
    # A rate of hits is low or high beside the usual one only; and seats are taken before the last one is.
    drawn += [
        observed("prompts", generator, healthy=FEW_SHARE, hits=0.93),
        observed("prefix", generator, healthy=MOST_SHARE, hits=0.3),
        observed("seats", generator, healthy=OTHER, seats=0.945),
    ]
    # Full houses in which nobody waits; low hit rates that cost nothing.
    return [
        *drawn,
        observed("nothing", generator, cache=0.97),
        observed("nothing", generator, seats=1),
        observed("nothing", generator, reading=0.97, hits=0.2),
        observed("slow", generator, hits=0.15),
        observed("seats", generator, hits=0.15),
        observed("slow", generator, waiting=3),
    ]


def _odd_lines(generator):
    # Each place is odd once: no single line tells what most of them do.
    crowds = [observed("nothing", generator, odd=CROWD, at=at) for at in (0, 2, 4)]
    crowds += [observed("slow", generator, odd=CROWD, at=1), observed("prompts", generator, odd=CROWD, at=3)]
    pauses = zip(generator.permutation(["prompts", "seats", "cache", "prefix", "slow"]), (0, 1, 2, 3, 4), strict=True)
    return [*crowds, *(observed(str(cause), generator, odd=PAUSE, at=at) for cause, at in pauses)]


DIAGNOSE = Exercise(
    id="serving.diagnose",
    title="Why do they wait?",
    signature="diagnose(log, healthy)",
    unit="",
    points=5,
    reference=diagnose,
    shows=(_name, diagnose),
    groups=(
        Group(
            "one thing that ran out",
            0.8,
            _logs,
            v.VALUE,
            "Is anybody waiting? Then ask of each thing whether it has run out, and of two that have which one makes the other.",
        ),
        Group(
            "one odd line",
            0.2,
            _odd_lines,
            v.VALUE,
            advice="A crowd in one line of the log is no queue, and a pause in one line no rest. Go by what most of the lines say.",
        ),
    ),
    hints=(
        "np.median(log[name]) is what most lines say, whatever stands in an odd one. With nobody in line there is no cause to look for.",
        "Blocks, seats and time to read can run out. Where blocks have, preempted requests are read again and old prompts thrown "
        "out: what does that do to the rate of reading, and to the hits?",
        "So ask for blocks before you ask for reading, and look at the hit rate only where the reading is at its most.",
    ),
    solution="""
import numpy as np

def diagnose(log, healthy):
    seen = {name: np.median(values) for name, values in log.items()}
    if seen["waiting"] < 1:
        return "nothing"
    if seen["cache"] >= 0.9:                                 # before the reading: a full cache makes it read again
        return "cache"
    if seen["running"] >= 0.9 * healthy["max_sequences"]:
        return "seats"
    if seen["reading"] >= 0.9 * healthy["reading"]:
        return "prefix" if seen["hit_rate"] < 0.5 * healthy["hit_rate"] else "prompts"
    return "slow"
""",
    explanation=(
        "A line forms in front of what has run out, and three things can: blocks, seats, and time to read. What has not run out is not "
        "the cause, however high it stands. And one that has may be a consequence: a full cache loses its hits and reads again."
    ),
    meaning=lambda: (
        "Each answer is another bill. More blocks: a smaller format of the cache, or another chip. Seats: a number in a file. Prefix: the "
        "router, which sends a user's second question to another replica. Prompts: more replicas that read. Slow: look at the processor first."
    ),
    mistakes=(
        Mistake(
            "nobody asked whether anybody waits",
            _like(queue=False),
            "You found a cause where nobody waits. A full cache, and all seats taken, are no fault while the line is empty.",
        ),
        Mistake(
            "the cache before the line",
            lambda log, healthy: "cache" if np.median(log["cache"]) >= 0.9 else _name(log, healthy),
            "You found a cause where nobody waits: a full cache is no fault while the line is empty. Ask for the line first.",
        ),
        Mistake(
            "mean of the lines",
            _like(middle=np.mean),
            "One odd line spoils your value. A crowd that came once is no queue: go by what most lines say, the median.",
            share=0.8,
        ),
        Mistake(
            "the last line",
            _like(middle=lambda values: values[-1]),
            "You went by the last line alone. It may be a pause, or a crowd that came once: go by what most lines say.",
            share=0.8,
        ),
        Mistake(
            "the first line",
            _like(middle=lambda values: values[0]),
            "You went by the first line alone. It may be a pause, or a crowd that came once: go by what most lines say.",
            share=0.8,
        ),
        Mistake(
            "somebody waited once",
            _like(waits=max),
            "You took a crowd in one line for a queue. Somebody must wait in most of them.",
            share=0.8,
        ),
        Mistake(
            "the most of each",
            _like(middle=max, waits=np.median),
            "You took the largest of the lines. A crowd that came once fills all for a moment: go by what most lines say.",
            share=0.8,
        ),
        Mistake(
            "reading first",
            _like(order=("reading", "cache", "seats")),
            "You took a consequence for the cause. Without free blocks, prompts that were kept are thrown out and preempted requests are "
            "read again: so the hits fall and the reading rises, and what has run out is the cache.",
        ),
        Mistake(
            "the hit rate unread",
            _like(hits=0.0),
            "You said 'prompts' where prefixes are lost. There the hit rate is far below the usual one, and the same prompts are read "
            "again and again.",
        ),
        Mistake(
            "hits against a number",
            lambda log, healthy: _name(log, healthy | {"hit_rate": 0.4}),
            "You hold the hits against a number of your own. Where prompts share little, few hits are usual: compare with healthy['hit_rate'].",
        ),
        Mistake(
            "any hits below the usual",
            _like(hits=1.0),
            "You called the hits lost wherever they are below the usual. They sway: near the usual is as usual, lost is below a third of it.",
        ),
        Mistake(
            "a low hit rate alone",
            _hits_alone("cache", "seats"),
            "You blamed the prefix cache for a low hit rate alone. Where there is time left to read, it costs nothing.",
        ),
        Mistake(
            "a low hit rate first",
            _hits_alone(),
            "You asked for the hit rate first. A low one costs nothing where there is time left to read, and a full cache is what "
            "lowers it.",
        ),
        Mistake(
            "the seats unread",
            _like(seats=2.0),
            "You never said 'seats'. They are taken where nearly as many run as max_sequences allows; more never run.",
        ),
        Mistake(
            "every last seat",
            _like(seats=1.0),
            "You said 'seats' only where the very last one is taken. One leaves and the next comes in: from 92 % on they have run out.",
        ),
        Mistake(
            "the cache unread",
            _like(full=2.0),
            "You never said 'cache'. It is full near 1, for it is a share; then nobody comes in.",
        ),
        Mistake(
            "the healthy values of one server",
            lambda log, healthy: _name(log, HEALTHY),
            "You wrote healthy values into your code. Another server has others: take them from healthy.",
        ),
        Mistake(
            "the reading of one server",
            _like(most=20000),
            "You hold the reading against a number of your own. Another server reads faster or slower: take healthy['reading'].",
        ),
        Mistake(
            "never slow",
            lambda log, healthy: "prompts" if (found := _name(log, healthy)) == "slow" else found,
            "You never said 'slow'. Where nothing has run out and still they wait, there is time left to read: it isn't the prompts.",
        ),
        Mistake(
            "somebody must be at fault",
            lambda log, healthy: "slow" if (found := _name(log, healthy)) == "nothing" else found,
            "You found a fault in a server that keeps up. Where nobody waits, return 'nothing'.",
        ),
    ),
    mutants=MUTANTS["serving.diagnose"],
)
