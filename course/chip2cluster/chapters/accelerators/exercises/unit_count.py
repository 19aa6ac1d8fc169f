"""Exercise on the number of compute units that fits a printed peak and clock, with rounding."""

from math import ceil, floor
from operator import gt, le, lt

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def units_between(peaks_tflops, macs_per_unit, lowest_mhz, highest_mhz):
    """Fewest and most units with which each of the peaks is had at some clock in the range, or an empty tuple."""
    bounds = [_bounds(p, m, lowest_mhz, highest_mhz) for p, m in zip(peaks_tflops, macs_per_unit, strict=True)]
    return _whole(max(low for low, _ in bounds), min(high for _, high in bounds))


def _bounds(peak, macs, lowest, highest):
    """Units that the peak needs at the highest and at the lowest clock, as fractions."""
    return peak * 1e6 / (2 * macs * highest), peak * 1e6 / (2 * macs * lowest)


def _whole(low, high):
    fewest, most = ceil(low), floor(high)
    return (fewest, most) if fewest <= most else ()


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"peaks_tflops": [1000.0, 56.0], "macs_per_unit": [2048, 128], "lowest_mhz": 1500, "highest_mhz": 2000}
    return [easy, *(draw_until(_clear, lambda binds=binds: _sheet(generator, binds)) for binds in (1, 0, 1, 0))]


def _sheet(generator, binds):
    """Two peaks of one chip at clocks of their own; the second ``binds`` from below, or the first."""
    units, low, high = (
        int(generator.integers(60, 200)),
        *(int(generator.integers(*ends)) for ends in ((1400, 1600), (1950, 2200))),
    )
    clocks = (1.03 * low, 0.97 * high) if binds else (0.97 * high, 1.03 * low)
    macs = [int(generator.choice((1024, 2048, 4096))), int(generator.choice((64, 128, 256)))]
    peaks = [round(2 * units * m * clock / 1e6, 1) for m, clock in zip(macs, clocks, strict=True)]
    return {"peaks_tflops": peaks, "macs_per_unit": macs, "lowest_mhz": low, "highest_mhz": high}


def _clear(inputs):
    """No bound lies near a whole number, where rounding of floats would decide, and several numbers are left."""
    pairs = zip(inputs["peaks_tflops"], inputs["macs_per_unit"], strict=True)
    bounds = [bound for p, m in pairs for bound in _bounds(p, m, inputs["lowest_mhz"], inputs["highest_mhz"])]
    left = units_between(**inputs)
    return all(0.1 < bound % 1 < 0.9 for bound in bounds) and left and left[1] - left[0] >= 3


def _odd(generator):
    return [
        {"peaks_tflops": [2250.0, 80.0], "macs_per_unit": [4096, 128], "lowest_mhz": 1700, "highest_mhz": 1850},
        {"peaks_tflops": [312.0], "macs_per_unit": [1024], "lowest_mhz": 1400, "highest_mhz": 1411},
        {"peaks_tflops": [990.0, 66.0], "macs_per_unit": [2048, 128], "lowest_mhz": 1990, "highest_mhz": 2000},
        # 33.4 to 33.6 units.
        {"peaks_tflops": [100.0], "macs_per_unit": [1000], "lowest_mhz": 1490, "highest_mhz": 1499},
        # Both bounds are whole, 100 and 125, and come out so in floats however the formula is turned round.
        {"peaks_tflops": [512.0], "macs_per_unit": [2048], "lowest_mhz": 1000, "highest_mhz": 1250},
    ]


def _from(pick_low, pick_high, low_to=ceil, high_to=floor, scale=1.0, swap=False, fits=le):
    def wrong(peaks_tflops, macs_per_unit, lowest_mhz, highest_mhz):
        pairs = list(zip(peaks_tflops, macs_per_unit, strict=True))
        bounds = [[scale * bound for bound in _bounds(p, m, lowest_mhz, highest_mhz)] for p, m in pairs]
        fewest, most = low_to(pick_low(low for low, _ in bounds)), high_to(pick_high(high for _, high in bounds))
        if swap:
            return most, fewest
        return (fewest, most) if fits(fewest, most) else ()

    return wrong


def _before_rounding(peaks_tflops, macs_per_unit, lowest_mhz, highest_mhz):
    """Compares the bounds while they are fractions."""
    pairs = zip(peaks_tflops, macs_per_unit, strict=True)
    lows, highs = zip(*(_bounds(peak, macs, lowest_mhz, highest_mhz) for peak, macs in pairs), strict=True)
    return (ceil(max(lows)), floor(min(highs))) if max(lows) <= min(highs) else ()


def _first(values):
    return next(iter(values))


def _last(values):
    return list(values)[-1]


