"""Exercise on the attainable rate: the lower of the two roofs."""

import numpy as np

from chip2cluster import roofline, specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .sample_chips import draw_operations


def _as_arrays(generator):
    rows = draw_operations(generator)
    return [{name: np.array([row[name] for row in rows]) for name in rows[0]}]


def _attainable_edges(generator):
    return [
        {"intensity": 0.0, "peak_flops": 312e12, "memory_bandwidth": 2.0e12},
        {"intensity": 156.0, "peak_flops": 312e12, "memory_bandwidth": 2.0e12},
    ]


def _meaning():
    chip = specs.accelerator("H100 SXM")
    peak = chip.peak_flops_dense("bf16")
    rate = roofline.attainable(1.0, peak, chip.memory_bandwidth)
    return (
        f"An H100 that decodes for one user, at 1 FLOP/byte, reaches at most {rate / 1e12:.2f} of its {peak / 1e12:.0f} TFLOP/s: "
        f"{100 * rate / peak:.1f} %."
    )


ATTAINABLE = Exercise(
    id="roofline.attainable",
    title="The attainable rate",
    signature="attainable(intensity, peak_flops, memory_bandwidth)",
    unit="FLOP/s",
    points=3,
    reference=roofline.attainable,
    groups=(
        Group("numbers", 0.7, draw_operations),
        Group(
            "arrays",
            0.2,
            _as_arrays,
            v.TYPE,
            "It works for one number and not for an array of them. "
            "Use NumPy: np.minimum and np.where instead of min and if.",
        ),
        Group("edges", 0.1, _attainable_edges, advice="Look at intensity 0 and at the ridge itself."),
    ),
    hints=(
        "There are two limits: how fast the chip computes, and how fast bytes arrive times what each byte is used for.",
        "Both are upper bounds. Which one holds when they differ?",
        "The smaller one: min(peak, bandwidth × intensity). np.minimum does it for arrays.",
    ),
    solution="""
import numpy as np


def attainable(intensity, peak_flops, memory_bandwidth):
    return np.minimum(peak_flops, memory_bandwidth * intensity)
""",
    meaning=_meaning,
    explanation=(
        "Bytes arrive at `memory_bandwidth`; each brings `intensity` operations. The product is what the memory can "
        "supply, the peak what the units can compute. The smaller of the two is the attainable rate."
    ),
    mistakes=(
        Mistake(
            "the larger roof",
            lambda intensity, peak_flops, memory_bandwidth: np.maximum(peak_flops, memory_bandwidth * intensity),
            "You took the larger roof. Both are upper bounds, so the smaller one holds.",
        ),
        Mistake(
            "the memory roof alone",
            lambda intensity, peak_flops, memory_bandwidth: memory_bandwidth * intensity,
            "You followed the memory roof past the ridge. Nothing computes faster than the peak.",
        ),
        Mistake(
            "the compute roof alone",
            lambda intensity, peak_flops, memory_bandwidth: peak_flops + 0 * intensity,
            "You returned the peak whatever the intensity. Left of the ridge the memory decides.",
        ),
        Mistake(
            "bandwidth over intensity",
            lambda intensity, peak_flops, memory_bandwidth: np.minimum(
                peak_flops, memory_bandwidth / np.where(intensity == 0, np.inf, intensity)
            ),
            "You divided the bandwidth by the intensity. FLOP/byte times bytes/s gives FLOP/s.",
        ),
        Mistake(
            "bits for bytes",
            lambda intensity, peak_flops, memory_bandwidth: np.minimum(peak_flops, memory_bandwidth / 8 * intensity),
            "The bandwidth is in bytes/s already; you divided it by 8 as if it were in bits.",
            v.UNIT,
        ),
        Mistake(
            "a share of the peak",
            lambda intensity, peak_flops, memory_bandwidth: np.minimum(1.0, memory_bandwidth * intensity / peak_flops),
            "You returned the fraction of peak, from 0 to 1. Return the rate in FLOP/s.",
            v.UNIT,
        ),
        Mistake(
            "no overlap",
            lambda intensity, peak_flops, memory_bandwidth: (
                peak_flops * memory_bandwidth * intensity / (peak_flops + memory_bandwidth * intensity)
            ),
            "You added the two times. The roofline assumes that computing and moving overlap: the slower one decides.",
        ),
    ),
    mutants=MUTANTS["roofline.attainable"],
)
