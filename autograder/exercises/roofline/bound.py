"""Which roof holds an operation."""

from chip2cluster import roofline

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant
from .chips import draw_operations


def bound_by(intensity, peak_flops, memory_bandwidth):
    """Name the roof that holds an operation: "compute" or "memory"."""
    if roofline.is_compute_bound(intensity, peak_flops, memory_bandwidth):
        return "compute"
    return "memory"


def _bound_edges(generator):
    return [
        {"intensity": 156.0, "peak_flops": 312e12, "memory_bandwidth": 2.0e12},
        {"intensity": 1e-9, "peak_flops": 312e12, "memory_bandwidth": 2.0e12},
    ]


BOUND = Exercise(
    id="roofline.bound_by",
    title="Which roof holds it?",
    signature="bound_by(intensity, peak_flops, memory_bandwidth)",
    unit="",
    points=2,
    reference=bound_by,
    shows=(bound_by, roofline.is_compute_bound),
    groups=(
        Group("operations", 0.8, draw_operations),
        Group("edges", 0.2, _bound_edges, advice='Exactly at the ridge both roofs are equal: call that "compute".'),
    ),
    hints=(
        "Every operation lies under both extended lines, so asking under which line it lies decides nothing.",
        "Compare the intensity with one number of the chip.",
        "That number is the ridge, peak over bandwidth. At or right of it: compute.",
    ),
    solution="""
def bound_by(intensity, peak_flops, memory_bandwidth):
    return "compute" if intensity >= peak_flops / memory_bandwidth else "memory"
""",
    explanation=(
        "One comparison settles it: intensity against the ridge. There is no third region between the roofs; a printed "
        "version of this rule invents one."
    ),
    mistakes=(
        Mistake(
            "swapped",
            lambda intensity, peak_flops, memory_bandwidth: (
                "memory" if intensity * memory_bandwidth >= peak_flops else "compute"
            ),
            "You have the two the wrong way round: much arithmetic for each byte means that computing takes longest.",
        ),
        Mistake(
            "ridge inverted",
            lambda intensity, peak_flops, memory_bandwidth: (
                "compute" if intensity >= memory_bandwidth / peak_flops else "memory"
            ),
            "You compared with bandwidth over peak. The ridge is peak over bandwidth.",
        ),
        Mistake(
            "ridge belongs to memory",
            lambda intensity, peak_flops, memory_bandwidth: (
                "compute" if intensity * memory_bandwidth > peak_flops else "memory"
            ),
            'Exactly at the ridge both roofs are equal: call that "compute" (>= instead of >).',
            share=0.8,
        ),
        Mistake(
            "other words",
            lambda intensity, peak_flops, memory_bandwidth: (
                "compute-bound" if intensity * memory_bandwidth >= peak_flops else "memory-bound"
            ),
            'Right, but in other words: return exactly "compute" or "memory".',
            v.TYPE,
        ),
        Mistake(
            "capital letters",
            lambda intensity, peak_flops, memory_bandwidth: (
                "Compute" if intensity * memory_bandwidth >= peak_flops else "Memory"
            ),
            'Right, but with a capital: return exactly "compute" or "memory".',
            v.TYPE,
        ),
        Mistake(
            "another chip's ridge",
            lambda intensity, peak_flops, memory_bandwidth: "compute" if intensity >= 156 else "memory",
            "156 FLOP/byte is the ridge of one chip. Work out the ridge of the chip you are given.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def bound_by(i, p, b):
    return i >= p / b
""",
            verdict=v.TYPE,
            says="Return text",
        ),
        Mutant(
            source="""
def bound_by(i, p, b):
    return "memory"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
)
