"""Exercise on bus bandwidth (busbw) from a message size and a time."""

from chip2cluster import collectives
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

_SHARED = ("reduce_scatter", "all_gather", "all_to_all")


def _measurements(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [{"collective": "all_reduce", "message_bytes": 4e9, "seconds": 0.1, "ranks": 4}]
    for collective, ranks in zip(
        ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all", "reduce", "all_reduce"),
        (8, 16, 3, 12, 64, 5, 72),
        strict=True,
    ):
        size, rate = float(generator.uniform(1e6, 5e9)), float(generator.uniform(5e9, 300e9))
        drawn.append({"collective": collective, "message_bytes": size, "seconds": size / rate, "ranks": ranks})
    return drawn


def _two_ranks(generator):
    return [
        {"collective": "all_reduce", "message_bytes": 1e9, "seconds": 0.05, "ranks": 2},
        {"collective": "all_gather", "message_bytes": 1e9, "seconds": 0.05, "ranks": 1},
    ]


def _bus(all_reduce=lambda n: 2 * (n - 1) / n, shared=lambda n: (n - 1) / n, rooted=lambda n: 1.0):
    def wrong(collective, message_bytes, seconds, ranks):
        factor = all_reduce if collective == "all_reduce" else shared if collective in _SHARED else rooted
        return message_bytes / seconds * factor(ranks)

    return wrong


BUSBW = Exercise(
    id="collectives.bus_bandwidth",
    title="Bus bandwidth",
    signature="bus_bandwidth(collective, message_bytes, seconds, ranks)",
    unit="bytes/s",
    points=3,
    reference=collectives.bus_bandwidth,
    shows=(collectives.bus_bandwidth,),
    groups=(
        Group("measurements", 0.8, _measurements),
        Group(
            "edges",
            0.2,
            _two_ranks,
            advice="With two ranks the factor of an all-reduce is 1; a single rank moves nothing.",
        ),
    ),
    hints=(
        "Start with the algorithm bandwidth, message_bytes / seconds. Then: how much of the message did a link carry?",
        "For a ring all-reduce you counted it in the section “How many bytes?”: 2 (p − 1) / p times the message. A reduce-scatter is half of one, and so is an all-gather.",
        "Factors: all_reduce 2(p−1)/p; reduce_scatter, all_gather, all_to_all (p−1)/p; broadcast and reduce 1.",
    ),
    solution="""
def bus_bandwidth(collective, message_bytes, seconds, ranks):
    share = (ranks - 1) / ranks
    factors = {
        "all_reduce": 2 * share,
        "reduce_scatter": share,
        "all_gather": share,
        "all_to_all": share,
        "broadcast": 1,
        "reduce": 1,
    }
    return factors[collective] * message_bytes / seconds
""",
    explanation=(
        "The factor is the fraction of the message that each rank's link carries in the best algorithm without in-network "
        "reduction, if all links are equal. Correcting for it makes runs with 8 and with 512 ranks comparable with each "
        "other and with the datasheet."
    ),
    meaning=lambda: (
        f"For the last row of the run in this chapter, {_last_row()[0]:.1f} GB/s of algbw, it is {_last_row()[1]:.1f} GB/s: below "
        "the 100 GB/s that leave a node, as it must be for rings."
    ),
    mistakes=(
        Mistake(
            "the whole array for half an all-reduce",
            _bus(shared=lambda n: 1.0),
            "You let reduce-scatter, all-gather and all-to-all carry the whole array. One of its p parts is for the rank "
            "itself, so only p − 1 parts are sent.",
        ),
        Mistake(
            "the chain at the wrong place",
            lambda collective, message_bytes, seconds, ranks: (
                message_bytes
                / seconds
                * {"all_reduce": 2 * (ranks - 1) / ranks, "reduce_scatter": 1, "all_gather": 1}.get(
                    collective, (ranks - 1) / ranks
                )
            ),
            "The two with the factor 1 are broadcast and reduce, because they forward the whole message from rank to rank.",
        ),
        Mistake(
            "all of an all-to-all",
            lambda collective, message_bytes, seconds, ranks: (
                _bus()(collective, message_bytes, seconds, ranks)
                * (ranks / (ranks - 1) if collective == "all_to_all" else 1)
            ),
            "In an all-to-all each rank keeps the part that is meant for itself: it sends p − 1 of p parts.",
        ),
        Mistake(
            "size is one rank's part in two",
            lambda collective, message_bytes, seconds, ranks: (
                _bus()(collective, message_bytes, seconds, ranks) * (ranks if collective in _SHARED[:2] else 1)
            ),
            "For reduce-scatter and all-gather the size is the whole array already, not one rank's part.",
        ),
        Mistake(
            "algorithm bandwidth",
            _bus(lambda n: 1.0, lambda n: 1.0),
            "You returned the algorithm bandwidth, size over time. A link carries more or less than the message.",
        ),
        Mistake(
            "one factor for all",
            _bus(shared=lambda n: 2 * (n - 1) / n, rooted=lambda n: 2 * (n - 1) / n),
            "You used the factor of an all-reduce for every collective. A reduce-scatter and an all-gather are half of one, "
            "and in a broadcast every byte crosses a link once.",
        ),
        Mistake(
            "the all-reduce factor for its halves",
            _bus(shared=lambda n: 2 * (n - 1) / n),
            "You gave reduce-scatter, all-gather and all-to-all the factor of an all-reduce. Each sends (p − 1) / p.",
        ),
        Mistake(
            "half an all-reduce",
            _bus(all_reduce=lambda n: (n - 1) / n),
            "You counted half of the all-reduce: it is a reduce-scatter and an all-gather, 2 (p − 1) / p.",
        ),
        Mistake(
            "one factor, half an all-reduce",
            _bus(all_reduce=lambda n: (n - 1) / n, rooted=lambda n: (n - 1) / n),
            "You used (p − 1) / p for every collective. An all-reduce sends twice that; a broadcast sends everything once.",
        ),
        Mistake(
            "a share of a broadcast",
            _bus(rooted=lambda n: (n - 1) / n),
            "Broadcast and reduce have the factor 1: the whole message crosses each link of the chain.",
        ),
        Mistake(
            "upside down",
            _bus(lambda n: n / (2 * (n - 1)) if n > 1 else 0.0, lambda n: n / (n - 1) if n > 1 else 0.0),
            "Your factors are inverted. In an all-reduce a link carries 2 (p − 1) / p times the message, which is more than the message.",
        ),
        Mistake(
            "twice the message",
            _bus(all_reduce=lambda n: 2.0),
            "You took the factor 2, its limit for many ranks. With p ranks it is 2 (p − 1) / p.",
        ),
        Mistake(
            "all ranks together",
            _bus(lambda n: 2.0 * (n - 1), lambda n: 1.0 * (n - 1)),
            "You counted the traffic of all ranks. Bus bandwidth is that of one rank's link.",
        ),
        Mistake(
            "size is one rank's part",
            _bus(shared=lambda n: 1.0 * (n - 1)),
            "For reduce-scatter, all-gather and all-to-all the size is all p parts already, not one of them.",
        ),
    ),
    mutants=MUTANTS["collectives.bus_bandwidth"],
)


def _last_row():
    """Algorithm and bus bandwidth, GB/s, of the largest message of the run that the page shows."""
    found = collectives.nccl_tests_table()
    rate = collectives.algorithm_bandwidth(found.message_bytes[-1], found.seconds[-1])
    return rate / 1e9, rate / 1e9 * collectives.bus_factor("all_reduce", found.ranks)
