"""The exercises of chapter 3, the roofline."""

import math

import numpy as np

from chip2cluster import roofline

from .. import verdict as v
from .model import Exercise, Group, Mistake, Mutant


def _chips(generator, count):
    """Peaks and bandwidths of imaginary chips, with ridges from about 50 to 1000 FLOP/byte."""
    bandwidth = generator.uniform(0.5e12, 9e12, count).round(-9)
    ridge = generator.uniform(50, 1000, count)
    return (bandwidth * ridge).round(-9), bandwidth


def _arrays(draw, name, advice):
    """Five of the drawn cases as one call with arrays instead of numbers."""

    def together(generator):
        rows = draw(generator)
        return [{key: np.array([row[key] for row in rows]) for key in rows[0]}]

    return Group(name, 0.2, together, v.TYPE, advice)


ARRAY_ADVICE = "It works for one number and not for an array of them. Use NumPy: np.minimum and np.where instead of min and if."


# --- ridge -------------------------------------------------------------------
def ridge_from_datasheet(sparse_tflops, bandwidth_gbytes):
    """Dense ridge point of a chip whose data sheet prints sparse TFLOP/s and GB/s."""
    peak_flops_dense = sparse_tflops * 1e12 / 2
    memory_bandwidth = bandwidth_gbytes * 1e9
    return roofline.ridge_point(peak_flops_dense, memory_bandwidth)


def _sheets(generator):
    peak, bandwidth = _chips(generator, 5)
    return [{"sparse_tflops": 2 * p / 1e12, "bandwidth_gbytes": b / 1e9} for p, b in zip(peak, bandwidth)]


RIDGE = Exercise(
    id="roofline.ridge",
    title="The ridge, from a data sheet",
    prompt=(
        "A data sheet prints the 16-bit peak in TFLOP/s with sparsity and the memory bandwidth in GB/s. "
        "Return the ridge point for dense work, in FLOP/byte."
    ),
    signature="ridge(sparse_tflops, bandwidth_gbytes)",
    unit="FLOP/byte",
    points=2,
    minutes=4,
    difficulty=1,
    importance=5,
    reference=ridge_from_datasheet,
    shows=(ridge_from_datasheet, roofline.ridge_point),
    groups=(Group("chips", 1.0, _sheets),),
    hints=(
        "The ridge is where the sloped roof reaches the flat one: bandwidth × intensity = peak.",
        "Bring both numbers to base units first: FLOP/s and bytes/s.",
        "Structured sparsity doubles the printed peak. Dense work gets half of it.",
    ),
    explanation=(
        "Half of the printed peak is the dense one; T is 10^12 and G is 10^9. "
        "FLOP/s over bytes/s leaves FLOP/byte: how much arithmetic each byte must bring along."
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
            "Two slips: the ridge is upside down (it is peak over bandwidth), and the peak with sparsity was used.",
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
            "Two slips: T is 10^12 and G is 10^9, so the prefixes don't cancel; and this is the peak with sparsity.",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes",
            lambda sparse_tflops, bandwidth_gbytes: sparse_tflops * 1e12 / 2 / (bandwidth_gbytes * 1e9 / 8),
            "You divided the bandwidth by 8. GB/s are bytes already; Gb/s would be bits.",
            v.UNIT,
        ),
    ),
    mutants=(
        Mutant("def ridge(s, b):\n    return s * 1e12 / (b * 1e9)", v.MISCONCEPTION, "sparsity"),
        Mutant("def ridge(s, b):\n    return b * 1e9 / (s * 0.5e12)", v.MISCONCEPTION, "upside down"),
        Mutant("def ridge(s, b):\n    return s / 2 / b", v.UNIT, "1000 times too small"),
        Mutant("def ridge(s, b):\n    return s * 1e12 / 2 / (b * 1e9 / 8)", v.UNIT, "bits"),
        Mutant("def ridge(s, b):\n    return s", v.REFUSED, "hands back its own argument"),
        Mutant(
            "from chip2cluster import roofline\ndef ridge(s, b):\n    return roofline.ridge_point(s * 5e11, b * 1e9)",
            v.REFUSED,
            "the answer itself",
        ),
    ),
)


