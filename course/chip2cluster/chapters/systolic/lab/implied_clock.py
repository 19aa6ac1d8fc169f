"""Task on the clock rate that a printed peak implies."""

from chip2cluster import systolic
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def implied_clock(peak_tflops, side, arrays):
    """Clock in MHz that gives a printed peak with arrays of side x side cells."""
    return peak_tflops * 1e12 / systolic.peak_ops(side, side, 1e6, arrays)


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(30.0, 100, 3), (123.0, 128, 4)]
    drawn = zip(
        generator.uniform(50, 900, 4).round(1), generator.integers(20, 200, 4), generator.integers(2, 9, 4), strict=True
    )
    return [
        {"peak_tflops": float(peak), "side": int(side), "arrays": int(arrays)} for peak, side, arrays in (*rows, *drawn)
    ]


def _clock(ops=2, unit=1e6, square=True, count=True):
    def wrong(peak_tflops, side, arrays):
        cells = (side**2 if square else side) * (arrays if count else 1)
        return peak_tflops * 1e12 / (ops * cells * unit)

    return wrong


CLOCK = Exercise(
    id="lab.systolic.implied_clock",
    title="The clock behind a peak",
    signature="implied_clock(peak_tflops, side, arrays)",
    unit="MHz",
    graded=True,
    points=3,
    reference=implied_clock,
    shows=(implied_clock, systolic.peak_ops),
    groups=(Group("sheets", 1.0, _sheets),),
    hints=(
        "Write the peak as a product of four things, then solve for the clock.",
        "Peak = 2 · side² · arrays · clock. T is 10^12, M is 10^6.",
        "Divide the peak in FLOP/s by the other three, the 2 included. The result is in cycles a second: convert it to MHz.",
    ),
    explanation="A peak is cells times clock times two. If no chip runs at that clock, a printed number is wrong.",
    mistakes=(
        Mistake(
            "multiply-accumulates counted once",
            _clock(ops=1),
            "You counted a multiply-accumulate as one operation. It is two, so the clock is half of yours.",
            v.FACTOR,
        ),
        Mistake("Hz", _clock(unit=1), "Your clock is in Hz. Return MHz: divide by 1e6.", v.UNIT),
        Mistake("GHz", _clock(unit=1e9), "Your clock is in GHz. Return MHz.", v.UNIT),
        Mistake(
            "one array", _clock(count=False), "You counted one array. All arrays of the chip contribute to the peak."
        ),
        Mistake(
            "side not squared", _clock(square=False), "You counted a row of cells. An array has side × side of them."
        ),
        Mistake(
            "inverted",
            lambda peak_tflops, side, arrays: 2 * side**2 * arrays / peak_tflops,
            "Your clock is inverted: it is the peak over the operations in a cycle.",
        ),
    ),
)
