"""Task on efficiency: the measured over the attainable rate."""

import numpy as np

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def roofline_efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):
    """Measured rate over the rate that the roofline allows."""
    return roofline.efficiency(measured_flops, intensity, peak_flops, memory_bandwidth)


def _measurements(generator):
    peak = generator.uniform(100e12, 2500e12, 6)
    bandwidth = generator.uniform(0.8e12, 8e12, 6)
    relative = np.concatenate([generator.uniform(0.005, 0.7, 3), generator.uniform(1.5, 9, 3)])
    share = generator.uniform(0.3, 0.95, 6)
    intensity = relative * peak / bandwidth
    rows = zip(share * np.minimum(peak, intensity * bandwidth), intensity, peak, bandwidth, strict=True)
    return [{"measured_flops": m, "intensity": i, "peak_flops": p, "memory_bandwidth": b} for m, i, p, b in rows]


def _impossible(generator):
    return [
        {"measured_flops": 8.1e12, "intensity": 2.0, "peak_flops": 312e12, "memory_bandwidth": 2.039e12},
        {"measured_flops": 0.0, "intensity": 5.0, "peak_flops": 312e12, "memory_bandwidth": 2.039e12},
    ]


EFFICIENCY = Exercise(
    id="lab.roofline.efficiency",
    title="Measured against possible",
    signature="efficiency(measured_flops, intensity, peak_flops, memory_bandwidth)",
    unit="",
    graded=True,
    points=3,
    reference=roofline_efficiency,
    shows=(roofline.efficiency,),
    groups=(
        Group("kernels", 0.8, _measurements),
        Group(
            "edges",
            0.2,
            _impossible,
            advice="Return a fraction above 1 as it is: it shows that one of the numbers is wrong.",
        ),
    ),
    hints=(
        "What is the highest rate of this operation on this chip?",
        "That is the roof above it: the smaller of peak and bandwidth × intensity.",
        "Divide the measured rate by that roof, and don't clip the result.",
    ),
    explanation=(
        "Divided by the peak, a perfect memory-bound kernel looks slow. Divided by the roof above it, it gives 1: the kernel "
        "can't be improved, only the operation."
    ),
    mistakes=(
        Mistake(
            "share of the peak",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: measured_flops / peak_flops,
            "You divided by the peak. Left of the ridge the roof above the operation is lower than that.",
        ),
        Mistake(
            "memory roof alone",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: (
                measured_flops / (memory_bandwidth * intensity)
            ),
            "You divided by the memory roof. Right of the ridge the compute roof is lower.",
        ),
        Mistake(
            "larger roof",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: (
                measured_flops / max(peak_flops, memory_bandwidth * intensity)
            ),
            "You divided by the larger roof. The smaller one is what the operation can reach.",
        ),
        Mistake(
            "upside down",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: (
                min(peak_flops, memory_bandwidth * intensity) / max(measured_flops, 1e-300)
            ),
            "You inverted the fraction. It is the measured rate over the roof.",
        ),
        Mistake(
            "clipped",
            lambda measured_flops, intensity, peak_flops, memory_bandwidth: min(
                1.0, measured_flops / min(peak_flops, memory_bandwidth * intensity)
            ),
            "You clipped the fraction at 1. A fraction above 1 shows that the traffic or a peak is wrong: return it as it is.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["lab.roofline.efficiency"],
)
