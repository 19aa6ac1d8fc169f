"""Task on what a printed peak is: dense, sparse, or neither."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def audit(printed_tflops, units, macs_per_unit, clock_mhz):
    """Say whether a printed peak is "dense", "sparse" or "neither", within 2 %."""
    return _judged(_ratio(printed_tflops, units, macs_per_unit, clock_mhz))


def _ratio(printed_tflops, units, macs_per_unit, clock_mhz):
    return printed_tflops * 1e12 / (units * macs_per_unit * 2 * clock_mhz * 1e6)


def _judged(ratio, words=("dense", "sparse", "neither"), band=lambda ratio, wanted: abs(ratio / wanted - 1) <= 0.02):
    return words[0] if band(ratio, 1) else words[1] if band(ratio, 2) else words[2]


def _sheet(ratio, units, macs, clock):
    return {
        "printed_tflops": round(ratio * units * macs * 2 * clock * 1e6 / 1e12, 1),
        "units": int(units),
        "macs_per_unit": macs,
        "clock_mhz": float(clock),
    }


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"printed_tflops": 400.0, "units": 100, "macs_per_unit": 1000, "clock_mhz": 1000.0}
    ratios = (1.004, 0.994, 1.0, 0.99, 1.012, 2.006, 1.993, 2.012, 1.987, 2.0, 1.12, 1.5, 4.0, 0.52, 0.25)
    units = generator.integers(100, 300, len(ratios))
    clocks = generator.integers(1000, 2600, len(ratios))
    macs = [int(number) for number in generator.choice((512, 1024, 2048, 4096), len(ratios))]
    return [easy, *(_sheet(*row) for row in zip(generator.permutation(ratios), units, macs, clocks, strict=True))]


def _close(generator):
    return [_sheet(ratio, 132, 2048, 1830.0) for ratio in (0.985, 1.03, 1.97, 2.03, 1.95)]


def _wrong(**changes):
    factor = changes.pop("factor", 1)
    return lambda printed_tflops, units, macs_per_unit, clock_mhz: _judged(
        factor * _ratio(printed_tflops, units, macs_per_unit, clock_mhz), **changes
    )


AUDIT = Exercise(
    id="lab.accelerators.audit",
    title="Dense, sparse, or neither?",
    signature="audit(printed_tflops, units, macs_per_unit, clock_mhz)",
    unit="",
    graded=True,
    points=4,
    reference=audit,
    groups=(
        Group("sheets", 0.75, _sheets),
        Group(
            "edges",
            0.25,
            _close,
            advice="Near the limits: allow 2 % of the dense peak above and below it, and 2 % of the sparse peak above and below that.",
        ),
    ),
    hints=(
        "Compute the dense peak, then the ratio of printed to computed.",
        "The ratio should be near 1 or near 2. Near means within 2 % of that number, above or below.",
        "Take the absolute difference between the ratio and 1, and compare it with 2 % of 1; then do the same with 2. If the ratio is near neither, return the third word.",
    ),
    explanation=(
        "A footnote can get lost; arithmetic cannot. A ratio of 2 reveals sparsity. A ratio that is neither 1 nor 2 reveals "
        "another clock, another edition of the card, or a mistake."
    ),
    mistakes=(
        Mistake(
            "multiply-accumulates counted once",
            _wrong(factor=2),
            "You counted a multiply-accumulate as one operation, so a dense peak looks sparse to you.",
            v.FACTOR,
        ),
        Mistake(
            "no lower limit",
            _wrong(band=lambda ratio, wanted: ratio <= 1.02 * wanted),
            "You accept everything below the limit. A peak far below the computed one is neither.",
        ),
        Mistake(
            "nearest",
            _wrong(band=lambda ratio, wanted: ratio < 1.5 if wanted == 1 else True),
            "You took the nearer of the two. A peak that is not within 2 % of either is neither.",
        ),
        Mistake(
            "no lower limit, sparse above",
            _wrong(band=lambda ratio, wanted: ratio <= 1.02 if wanted == 1 else ratio > 1.02),
            "You call everything above the dense peak sparse. Only twice the dense peak is sparse.",
        ),
        Mistake(
            "equal",
            _wrong(band=lambda ratio, wanted: ratio == wanted),
            "You required equality, or a band narrower than 2 %. Datasheets round: allow 2 %, which is 0.02.",
        ),
        Mistake(
            "swapped",
            _wrong(words=("sparse", "dense", "neither")),
            "You swapped the two: the sparse peak is the larger one.",
        ),
        Mistake(
            "absolute band",
            _wrong(band=lambda ratio, wanted: abs(ratio - wanted) <= 0.02),
            "Your band around the sparse peak is half as wide as it should be: 2 % of twice the dense peak.",
            share=0.75,
        ),
        Mistake(
            "wide band",
            _wrong(band=lambda ratio, wanted: abs(ratio / wanted - 1) <= 0.2),
            "Your band is 20 % wide. 2 % is 0.02.",
        ),
        Mistake(
            "truth values as words",
            _wrong(words=("Dense", "Sparse", "Neither")),
            'Right, but with a capital: return exactly "dense", "sparse" or "neither".',
            v.TYPE,
        ),
        Mistake(
            "all neither",
            lambda printed_tflops, units, macs_per_unit, clock_mhz: "neither",
            "You call every peak neither. Is a prefix missing? T is 10^12 and M is 10^6. Print your dense peak beside the given one.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["lab.accelerators.audit"],
)
