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
    order=("cache", "sequences", "reading"),
    queue=True,
    waits=None,
    full=0.9,
    hits=0.5,
    sequences=0.9,
    most=None,
):
    """By the first thing in the order that has run out; without a line in front of it nothing has."""
    seen = {name: middle(values) for name, values in log.items()}
    if queue and (waits or middle)(log["waiting"]) < 1:
        return "nothing"
    out = {
        "cache": seen["cache"] >= full,
        "sequences": seen["running"] >= sequences * healthy["max_sequences"],
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
    # A hit rate is low or high only compared with the usual one; and the maximum of sequences counts as reached just below it.
    drawn += [
        observed("prompts", generator, healthy=FEW_SHARE, hits=0.93),
        observed("prefix", generator, healthy=MOST_SHARE, hits=0.3),
        observed("sequences", generator, healthy=OTHER, sequences=0.945),
    ]
    # Full houses in which nobody waits; low hit rates that cost nothing.
    return [
        *drawn,
        observed("nothing", generator, cache=0.97),
        observed("nothing", generator, sequences=1),
        observed("nothing", generator, reading=0.97, hits=0.2),
        observed("slow", generator, hits=0.15),
        observed("sequences", generator, hits=0.15),
        observed("slow", generator, waiting=3),
    ]


def _odd_lines(generator):
    # Each place is odd once: no single line tells what most of them do.
    crowds = [observed("nothing", generator, odd=CROWD, at=at) for at in (0, 2, 4)]
    crowds += [observed("slow", generator, odd=CROWD, at=1), observed("prompts", generator, odd=CROWD, at=3)]
    pauses = zip(
        generator.permutation(["prompts", "sequences", "cache", "prefix", "slow"]), (0, 1, 2, 3, 4), strict=True
    )
    return [*crowds, *(observed(str(cause), generator, odd=PAUSE, at=at) for cause, at in pauses)]


DIAGNOSE = Exercise(
    id="serving.diagnose",
    title="Why do users wait?",
    signature="diagnose(log, healthy)",
    unit="",
    points=5,
    reference=diagnose,
    former_words=(("seats", "sequences"),),
    shows=(_name, diagnose),
    groups=(
        Group(
            "one resource has run out",
            0.8,
            _logs,
            v.VALUE,
            "Is anybody waiting? Then check whether each resource has run out. If two have, which one causes the other?",
        ),
        Group(
            "one odd line",
            0.2,
            _odd_lines,
            v.VALUE,
            advice="A burst in one line of the log is not a queue, and a pause in one line is not an idle server. Go by the typical line.",
        ),
    ),
    hints=(
        "np.median(log[name]) is the typical value, whatever one odd line says. If nobody waits, there is no cause to look for.",
        "Blocks, concurrent sequences and prefill rate can run out. If the blocks have, preempted requests are "
        "prefilled again and cached prompts are evicted: what does that do to the prefill rate and the hit rate?",
        "So check the blocks before the prefill rate, and look at the hit rate only if the prefill rate is at its maximum.",
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
        return "sequences"
    if seen["reading"] >= 0.9 * healthy["reading"]:
        return "prefix" if seen["hit_rate"] < 0.5 * healthy["hit_rate"] else "prompts"
    return "slow"
""",
    explanation=(
        "A queue forms at the resource that has run out: blocks, concurrent sequences or prefill rate. A resource that "
        "has not run out is not the cause, however busy it is. And one that has run out may be a consequence: a full "
        "cache loses its hits, so the server prefills the same prompts again."
    ),
    meaning=lambda: (
        "Each answer has a different fix. cache: a smaller KV-cache format, or another chip. sequences: one setting. "
        "prefix: the router, which sends a user's second question to another replica. prompts: more prefill capacity. "
        "slow: look at the CPU first."
    ),
    mistakes=(
        Mistake(
            "queue not checked",
            _like(queue=False),
            "You found a cause although nobody waits. A full cache and the maximum of concurrent sequences are not faults while the queue is empty.",
        ),
        Mistake(
            "cache checked before the queue",
            lambda log, healthy: "cache" if np.median(log["cache"]) >= 0.9 else _name(log, healthy),
            "You found a cause although nobody waits: a full cache is not a fault while the queue is empty. Check the queue first.",
        ),
        Mistake(
            "mean of the lines",
            _like(middle=np.mean),
            "One odd line distorts your value. A single burst is not a queue: use the median of the lines.",
            share=0.8,
        ),
        Mistake(
            "the last line",
            _like(middle=lambda values: values[-1]),
            "You used only the last line. It may be a pause or a single burst: use the median of the lines.",
            share=0.8,
        ),
        Mistake(
            "the first line",
            _like(middle=lambda values: values[0]),
            "You used only the first line. It may be a pause or a single burst: use the median of the lines.",
            share=0.8,
        ),
        Mistake(
            "waiting in any line",
            _like(waits=max),
            "You took a burst in one line for a queue. Requests must wait in most of the lines.",
            share=0.8,
        ),
        Mistake(
            "the maximum of each",
            _like(middle=max, waits=np.median),
            "You took the maximum over the lines. A single burst fills everything for a moment: use the median of the lines.",
            share=0.8,
        ),
        Mistake(
            "prefill rate checked first",
            _like(order=("reading", "cache", "sequences")),
            "You took a consequence for the cause. Without free blocks, cached prompts are evicted and preempted "
            "requests are prefilled again. So the hit rate falls and the prefill rate rises, but the cache is what has "
            "run out.",
        ),
        Mistake(
            "hit rate ignored",
            _like(hits=0.0),
            "You returned 'prompts' although cached prefixes are lost. The hit rate is far below the usual one, because the same prompts are prefilled again and again.",
        ),
        Mistake(
            "hit rate against a constant",
            lambda log, healthy: _name(log, healthy | {"hit_rate": 0.4}),
            "You compared the hit rate with a constant. Where prompts share little, a low hit rate is usual: compare with healthy['hit_rate'].",
        ),
        Mistake(
            "any hit rate below the usual",
            _like(hits=1.0),
            "You called the hits lost whenever the hit rate is below the usual one. It fluctuates: only below a third of the usual rate are hits lost.",
        ),
        Mistake(
            "low hit rate alone",
            _hits_alone("cache", "sequences"),
            "You blamed the prefix cache because the hit rate is low. If the prefill rate is below its maximum, a low hit rate costs nothing.",
        ),
        Mistake(
            "low hit rate checked first",
            _hits_alone(),
            "You checked the hit rate first. A low one costs nothing while the prefill rate is below its maximum, and a full cache is what lowers it.",
        ),
        Mistake(
            "maximum of sequences ignored",
            _like(sequences=2.0),
            "You never return 'sequences'. The maximum is reached when nearly max_sequences sequences run; more never run.",
        ),
        Mistake(
            "only exactly max_sequences",
            _like(sequences=1.0),
            "You returned 'sequences' only if exactly max_sequences run. One leaves and the next enters, so from 92 % on the maximum is reached.",
        ),
        Mistake(
            "cache ignored",
            _like(full=2.0),
            "You never return 'cache'. log['cache'] is a fraction, so the cache is full near 1, and then no request is admitted.",
        ),
        Mistake(
            "healthy values of one server",
            lambda log, healthy: _name(log, HEALTHY),
            "You wrote healthy values into your code. Another server has different ones: take them from healthy.",
        ),
        Mistake(
            "prefill rate of one server",
            _like(most=20000),
            "You compared the prefill rate with a constant. Another server prefills faster or slower: take healthy['reading'].",
        ),
        Mistake(
            "never slow",
            lambda log, healthy: "prompts" if (found := _name(log, healthy)) == "slow" else found,
            "You never return 'slow'. If no resource has run out and requests still wait, the server prefills less than it could, so it isn't the prompts.",
        ),
        Mistake(
            "always a fault",
            lambda log, healthy: "slow" if (found := _name(log, healthy)) == "nothing" else found,
            "You found a fault in a server that keeps up. If nobody waits, return 'nothing'.",
        ),
    ),
    mutants=MUTANTS["serving.diagnose"],
)
