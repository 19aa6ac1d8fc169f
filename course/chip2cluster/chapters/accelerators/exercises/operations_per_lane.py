"""Exercise on the operations per cycle and lane that a datasheet assumes."""

import math

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def operations_per_lane(peak_tflops, lanes, clock_mhz):
    """Operations that one lane does in a cycle, as the printed peak assumes: a whole number."""
    return round(_quotient(peak_tflops, lanes, clock_mhz))


def _quotient(peak_tflops, lanes, clock_mhz):
    return peak_tflops * 1e12 / (lanes * clock_mhz * 1e6)


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"peak_tflops": 10.0, "lanes": 5000, "clock_mhz": 1000.0}
    rows = []
    # Printed to one digit after the point: the quotient lies just below a whole number, or just above it.
    slips = (math.floor, math.ceil, math.floor, math.floor, math.ceil)
    sizes = zip(
        (4, 2, 8, 1, 2), generator.integers(40, 200, 5) * 128, generator.uniform(1000, 2600, 5), slips, strict=True
    )
    for each, lanes, clock, slip in sizes:
        clock = float(round(clock))
        nudge = -1e-9 if slip is math.floor else 1e-9
        printed = slip(each * lanes * clock * 1e6 / 1e11 + nudge) / 10
        rows.append({"peak_tflops": printed, "lanes": int(lanes), "clock_mhz": clock})
    return [easy, *(rows[place] for place in generator.permutation(len(rows)))]


def _meaning():
    amd, nvidia = specs.accelerator("MI300X"), specs.accelerator("H100 SXM")
    counts = [
        operations_per_lane(chip.peak_flops_dense("fp32") / 1e12, lanes, clock / 1e6)
        for chip, lanes, clock in (
            (amd, amd.compute_unit_counts["stream_processors"], known("boost_clock_hz", amd.boost_clock_hz)),
            (
                nvidia,
                128 * known("compute_units", nvidia.compute_units),
                known("max_clock_hz", nvidia.max_clock_hz),
            ),
        )
    ]
    return (
        f"In fp32 a lane of an MI300X does {counts[0]} operations in a cycle, a lane of an H100 {counts[1]}: a rule of thumb for "
        "one vendor is wrong by a factor of 2 for the other."
    )


LANES = Exercise(
    id="accelerators.operations_per_lane",
    title="What does the datasheet assume?",
    signature="operations_per_lane(peak_tflops, lanes, clock_mhz)",
    unit="FLOP a cycle",
    points=2,
    reference=operations_per_lane,
    tolerance=1e-9,
    groups=(Group("sheets", 1.0, _sheets),),
    hints=(
        "Peak = lanes × operations × clock. You know the peak and two of the three factors.",
        "Convert the peak to FLOP/s and the clock to cycles per second, then divide.",
        "round(peak_tflops * 1e12 / (lanes * clock_mhz * 1e6)).",
    ),
    solution="""
def operations_per_lane(peak_tflops, lanes, clock_mhz):
    return round(peak_tflops * 1e12 / (lanes * clock_mhz * 1e6))
""",
    explanation=(
        "2 operations are one multiply-add per cycle, as on NVIDIA cards and in the fp64 of an MI300X. The fp32 of an MI300X "
        "gives 4 (163.4 TFLOP/s over 19456 lanes at 2100 MHz), because a lane can start two multiply-adds at once. If you "
        "assume 2 for every chip, you get half of the printed peak."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "not rounded",
            _quotient,
            "Right, except that the datasheet's peak is rounded. A lane does a whole number of operations: round to the nearest.",
        ),
        Mistake(
            "cut off",
            lambda peak_tflops, lanes, clock_mhz: math.floor(_quotient(peak_tflops, lanes, clock_mhz)),
            "You truncated: int(3.99) is 3, and so is 3.99 // 1. The nearest whole number is round(3.99), 4.",
        ),
        Mistake(
            "rounded up",
            lambda peak_tflops, lanes, clock_mhz: math.ceil(_quotient(peak_tflops, lanes, clock_mhz)),
            "You rounded up: math.ceil(2.01) is 3. The printed peak is rounded, so the quotient may be too high or too low: take round(2.01), 2.",
        ),
        Mistake(
            "multiply-adds",
            lambda peak_tflops, lanes, clock_mhz: round(_quotient(peak_tflops, lanes, clock_mhz) / 2),
            "You counted multiply-adds. Each multiply-add is two operations.",
            v.FACTOR,
        ),
        Mistake(
            "multiply-adds, not rounded",
            lambda peak_tflops, lanes, clock_mhz: _quotient(peak_tflops, lanes, clock_mhz) / 2,
            "You counted multiply-adds. Each multiply-add is two operations, and a lane does a whole number of operations.",
            v.FACTOR,
        ),
        Mistake(
            "prefixes as printed",
            lambda peak_tflops, lanes, clock_mhz: peak_tflops / (lanes * clock_mhz),
            "You divided TFLOP/s by MHz as printed. T is 10^12 and M is 10^6.",
            v.UNIT,
        ),
        Mistake(
            "prefixes as printed, rounded",
            lambda peak_tflops, lanes, clock_mhz: round(peak_tflops / (lanes * clock_mhz)),
            "Your quotient is so small that it rounds to 0. T is 10^12 and M is 10^6: convert both to base units.",
            v.UNIT,
        ),
        Mistake(
            "always a multiply-add",
            lambda peak_tflops, lanes, clock_mhz: 2,
            "You answered 2 for every chip. That is one multiply-add per cycle, but some chips do more or less.",
        ),
        Mistake(
            "upside down",
            lambda peak_tflops, lanes, clock_mhz: 1 / _quotient(peak_tflops, lanes, clock_mhz),
            "Your fraction is upside down: it gives cycles per operation. Divide the peak by lanes times clock.",
        ),
    ),
)
