"""Exercise on the precisions, dense or sparse, that a printed total of FLOP/s can stand for."""

from chip2cluster import specs
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def readings(total_pflops, chips, dense, sparse):
    """Every reading of the chip's sheet that gives the printed total, within 2 %."""
    tera = ({name: 1e12 * peak for name, peak in peaks.items()} for peaks in (dense, sparse))
    return specs.readings(1e15 * total_pflops, chips, *tera)


def _sheet(name):
    chip = specs.accelerator(name)
    wanted = [precision for precision in chip.precisions_dense if precision in ("tf32", "bf16", "fp8", "fp4", "int8")]
    dense = {precision: chip.peak_flops_dense(precision) / 1e12 for precision in wanted}
    sparse = {name: chip.peak_flops_sparse(name) / 1e12 for name in wanted if name in chip.precisions_sparse}
    return {"dense": dense, "sparse": sparse}


def _case(generator, name, peak, off=(0.99, 1.01), integers_first=False):
    """A total that is the chips' peak, rounded a little, or off by more."""
    sheet, chips = _sheet(name), int(generator.integers(40, 9000))
    if integers_first:
        sheet = {
            count: dict(sorted(peaks.items(), key=lambda item: item[0] != "int8")) for count, peaks in sheet.items()
        }
    count, precision = peak.split()
    total = chips * sheet[count][precision] / 1e3 * generator.uniform(*off)
    return {"total_pflops": float(f"{total:.4g}"), "chips": chips, **sheet}