# --- attainable --------------------------------------------------------------
def _operations(generator):
    peak, bandwidth = _chips(generator, 6)
    # Three on each side of the ridge, none close to it.
    relative = np.concatenate([generator.uniform(0.003, 0.8, 3), generator.uniform(1.3, 20, 3)])
    rows = zip(relative * peak / bandwidth, peak, bandwidth)
    return [{"intensity": i, "peak_flops": p, "memory_bandwidth": b} for i, p, b in rows]


def _attainable_edges(generator):
    return [
        {"intensity": 0.0, "peak_flops": 312e12, "memory_bandwidth": 2.0e12},
        {"intensity": 156.0, "peak_flops": 312e12, "memory_bandwidth": 2.0e12},
    ]


ATTAINABLE = Exercise(
    id="roofline.attainable",
    title="The attainable rate",
    prompt="Return the highest rate that the two roofs allow, in FLOP/s. It must work for arrays too.",
    signature="attainable(intensity, peak_flops, memory_bandwidth)",
    unit="FLOP/s",
    points=3,
    minutes=5,
    difficulty=1,
    importance=5,
    reference=roofline.attainable,
    groups=(
        Group("numbers", 0.7, _operations),
        _arrays(_operations, "arrays", ARRAY_ADVICE),
        Group("edges", 0.1, _attainable_edges, advice="Look at intensity 0 and at the ridge itself."),
    ),
    hints=(
        "There are two limits: how fast the chip computes, and how fast bytes arrive times what each byte is used for.",
        "Both are upper bounds. Which one holds when they differ?",
        "The smaller one: min(peak, bandwidth × intensity). np.minimum does it for arrays.",
    ),
    explanation=(
        "Bytes arrive at `memory_bandwidth`; each brings `intensity` operations. The product is what the memory can "
        "feed, the peak is what the units can do; the smaller of the two is what you can get."
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
            "You returned the share of the peak, from 0 to 1. The rate in FLOP/s is wanted.",
            v.UNIT,
        ),
        Mistake(
            "no overlap",
            lambda intensity, peak_flops, memory_bandwidth: peak_flops
            * memory_bandwidth
            * intensity
            / (peak_flops + memory_bandwidth * intensity),
            "You added the two times. The roofline assumes that computing and moving overlap: the slower one decides.",
        ),
    ),
    mutants=(
        Mutant("def attainable(i, p, b):\n    return max(p, b * i)", v.MISCONCEPTION, "larger roof"),
        Mutant("def attainable(i, p, b):\n    return b * i", v.MISCONCEPTION, "past the ridge"),
        Mutant("def attainable(i, p, b):\n    return min(p, b * i)", v.TYPE, "np.minimum", 0.8),
        Mutant(
            "import numpy as np\ndef attainable(i, p, b):\n    return np.minimum(p, b * i) / p", v.UNIT, "share of the peak"
        ),
        Mutant("def attainable(i, p, b):\n    return 312e12", v.REFUSED, "whatever it is asked"),
        Mutant(
            "from chip2cluster.roofline import attainable as best\ndef attainable(i, p, b):\n    return best(i, p, b)",
            v.REFUSED,
            "the answer itself",
        ),
    ),
)


# --- intensity of a matrix product -------------------------------------------
def gemm_intensity(m, n, k, bytes_per_element):
    """Arithmetic intensity of C[m, n] = A[m, k] B[k, n], each operand moved once."""
    flops = 2 * m * n * k
    bytes_moved = bytes_per_element * (m * k + k * n + m * n)
    return flops / bytes_moved


def _products(generator):
    return [
        {
            "m": int(generator.integers(3, 60)),
            "n": int(generator.integers(70, 300)),
            "k": int(generator.integers(400, 3000)),
            "bytes_per_element": size,
        }
        for size in (1, 2, 4, 2, 1)
    ]


