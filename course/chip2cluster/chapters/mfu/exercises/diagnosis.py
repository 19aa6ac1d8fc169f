"""Exercise on a diagnosis of slow steps: the rank or part that holds them up."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .step_log import CAUSES, HEALTHY, OTHER, columns, steps


def diagnose(log, healthy):
    """Name the cause of the long steps of a training run, from the log of its ranks."""
    return _name(log, healthy)


def _name(
    log,
    healthy,
    first=1,
    join=np.max,
    least=np.min,
    middle=np.median,
    clocks="its own",
    order=("data", "compute", "exchange"),
):
    """By the rank that is slowest in its own work, and by the shortest exchange of all ranks."""
    data, compute, exchange, clock = columns(log)
    slow = {
        "data": join(middle(data[first:], axis=0)) > 3 * healthy["data"],
        "compute": join(middle(compute[first:], axis=0)) > 1.15 * healthy["compute"],
        "exchange": least(middle(exchange[first:], axis=0)) > 1.5 * healthy["exchange"],
    }
    found = next((kind for kind in order if slow[kind]), "")
    if found == "compute":
        rates = middle(clock[first:], axis=0)
        slowest = np.argmax(middle(compute[first:], axis=0))
        asked = {"its own": rates[slowest], "any": np.min(rates), "none": np.inf}[clocks]
        return "hot chip" if asked < 0.9 * healthy["clock"] else "straggler"
    return {"data": "loader", "exchange": "network", "": "nothing"}[found]


def _like(**changed):
    return lambda log, healthy: _name(log, healthy, **changed)


def _clock_alone(log, healthy):
    """A low clock is a hot chip, however long its arithmetic takes."""
    *_, clock = columns(log)
    return "hot chip" if np.median(clock[1:], axis=0).min() < 0.9 * healthy["clock"] else _name(log, healthy)


def _with_first(log, healthy):
    """Means that hold the warm-up: whatever is asked first is slow."""
    data, *_ = columns(log)
    return "loader" if data.mean(axis=0).max() > 3 * healthy["data"] else _name(log, healthy)


def _logs(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    drawn = [steps("loader", generator, all_ranks=True)]
    drawn += [steps(str(cause), generator) for cause in generator.permutation(CAUSES)]
    drawn += [steps(str(cause), generator, healthy=OTHER) for cause in generator.permutation(CAUSES)]
    # A chip at a low clock holds up nobody where its arithmetic is on time.
    return [*drawn, steps("nothing", generator, cold=True), steps("straggler", generator, cold=True)]


def _edges(generator):
    # All ranks alike; one that is late by less than the limit; a step in which everybody waits for a checkpoint; and every
    # part on either side of its line.
    return [
        steps("hot chip", generator, all_ranks=True),
        steps("nothing", generator, late=0.13),
        steps("nothing", generator, pause=2.0),
        steps("nothing", generator, longer={"data": 2.5}),
        steps("loader", generator, longer={"data": 4.0}),
        steps("nothing", generator, longer={"exchange": 1.35}, late=0.1),
        steps("network", generator, longer={"exchange": 1.8}, late=0.1),
        steps("straggler", generator, longer={"compute": 1.175}, clock=0.945),
        steps("hot chip", generator, clock=0.86),
    ]


FIRST = (
    "You counted the first step. It warms up: kernels are compiled and shards opened, so everything looks slow. Leave it "
    "out, and take the middle (median) of the others."
)

DIAGNOSE = Exercise(
    id="mfu.diagnose",
    title="Who holds up the step?",
    signature="diagnose(log, healthy)",
    unit="",
    points=5,
    reference=diagnose,
    shows=(columns, diagnose),
    groups=(
        Group("one rank or the network", 0.8, _logs),
        Group(
            "all alike, or near a line",
            0.2,
            _edges,
            v.VALUE,
            advice="A hot room slows all ranks alike. A rank that is a little late, within the limit, makes others "
            "wait; one step that waits for a checkpoint is not a fault; and the limits are 3, 1.15 and 1.5 "
            "times, and 90 % of the clock.",
        ),
    ),
    hints=(
        "Which ranks wait longest in all_reduce? Those that were ready first. So which rank's all_reduce shows how long the messages take?",
        "The shortest all_reduce of a step is the exchange itself. All above it is waiting for the slowest rank.",
        "Leave the first step out. Slowest data: loader. Slowest fwd+bwd: hot chip if the clock of that rank is low, else straggler. Shortest "
        "all_reduce too long: network. Else nothing.",
    ),
    solution="""
import numpy as np