def _totals(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    dense, sparse = {"bf16": 1000.0, "fp8": 2000.0}, {"bf16": 2000.0, "fp8": 4000.0}
    easy = {"total_pflops": 500.0, "chips": 250, "dense": dense, "sparse": sparse}
    plain = str(generator.choice(("A100 SXM 80GB", "H100 SXM", "MI300X", "B200")))
    cases = [
        _case(generator, str(generator.choice(("H100 SXM", "H200 SXM", "L40S"))), "sparse bf16"),
        _case(generator, str(generator.choice(("B200", "GB200"))), "dense fp8"),
        _case(generator, str(generator.choice(("H100 SXM", "MI300X", "B200"))), "sparse int8", integers_first=True),
        _case(generator, plain, "dense bf16"),
        _case(generator, plain, "sparse bf16", (1.03, 1.04)),
        _case(generator, str(generator.choice(("H100 SXM", "A100 SXM 80GB"))), "dense bf16", (0.96, 0.97)),
        # No sparse peaks, and its integers run at twice the rate.
        _case(generator, str(generator.choice(("TPU v5p", "TPU v6e"))), "dense int8"),
    ]
    return [easy, *(cases[place] for place in generator.permutation(len(cases)))]


def _nothing(generator):
    return [
        # Twice the dense peak of a chip that skips no zeros.
        _case(generator, "TPU v4", "dense bf16", (2.0, 2.0)),
        _case(generator, "TPU7x", "dense fp8", (1.9, 2.1)),
    ]


def _found(
    counts=("dense", "sparse"),
    near=0.02,
    write="{} {}",
    doubled=False,
    first=False,
    order=1,
    above=False,
    floats=False,
    by_name=list,
):
    def found(total_pflops, chips, dense, sparse):
        sheets = {"dense": dense, "sparse": {k: 2 * x for k, x in dense.items()} if doubled else sparse}
        result = []
        for count in counts:
            for precision, peak in by_name(sheets[count].items()):
                if floats and precision.startswith("int"):
                    continue
                total = chips * peak / 1e3
                if (total >= 0.98 * total_pflops) if above else abs(total - total_pflops) <= near * total_pflops:
                    result.append(write.format(precision, count))
        return result[:1] if first else result[::order]

    return found


EXACT = (
    "You required exactly the same total, or the same total after rounding. Printed totals are rounded, and not always to "
    "whole PFLOP/s: allow 2 % of the total, above and below."
)


def _equal(total_pflops, chips, dense, sparse, rounded):
    return [
        f"{precision} {count}"
        for count, peaks in (("dense", dense), ("sparse", sparse))
        for precision, peak in peaks.items()
        if rounded(chips * peak / 1e3) == rounded(total_pflops)
    ]


def _meaning():
    chip = specs.accelerator("H100 SXM")
    dense = {name: chip.peak_flops_dense(name) / 1e12 for name in chip.precisions_dense}
    sparse = {name: chip.peak_flops_sparse(name) / 1e12 for name in chip.precisions_sparse}
    found = readings(1000 * dense["fp8"] / 1e3, 1000, dense, sparse)
    return (
        f'"{dense["fp8"] / 1e3:.2f} EFLOP/s" from 1,000 H100 has {len(found)} readings: {", ".join(found)}. The number alone does '
        "not say which one is meant."
    )


READINGS = Exercise(
    id="accelerators.readings",
    title="500 petaflops of what?",
    signature="readings(total_pflops, chips, dense, sparse)",
    unit="",
    points=3,
    reference=readings,
    groups=(
        Group("totals", 0.8, _totals),
        Group(
            "edges",
            0.2,
            _nothing,
            advice="For a chip that skips no zeros `sparse` is empty. If no reading gives the total, return an empty list.",
        ),
    ),
    hints=(
        "Each peak in `dense` and `sparse` is one reading. Which peaks, times the chips, give the total?",
        "chips * peak is in TFLOP/s; 1,000 TFLOP/s are 1 PFLOP/s. Allow 2 % of the total for rounding.",
        'Loop over dense.items(), then over sparse.items(), and append f"{precision} dense" or f"{precision} sparse".',
    ),
    solution="""
def readings(total_pflops, chips, dense, sparse):
    found = []
    for count, peaks in (("dense", dense), ("sparse", sparse)):
        for precision, peak in peaks.items():
            if abs(chips * peak / 1000 - total_pflops) <= 0.02 * total_pflops:
                found.append(f"{precision} {count}")
    return found
""",
    explanation=(
        "Up to a B200 the sparse peak at one width is the dense peak at half the width, so a total alone hardly ever says "
        "what was counted. For 256 H100, 506 PFLOP/s are fp8, or int8, or bf16 with the zeros counted. Only the precision "
        "printed beside the number tells you."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "no zeros counted",
            _found(counts=("dense",)),
            "You used only the dense peaks. A total may be based on sparse peaks: check both `dense` and `sparse`.",
        ),
        Mistake(
            "zeros always counted",
            _found(counts=("sparse",)),
            "You used only the sparse peaks. Check both `dense` and `sparse`.",
        ),
        Mistake(
            "nothing fits",
            lambda total_pflops, chips, dense, sparse: [],
            "You found no reading although there is one. Compare chips times peak with the total in the same unit: 1 PFLOP/s is "
            "1,000 TFLOP/s. Also allow 2 % for rounding.",
        ),
        Mistake(
            "the first alone",
            _found(first=True),
            "You stopped at the first reading. Return every reading, because a total often has several.",
        ),
        Mistake(
            "formats alone",
            _found(write="{}"),
            'You returned the formats without "dense" or "sparse". A reading has both parts: "fp8 dense".',
        ),
        Mistake(
            "words exchanged",
            _found(write="{1} {0}"),
            'The format comes first: "fp8 dense", not "dense fp8".',
        ),
        Mistake(
            "sparse is twice dense",
            _found(doubled=True),
            "You doubled the dense peaks. Not every chip skips zeros, and a sparse peak is not always twice the dense peak: use "
            "`sparse`.",
        ),
        Mistake(
            "sparse ones first",
            _found(counts=("sparse", "dense")),
            "Right readings in the wrong order. Dense readings come first, each in the order of the datasheet.",
        ),
        Mistake(
            "backwards",
            _found(order=-1),
            "Right readings in reverse order. Dense readings come first, each in the order of the datasheet.",
        ),
        Mistake(
            "by name",
            _found(by_name=sorted),
            "Right readings, but sorted by name. Keep the order of the datasheet.",
        ),
        Mistake(
            "integers left out",
            _found(floats=True),
            "You left out int8. Its operations are not FLOP, but press releases add them up anyway: keep every format "
            "of the datasheet.",
        ),
        Mistake(
            "exactly equal",
            lambda total_pflops, chips, dense, sparse: _equal(total_pflops, chips, dense, sparse, float),
            EXACT,
        ),
        Mistake(
            "rounded to whole PFLOP/s",
            lambda total_pflops, chips, dense, sparse: _equal(total_pflops, chips, dense, sparse, round),
            EXACT,
            coincides="exactly equal",
        ),
        Mistake(
            "5 % allowed",
            _found(near=0.05),
            "You allowed more than 2 % for rounding, so you accepted peaks that do not give the total.",
        ),
        Mistake(
            "enough",
            _found(above=True),
            "You returned every reading that reaches or exceeds the total. A reading must match the total, so check both directions.",
        ),
    ),
    mutants=MUTANTS["accelerators.readings"],
)
