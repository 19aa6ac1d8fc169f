"""Exercise on a printed bisection as unidirectional bandwidth per device."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def per_device(printed_tbytes, counts, devices):
    """Bisection bandwidth in one direction for each device, from a printed figure."""
    one_way = printed_tbytes * 1e12 / (2 if counts == "both ways" else 1)
    return one_way / devices


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(2.4, "both ways", 16), (1.6, "one way", 256)]
    rows += (
        (round(float(generator.uniform(1.1, 60)), 1), counts, 8 * int(generator.integers(3, 400)))
        for counts in ("one way", "both ways", "one way")
    )
    return [{"printed_tbytes": p, "counts": c, "devices": d} for p, c, d in rows]


def _wrong(one_way=1.0, both_ways=0.5, scale=1e12, each=lambda devices: devices):
    factor = {"one way": one_way, "both ways": both_ways}
    return lambda printed_tbytes, counts, devices: printed_tbytes * scale * factor[counts] / each(devices)


ONE_WAY = Exercise(
    id="bisection.one_way",
    title="One way or both?",
    signature="per_device(printed_tbytes, counts, devices)",
    unit="B/s",
    points=2,
    reference=per_device,
    shows=(per_device,),
    groups=(Group("sheets", 1.0, _sheets),),
    hints=(
        "A link that carries 25 GB/s in each direction is sold as 25 by some and as 50 by others.",
        "Bring both machines to one direction first, and TB/s to bytes/s.",
        "Halve the figure that counts both ways, leave the other alone, and divide by all devices.",
    ),
    solution="""
def per_device(printed_tbytes, counts, devices):
    one_way = printed_tbytes * 1e12
    if counts == "both ways":
        one_way = one_way / 2
    return one_way / devices
""",
    explanation=(
        "A full-duplex link carries its rate in each direction at once. NVIDIA adds the two directions, Google prints one. "
        "Only after halving the first can the two be compared."
    ),
    meaning=lambda: (
        f"In one direction a DGX-2 has {per_device(2.4, 'both ways', 16) / 1e9:.0f} GB/s across its middle for each GPU, a TPU v5e pod "
        f"{per_device(1.6, 'one way', 256) / 1e9:.2f} GB/s for each chip. The pod is wide and has 16 times the chips."
    ),
    mistakes=(
        Mistake(
            "never halved",
            _wrong(both_ways=1.0),
            "You took a figure that counts both directions as it stands. One direction is half of it.",
        ),
        Mistake(
            "always halved",
            _wrong(one_way=0.5),
            "You halved the figures that count one direction already.",
        ),
        Mistake(
            "the wrong one changed",
            _wrong(one_way=2.0, both_ways=1.0),
            'That is twice as much. Either you brought everything to both directions (leave "one way", halve '
            '"both ways"), or you divided by the devices of one half: divide by all of them.',
        ),
        Mistake(
            "halved the wrong one",
            _wrong(one_way=0.5, both_ways=1.0),
            "You halved the figure that counts one way and left the other. It is the other way round.",
        ),
        Mistake(
            "doubled",
            _wrong(both_ways=2.0),
            "You doubled the figure that counts both ways. It holds two directions already: halve it.",
        ),
        Mistake(
            "not for each device",
            _wrong(each=lambda devices: 1),
            "That is the whole cut. Divide by the number of devices.",
        ),
        Mistake(
            "bits",
            _wrong(scale=1e12 / 8),
            "You divided by 8. TB/s are bytes already; Tb/s would be bits.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["bisection.one_way"],
)
