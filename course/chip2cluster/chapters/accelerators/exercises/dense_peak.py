"""Exercise on the dense 16-bit peak behind a headline of another precision or sparsity."""

from chip2cluster import specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def dense_16_bit(printed_tflops, bits, sparse):
    """Dense 16-bit peak behind a printed peak, where each halving of the width doubles the rate."""
    return printed_tflops * bits / 16 / (2 if sparse else 1)


def _headlines(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"printed_tflops": 4000.0, "bits": 8, "sparse": True}
    printed = generator.uniform(300, 20000, 6).round()
    kinds = ((4, True), (8, False), (4, False), (8, True), (16, True), (4, True))
    return [easy] + [
        {"printed_tflops": float(p), "bits": bits, "sparse": sparse}
        for p, (bits, sparse) in zip(printed, kinds, strict=True)
    ]


def _plain(generator):
    return [
        {"printed_tflops": float(generator.integers(100, 3000)), "bits": 16, "sparse": False},
        {"printed_tflops": float(generator.integers(100, 700)), "bits": 32, "sparse": False},
    ]


def _meaning():
    chip = specs.accelerator("GB200")
    left = dense_16_bit(chip.peak_flops_sparse("fp4") / 1e12, 4, True)
    return (
        f"Only 1/{chip.peak_flops_sparse('fp4') / 1e12 / left:.0f} of the {chip.peak_flops_sparse('fp4') / 1e15:.0f} petaFLOPS of a GB200 is left: {left:,.0f} TFLOP/s in dense 16 bits, "
        f"{left * 1e12 / specs.accelerator('H100 SXM').peak_flops_dense('bf16'):.1f} times your H100."
    )


DENSE = Exercise(
    id="accelerators.dense_16_bit",
    title="What is left of a headline?",
    signature="dense_16_bit(printed_tflops, bits, sparse)",
    unit="TFLOP/s",
    points=3,
    reference=dense_16_bit,
    groups=(
        Group("headlines", 0.8, _headlines),
        Group(
            "edges",
            0.2,
            _plain,
            advice="A dense 16-bit headline is already the answer, and from 32 bits to 16 the rate doubles.",
        ),
    ),
    hints=(
        "Two things can have inflated the number. Undo one, then the other.",
        "2:4 sparsity doubles the number. Going from 16 bits to 8 is one halving of the width, from 16 to 4 two.",
        "printed_tflops * bits / 16, and half of that if sparse.",
    ),
    solution="""
def dense_16_bit(printed_tflops, bits, sparse):
    dense = printed_tflops / 2 if sparse else printed_tflops
    return dense * bits / 16
""",
    explanation=(
        "The 20,000 TFLOP/s of a GB200 are fp4 with sparsity. Take half for the zeros and a quarter for the width, and 2,500 "
        "are left. The rule of halvings holds for most NVIDIA tensor cores up to a B200. It fails for a B300 in fp4, for "
        "fp6 on an MI355X, for a Gaudi 3, whose fp8 and bf16 peaks are equal, and for a Rubin, whose fp8 is 4.4 times its bf16. "
        "For those chips, look up the peak."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "narrow formats alone",
            lambda printed_tflops, bits, sparse: printed_tflops * min(bits, 16) / 16 / (2 if sparse else 1),
            "Right for narrow formats, but the rule also holds for wider ones: from 32 bits to 16 the rate doubles.",
            share=0.8,
        ),
        Mistake(
            "sparsity ignored",
            lambda printed_tflops, bits, sparse: printed_tflops * bits / 16,
            "You undid the narrow format but not the sparsity. With 2:4 sparsity the printed peak is twice the dense one.",
        ),
        Mistake(
            "width ignored",
            lambda printed_tflops, bits, sparse: printed_tflops / (2 if sparse else 1),
            "You undid the sparsity but not the narrow format. 16-bit elements run at half the 8-bit rate.",
        ),
        Mistake(
            "halved once",
            lambda printed_tflops, bits, sparse: printed_tflops / 2,
            "You halved every headline once. Halve it for sparsity only if `sparse` is True, and multiply by bits / 16 for the width.",
        ),
        Mistake(
            "headline believed",
            lambda printed_tflops, bits, sparse: printed_tflops,
            "You returned the headline unchanged. Undo the sparsity and the narrow format.",
        ),
        Mistake(
            "width upside down",
            lambda printed_tflops, bits, sparse: printed_tflops * 16 / bits / (2 if sparse else 1),
            "You multiplied by 16 / bits. Wider elements run slower, so multiply by bits / 16.",
        ),
        Mistake(
            "one halving for every width",
            lambda printed_tflops, bits, sparse: printed_tflops / (2 if bits < 16 else 1) / (2 if sparse else 1),
            "You halved once for any narrow format. From 4 bits to 16 there are two halvings.",
        ),
        Mistake(
            "sparsity always undone",
            lambda printed_tflops, bits, sparse: printed_tflops * bits / 16 / 2,
            "You halved every headline for sparsity, but some are dense: check `sparse`.",
        ),
        Mistake(
            "sparsity added",
            lambda printed_tflops, bits, sparse: printed_tflops * bits / 16 * (2 if sparse else 1),
            "You doubled a sparse headline. It is already doubled, so take half of it.",
        ),
        Mistake(
            "measured from 8 bits",
            lambda printed_tflops, bits, sparse: printed_tflops * bits / 8 / (2 if sparse else 1),
            "You converted the headline to 8 bits, with the sparsity undone. The question is about 16 bits: multiply by bits / 16.",
            v.FACTOR,
        ),
        Mistake(
            "measured from 32 bits",
            lambda printed_tflops, bits, sparse: printed_tflops * bits / 32 / (2 if sparse else 1),
            "You converted the headline to 32 bits, with the sparsity undone. The question is about 16 bits: multiply by bits / 16.",
            v.FACTOR,
        ),
        Mistake(
            "dense headlines halved",
            lambda printed_tflops, bits, sparse: printed_tflops * bits / 16 / (1 if sparse else 2),
            "You halved the dense headlines and left the sparse ones. Do the reverse: halve the sparse ones.",
        ),
    ),
    mutants=MUTANTS["accelerators.dense_16_bit"],
)
