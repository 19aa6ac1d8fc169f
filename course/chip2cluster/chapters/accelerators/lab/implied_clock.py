"""Task on the clock rate that a printed peak implies."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def implied_clock(peak_tflops, units, macs_per_unit):
    """Clock in MHz at which a chip would reach its printed dense peak."""
    return peak_tflops * 1e12 / (units * macs_per_unit * 2) / 1e6


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"peak_tflops": 400.0, "units": 100, "macs_per_unit": 1000}
    rows = zip(
        generator.uniform(40, 2600, 5).round(1),
        generator.integers(2, 310, 5),
        (2048, 512, 65536, 1024, 4096),
        strict=True,
    )
    return [easy, *({"peak_tflops": float(p), "units": int(u), "macs_per_unit": m} for p, u, m in rows)]


def _scaled(factor):
    return lambda peak_tflops, units, macs_per_unit: factor * implied_clock(peak_tflops, units, macs_per_unit)


CLOCK = Exercise(
    id="lab.accelerators.implied_clock",
    title="The clock behind the peak",
    signature="implied_clock(peak_tflops, units, macs_per_unit)",
    unit="MHz",
    graded=True,
    points=3,
    reference=implied_clock,
    groups=(Group("sheets", 1.0, _sheets),),
    hints=(
        "Peak = units × multiply-accumulates × 2 × clock. Solve for the clock.",
        "Convert the peak to FLOP/s first; the result is in cycles per second.",
        "You know three of the four factors: divide the peak by each of them. A MHz is a million cycles per second.",
    ),
    explanation="Every printed peak implies a clock. For an H100 it is 1830 MHz, although the chip's highest clock is 1980 MHz.",
    mistakes=(
        Mistake(
            "multiply-accumulates counted once",
            _scaled(2),
            "Your clock is twice too fast: a multiply-accumulate is two operations, so a unit does 2 × macs in each cycle.",
            v.FACTOR,
        ),
        Mistake("Hz", _scaled(1e6), "That is in Hz. Divide by 10^6 for MHz.", v.UNIT),
        Mistake("GHz", _scaled(1e-3), "That is in GHz. Multiply by 1000 for MHz.", v.UNIT),
        Mistake("prefix left in", _scaled(1e-12), "You left the peak in TFLOP/s. T is 10^12.", v.UNIT),
        Mistake("THz", _scaled(1e-6), "Your result counts 10^12 cycles a second. T is 10^12 and M is 10^6.", v.UNIT),
        Mistake(
            "units forgotten",
            lambda peak_tflops, units, macs_per_unit: implied_clock(peak_tflops, 1, macs_per_unit),
            "Your clock lets a single unit reach the whole peak. Divide by the units as well.",
        ),
        Mistake(
            "halved twice",
            _scaled(0.5),
            "Your clock is half the right one. Divide by 2 only once, for the multiply-accumulate; the printed peak is dense.",
            v.FACTOR,
        ),
        Mistake(
            "upside down",
            lambda peak_tflops, units, macs_per_unit: 1 / implied_clock(peak_tflops, units, macs_per_unit),
            "Your fraction is upside down: divide the peak by the work of one cycle.",
        ),
    ),
    mutants=MUTANTS["lab.accelerators.implied_clock"],
)