def _meaning():
    chip = specs.accelerator("H100 SXM")
    clock = known("max_clock_hz", chip.max_clock_hz)
    peaks = [chip.peak_flops_dense("bf16") / 1e12, chip.peak_flops_dense("fp32") / 1e12]
    alone = units_between(peaks[:1], [2048], 1600, clock / 1e6)
    both = units_between(peaks, [2048, 128], 1600, clock / 1e6)
    return (
        f"The bf16 peak of an H100 SXM alone, at a clock of 1,600 to {clock / 1e6:,.0f} MHz, allows {alone[0]} to "
        f"{alone[1]} units. Together with its fp32 peak the range is {both[0]} to {both[1]}. The chip has {chip.compute_units}."
    )


UNITS = Exercise(
    id="accelerators.units_between",
    title="Can these two be one chip?",
    signature="units_between(peaks_tflops, macs_per_unit, lowest_mhz, highest_mhz)",
    unit="units",
    points=4,
    reference=units_between,
    tolerance=1e-9,
    groups=(
        Group("sheets", 0.8, _sheets),
        Group(
            "edges",
            0.2,
            _odd,
            advice="If two peaks contradict each other, or if there is no whole number between the two bounds, return the empty tuple ().",
        ),
    ),
    hints=(
        "Solve the formula of the peak for the units, for one peak. Which clock gives the fewest units, which one the most?",
        "Each peak gives two bounds. The true number of units must be between the two bounds of *every* peak.",
        "fewest = ceil of the largest lower bound, most = floor of the smallest upper bound; () if fewest > most.",
    ),
    solution="""
from math import ceil, floor


def units_between(peaks_tflops, macs_per_unit, lowest_mhz, highest_mhz):
    lows, highs = [], []
    for peak, macs in zip(peaks_tflops, macs_per_unit):
        lows.append(peak * 1e12 / (2 * macs * highest_mhz * 1e6))
        highs.append(peak * 1e12 / (2 * macs * lowest_mhz * 1e6))
    fewest, most = ceil(max(lows)), floor(min(highs))
    return (fewest, most) if fewest <= most else ()
""",
    explanation=(
        "If the clock is known only roughly, the number of units becomes an interval. Each further peak narrows it. If the "
        "interval is empty, the datasheet contradicts itself, and you need no other source to see it."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the wrong way round",
            _from(max, min, swap=True),
            "Your first number is the larger one. Return the fewest first; the highest clock needs the fewest units.",
        ),
        Mistake(
            "either peak",
            _from(min, max),
            "Your interval allows every number that fits *one* of the peaks. All peaks belong to the same chip, so the number must fit all of them.",
        ),
        Mistake(
            "the first peak alone",
            _from(_first, _first),
            "You used only the first peak. Every peak narrows the interval.",
        ),
        Mistake(
            "the last peak alone",
            _from(_last, _last),
            "You used only the last peak. Every peak narrows the interval.",
        ),
        Mistake(
            "rounded outwards",
            _from(max, min, floor, ceil),
            "You rounded outward. With fewer units than the lower bound the chip cannot reach the peak at any clock: round the "
            "lower bound up and the upper bound down.",
        ),
        Mistake(
            "rounded down",
            _from(max, min, floor, floor),
            "You rounded the lower bound down. With so few units the chip doesn't reach the peak even at the highest clock: round up.",
        ),
        Mistake(
            "rounded to the nearest",
            _from(max, min, round, round),
            "You rounded to the nearest whole number. Round the lower bound up and the upper bound down.",
        ),
        Mistake(
            "not rounded",
            _from(max, min, float, float),
            "Right, but a chip has a whole number of units: round the lower bound up and the upper bound down.",
        ),
        Mistake(
            "a multiply-accumulate for one operation",
            _from(max, min, scale=2.0),
            "A multiply-accumulate is two operations: a unit does 2 · macs in a cycle.",
            v.FACTOR,
        ),
        Mistake(
            "one number",
            lambda peaks_tflops, macs_per_unit, lowest_mhz, highest_mhz: (
                peaks_tflops[0] * 1e6 / (macs_per_unit[0] * (lowest_mhz + highest_mhz))
            ),
            "You returned one number, for the middle of the clock range. Return the fewest and the most, as a tuple.",
            v.TYPE,
        ),
        Mistake(
            "empty where some fit",
            _from(max, min, fits=gt),
            "You returned the empty tuple, but some numbers of units fit. Return it only if the fewest are more than the most.",
        ),
        Mistake(
            "one number is an interval too",
            _from(max, min, fits=lt),
            "You returned the empty tuple although a single number fits. Then the fewest and the most are equal, as in (108, 108).",
            share=0.8,
        ),
        Mistake(
            "no whole number between",
            _before_rounding,
            "There is no whole number between your two bounds. Compare them after rounding.",
            share=0.8,
        ),
        Mistake(
            "a pair that is no interval",
            _from(max, min, fits=lambda fewest, most: True),
            "Your fewest are more than your most, so no number of units fits. Return the empty tuple () in that case.",
            share=0.8,
        ),
        Mistake(
            "one added",
            _from(max, min, lambda low: floor(low) + 1),
            "If the lower bound is a whole number, you add one too many. math.ceil rounds up only fractions.",
            share=0.8,
        ),
    ),
)
