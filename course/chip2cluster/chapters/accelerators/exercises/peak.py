"""Exercise on the peak of a chip: units, operations per cycle and clock."""

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def peak(units, cores_per_unit, macs_per_core, clock_mhz):
    """Dense matrix peak in FLOP/s: every core starts its multiply-accumulates in every clock cycle."""
    return units * cores_per_unit * macs_per_core * 2 * clock_mhz * 1e6


def _chips(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"units": 100, "cores_per_unit": 4, "macs_per_core": 250, "clock_mhz": 1000.0}
    drawn = zip(
        generator.integers(2, 300, 5),
        (4, 8, 1, 2, 3),
        (512, 64, 16384, 256, 4096),
        generator.uniform(700, 2600, 5),
        strict=True,
    )
    return [easy] + [
        {"units": int(u), "cores_per_unit": c, "macs_per_core": m, "clock_mhz": float(round(f))} for u, c, m, f in drawn
    ]


def _scaled(factor):
    return lambda units, cores_per_unit, macs_per_core, clock_mhz: (
        factor * peak(units, cores_per_unit, macs_per_core, clock_mhz)
    )


def _meaning():
    chip = specs.accelerator("H100 SXM")
    units = known("compute_units", chip.compute_units)
    boost, highest = known("boost_clock_hz", chip.boost_clock_hz), known("max_clock_hz", chip.max_clock_hz)
    cores = chip.compute_unit_counts["tensor_cores_per_sm"]
    rebuilt = peak(units, cores, 512, boost / 1e6)
    return (
        f"{units} × {cores} × 512 × 2 × {boost / 1e6:,.0f} MHz are {rebuilt / 1e12:,.0f} TFLOP/s, the dense bf16 "
        f"peak on the datasheet of an H100 SXM. At its highest clock, {highest / 1e6:,.0f} MHz, it would be "
        f"{peak(units, cores, 512, highest / 1e6) / 1e12:,.0f}."
    )


PEAK = Exercise(
    id="accelerators.peak",
    title="The peak, from first principles",
    signature="peak(units, cores_per_unit, macs_per_core, clock_mhz)",
    unit="FLOP/s",
    points=2,
    reference=peak,
    groups=(Group("chips", 1.0, _chips),),
    hints=(
        "How many multiply-accumulates does the whole chip start in one cycle?",
        "A multiply-accumulate is two operations, and a clock of 1 MHz has a million cycles in a second.",
        "units × cores_per_unit × macs_per_core × 2 × clock_mhz × 1e6.",
    ),
    solution="""
def peak(units, cores_per_unit, macs_per_core, clock_mhz):
    return units * cores_per_unit * macs_per_core * 2 * clock_mhz * 1e6
""",
    explanation=(
        "A peak is the number of multiply-accumulates, times two, times the clock. For an H100 SXM: 132 × 4 × 512 × 2 × "
        "1830 MHz = 989.4 TFLOP/s. For a TPU v4: 2 × 4 × 128·128 × 2 × 1050 MHz = 275 TFLOP/s. The same formula holds for both."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "multiply-accumulates counted once",
            _scaled(0.5),
            "You counted a multiply-accumulate as one operation. It is a multiplication and an addition: two.",
            v.FACTOR,
        ),
        Mistake(
            "MHz for Hz",
            _scaled(1e-6),
            "You multiplied by the clock as printed. 1 MHz is 10^6 cycles a second: your answer is a million times too small.",
            v.UNIT,
        ),
        Mistake(
            "GHz for MHz", _scaled(1e3), "You read the clock as GHz. 1 MHz is 10^6 cycles a second, not 10^9.", v.UNIT
        ),
        Mistake(
            "TFLOP/s",
            _scaled(1e-12),
            "That is the peak in TFLOP/s. Return FLOP/s, without the last division.",
            v.UNIT,
        ),
        Mistake(
            "per unit",
            lambda units, cores_per_unit, macs_per_core, clock_mhz: peak(1, cores_per_unit, macs_per_core, clock_mhz),
            "That is the peak of one unit. The chip has `units` of them.",
        ),
        Mistake(
            "cores forgotten",
            lambda units, cores_per_unit, macs_per_core, clock_mhz: peak(units, 1, macs_per_core, clock_mhz),
            "You counted one matrix core in each unit. There are cores_per_unit of them.",
        ),
        Mistake(
            "work of a core forgotten",
            lambda units, cores_per_unit, macs_per_core, clock_mhz: peak(units, cores_per_unit, 1, clock_mhz),
            "You gave each core one multiply-accumulate a cycle. A matrix core starts macs_per_core of them.",
        ),
        Mistake(
            "with sparsity",
            _scaled(2),
            "Your answer is twice too large: a multiply-accumulate is two operations, not four. Only a sparse peak doubles again.",
            v.FACTOR,
        ),
        Mistake(
            "operations of one cycle",
            lambda units, cores_per_unit, macs_per_core, clock_mhz: units * cores_per_unit * macs_per_core * 2,
            "That is the number of operations in one cycle. Multiply it by the cycles in a second.",
        ),
    ),
    mutants=MUTANTS["accelerators.peak"],
)