def _intensity(flops_per_mac=2, a=1, b=1, c=1, scale=lambda size: size):
    def wrong(m, n, k, bytes_per_element):
        return flops_per_mac * m * n * k / (scale(bytes_per_element) * (a * m * k + b * k * n + c * m * n))

    return wrong


def _same(size):
    return 1


GEMM = Exercise(
    id="roofline.gemm_intensity",
    title="The intensity of a matrix product",
    prompt=(
        "C[m, n] = A[m, k] B[k, n]. Each of the three matrices crosses the memory interface once. "
        "Return the arithmetic intensity in FLOP/byte."
    ),
    signature="gemm_intensity(m, n, k, bytes_per_element)",
    unit="FLOP/byte",
    points=3,
    minutes=6,
    difficulty=2,
    importance=5,
    reference=gemm_intensity,
    shows=(gemm_intensity, roofline.gemm),
    groups=(Group("products", 1.0, _products),),
    hints=(
        "Count the work first: how many multiplications and how many additions give one entry of C?",
        "Each of the m·n entries takes k multiply-accumulates, and each of those is 2 FLOP.",
        "The traffic is A, B and C once each: (m·k + k·n + m·n) elements of bytes_per_element bytes.",
    ),
    explanation=(
        "Work grows with m·n·k, traffic with the three faces of the same box. The thinner the box, the less each byte "
        "is used: with n = 1 the whole of A is read for one product an element."
    ),
    mistakes=(
        Mistake(
            "multiply-accumulates counted once",
            _intensity(flops_per_mac=1),
            "You counted a multiply-accumulate as one operation. It is two: a product and a sum.",
            v.FACTOR,
        ),
        Mistake(
            "element size forgotten",
            _intensity(scale=_same),
            "You divided by elements, not by bytes. Multiply the traffic by bytes_per_element.",
        ),
        Mistake("bits for bytes", _intensity(scale=lambda size: 8 * size), "You counted the traffic in bits.", v.UNIT),
        Mistake(
            "result traffic forgotten", _intensity(c=0), "You left out the traffic of C: the result is written once."
        ),
        Mistake("traffic of A forgotten", _intensity(a=0), "You left out the traffic of A: m·k elements are read once."),
        Mistake("traffic of B forgotten", _intensity(b=0), "You left out the traffic of B: k·n elements are read once."),
        Mistake(
            "operand traffic forgotten",
            _intensity(a=0, b=0),
            "You counted only what is written. Both operands, A and B, must be read too.",
        ),
        Mistake(
            "B alone", _intensity(a=0, c=0), "You counted only the weights B. A is read and C is written as well."
        ),
        Mistake("A alone", _intensity(b=0, c=0), "You counted only A. B is read and C is written as well."),
        Mistake(
            "C counted twice",
            _intensity(c=2),
            "You counted C twice. It is written once and, in a plain product, never read.",
        ),
        Mistake("A counted twice", _intensity(a=2), "You counted A twice. Each operand crosses the interface once."),
        Mistake("B counted twice", _intensity(b=2), "You counted B twice. Each operand crosses the interface once."),
        Mistake(
            "intensity inverted",
            lambda m, n, k, bytes_per_element: 1 / gemm_intensity(m, n, k, bytes_per_element),
            "Your intensity is upside down, in bytes per FLOP. It is FLOP over bytes.",
        ),
        Mistake(
            "once and no size",
            _intensity(flops_per_mac=1, scale=_same),
            "Two slips: a multiply-accumulate is 2 FLOP, and the traffic must be in bytes, not in elements.",
            v.FACTOR,
        ),
        Mistake(
            "no reuse",
            lambda m, n, k, bytes_per_element: 2 * m * n * k / (bytes_per_element * 2 * m * n * k),
            "You fetched both operands again for every product. Each matrix moves once; reuse is the point.",
        ),
    ),
    mutants=(
        Mutant(
            "def gemm_intensity(m, n, k, s):\n    return m * n * k / (s * (m * k + k * n + m * n))",
            v.FACTOR,
            "It is two",
        ),
        Mutant(
            "def gemm_intensity(m, n, k, s):\n    return 2 * m * n * k / (m * k + k * n + m * n)",
            v.MISCONCEPTION,
            "bytes_per_element",
        ),
        Mutant("def gemm_intensity(m, n, k, s):\n    return 2 * m * n * k / (s * m * n)", v.MISCONCEPTION, "Both operands"),
        Mutant(
            "def gemm_intensity(m, n, k, s):\n    return 2 * m * n * k / (s * (m * k + k * n + 2 * m * n))",
            v.MISCONCEPTION,
            "C twice",
        ),
        Mutant(
            "def gemm_intensity(m, n, k, s):\n    return 2 * m * n * k / (s * (m * k + k * n))",
            v.MISCONCEPTION,
            "traffic of C",
        ),
        Mutant("def gemm_intensity(m, n, k, s):\n    return str(m)", v.TYPE, "Return a number"),
    ),
)


