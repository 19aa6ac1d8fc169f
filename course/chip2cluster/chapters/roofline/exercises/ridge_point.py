"""Exercise on the ridge point, from a datasheet."""

from chip2cluster import roofline, specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .sample_chips import draw_chips


def ridge_from_datasheet(sparse_tflops, bandwidth_gbytes):
    """Dense ridge point of a chip whose data sheet prints sparse TFLOP/s and GB/s."""
    peak_flops_dense = sparse_tflops * 1e12 / 2
    memory_bandwidth = bandwidth_gbytes * 1e9
    return roofline.ridge_point(peak_flops_dense, memory_bandwidth)


def _sheets(generator):
    peak, bandwidth = draw_chips(generator, 5)
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"sparse_tflops": 600.0, "bandwidth_gbytes": 3000.0}
    return [
        easy,
        *({"sparse_tflops": 2 * p / 1e12, "bandwidth_gbytes": b / 1e9} for p, b in zip(peak, bandwidth, strict=True)),
    ]


def _meaning():
    chip = specs.accelerator("H100 SXM")
    ridge = ridge_from_datasheet(chip.peak_flops_sparse("bf16") / 1e12, chip.memory_bandwidth / 1e9)
    return (
        f"On an H100 SXM this is {ridge:.0f} FLOP/byte: for each weight of 2 bytes that it reads, it could do {2 * ridge:.0f} "
        "operations in bf16."
    )


RIDGE = Exercise(
    id="roofline.ridge",
    title="The ridge, from a datasheet",
    signature="ridge(sparse_tflops, bandwidth_gbytes)",
    unit="FLOP/byte",
    points=2,
    reference=ridge_from_datasheet,
    shows=(ridge_from_datasheet, roofline.ridge_point),
    groups=(Group("chips", 1.0, _sheets),),
    hints=(
        "The ridge is where the sloped roof reaches the flat one: bandwidth × intensity = peak.",
        "Bring both numbers to base units first: FLOP/s and bytes/s.",
        "Structured sparsity doubles the printed peak. Dense work gets half of it.",
    ),
    solution="""
def ridge(sparse_tflops, bandwidth_gbytes):
    return (sparse_tflops / 2 * 1e12) / (bandwidth_gbytes * 1e9)
""",
    meaning=_meaning,
    explanation=(
        "Half of the printed peak is the dense one; T is 10^12 and G is 10^9. "
        "FLOP/s over bytes/s gives FLOP/byte: the arithmetic that each byte must bring along."
    ),
    mistakes=(
        Mistake(
            "sparse peak used for dense",
            lambda sparse_tflops, bandwidth_gbytes: sparse_tflops * 1e3 / bandwidth_gbytes,
            "You took the peak with sparsity for the dense one. Ordinary matrices get half of it.",
        ),
        Mistake(
            "ridge inverted",
            lambda sparse_tflops, bandwidth_gbytes: bandwidth_gbytes / (sparse_tflops * 1e3 / 2),
            "Your ridge is upside down, in bytes per FLOP. It is peak over bandwidth.",
        ),
        Mistake(
            "ridge inverted and sparse",
            lambda sparse_tflops, bandwidth_gbytes: bandwidth_gbytes / (sparse_tflops * 1e3),
            "Two mistakes: the ridge is upside down (it is peak over bandwidth), and the peak with sparsity was used.",
        ),
        Mistake(
            "TFLOP for FLOP",
            lambda sparse_tflops, bandwidth_gbytes: sparse_tflops / 2 / bandwidth_gbytes,
            "You divided TFLOP/s by GB/s as printed. T is 10^12 and G is 10^9: your answer is 1000 times too small.",
            v.UNIT,
        ),
        Mistake(
            "TFLOP for FLOP, bandwidth converted",
            lambda sparse_tflops, bandwidth_gbytes: sparse_tflops / 2 / (bandwidth_gbytes * 1e9),
            "The peak is still in TFLOP/s: turn it into FLOP/s with 1e12.",
            v.UNIT,
        ),
        Mistake(
            "TFLOP for FLOP and sparse",
            lambda sparse_tflops, bandwidth_gbytes: sparse_tflops / bandwidth_gbytes,
            "Two mistakes: T is 10^12 and G is 10^9, so the prefixes don't cancel; and this is the peak with sparsity.",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes",
            lambda sparse_tflops, bandwidth_gbytes: sparse_tflops * 1e12 / 2 / (bandwidth_gbytes * 1e9 / 8),
            "You divided the bandwidth by 8. GB/s are bytes already; Gb/s would be bits.",
            v.UNIT,
        ),
        Mistake(
            "sparse peak doubled",
            lambda sparse_tflops, bandwidth_gbytes: 2 * sparse_tflops * 1e3 / bandwidth_gbytes,
            "You doubled the printed peak. It holds with sparsity; the dense one is half of it.",
        ),
        Mistake(
            "halved twice",
            lambda sparse_tflops, bandwidth_gbytes: sparse_tflops / 4 * 1e3 / bandwidth_gbytes,
            "You halved the peak twice. Sparsity doubles it once.",
        ),
    ),
    mutants=MUTANTS["roofline.ridge"],
)
