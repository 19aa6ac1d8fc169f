"""The clock behind a printed peak."""

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
        "Bring the peak to FLOP/s first; what comes out is in cycles a second.",
        "Three of the four factors are in your hands: divide the peak by each of them. And a MHz is a million cycles a second.",
    ),
    explanation="A peak is a clock in disguise. For an H100 it is 1830 MHz, though the sheet's highest clock is 1980 MHz.",
    mistakes=(
        Mistake(
            "multiply-accumulates counted once",
            _scaled(2),
            "Twice too fast: a multiply-accumulate is two operations, so the chip does 2 × macs in each cycle.",
            v.FACTOR,
        ),
        Mistake("Hz", _scaled(1e6), "That is in Hz. Divide by 10^6 for MHz.", v.UNIT),
        Mistake("GHz", _scaled(1e-3), "That is in GHz. Multiply by 1000 for MHz.", v.UNIT),
        Mistake("prefix left in", _scaled(1e-12), "You left the peak in TFLOP/s. T is 10^12.", v.UNIT),
        Mistake("THz", _scaled(1e-6), "Your result counts 10^12 cycles a second. T is 10^12 and M is 10^6.", v.UNIT),
        Mistake(
            "units forgotten",
            lambda peak_tflops, units, macs_per_unit: implied_clock(peak_tflops, 1, macs_per_unit),
            "You asked one unit to reach the whole peak. Divide by the units as well.",
        ),
        Mistake(
            "halved twice",
            _scaled(0.5),
            "Half the clock: the 2 belongs to the multiply-accumulate, once. The printed peak is dense.",
            v.FACTOR,
        ),
        Mistake(
            "upside down",
            lambda peak_tflops, units, macs_per_unit: 1 / implied_clock(peak_tflops, units, macs_per_unit),
            "Upside down: divide the peak by the work of one cycle.",
        ),
    ),
    mutants=MUTANTS["lab.accelerators.implied_clock"],
)