# --- placing operations (33.2.1) ---------------------------------------------
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
    prompt=(
        'Return "compute" or "memory": the roof that limits an operation of this intensity. '
        'An operation exactly at the ridge counts as "compute".'
    ),
    signature="bound_by(intensity, peak_flops, memory_bandwidth)",
    unit="",
    points=2,
    minutes=4,
    difficulty=1,
    importance=4,
    reference=bound_by,
    shows=(bound_by, roofline.is_compute_bound),
    groups=(
        Group("operations", 0.8, _operations),
        Group("edges", 0.2, _bound_edges, advice='Exactly at the ridge both roofs are equal: call that "compute".'),
    ),
    hints=(
        "Every operation lies under both extended lines, so asking under which line it lies decides nothing.",
        "Compare the intensity with one number of the chip.",
        "That number is the ridge, peak over bandwidth. At or right of it: compute.",
    ),
    explanation=(
        "One comparison settles it: intensity against the ridge. There is no third region between the roofs; a printed "
        "version of this rule invents one."
    ),
    mistakes=(
        Mistake(
            "swapped",
            lambda intensity, peak_flops, memory_bandwidth: "memory"
            if intensity * memory_bandwidth >= peak_flops
            else "compute",
            "You have the two the wrong way round: much arithmetic for each byte means that computing takes longest.",
        ),
        Mistake(
            "ridge inverted",
            lambda intensity, peak_flops, memory_bandwidth: "compute"
            if intensity >= memory_bandwidth / peak_flops
            else "memory",
            "You compared with bandwidth over peak. The ridge is peak over bandwidth.",
        ),
        Mistake(
            "ridge belongs to memory",
            lambda intensity, peak_flops, memory_bandwidth: "compute"
            if intensity * memory_bandwidth > peak_flops
            else "memory",
            'Exactly at the ridge both roofs are equal: call that "compute" (>= instead of >).',
        ),
    ),
    mutants=(
        Mutant(
            'def bound_by(i, p, b):\n    return "memory" if i >= p / b else "compute"', v.MISCONCEPTION, "wrong way round"
        ),
        Mutant('def bound_by(i, p, b):\n    return "compute" if i >= b / p else "memory"', v.MISCONCEPTION, "peak over"),
        Mutant('def bound_by(i, p, b):\n    return "compute" if i > p / b else "memory"', v.EDGES, ">=", 0.8),
        Mutant("def bound_by(i, p, b):\n    return i >= p / b", v.TYPE, "Return text"),
        Mutant('def bound_by(i, p, b):\n    return "memory"', v.REFUSED, "whatever it is asked"),
    ),
)


