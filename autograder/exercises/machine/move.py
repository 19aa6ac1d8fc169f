"""How long a model takes over a link."""

from chip2cluster.links import transfer_time
from chip2cluster.units import GB

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def move_time(billion_parameters, bits_per_weight, sheet_gbytes):
    """Seconds to move a model over a link whose sheet adds up both directions, GB/s."""
    model_bytes = billion_parameters * 1e9 * bits_per_weight / 8
    return transfer_time(model_bytes, sheet_gbytes * GB / 2)


def _moves(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"billion_parameters": 8.0, "bits_per_weight": 16, "sheet_gbytes": 32.0}
    drawn = [
        {"billion_parameters": round(float(size), 1), "bits_per_weight": bits, "sheet_gbytes": round(float(rate), 1)}
        for size, bits, rate in zip(
            generator.uniform(3, 400, 5), (4, 8, 32, 16, 6), generator.uniform(20, 1800, 5), strict=True
        )
    ]
    return [easy, *drawn]


def _wrong(bytes_of=lambda bits: bits / 8, ways=2.0):
    return lambda billion_parameters, bits_per_weight, sheet_gbytes: (
        billion_parameters * bytes_of(bits_per_weight) / (sheet_gbytes / ways)
    )


MOVE = Exercise(
    id="machine.move_time",
    title="Move a model",
    signature="move_time(billion_parameters, bits_per_weight, sheet_gbytes)",
    unit="s",
    points=2,
    reference=move_time,
    shows=(move_time, transfer_time),
    groups=(Group("moves", 1.0, _moves),),
    hints=(
        "Seconds are bytes over bytes/s. How many bytes is the model?",
        "Eight bits are a byte. And a copy runs in one direction: what of the printed rate does it get?",
        "billion_parameters * bits_per_weight / 8 GB, over sheet_gbytes / 2 GB/s.",
    ),
    solution="""
def move_time(billion_parameters, bits_per_weight, sheet_gbytes):
    gbytes = billion_parameters * bits_per_weight / 8
    return gbytes / (sheet_gbytes / 2)
""",
    explanation=(
        "A copy uses one direction. A sheet that prints 900 GB/s for NVLink 4 or 128 GB/s for PCIe 5 has added the "
        "other direction, which carries nothing here. The billions cancel against the giga."
    ),
    mistakes=(
        Mistake(
            "both directions used",
            _wrong(ways=1.0),
            "You gave the copy both directions. It runs one way and gets half of the printed rate.",
            v.FACTOR,
        ),
        Mistake(
            "bits taken for bytes",
            _wrong(lambda bits: bits),
            "Eight times too long: bits and bytes are mixed. Weights are in bits here, the link is in bytes: divide the "
            "bits by 8, and leave the link as it is.",
            v.UNIT,
        ),
        Mistake(
            "bits and both directions",
            _wrong(lambda bits: bits, 1.0),
            "Two slips: divide the bits of a weight by 8 to get bytes, and give the copy one direction only.",
            v.UNIT,
        ),
        Mistake(
            "bits on both sides",
            _wrong(lambda bits: bits, 16.0),
            "Sixty-four times too long: you left the weights in bits and divided the link by 8 as well. Divide the bits of a "
            "weight by 8 and leave the link, which is in bytes already.",
            v.UNIT,
        ),
        Mistake(
            "rate doubled",
            _wrong(ways=0.5),
            "You doubled the printed rate. It is the sum of both directions already: halve it.",
            v.FACTOR,
        ),
        Mistake(
            "halved twice",
            _wrong(ways=4.0),
            "You halved the printed rate twice. One direction is half of the sum.",
            v.FACTOR,
        ),
        Mistake(
            "always two bytes",
            _wrong(lambda bits: 2.0),
            "You took 2 bytes for every weight. Here a weight has bits_per_weight bits.",
        ),
        Mistake(
            "always two bytes, both directions",
            _wrong(lambda bits: 2.0, 1.0),
            "Two slips: a weight has bits_per_weight / 8 bytes, not always 2, and a copy gets one direction.",
        ),
        Mistake(
            "whole bytes",
            _wrong(lambda bits: bits // 8),
            "bits // 8 drops what is left over: 4 bits are half a byte, not none. Divide with a single /.",
        ),
        Mistake(
            "upside down",
            lambda billion_parameters, bits_per_weight, sheet_gbytes: (
                sheet_gbytes / 2 / (billion_parameters * bits_per_weight / 8)
            ),
            "You returned copies a second. Seconds are bytes over bytes/s: turn it over.",
        ),
        Mistake(
            "size, not time",
            lambda billion_parameters, bits_per_weight, sheet_gbytes: billion_parameters * bits_per_weight / 8,
            "This is the size of the model in GB. Divide it by the rate of one direction.",
            v.UNIT,
        ),
    ),
    mutants=(
        Mutant(
            source="""
def move_time(p, b, s):
    return p * b / 8 / (s / 2) * 1e9
""",
            verdict=v.UNIT,
            says="a billion",
        ),
        Mutant(
            source="""
def move_time(p, b, s):
    return p * b / 8 * 1e9 / (s / 2 * 2**30)
""",
            verdict=v.UNIT,
            says="GiB and GB",
        ),
    ),
)
