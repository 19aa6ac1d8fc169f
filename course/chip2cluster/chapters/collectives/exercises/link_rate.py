"""Exercise on the rate of a GPU's links from a printed bus bandwidth."""

from chip2cluster import collectives
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def wire_rate(printed_gbytes, ranks, switch_adds):
    """Bytes/s one way on each wire of a long all-reduce that prints so many GB/s of bus bandwidth."""
    return collectives.switch_wire_rate(printed_gbytes * 1e9, ranks) if switch_adds else printed_gbytes * 1e9


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [{"printed_gbytes": 300.0, "ranks": 5, "switch_adds": True}]
    for ranks, adds in zip((8, 6, 8, 72, 7, 36, 16), (True, True, False, True, False, True, True), strict=True):
        printed = round(float(generator.uniform(200, 900)), 1)
        drawn.append({"printed_gbytes": printed, "ranks": ranks, "switch_adds": adds})
    return drawn


def _few(generator):
    return [
        {"printed_gbytes": 203.0, "ranks": 2, "switch_adds": True},
        {"printed_gbytes": 365.0, "ranks": 2, "switch_adds": False},
        {"printed_gbytes": 304.0, "ranks": 3, "switch_adds": True},
    ]


def _rate(adding=lambda p: (p + 1) / (2 * (p - 1)), ring=lambda p: 1.0, scale=1e9):
    return lambda printed_gbytes, ranks, switch_adds: printed_gbytes * scale * (adding if switch_adds else ring)(ranks)


WIRE = Exercise(
    id="collectives.wire_rate",
    title="What did the link carry?",
    signature="wire_rate(printed_gbytes, ranks, switch_adds)",
    unit="bytes/s",
    points=3,
    reference=wire_rate,
    shows=(wire_rate, collectives.switch_wire_rate),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _few,
            advice="With three GPUs in-network reduction moves what a ring moves, and with two it moves more.",
        ),
    ),
    hints=(
        "From bus bandwidth back to size over time: divide by what the tool multiplied with, 2 (p − 1) / p.",
        "Then multiply by what each GPU's links really carried: (1 + 1/p) of the message if the switch adds. And in a ring?",
        "printed · p / (2 (p − 1)) · (1 + 1/p) if the switch adds, otherwise printed itself; all times 1e9.",
    ),
    solution="""
def wire_rate(printed_gbytes, ranks, switch_adds):
    counted = 2 * (ranks - 1) / ranks
    carried = 1 + 1 / ranks if switch_adds else counted
    return printed_gbytes * 1e9 / counted * carried
""",
    explanation=(
        "Bus bandwidth is a time, converted into the rate that a ring would have needed for it. If eight GPUs print 480 GB/s, "
        "each GPU's links carried 309 GB/s. Only that number may be compared with the 450 GB/s of the datasheet."
    ),
    meaning=lambda: (
        f"The 475 GB/s that eight H200 print are {collectives.switch_wire_rate(475e9, 8) / 1e9:.0f} GB/s on each GPU's links, "
        f"{100 * collectives.switch_wire_rate(475e9, 8) / 450e9:.0f} % of the datasheet. No link exceeded its rate."
    ),
    mistakes=(
        Mistake(
            "bus bandwidth is the wire's",
            _rate(lambda p: 1.0),
            "You took the printed rate for that of the link, even if the switch adds. The tool counts the bytes of a "
            "ring, 2 (p − 1) / p of the message; in-network reduction moves (1 + 1/p).",
        ),
        Mistake(
            "the message once",
            _rate(lambda p: p / (2 * (p - 1))),
            "You let each link carry the message once. NVLS needs (1 + 1/p) of it in each direction, because the part that a "
            "GPU owns travels twice.",
        ),
        Mistake(
            "size over time in both cases",
            _rate(lambda p: p / (2 * (p - 1)), lambda p: p / (2 * (p - 1))),
            "You returned size over time in both cases. A link carries more: (1 + 1/p) of the message if the switch adds, "
            "2 (p − 1) / p in a ring.",
        ),
        Mistake(
            "eight GPUs for any number",
            _rate(lambda p: 1.125 / 1.75),
            "You took eight GPUs' factors, 1.125 and 1.75. With p GPUs they are 1 + 1/p and 2 (p − 1) / p.",
        ),
        Mistake(
            "without the step back",
            _rate(lambda p: 1 + 1 / p),
            "You multiplied the bus bandwidth by 1 + 1/p. First go back to size over time: divide by 2 (p − 1) / p.",
        ),
        Mistake(
            "divided without the step back",
            _rate(lambda p: p / (p + 1)),
            "You divided the bus bandwidth by 1 + 1/p. First go back to size over time: divide by 2 (p − 1) / p; then multiply by "
            "what a link carries.",
        ),
        Mistake(
            "half",
            _rate(lambda p: 0.5),
            "You halved the printed rate. In-network reduction does not carry half of a ring's bytes, but (1 + 1/p) of the "
            "message instead of 2 (p − 1) / p.",
        ),
        Mistake(
            "a ring corrected, too",
            _rate(ring=lambda p: (p + 1) / (2 * (p - 1))),
            "You corrected the ring as well. There bus bandwidth is the rate of the link, because the tool counts a ring's bytes.",
        ),
        Mistake(
            "algorithm bandwidth of a ring",
            _rate(ring=lambda p: p / (2 * (p - 1))),
            "For the ring you returned size over time. Its links carry 2 (p − 1) / p of the message: the printed rate itself.",
        ),
        Mistake(
            "the other way round",
            _rate(lambda p: 1.0, lambda p: (p + 1) / (2 * (p - 1))),
            "You swapped the two cases: the correction is for in-network reduction.",
        ),
        Mistake(
            "upside down",
            _rate(lambda p: 2 * (p - 1) / (p + 1)),
            "Your fraction is inverted: you converted the link's rate to the printed rate. You are given the printed rate.",
        ),
        Mistake(
            "both ways",
            _rate(lambda p: (p + 1) / (p - 1), lambda p: 2.0),
            "You added both directions. Return the unidirectional rate.",
            v.FACTOR,
        ),
        Mistake(
            "a part less",
            _rate(lambda p: (p - 1) / (2 * (p - 1)) * (p - 1) / p),
            "Your switch moves less than the message. It needs all n bytes of each GPU, and n/p more for the sum.",
        ),
        Mistake("GB", _rate(scale=1.0), "Your rate is in GB/s. Return bytes/s: times 1e9.", v.UNIT),
        Mistake("bits", _rate(scale=1e9 / 8), "You divided by 8. The printed rates are bytes already, GB/s.", v.UNIT),
    ),
    mutants=MUTANTS["collectives.wire_rate"],
)