# --- batch threshold (33.2.2) ------------------------------------------------
def smallest_batch(d_in, d_out, peak_flops, memory_bandwidth):
    """Smallest compute-bound batch of a bf16 product [batch, d_in] x [d_in, d_out]."""
    return roofline.batch_threshold(d_in, d_out, peak_flops, memory_bandwidth, bytes_per_element=2)


def _layers(generator):
    widths = generator.integers(20, 120, 5) * 128
    peak, bandwidth = _chips(generator, 5)
    ridge = generator.uniform(60, 400, 5)
    return [
        {"d_in": int(d), "d_out": int(d) * int(m), "peak_flops": float(b * r), "memory_bandwidth": float(b)}
        for d, m, b, r in zip(widths, (4, 3, 4, 2, 5), bandwidth, ridge)
    ]


def _narrow(generator):
    return [
        {"d_in": 256, "d_out": 256, "peak_flops": 989.4e12, "memory_bandwidth": 3.35e12},
        {"d_in": 8192, "d_out": 32768, "peak_flops": 1e12, "memory_bandwidth": 2.0e12},
    ]


def _threshold(weights_only=False, flops_per_mac=2, size=2, rounding=math.ceil):
    def wrong(d_in, d_out, peak_flops, memory_bandwidth):
        ridge = peak_flops / memory_bandwidth * size / flops_per_mac
        room = 1.0 if weights_only else 1 - ridge * (d_in + d_out) / (d_in * d_out)
        return rounding(ridge / room) if room > 0 else math.inf

    return wrong


