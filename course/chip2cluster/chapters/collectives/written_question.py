"""Lab 7: a ring or a tree."""

from chip2cluster import collectives, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, si


def draw(generator):
    latency = float(generator.integers(20, 90)) * 1e-7
    bandwidth = float(generator.integers(12, 90)) * 1e9
    ranks = float(generator.choice([16, 32, 64]))
    levels = float(int(ranks).bit_length() - 1)
    # Where the two take the same time.
    equal = bandwidth * latency * (ranks - 1 - levels) / (levels - (ranks - 1) / ranks)
    sizes = [
        float(f"{size:.2g}") for size in (equal / generator.uniform(15, 40), equal, equal * generator.uniform(6, 20))
    ]
    coming = {"ranks": ranks * 4, "size": float(f"{equal * generator.uniform(0.1, 0.5):.2g}")}
    return Draw(
        {"bandwidth": bandwidth, "latency": latency}, [{"ranks": ranks, "size": size} for size in sizes], coming
    )


def shown(bandwidth, latency):
    return {"bandwidth": units.show(bandwidth, "B/s"), "latency": units.show(latency, "s")}


def of(algorithm):
    return lambda ranks, size, bandwidth, latency: collectives.time(
        "all_reduce", algorithm, size, int(ranks), bandwidth, latency
    )


QUESTION = Question(
    scene="A library doesn't log which algorithm its all-reduce takes. From a ping-pong the machine has {latency} a step "
    "and {bandwidth} a link, one way.",
    columns=(Column("ranks", "ranks"), Column("size", "message", si("B"))),
    result=Column("seconds", "time of the all-reduce", si("s")),
    explanations=(
        Explanation(
            "a ring: reduce-scatter, then all-gather.",
            "A ring takes nearly two steps for each rank, so short messages pay for every rank; but each step carries only a rank's part, "
            "so long messages pay little more than twice their bytes.",
            "If the time of a very short message did not grow when the ranks are doubled, I would be wrong.",
            of("ring"),
        ),
        Explanation(
            "a tree: up to the root, then down again, the whole message on each level.",
            "A tree has few levels, so short messages are fast even on many ranks; but every level carries the whole message, twice, so long "
            "ones pay for each level.",
            "If the time of a very short message nearly doubled when the ranks are doubled, I would be wrong.",
            of("tree"),
        ),
    ),
    coming="what you expect for {size} on {ranks} ranks of such a machine",
    draw=draw,
    shown=shown,
)
