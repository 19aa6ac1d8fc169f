"""Exercise on unidirectional bytes/s from a printed bidirectional rate in bits."""

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def one_way_rate(printed, unit, counts):
    """Bytes/s in one direction of a link that is printed in Gb/s or GB/s, one way or both."""
    rate = printed * 1e9
    if unit == "Gb/s":
        rate /= 8
    if counts == "both ways":
        rate /= 2
    return rate


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(80, "Gb/s", "one way"), (900, "GB/s", "both ways"), (63, "GB/s", "one way")]
    rows += [(int(generator.choice([100, 200, 400, 800])), "Gb/s", "one way")]
    rows += [(int(generator.choice([160, 300, 600, 1800])), "GB/s", "both ways")]
    rows += [(int(generator.choice([16, 32, 121, 242])), "GB/s", "one way")]
    rows += [(int(generator.choice([640, 7200])), "Gb/s", "both ways")]
    return [dict(zip(("printed", "unit", "counts"), row, strict=True)) for row in rows]


def _with(bits=True, halves=True, always_half=False, always_bits=False, scale=1e9):
    def wrong(printed, unit, counts):
        rate = printed * scale
        if always_bits or (bits and unit == "Gb/s"):
            rate /= 8
        if always_half or (halves and counts == "both ways"):
            rate /= 2
        return rate

    return wrong


def _meaning():
    node, network = links.nvlink(4), links.infiniband("NDR")
    ratio = node.bandwidth_one_way / network.bandwidth_one_way
    return (
        f"An H100's sheets say {node.bandwidth_both_ways / 1e9:.0f} (GB/s, both ways) and {8 * network.bandwidth_one_way / 1e9:.0f} "
        f"(Gb/s, one way). In bytes, one way, that is {node.bandwidth_one_way / 1e9:.0f} against "
        f"{network.bandwidth_one_way / 1e9:.0f} GB/s: leaving the node costs a factor of {ratio:.0f} on the sheets, not of two."
    )


ONE_WAY = Exercise(
    id="links.one_way",
    title="One way, in bytes",
    signature="one_way(printed, unit, counts)",
    unit="bytes/s",
    points=2,
    reference=one_way_rate,
    shows=(one_way_rate, links.nvlink),
    groups=(Group("sheets", 1.0, _sheets),),
    hints=(
        "Two questions decide: bits or bytes? One direction or the sum of two?",
        "A small b is bits: divide by 8. A sum of both ways: divide by 2. Neither has to do with the other.",
        'rate = printed * 1e9, then `if unit == "Gb/s": rate /= 8`, and the same for counts.',
    ),
    solution="""
def one_way(printed, unit, counts):
    rate = printed * 1e9
    if unit == "Gb/s":
        rate = rate / 8
    if counts == "both ways":
        rate = rate / 2
    return rate
""",
    explanation=(
        "NVLink is sold in GB/s and as the sum of both ways, InfiniBand and Ethernet in Gb/s and one way, PCIe in GT/s or "
        "in GB/s of either kind. The same link can be printed as 450, 900, 3600 or 7200."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "both ways kept",
            _with(halves=False),
            'If the datasheet counts "both ways", you kept the sum. One direction is half of it.',
        ),
        Mistake(
            "bits taken for bytes",
            _with(bits=False),
            "You took Gb/s for GB/s. A small b is bits: a rate in Gb/s is 8 times less in bytes/s.",
            v.UNIT,
        ),
        Mistake(
            "printed taken as it is",
            _with(bits=False, halves=False),
            "You took every number as bytes one way. Look at the unit (bits?) and at what the datasheet counts (both ways?).",
            v.UNIT,
        ),
        Mistake(
            "always halved",
            _with(always_half=True),
            'You halved every number. Only a sum ("both ways") is halved.',
        ),
        Mistake(
            "always divided by 8",
            _with(always_bits=True),
            "You divided every number by 8. GB/s, with a large B, are bytes already.",
            v.UNIT,
        ),
        Mistake(
            "always halved and divided by 8",
            _with(always_half=True, always_bits=True),
            "You divided every number by 8 and by 2. Look at the unit for the one and at what is counted for the other.",
        ),
        Mistake(
            "doubled",
            lambda printed, unit, counts: one_way_rate(printed, unit, counts) * (4 if counts == "both ways" else 1),
            "You doubled the sum of both ways. One direction is half of it.",
        ),
        Mistake(
            "in GB/s",
            _with(scale=1),
            "Your answer is in GB/s. Return bytes/s: G is 10^9.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["links.one_way"],
)
