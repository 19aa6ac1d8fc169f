"""Exercise on the smallest compute-bound batch."""

import math

from chip2cluster import roofline, specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def smallest_batch(d_in, d_out, peak_flops, memory_bandwidth):
    """Smallest compute-bound batch of a bf16 product [batch, d_in] x [d_in, d_out]."""
    return roofline.batch_threshold(d_in, d_out, peak_flops, memory_bandwidth, bytes_per_element=2)


def _layers(generator):
    widths = generator.integers(20, 120, 5) * 128
    bandwidth = generator.uniform(0.5e12, 9e12, 5)
    ridge = generator.uniform(60, 400, 5)
    # Round numbers come first: that case is the one that a student sees.
    easy = {"d_in": 4000, "d_out": 4000, "peak_flops": 200e12, "memory_bandwidth": 2e12}
    drawn = [
        {"d_in": int(d), "d_out": int(d) * int(m), "peak_flops": float(b * r), "memory_bandwidth": float(b)}
        for d, m, b, r in zip(widths, (4, 3, 4, 2, 5), bandwidth, ridge, strict=True)
    ]
    return [easy, *drawn]


def _narrow(generator):
    return [
        {"d_in": 256, "d_out": 256, "peak_flops": 989.4e12, "memory_bandwidth": 3.35e12},
        {"d_in": 8192, "d_out": 32768, "peak_flops": 1e12, "memory_bandwidth": 2.0e12},
        {
            "d_in": 400,
            "d_out": 400,
            "peak_flops": 200e12,
            "memory_bandwidth": 2e12,
        },  # 200 tokens are exactly at the ridge
    ]


def _threshold(inputs=1, outputs=1, flops_per_mac=2, size=2, rounding=math.ceil):
    def wrong(d_in, d_out, peak_flops, memory_bandwidth):
        ridge = peak_flops / memory_bandwidth * size / flops_per_mac
        room = 1 - ridge * (inputs * d_in + outputs * d_out) / (d_in * d_out)
        return rounding(ridge / room) if room > 0 else math.inf

    return wrong


def _meaning():
    chip = specs.accelerator("H100 SXM")
    peak, bandwidth = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    wide, narrow = smallest_batch(8192, 32768, peak, bandwidth), smallest_batch(1024, 4096, peak, bandwidth)
    return (
        f"For a layer of 8192 × 32768 an H100 needs {wide:.0f} tokens, for one of 1024 × 4096 {narrow:.0f}; its ridge is "
        f"{roofline.ridge_point(peak, bandwidth):.0f}. In decode each user brings one token to a step, so as many users must share it."
    )


BATCH = Exercise(
    id="roofline.smallest_batch",
    title="How many tokens must share the weights?",
    signature="smallest_batch(d_in, d_out, peak_flops, memory_bandwidth)",
    unit="tokens",
    points=4,
    reference=smallest_batch,
    shows=(roofline.batch_threshold, roofline.batching._threshold),
    tolerance=1e-9,
    groups=(
        Group("layers", 0.75, _layers),
        Group(
            "edges",
            0.25,
            _narrow,
            advice="Three edges: in a narrow layer no batch is large enough (return math.inf); on a slow chip even batch 1 is "
            "compute-bound; and a batch exactly at the ridge is compute-bound.",
        ),
    ),
    hints=(
        "Write the intensity of the product as a function of the batch b, with your gemm_intensity in mind.",
        "Set it equal to the ridge and solve for b. The b·d_in and b·d_out terms stay in the denominator.",
        "b = R·d_in·d_out / (d_in·d_out − R·(d_in + d_out)) at 2 bytes, where R is the ridge; round up. If the denominator is 0 or less, no batch is large enough.",
    ),
    solution="""
import math


def smallest_batch(d_in, d_out, peak_flops, memory_bandwidth):
    ridge = peak_flops / memory_bandwidth
    below = d_in * d_out - ridge * (d_in + d_out)
    return math.ceil(ridge * d_in * d_out / below) if below > 0 else math.inf
""",
    meaning=_meaning,
    explanation=(
        "With weights alone the answer would be the ridge itself. The activations are traffic too and grow with the "
        "batch, so the true threshold is larger, and in a narrow layer there is none. The package solves it in whole "
        "numbers, so that rounding cannot move the answer by one."
    ),
    mistakes=(
        Mistake(
            "activations forgotten",
            _threshold(inputs=0, outputs=0),
            "You counted the weights alone, which gives the ridge itself. The activations, in and out, are traffic too.",
        ),
        Mistake(
            "the ridge itself",
            _threshold(inputs=0, outputs=0, rounding=lambda batch: batch),
            "You returned the ridge. That counts the weights alone; the activations, in and out, are traffic too. "
            "And a batch is a whole number.",
        ),
        Mistake(
            "four times as wide",
            lambda d_in, d_out, peak_flops, memory_bandwidth: _threshold()(
                d_in, 4 * d_in, peak_flops, memory_bandwidth
            ),
            "You used the formula that holds for d_out = 4·d_in alone. This layer may have any d_out.",
        ),
        Mistake(
            "rounded down",
            _threshold(rounding=math.floor),
            "One token short: at this batch the product is still memory-bound. Round up.",
        ),
        Mistake(
            "strictly right of the ridge",
            _threshold(rounding=lambda batch: math.floor(batch) + 1),
            "You looked for a batch right of the ridge. A product exactly at the ridge is already compute-bound.",
            share=0.75,
        ),
        Mistake(
            "not rounded",
            _threshold(rounding=lambda batch: batch),
            "A batch is a whole number of tokens: round up with math.ceil.",
        ),
        Mistake(
            "multiply-accumulates counted once",
            _threshold(flops_per_mac=1),
            "You counted a multiply-accumulate as one operation. It is two.",
            v.FACTOR,
        ),
        Mistake(
            "element size forgotten",
            _threshold(size=1),
            "You forgot that an element has 2 bytes.",
        ),
        Mistake(
            "result traffic forgotten",
            _threshold(outputs=0),
            "You counted the activations that go in but not those that come out: batch × d_out elements are written.",
        ),
        Mistake(
            "input traffic forgotten",
            _threshold(inputs=0),
            "You counted the activations that come out but not those that go in: batch × d_in elements are read.",
        ),
    ),
    mutants=MUTANTS["roofline.smallest_batch"],
)
