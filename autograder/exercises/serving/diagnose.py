"""Why do users wait? From a server's log."""

import numpy as np

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant
from .server_log import CAUSES, HEALTHY, OTHER, columns, lines


def diagnose(log, healthy):
    """Name what makes users wait, from what a server writes every ten seconds."""
    return _name(log, healthy)


def _name(
    log,
    healthy,
    first=1,
    middle=np.median,
    order=("cache", "seats", "reading"),
    queue=True,
    full=0.9,
    hits=True,
    seats=True,
):
    """By the first thing in the order that has run out; without a line in front of it nothing has."""
    read, _, running, waiting, cache, hit = (middle(column[first:]) for column in columns(log))
    if queue and waiting < 1:
        return "nothing"
    out = {
        "cache": cache >= full,
        "seats": seats and running >= healthy["max_sequences"],
        "reading": read >= 0.9 * healthy["reading"],
    }
    found = next((kind for kind in order if out[kind]), "slow")
    if found == "reading":
        return "prefix" if hits and hit < 0.5 * healthy["hit_rate"] else "prompts"
    return found


def _like(**changed):
    return lambda log, healthy: _name(log, healthy, **changed)


def _hits_alone(log, healthy):
    """A low hit rate is the cause, whatever the rate of reading."""
    found, hit = _name(log, healthy), np.median(columns(log)[-1][1:])
    return "prefix" if found == "slow" and hit < 0.5 * healthy["hit_rate"] else found


def _logs(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    drawn = [lines("cache", generator)]
    for healthy in (HEALTHY, OTHER):
        drawn += [lines(str(cause), generator, healthy=healthy) for cause in generator.permutation(CAUSES)]
    # A full house in which nobody waits; a low hit rate that costs nothing; a full cache of a server with all seats taken.
    return [
        *drawn,
        lines("nothing", generator, cache=0.96),
        lines("nothing", generator, seats=1),
        lines("slow", generator, hits=0.1),
        lines("prompts", generator, seats=1, cache=0.97),
        lines("prompts", generator, seats=1),
        lines("prompts", generator, cache=0.96),
    ]


def _edges(generator):
    # A crowd that came once; on either side of each line; one request that waits.
    return [
        lines("nothing", generator, burst=True),
        lines("slow", generator, cache=0.85, reading=0.85),
        lines("prompts", generator, hits=0.6, cache=0.85),
        lines("prefix", generator, hits=0.44),
        lines("slow", generator, seats=0.95),
        lines("slow", generator, waiting=2),
    ]


DIAGNOSE = Exercise(
    id="serving.diagnose",
    title="Why do they wait?",
    signature="diagnose(log, healthy)",
    unit="",
    points=5,
    reference=diagnose,
    shows=(columns, diagnose),
    groups=(
        Group(
            "one thing that ran out",
            0.8,
            _logs,
            v.VALUE,
            "Is anybody waiting? Then ask in the order of the table what has run out.",
        ),
        Group(
            "near a line, or once",
            0.2,
            _edges,
            v.VALUE,
            advice="A crowd in one line of the log is no queue: take the median. The lines are 1 request, 90 % of the cache, all the seats, "
            "90 % of the reading, and half of the usual hits.",
        ),
    ),
    hints=(
        "re.findall(r'Waiting: (\\d+)', log) gives all numbers behind a word, as text. Leave the first line of the log out.",
        "A median of Waiting below 1: nothing. Otherwise go down the table and return the first that holds.",
        "Cache: usage of 90 % or more. Seats: Running at max_sequences. Reading at 90 % or more of its most: then the hit rate tells prefix from prompts. "
        "None of these: slow.",
    ),
    solution="""
import re
import numpy as np

def diagnose(log, healthy):
    def middle(pattern):
        return np.median([float(number) for number in re.findall(pattern, log)][1:])     # without the first line

    if middle(r"Waiting: (\\d+)") < 1:
        return "nothing"
    if middle(r"cache usage: ([\\d.]+)%") >= 90:
        return "cache"
    if middle(r"Running: (\\d+)") >= healthy["max_sequences"]:
        return "seats"
    if middle(r"prompt throughput: ([\\d.]+)") >= 0.9 * healthy["reading"]:
        hits = middle(r"hit rate: ([\\d.]+)%") / 100
        return "prefix" if hits < 0.5 * healthy["hit_rate"] else "prompts"
    return "slow"
""",
    explanation=(
        "A line forms in front of what has run out, and three things can: blocks, seats, and time to read. What has not run out is not "
        "the cause, however high it stands: a cache of 97 % with nobody in line is a cache well used."
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
            "the first line counted",
            _like(first=0, middle=np.mean),
            "You counted the first line. It holds the seconds before the users came: leave it out, and take the middle (median) of the others.",
        ),
        Mistake(
            "mean of the lines",
            _like(middle=np.mean),
            "One line spoils your value. A crowd that came once is no queue: take the median, not the mean.",
            share=0.8,
        ),
        Mistake(
            "seats before the cache",
            _like(order=("seats", "cache", "reading")),
            "You asked for the seats first. Without blocks a free seat is no use: ask in the order of the table.",
        ),
        Mistake(
            "reading first",
            _like(order=("reading", "cache", "seats")),
            "You asked for the reading first. Who waits for blocks or for a seat is not read, however fast: ask in the order of the table.",
        ),
        Mistake(
            "the hit rate unread",
            _like(hits=False),
            "You did not look at the hit rate. Where prefixes are lost, the same prompts are read again and again.",
        ),
        Mistake(
            "a low hit rate alone",
            _hits_alone,
            "You blamed the prefix cache for a low hit rate alone. Where there is time left to read, it costs nothing.",
        ),
        Mistake(
            "the seats unread",
            _like(seats=False),
            "You did not compare Running with max_sequences. When all seats are taken, blocks and time help nobody.",
        ),
        Mistake(
            "the cache unread",
            _like(full=2.0),
            "You did not look at the cache. Without free blocks nobody comes in.",
        ),
        Mistake(
            "the healthy values of one server",
            lambda log, healthy: _name(log, HEALTHY),
            "You wrote healthy values into your code. Another server has others: take them from healthy.",
        ),
        Mistake(
            "somebody must be at fault",
            lambda log, healthy: "slow" if (found := _name(log, healthy)) == "nothing" else found,
            "You found a fault in a server that keeps up. Where nobody waits, return 'nothing'.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def diagnose(log, healthy):
    return "cache"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
)
