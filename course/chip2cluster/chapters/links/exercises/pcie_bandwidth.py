"""Exercise on PCIe bandwidth from generation, lanes and encoding."""

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def pcie_rate(transfers_per_second, lanes, useful_bits, sent_bits):
    """Bytes/s one way of lanes that send one bit a transfer, of which a part is data."""
    return lanes * transfers_per_second * useful_bits / sent_bits / 8


def _slots(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(10e9, 4, 8, 10), (32e9, 16, 128, 130)]
    old, new = ((2.5e9, 8, 10), (5e9, 8, 10)), ((8e9, 128, 130), (16e9, 128, 130), (32e9, 128, 130), (64e9, 242, 256))
    for choices in (old, new, new):
        rate, useful, sent = choices[generator.integers(len(choices))]
        rows.append((rate, int(generator.choice([1, 2, 4, 8, 12])), useful, sent))
    return [dict(zip(("transfers_per_second", "lanes", "useful_bits", "sent_bits"), row, strict=True)) for row in rows]


def _with(*, lanes=True, encoding=1, scale=1.0):
    def wrong(transfers_per_second, lanes_, useful_bits, sent_bits):
        return scale * transfers_per_second * (lanes_ if lanes else 1) * (useful_bits / sent_bits) ** encoding / 8

    return lambda transfers_per_second, lanes, useful_bits, sent_bits: wrong(
        transfers_per_second, lanes, useful_bits, sent_bits
    )


def _meaning():
    slot, half = links.pcie(5, 16).bandwidth_one_way, links.pcie(5, 8).bandwidth_one_way
    nvlink = links.nvlink(4).bandwidth_one_way
    return (
        f"A slot of generation 5 with 16 lanes carries at most {slot / 1e9:.1f} GB/s one way, a bad contact that leaves 8 lanes "
        f"{half / 1e9:.1f}. The NVLink of an H100 prints {nvlink / slot:.1f} times the whole slot."
    )


PCIE = Exercise(
    id="links.pcie",
    title="PCIe, from lanes and encoding",
    signature="pcie(transfers_per_second, lanes, useful_bits, sent_bits)",
    unit="bytes/s",
    points=2,
    reference=pcie_rate,
    shows=(pcie_rate, links.pcie),
    groups=(Group("slots", 1.0, _slots),),
    hints=(
        "Start with one lane: how many bits per second does it transmit?",
        "Only useful_bits of every sent_bits are data. Then count the lanes.",
        "lanes × transfers × useful / sent is in bits/s. A byte is 8 bits.",
    ),
    solution="""
def pcie(transfers_per_second, lanes, useful_bits, sent_bits):
    return lanes * transfers_per_second * useful_bits / sent_bits / 8
""",
    explanation=(
        "Lanes × transfers × encoding ÷ 8. For 32 GT/s, 16 lanes and 128b/130b it is 63.02 GB/s one way. Both directions "
        "run at that rate at once, which is where the 126 GB/s of some tables come from."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "encoding forgotten",
            _with(encoding=0),
            "You counted every transmitted bit as data. Only useful_bits of sent_bits are.",
        ),
        Mistake(
            "encoding upside down",
            _with(encoding=-1),
            "Your encoding is inverted: data can't be more than what was sent. Use useful / sent.",
        ),
        Mistake("one lane", _with(lanes=False), "That is the rate of one lane. A slot has several, side by side."),
        Mistake(
            "both ways",
            _with(scale=2),
            "You added both directions. Return one direction; one transfer of a lane is one bit in each direction.",
        ),
        Mistake("bits for bytes", _with(scale=8), "Your answer is in bits/s. A byte is 8 bits: divide by 8.", v.UNIT),
        Mistake(
            "bits, encoding forgotten",
            _with(encoding=0, scale=8),
            "Two mistakes: this is the raw rate in bits/s. Divide by 8, and count only useful_bits of sent_bits as data.",
            v.UNIT,
        ),
        Mistake(
            "ten bits a byte",
            lambda transfers_per_second, lanes, useful_bits, sent_bits: lanes * transfers_per_second / 10,
            "You counted ten transmitted bits for each byte. That was right for 8b/10b only; use the encoding you are given.",
        ),
    ),
    mutants=MUTANTS["links.pcie"],
)
