"""When a GPU wins."""

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant
from .useful import useful_rate

TPUS = ((128, 459e12, 2765e9), (256, 918e12, 1638e9), (128, 275e12, 1200e9))  # TPU v5p, v6e, v4
A100 = (16, 312e12, 2039e9)


def faster(m, n, k, tpu, gpu):
    """Name the chip with the higher useful rate: "TPU" or "GPU"."""
    return "TPU" if useful_rate(m, n, k, *tpu) > useful_rate(m, n, k, *gpu) else "GPU"


def _products(generator):
    wide = [int(size) * 256 for size in generator.integers(12, 40, 3)]
    # The first case can be done in the head: a multiple of both sides and a long stream, so the peak decides.
    rows = [
        (8192, 8192, 8192, TPUS[1]),
        (int(generator.integers(4, 40)), wide[0], wide[1], TPUS[1]),  # short stream: the v6e has less bandwidth
        (int(generator.integers(4, 40)), wide[1], wide[2], TPUS[0]),  # the v5p has more
        (8192, wide[1], wide[0], TPUS[2]),  # the v4 has the smaller peak
        (65536, 4096, 129, TPUS[0]),  # one row of weights too many
        (65536, wide[2], 136, TPUS[0]),
        (8192, wide[0], wide[2] + 1, TPUS[0]),  # the same in a wide layer hardly matters
    ]
    return [{"m": m, "n": n, "k": k, "tpu": tpu, "gpu": A100} for m, n, k, tpu in rows]


def _by(*, rate=None, swapped=False):
    def wrong(m, n, k, tpu, gpu):
        first, second = rate(m, n, k, *tpu), rate(m, n, k, *gpu)
        return "TPU" if (first > second) != swapped else "GPU"

    return wrong


FASTER = Exercise(
    id="systolic.faster",
    title="When a GPU wins",
    signature="faster(m, n, k, tpu, gpu)",
    unit="",
    points=2,
    reference=faster,
    shows=(faster, useful_rate),
    groups=(Group("products", 1.0, _products),),
    hints=(
        "You have the function already: ask it about each chip.",
        "useful_rate(m, n, k, *tpu) hands over the three numbers of a chip at once.",
        'Compare the two rates and return "TPU" or "GPU".',
    ),
    solution="""
import math


def faster(m, n, k, tpu, gpu):
    def rate(side, peak_flops, memory_bandwidth):
        share = k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2)
        intensity = m * n * k / (m * k + k * n + m * n)
        return min(peak_flops * share, memory_bandwidth * intensity)

    return "TPU" if rate(*tpu) > rate(*gpu) else "GPU"
""",
    explanation=(
        "Three ways to win: peak for long streams over wide layers, bandwidth for short streams, and small tiles for "
        "awkward widths. A big array is the best at the first and the worst at the third."
    ),
    mistakes=(
        Mistake(
            "by peak",
            _by(rate=lambda m, n, k, side, peak, bandwidth: peak),
            "You compared the peaks. Padding and memory decide which of them can be used.",
        ),
        Mistake(
            "by bandwidth",
            _by(rate=lambda m, n, k, side, peak, bandwidth: bandwidth),
            "You compared the bandwidths. That decides short streams; a long one is held by the cells.",
        ),
        Mistake(
            "padding forgotten",
            _by(rate=lambda m, n, k, side, peak, bandwidth: min(peak, bandwidth * m * n * k / (m * k + k * n + m * n))),
            "You forgot the padding: on a large array an awkward size fills many cells with zeros.",
        ),
        Mistake(
            "memory forgotten",
            _by(rate=lambda m, n, k, side, peak, bandwidth: useful_rate(m, n, k, side, peak, 1e30)),
            "You forgot the memory roof. A short stream waits for bytes.",
        ),
        Mistake("swapped", _by(rate=useful_rate, swapped=True), "You named the slower one. Return the faster one."),
        Mistake(
            "other words",
            lambda m, n, k, tpu, gpu: faster(m, n, k, tpu, gpu).lower(),
            'Right, but in other letters: return exactly "TPU" or "GPU".',
            v.TYPE,
        ),
    ),
    mutants=(
        Mutant(
            source="""
def faster(m, n, k, t, g):
    return 'TPU'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
        Mutant(
            source="""
def faster(m, n, k, t, g):
    return t[2] > g[2]
""",
            verdict=v.TYPE,
            says="Return text",
        ),
    ),
)
