"""Exercise on the arithmetic intensity of a matrix product (GEMM)."""

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def gemm_intensity(m, n, k, bytes_per_element):
    """Arithmetic intensity of C[m, n] = A[m, k] B[k, n], each operand moved once."""
    flops = 2 * m * n * k
    bytes_moved = bytes_per_element * (m * k + k * n + m * n)
    return flops / bytes_moved


def _products(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"m": 2, "n": 3, "k": 4, "bytes_per_element": 2}
    drawn = [
        {
            "m": int(generator.integers(3, 60)),
            "n": int(generator.integers(70, 300)),
            "k": int(generator.integers(400, 3000)),
            "bytes_per_element": size,
        }
        for size in (1, 2, 4, 2, 1)
    ]
    return [easy, *drawn]


def _intensity(flops_per_mac=2, a=1, b=1, c=1, scale=lambda size: size):
    def wrong(m, n, k, bytes_per_element):
        return flops_per_mac * m * n * k / (scale(bytes_per_element) * (a * m * k + b * k * n + c * m * n))

    return wrong


def _same(size):
    return 1


def _meaning():
    fat, flat = gemm_intensity(8192, 8192, 8192, 2), gemm_intensity(8192, 1, 8192, 2)
    return (
        f"A bf16 product of 8192 × 8192 matrices brings {fat:.0f} FLOP for each byte, the same matrix times one vector "
        f"{flat:.2f}. Same kind of arithmetic, same chip; only the reuse differs."
    )


GEMM = Exercise(
    id="roofline.gemm_intensity",
    title="The intensity of a matrix product",
    signature="gemm_intensity(m, n, k, bytes_per_element)",
    unit="FLOP/byte",
    points=3,
    reference=gemm_intensity,
    shows=(gemm_intensity, roofline.gemm),
    groups=(Group("products", 1.0, _products),),
    hints=(
        "Count the work first: how many multiplications and how many additions give one entry of C?",
        "Each of the m·n entries takes k multiply-accumulates, and each of those is 2 FLOP.",
        "The traffic is A, B and C once each: (m·k + k·n + m·n) elements of bytes_per_element bytes.",
    ),
    solution="""
def gemm_intensity(m, n, k, bytes_per_element):
    return 2 * m * n * k / (bytes_per_element * (m * k + k * n + m * n))
""",
    meaning=_meaning,
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
        Mistake(
            "traffic of A forgotten", _intensity(a=0), "You left out the traffic of A: m·k elements are read once."
        ),
        Mistake(
            "traffic of B forgotten", _intensity(b=0), "You left out the traffic of B: k·n elements are read once."
        ),
        Mistake(
            "operand traffic forgotten",
            _intensity(a=0, b=0),
            "You counted only what is written. Both operands, A and B, must be read too.",
        ),
        Mistake("B alone", _intensity(a=0, c=0), "You counted only the weights B. A is read and C is written as well."),
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
            "Two mistakes: a multiply-accumulate is 2 FLOP, and the traffic must be in bytes, not in elements.",
            v.FACTOR,
        ),
        Mistake(
            "no reuse",
            lambda m, n, k, bytes_per_element: 2 * m * n * k / (bytes_per_element * 2 * m * n * k),
            "You fetched both operands again for every multiplication. Each matrix moves once, and its elements are reused.",
        ),
        Mistake(
            "the wrong shape of B",
            _intensity(a=2, b=0),
            "One of the three matrices has the wrong shape: A is m × k, B is k × n, C is m × n.",
        ),
        Mistake(
            "the wrong shape of A",
            _intensity(a=0, b=2),
            "One of the three matrices has the wrong shape: A is m × k, B is k × n, C is m × n.",
        ),
        Mistake(
            "result counted in elements",
            lambda m, n, k, bytes_per_element: 2 * m * n * k / (bytes_per_element * (m * k + k * n) + m * n),
            "You counted C in elements and the operands in bytes. Multiply all three by bytes_per_element.",
        ),
        Mistake(
            "brackets",
            lambda m, n, k, bytes_per_element: 2 * m * n * k / bytes_per_element * (m * k + k * n + m * n),
            "Python evaluates a / b * c as (a / b) * c. Put parentheses around the whole denominator.",
        ),
    ),
    mutants=MUTANTS["roofline.gemm_intensity"],
)
