"""Exercise on a table of batch sizes of a feed-forward layer with their bounds."""

import numpy as np

from chip2cluster import roofline, specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def sweep(batches, d_model, peak_flops, memory_bandwidth):
    """Attainable share of the peak of a bf16 product [batch, d] x [d, 4d], for each batch."""
    return roofline.batch_sweep(batches, d_model, 4 * d_model, peak_flops, memory_bandwidth).fraction_of_peak


def _sweeps(generator):
    return [
        {
            "batches": np.array([1.0, 8.0, 64.0, 512.0, 4096.0]) * factor,
            "d_model": int(d) * 128,
            "peak_flops": float(b * r),
            "memory_bandwidth": float(b),
        }
        for factor, d, b, r in zip(
            (1, 3, 5),
            generator.integers(20, 90, 3),
            generator.uniform(0.5e12, 8e12, 3),
            generator.uniform(90, 400, 3),
            strict=True,
        )
    ]


def _share(flops_per_mac=2, inputs=1, outputs=4, size=2, capped=True, scale=1.0):
    def wrong(batches, d_model, peak_flops, memory_bandwidth):
        flops = flops_per_mac * batches * d_model * 4 * d_model
        moved = size * (inputs * batches * d_model + 4 * d_model**2 + outputs * batches * d_model)
        share = flops / moved * memory_bandwidth / peak_flops
        return scale * (np.minimum(1.0, share) if capped else share)

    return wrong


def _meaning():
    chip = specs.accelerator("H100 SXM")
    one, eight, many = sweep(
        np.array([1.0, 8.0, 512.0]), 8192, chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    )  # fmt: skip
    return (
        f"For d = 8192 on an H100 a batch of 1 reaches {100 * one:.1f} % of the peak, 8 reach {100 * eight:.1f} %, and 512 "
        f"{100 * many:.0f} %: eight users cost hardly more time than one."
    )


SWEEP = Exercise(
    id="roofline.sweep",
    title="Sweep the batch",
    signature="sweep(batches, d_model, peak_flops, memory_bandwidth)",
    unit="",
    points=3,
    reference=sweep,
    shows=(sweep, roofline.batch_sweep),
    groups=(Group("sweeps", 1.0, _sweeps),),
    hints=(
        "Three steps: the intensity for each batch, the attainable rate, the fraction of peak.",
        "The intensity at 2 bytes is 4·d·b / (4·d + 5·b); with a NumPy array for b it is one line.",
        "np.minimum(peak, bandwidth * intensity) / peak.",
    ),
    solution="""
import numpy as np


def sweep(batches, d_model, peak_flops, memory_bandwidth):
    intensity = 4 * d_model * batches / (4 * d_model + 5 * batches)
    return np.minimum(peak_flops, memory_bandwidth * intensity) / peak_flops
""",
    meaning=_meaning,
    explanation=(
        "The fraction grows almost in proportion to the batch, up to 1. Each token adds one FLOP/byte only as long as "
        "the weights are most of the traffic."
    ),
    mistakes=(
        Mistake(
            "no compute roof",
            _share(capped=False),
            "Some of your fractions are above 1. Right of the ridge the peak is the roof: take the smaller of the two.",
        ),
        Mistake(
            "activations forgotten",
            _share(inputs=0, outputs=0),
            "You counted the weights alone. The activations, in and out, are traffic too.",
        ),
        Mistake("result traffic forgotten", _share(outputs=0), "You left out the result, 4·d elements for each token."),
        Mistake("input traffic forgotten", _share(inputs=0), "You left out the input, d elements for each token."),
        Mistake(
            "multiply-accumulates counted once",
            _share(flops_per_mac=1),
            "You counted a multiply-accumulate as one operation. It is two.",
            v.FACTOR,
        ),
        Mistake("element size forgotten", _share(size=1), "You forgot that an element has 2 bytes."),
        Mistake(
            "intensity",
            lambda batches, d_model, peak_flops, memory_bandwidth: 4 * d_model * batches / (4 * d_model + 5 * batches),
            "You returned the intensity. The fraction of peak is the attainable rate over the peak.",
        ),
        Mistake(
            "rate",
            lambda batches, d_model, peak_flops, memory_bandwidth: (
                peak_flops * _share()(batches, d_model, peak_flops, memory_bandwidth)
            ),
            "You returned the rate in FLOP/s. Divide it by the peak.",
            v.UNIT,
        ),
        Mistake(
            "a square matrix",
            lambda batches, d_model, peak_flops, memory_bandwidth: np.minimum(
                1.0, d_model * batches / (d_model + 2 * batches) * memory_bandwidth / peak_flops
            ),
            "You took a square matrix. The weights here are d × 4d, and the result has 4d columns.",
        ),
    ),
    mutants=MUTANTS["roofline.sweep"],
)
