"""Exercise on the roof that certainly limits an operation when both roofs are intervals."""

from chip2cluster import roofline, specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

_NAMES = ("intensity", "peak_low", "peak_high", "bandwidth_low", "bandwidth_high")


def surely_bound(intensity, peak_low, peak_high, bandwidth_low, bandwidth_high):
    """Name the roof that certainly limits an operation, or say that the ranges do not decide."""
    if intensity < roofline.ridge_point(peak_low, bandwidth_high):
        return "memory"
    return "compute" if intensity >= roofline.ridge_point(peak_high, bandwidth_low) else "undecided"


def _case(intensity, *chip):
    return dict(zip(_NAMES, (float(intensity), *chip), strict=True))


def _operations(generator):
    # A case that can be done in the head comes first: the ridge lies between 50 and 150.
    cases = [_case(100, 100e12, 150e12, 1e12, 2e12)]
    for kind in generator.permutation(["memory", "compute", "low", "high", "inner", "high"]):
        bandwidth, ridge = generator.uniform(1e12, 9e12), generator.uniform(60, 700)
        chip = (
            round(bandwidth * ridge * generator.uniform(0.6, 0.8), -9), round(bandwidth * ridge, -9),
            round(bandwidth * generator.uniform(0.75, 0.9), -9), round(bandwidth, -9),
        )  # fmt: skip
        low, high = chip[0] / chip[3], chip[1] / chip[2]
        inner = sorted((chip[0] / chip[2], chip[1] / chip[3]))  # what low with low and high with high would give
        share = generator.uniform(0.2, 0.8)
        intensity = {
            "memory": low * generator.uniform(0.3, 0.95),
            "compute": high * generator.uniform(1.05, 3),
            "low": low + share * (inner[0] - low),
            "inner": inner[0] + share * (inner[1] - inner[0]),
            "high": inner[1] + share * (high - inner[1]),
        }[kind]
        cases.append(_case(intensity, *chip))
    return cases


def _edges(generator):
    low, high = 1e12 * generator.integers(60, 90), 1e12 * generator.integers(100, 200)
    return [
        _case(high / 1e12, low, high, 1e12, 2e12),  # at the highest ridge
        _case(low / 2e12, low, high, 1e12, 2e12),  # at the lowest
        _case(150, 300e12, 300e12, 2e12, 2e12),  # no doubt left
    ]


def _by(lowest, highest, words=("memory", "compute", "undecided"), at_the_ridge=True):
    def wrong(intensity, peak_low, peak_high, bandwidth_low, bandwidth_high):
        chip = peak_low, peak_high, bandwidth_low, bandwidth_high
        if intensity < lowest(*chip):
            return words[0]
        right = intensity >= highest(*chip) if at_the_ridge else intensity > highest(*chip)
        return words[1] if right else words[2]

    return wrong


def _least(peak_low, peak_high, bandwidth_low, bandwidth_high):
    return peak_low / bandwidth_high


def _most(peak_low, peak_high, bandwidth_low, bandwidth_high):
    return peak_high / bandwidth_low


def _middle(peak_low, peak_high, bandwidth_low, bandwidth_high):
    return (peak_low + peak_high) / (bandwidth_low + bandwidth_high)


def _sheet(peak_low, peak_high, bandwidth_low, bandwidth_high):
    return peak_high / bandwidth_high


def _meaning():
    chip, measured = specs.accelerator("H100 SXM"), roofline.measured_roofs("H100 SXM")
    peak = chip.peak_flops_dense("bf16")
    low = roofline.ridge_point(measured.peak_flops, chip.memory_bandwidth)
    high = roofline.ridge_point(peak, measured.memory_bandwidth)
    return (
        f"Between measurements and datasheet, the ridge of an H100 may be anywhere from {low:.0f} to {high:.0f} FLOP/byte. "
        f"For an operation of {(low + high) / 2:.0f} FLOP/byte nobody can be sure without a measurement."
    )


SURELY_BOUND = Exercise(
    id="roofline.surely_bound",
    title="Is it surely memory-bound?",
    signature="surely_bound(intensity, peak_low, peak_high, bandwidth_low, bandwidth_high)",
    unit="",
    points=3,
    reference=surely_bound,
    shows=(surely_bound, roofline.ridge_point),
    groups=(
        Group("operations", 0.8, _operations),
        Group(
            "edges", 0.2, _edges,
            advice='At the largest ridge the answer is "compute". At the smallest it is "undecided", unless the two are equal.',
        ),
    ),
    hints=(
        "The ridge is a peak over a bandwidth. Which of the four pairs makes it smallest, and which largest?",
        "Smallest: the low peak over the high bandwidth. Largest: the high peak over the low bandwidth.",
        "Left of the smallest ridge: memory. At the largest or right of it: compute. Between: undecided.",
    ),
    solution="""
def surely_bound(intensity, peak_low, peak_high, bandwidth_low, bandwidth_high):
    if intensity < peak_low / bandwidth_high:
        return "memory"
    if intensity >= peak_high / bandwidth_low:
        return "compute"
    return "undecided"
""",
    explanation=(
        "A quotient is smallest if its numerator is smallest and its denominator largest. Low over low and high over high "
        "give two ridges between the two ends, so you would be sure too often."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "low with low",
            lambda intensity, peak_low, peak_high, bandwidth_low, bandwidth_high: _by(
                lambda *_: min(peak_low / bandwidth_low, peak_high / bandwidth_high),
                lambda *_: max(peak_low / bandwidth_low, peak_high / bandwidth_high),
            )(intensity, peak_low, peak_high, bandwidth_low, bandwidth_high),
            "You divided low by low and high by high. The smallest ridge is the low peak over the high bandwidth.",
        ),
        Mistake(
            "the middle",
            _by(_middle, _middle),
            "You took the middle of each range, so your answer is always sure. Between the two extreme ridges it can't be.",
        ),
        Mistake(
            "the high ends",
            _by(_sheet, _sheet),
            "You used the high end of both ranges only. All four numbers count: the ridge has a smallest and a largest value.",
        ),
        Mistake(
            "peak alone",
            _by(_least, _sheet),
            "You let only the peak vary for the largest ridge. It is largest if the bandwidth is also at its lowest.",
        ),
        Mistake(
            "bandwidth alone",
            _by(lambda pl, ph, bl, bh: ph / bh, _most),
            "You let only the bandwidth vary for the smallest ridge. It is smallest if the peak is also at its lowest.",
        ),
        Mistake(
            "roofs exchanged",
            _by(_least, _most, ("compute", "memory", "undecided")),
            "You exchanged the two answers. Left of the ridge an operation is memory-bound.",
        ),
        Mistake(
            "never undecided",
            _by(_least, _least),
            "You compared with the smallest ridge alone. Right of it the operation may still lie left of the largest.",
        ),
        Mistake(
            "never undecided, from above",
            _by(_most, _most),
            "You compared with the largest ridge alone. Left of it the operation may still lie right of the smallest.",
        ),
        Mistake(
            "highest ridge belongs to memory",
            _by(_least, _most, at_the_ridge=False),
            'An operation exactly at the largest ridge is compute-bound for every pair: use >= instead of >.',
            share=0.8,
        ),
        Mistake(
            "other words",
            _by(_least, _most, ("memory-bound", "compute-bound", "undecided")),
            'Right, but in other words: return exactly "memory", "compute" or "undecided".',
            v.TYPE,
        ),
    ),
    mutants=MUTANTS["roofline.surely_bound"],
)  # fmt: skip
