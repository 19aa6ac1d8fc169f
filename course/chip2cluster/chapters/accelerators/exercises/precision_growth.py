"""Exercise on the part of a growth in peak that comes from narrower number formats."""

from chip2cluster import specs
from chip2cluster.exercise.model import Exercise, Group, Mistake


def narrowing(old, new):
    """How many times faster the new chip is only because its narrowest format is narrower."""
    return specs.narrowing(old, new)


def _pairs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    pairs = [{"old": {32: 15.0, 16: 120.0}, "new": {32: 60.0, 16: 960.0, 8: 1920.0}}]
    for old_bits, new_bits in (
        ((32, 16), (32, 16, 8, 4)),
        ((64, 32), (64, 32, 16)),
        ((32, 16), (16, 8, 6, 4)),
        ((16, 8), (32, 16, 8, 4)),
        ((64, 32), (32, 16, 8)),
    ):
        pairs.append({"old": _peaks(generator, old_bits, 20), "new": _peaks(generator, new_bits, 300)})
    return [pairs[0], *(pairs[place] for place in 1 + generator.permutation(len(pairs) - 1))]


def _peaks(generator, widths, start):
    """Peaks that rise from width to width, by no round factor, in an order of their own."""
    peak, peaks = float(generator.uniform(start, 3 * start)), {}
    for bits in widths:
        peaks[bits] = round(peak, 1)
        peak *= generator.uniform(1.25, 3.6)
    return {widths[place]: peaks[widths[place]] for place in generator.permutation(len(widths))}


def _same(generator):
    same = {16: 312.0, 8: 624.0}
    return [
        {"old": {16: 125.0}, "new": {16: 312.0}},
        {"old": same, "new": {8: float(generator.integers(1000, 3000)), 16: 989.4}},
        # Its narrowest format saves memory and no time.
        {"old": {16: 312.0}, "new": {16: 990.0, 8: 1980.0, 4: 1760.0}},
    ]


def _meaning():
    volta, blackwell = specs.accelerator("V100 SXM2"), specs.accelerator("B200")
    peaks = [{name: chip.peak_flops_dense(name) for name in chip.precisions_dense} for chip in (volta, blackwell)]
    old, new = ({bits: peak / 1e12 for bits, peak in specs.by_bits(one).items()} for one in peaks)
    grown = new[min(new)] / old[min(old)]
    return (
        f"From the V100 to the B200 the headline grew {grown:.0f} times. A factor of {narrowing(old, new):.0f} comes from fewer "
        f"digits, so a program in 16 bits gets {grown / narrowing(old, new):.0f} times."
    )


NARROWING = Exercise(
    id="accelerators.narrowing",
    title="How much of it is narrower numbers?",
    signature="narrowing(old, new)",
    unit="times",
    points=3,
    reference=narrowing,
    groups=(
        Group("pairs", 0.8, _pairs),
        Group(
            "edges",
            0.2,
            _same,
            advice="If both chips have the same narrowest format, nothing was narrowed and the factor is 1. The narrowest "
            "format is not always the fastest.",
        ),
    ),
    hints=(
        "Go from the old headline to the new one in two steps: first a better chip at the old width, then fewer bits on the new chip.",
        "The second step uses only the new chip: divide two peaks of `new`.",
        "new[min(new)] / new[min(old)].",
    ),
    solution="""
def narrowing(old, new):
    width = min(old)  # the fewest bits of the old chip
    return new[min(new)] / new[width]
""",
    explanation=(
        "From the V100 (125 TFLOP/s in fp16) to the B200 (9,000 in fp4) the headline grew 72 times. At 16 bits the B200 has "
        "2,250, so better hardware gives 18 times and fewer digits give the other 4. From a B200 to a B300 both headlines are "
        "fp4, so fewer digits give 1 and better hardware gives 1.5."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the whole growth",
            lambda old, new: new[min(new)] / old[min(old)],
            "That is the whole growth from headline to headline. Leave out the growth at the old width, because that is better hardware.",
        ),
        Mistake(
            "the other part",
            lambda old, new: new[min(old)] / old[min(old)],
            "That is the growth at the old width, which is better hardware. Return the other factor.",
        ),
        Mistake(
            "ratio of the bits",
            lambda old, new: min(old) / min(new),
            "You divided the bits. Half the bits does not always mean twice the rate: a B300 does fp4 at three times its fp8.",
        ),
        Mistake(
            "upside down",
            lambda old, new: new[min(old)] / new[min(new)],
            "Your fraction is upside down. Divide the peak in the new narrowest format by the peak at the old width.",
        ),
        Mistake(
            "from the widest",
            lambda old, new: new[min(new)] / new[max(new)],
            "You started from the new chip's widest format. Start from the width that was the old chip's narrowest.",
        ),
        Mistake(
            "from the fastest",
            lambda old, new: max(new.values()) / new[min(old)],
            "You took the fastest format of the new chip. The headline is the peak in the *narrowest* format, even if another is faster.",
            share=0.8,
        ),
        Mistake(
            "a difference",
            lambda old, new: new[min(new)] - new[min(old)],
            "You subtracted. A factor says how many times: divide the two peaks of the new chip.",
        ),
        Mistake(
            "a share more",
            lambda old, new: new[min(new)] / new[min(old)] - 1,
            "You returned the increase. Return the factor: 1 means that nothing was narrowed, so don't subtract 1.",
        ),
        Mistake(
            "order of the dict",
            lambda old, new: list(new.values())[-1] / new[list(old)[-1]] if list(old)[-1] in new else 1.0,
            "You took the last entries, but the formats may be in any order: min(old) and min(new) are the fewest bits.",
        ),
        Mistake(
            "old chip's own step",
            lambda old, new: old[min(old)] / old[max(old)],
            "You divided two peaks of the old chip. The gain from narrower numbers is the ratio of two peaks of the new chip.",
        ),
    ),
)
