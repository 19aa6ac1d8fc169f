"""The peak of a fleet."""

import numpy as np

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def fleet_peak(counts, peaks_tflops):
    """Peak of a mixed fleet in EFLOP/s."""
    return float(np.sum(np.asarray(counts) * np.asarray(peaks_tflops))) * 1e12 / 1e18


def _fleets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    fleets = [{"counts": np.array([1000, 500]), "peaks_tflops": np.array([1000.0, 2000.0])}]
    for size in (1, 2, 3, 4):
        counts, peaks = generator.integers(8, 20000, size), generator.uniform(100, 2500, size).round()
        fleets.append({"counts": counts, "peaks_tflops": peaks})
    return fleets


def _nothing(generator):
    return [
        {"counts": np.array([], dtype=int), "peaks_tflops": np.array([])},
        {"counts": np.array([0, 8]), "peaks_tflops": np.array([312.0, 989.4])},
    ]


def _scaled(factor):
    return lambda counts, peaks_tflops: factor * fleet_peak(counts, peaks_tflops)


FLEET = Exercise(
    id="accelerators.fleet_peak",
    title="The peak of a fleet",
    signature="fleet_peak(counts, peaks_tflops)",
    unit="EFLOP/s",
    points=2,
    reference=fleet_peak,
    groups=(
        Group("fleets", 0.85, _fleets),
        Group("edges", 0.15, _nothing, advice="A fleet may be empty: its peak is 0."),
    ),
    hints=(
        "Each kind of chip adds its count times its peak.",
        "Tera, peta, exa: each step is a thousand. How many steps from TFLOP/s to EFLOP/s?",
        "sum(counts * peaks_tflops) / 1e6.",
    ),
    solution="""
def fleet_peak(counts, peaks_tflops):
    return sum(count * peak for count, peak in zip(counts, peaks_tflops)) * 1e12 / 1e18
""",
    explanation=(
        "A thousand chips of 1,000 TFLOP/s are a million TFLOP/s: 10^18 FLOP/s, one EFLOP/s. One PFLOP/s is a single chip."
    ),
    mistakes=(
        Mistake(
            "PFLOP/s",
            _scaled(1e3),
            "That is in PFLOP/s. Tera, peta, exa: from T to E it is a million, not a thousand.",
            v.UNIT,
        ),
        Mistake("TFLOP/s", _scaled(1e6), "That is in TFLOP/s. One EFLOP/s is a million TFLOP/s.", v.UNIT),
        Mistake("FLOP/s", _scaled(1e18), "That is in FLOP/s. One EFLOP/s is 10^18 FLOP/s.", v.UNIT),
        Mistake(
            "one step too many",
            _scaled(1e-3),
            "One step too many: you divided by 10^9. From T to E it is 10^6.",
            v.UNIT,
        ),
        Mistake(
            "all chips alike",
            lambda counts, peaks_tflops: float(np.sum(counts) * np.sum(peaks_tflops)) / 1e6,
            "You multiplied the sum of the counts by the sum of the peaks. Multiply each count by its own peak, then add.",
        ),
        Mistake(
            "mean of the peaks",
            lambda counts, peaks_tflops: float(np.sum(counts) * np.sum(peaks_tflops)) / max(len(counts), 1) / 1e6,
            "You took the plain mean of the peaks. There are more chips of one kind than of another.",
        ),
        Mistake(
            "counts forgotten",
            lambda counts, peaks_tflops: float(np.sum(peaks_tflops)) / 1e6,
            "You added one chip of each kind. Multiply by the counts first.",
        ),
        Mistake(
            "not added up",
            lambda counts, peaks_tflops: np.asarray(counts) * np.asarray(peaks_tflops) / 1e6,
            "That is each kind by itself. Add them up.",
            v.TYPE,
        ),
    ),
    mutants=(
        Mutant(
            source="""
def fleet_peak(c, p):
    return max(c @ p / 1e6, 1e-9)
""",
            verdict=v.EDGES,
            says="empty",
            share=0.85,
        ),
    ),
)