def diagnose(log, healthy):
    rows = [line.split() for line in log.splitlines()]
    rows = [row for row in rows if row[1] != rows[0][1]]       # without the first step
    ranks = sorted({row[3] for row in rows})

    def middle(place):
        return [np.median([float(row[place]) for row in rows if row[3] == rank]) for rank in ranks]

    if max(middle(6)) * 1e-3 > 3 * healthy["data"]:
        return "loader"
    arithmetic, clock = middle(10), middle(18)
    slowest = arithmetic.index(max(arithmetic))
    if arithmetic[slowest] * 1e-3 > 1.15 * healthy["compute"]:
        return "hot chip" if clock[slowest] * 1e6 < 0.9 * healthy["clock"] else "straggler"
    if min(middle(14)) * 1e-3 > 1.5 * healthy["exchange"]:
        return "network"
    return "nothing"
""",
    explanation=(
        "In a collective the healthy ranks wait. All ranks but one show a long all_reduce because that one came late, and "
        "the late one shows the shortest, because it waits for no other rank. So find the rank with the short wait, and look at what it did before."
    ),
    meaning=lambda: (
        f"One rank whose chip runs at two thirds of its clock turns a step of {_step():.2f} s into {_step(1.5):.2f} s, among 16,384 "
        f"chips as among 4: of an MFU of 42 % that leaves {42 * _step() / _step(1.5):.0f} %. Write down the times of each rank, not "
        "their mean."
    ),
    mistakes=(
        Mistake(
            "the longest all_reduce",
            _like(least=np.max, order=("exchange", "data", "compute")),
            "You blamed the network for a rank that came late, by the longest all_reduce or the mean of all. The ranks that were "
            "ready early wait in all_reduce for the last one; only the shortest all_reduce of a step shows how long the messages "
            "take.",
        ),
        Mistake(
            "the first step counted",
            _with_first,
            FIRST,
        ),
        Mistake(
            "the longest all_reduce, asked last",
            _like(least=np.max),
            "You took the longest all_reduce, or the mean of all, for the messages. It includes the wait for a rank that is a little later than the others; "
            "the shortest one is the time of the messages.",
            share=0.8,
        ),
        Mistake(
            "mean of the steps",
            _like(middle=np.mean),
            "A single step distorts your value. Leave out the first step, which is a warm-up, and take the median of the others, "
            "not the mean: one of them may wait for a checkpoint.",
            share=0.8,
        ),
        Mistake(
            "clocks unread",
            _like(clocks="none"),
            "You did not look at the clocks. A chip at two thirds of its clock is hot or throttled, which is not the same as a straggler "
            "at full clock.",
        ),
        Mistake(
            "the lowest clock of all",
            _like(clocks="any"),
            "You used the lowest clock of all ranks. Use the clock of the rank whose arithmetic takes too long; another "
            "chip may have a low clock and still be on time.",
        ),
        Mistake(
            "a low clock alone",
            _clock_alone,
            "You called a low clock a hot chip without looking at its arithmetic. A chip that is on time doesn't delay the others.",
        ),
        Mistake(
            "the healthy values of one training",
            lambda log, healthy: _name(log, HEALTHY),
            "You wrote healthy values into your code. Another run has other values: take them from healthy.",
        ),
        Mistake(
            "mean of the ranks, in the exchange too",
            _like(join=np.mean, least=np.mean),
            "You took the mean over the ranks. One slow rank hides in it, and in all_reduce the shortest time shows how long "
            "the messages take.",
        ),
        Mistake(
            "mean of the ranks",
            _like(join=np.mean),
            "You took the mean over the ranks. One slow rank hides in it, and all ranks wait for that one.",
        ),
        Mistake(
            "the fastest rank",
            _like(join=np.min),
            "You used the fastest rank. All ranks wait for the slowest one: take the largest value over the ranks.",
        ),
        Mistake(
            "only rank 0",
            _like(join=lambda middle: middle[0], least=lambda middle: middle[0]),
            "You looked only at rank 0. Another rank may be the slow one; then rank 0 shows nothing but a long all_reduce.",
        ),
        Mistake(
            "the loader unseen",
            _like(order=("compute", "exchange")),
            "You never blamed the loader. A rank whose data comes late shows it before fwd+bwd, and its all_reduce is short.",
        ),
        Mistake(
            "somebody must be slow",
            lambda log, healthy: "network" if (found := _name(log, healthy)) == "nothing" else found,
            "You found a fault in a healthy run. If nothing is over its limit, return 'nothing'.",
        ),
    ),
    mutants=MUTANTS["mfu.diagnose"],
)


def _step(longer=1.0):
    return HEALTHY["data"] + longer * HEALTHY["compute"] + HEALTHY["exchange"]