BATCH = Exercise(
    id="roofline.smallest_batch",
    title="How many tokens must share the weights?",
    prompt=(
        "In bf16 (2 bytes an element), a batch of tokens [batch, d_in] meets a weight matrix [d_in, d_out]. Return the "
        "smallest whole batch at which the product is compute-bound, and math.inf where no batch is large enough."
    ),
    signature="smallest_batch(d_in, d_out, peak_flops, memory_bandwidth)",
    unit="tokens",
    points=4,
    minutes=9,
    difficulty=3,
    importance=4,
    reference=smallest_batch,
    shows=(roofline.batch_threshold, roofline.batching._threshold),
    tolerance=1e-9,
    groups=(
        Group("layers", 0.75, _layers),
        Group(
            "edges",
            0.25,
            _narrow,
            advice="A narrow layer never gets there (return math.inf), and a slow chip is compute-bound at batch 1.",
        ),
    ),
    hints=(
        "Write the intensity of the product as a function of the batch B, with your gemm_intensity in mind.",
        "Set it equal to the ridge and solve for B. The B·d_in and B·d_out terms stay in the denominator.",
        "B = R·d_in·d_out / (d_in·d_out − R·(d_in + d_out)) at 2 bytes, R the ridge; round up; ≤ 0 below the line: never.",
    ),
    explanation=(
        "With weights alone the answer would be the ridge itself. The activations are traffic too and grow with the "
        "batch, so the true threshold is larger, and in a narrow layer there is none. The package solves it in whole "
        "numbers, so that rounding cannot move the answer by one."
    ),
    mistakes=(
        Mistake(
            "activations forgotten",
            _threshold(weights_only=True),
            "You counted the weights alone, which gives the ridge itself. The activations, in and out, are traffic too.",
        ),
        Mistake(
            "the ridge itself",
            _threshold(weights_only=True, rounding=lambda batch: batch),
            "You returned the ridge. That counts the weights alone; the activations, in and out, are traffic too. "
            "And a batch is a whole number.",
        ),
        Mistake(
            "rounded down",
            _threshold(rounding=math.floor),
            "One token short: at this batch the product is still memory-bound. Round up.",
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
    ),
    mutants=(
        Mutant(
            "import math\ndef smallest_batch(i, o, p, b):\n    return math.ceil(p / b)", v.MISCONCEPTION, "activations"
        ),
        Mutant(
            "import math\ndef smallest_batch(i, o, p, b):\n    r = p / b\n"
            "    return math.floor(r * i * o / (i * o - r * (i + o)))",
            v.MISCONCEPTION,
            "Round up",
        ),
        Mutant(
            "import math\ndef smallest_batch(i, o, p, b):\n    r = p / b\n"
            "    return math.ceil(r * i * o / (i * o - r * (i + o)))",
            v.EDGES,
            "math.inf",
            0.75,
        ),
        Mutant(
            "def smallest_batch(i, o, p, b):\n    r = p / b\n    return r * i * o / (i * o - r * (i + o))",
            v.MISCONCEPTION,
            "whole number",
        ),
    ),
)


# --- decoding ----------------------------------------------------------------
GIB = 2**30


def decode_rate(weights_gib, bandwidth_gbytes):
    """Most tokens a second for one user when every token reads all weights once."""
    weights_bytes = weights_gib * GIB
    memory_bandwidth = bandwidth_gbytes * 1e9
    return memory_bandwidth / weights_bytes


def _models(generator):
    return [
        {"weights_gib": round(float(w), 2), "bandwidth_gbytes": round(float(b))}
        for w, b in zip(generator.uniform(5, 140, 5), generator.uniform(300, 8000, 5))
    ]


DECODE = Exercise(
    id="roofline.decode_rate",
    title="Tokens a second for one user",
    prompt=(
        "A model's weights take weights_gib GiB on the chip. Its memory delivers bandwidth_gbytes GB/s. One user decodes "
        "alone, so each token reads every weight once. Return the most tokens a second that the memory allows."
    ),
    signature="decode_rate(weights_gib, bandwidth_gbytes)",
    unit="tokens/s",
    points=2,
    minutes=4,
    difficulty=2,
    importance=5,
    reference=decode_rate,
    groups=(Group("models", 1.0, _models),),
    hints=(
        "How long does it take to read all weights once? One token takes at least that long.",
        "Bytes over bytes/s. Bring both to bytes first; the two prefixes differ.",
        "GiB is 2**30 bytes and GB is 10**9 bytes.",
    ),
    explanation=(
        "At batch 1 the intensity is about 1 FLOP/byte, far left of every ridge: time is bytes over bandwidth, and the "
        "peak does not enter. That is why three times the FLOP/s changed nothing in the question at the top."
    ),
    mistakes=(
        Mistake(
            "GB for GiB",
            lambda weights_gib, bandwidth_gbytes: bandwidth_gbytes / weights_gib,
            "You took GiB for GB. The weights are in GiB (2**30 bytes), the bandwidth is in GB/s (10**9 bytes).",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes",
            lambda weights_gib, bandwidth_gbytes: bandwidth_gbytes * 1e9 / 8 / (weights_gib * GIB),
            "You divided the bandwidth by 8. GB/s are bytes already; Gb/s would be bits.",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes and GB for GiB",
            lambda weights_gib, bandwidth_gbytes: bandwidth_gbytes / 8 / weights_gib,
            "Two slips: GB/s are bytes already, so don't divide by 8; and the weights are in GiB, 2**30 bytes.",
            v.UNIT,
        ),
        Mistake(
            "seconds a token",
            lambda weights_gib, bandwidth_gbytes: weights_gib * GIB / (bandwidth_gbytes * 1e9),
            "You returned seconds for each token. Tokens for each second are wanted: turn it over.",
        ),
    ),
    mutants=(
        Mutant("def decode_rate(w, b):\n    return b / w", v.UNIT, "GiB for GB"),
        Mutant("def decode_rate(w, b):\n    return b * 1e9 / 8 / (w * 2**30)", v.UNIT, "divided the bandwidth by 8"),
        Mutant("def decode_rate(w, b):\n    return w * 2**30 / (b * 1e9)", v.MISCONCEPTION, "seconds for each token"),
        Mutant("def decode_rate(w, b):\n    return b / (w * 2**30)", v.UNIT, "prefix"),
    ),
)

EXERCISES = (RIDGE, ATTAINABLE, GEMM, BOUND, BATCH, DECODE)
