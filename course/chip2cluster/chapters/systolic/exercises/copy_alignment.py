"""Exercise on the widest copy instruction that a product's alignment allows."""

from chip2cluster import systolic
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def widest_copy(m, n, k, bytes_per_element):
    """Widest copy that the rows of C[m, n] = A[m, k] B[k, n] allow: "TMA", "cp.async" or "element"."""
    return systolic.widest_copy(n, k, bytes_per_element)


def _odd(generator, low=20, high=900):
    return 2 * int(generator.integers(low, high)) + 1


def _products(generator):
    odd = lambda: _odd(generator)
    # The first case can be done in the head: rows of 8 × 2 = 16 bytes.
    rows = [
        (3, 8, 16, 2),
        (odd(), 16 * odd(), 8 * odd(), 2),  # m is odd, and no row has m elements
        (64 * odd(), 2 * odd(), 64 * odd(), 2),  # n even
        (64 * odd(), 64 * odd(), 2 * odd(), 2),  # k even
        (64 * odd(), 4 * odd(), 64 * odd(), 2),  # rows of 8 bytes: still cp.async
        (64 * odd(), odd(), 64 * odd(), 2),
        (64 * odd(), 64 * odd(), odd(), 2),
        (64 * odd(), odd(), 2 * odd(), 2),  # one row odd, the other even
        (odd(), 16 * odd(), 16 * odd(), 2),  # 32 bytes
        (odd(), 4 * odd(), 4 * odd(), 4),  # four elements of 4 bytes
        (odd(), odd(), 4 * odd(), 4),  # a single element of 4 bytes is enough for cp.async
        (64 * odd(), 2 * odd(), 2 * odd(), 4),
        (odd(), 16 * odd(), 16 * odd(), 1),
        (64 * odd(), 8 * odd(), 64 * odd(), 1),  # 8 elements of 1 byte are 8 bytes
        (64 * odd(), 4 * odd(), 16 * odd(), 1),
        (64 * odd(), 16 * odd(), 2 * odd(), 1),  # even, and rows of 2 bytes
    ]
    first, rest = rows[0], rows[1:]
    order = [first, *(rest[place] for place in generator.permutation(len(rest)))]
    return [dict(zip(("m", "n", "k", "bytes_per_element"), row, strict=True)) for row in order]


def _by(*, wide=16, narrow=4, sizes="nk", all_rows=all, count=lambda size, width: size * width):
    def wrong(m, n, k, bytes_per_element):
        rows = [count({"m": m, "n": n, "k": k}[name], bytes_per_element) for name in sizes]
        for step, copy in ((wide, "TMA"), (narrow, "cp.async")):
            if step and all_rows(row % step == 0 for row in rows):
                return copy
        return "element"

    return wrong


def _meaning():
    at = {step.n: step for step in systolic.product_steps("vocabulary")}
    odd, even, full = (at[n].flops_per_second / 1e12 for n in (50257, 50258, 50304))
    return (
        f"On an H100, 8,192 tokens through a last layer of 50,257 words run at {odd:.0f} TFLOP/s, one element per copy. One "
        f"more column allows cp.async, {even:.0f} TFLOP/s, and padding to 50,304 allows TMA: {full:.0f} TFLOP/s. The rule names "
        "the right kernel in all but one of 4,429 recorded products: for n = 1 the product is a vector, and any kernel will do."
    )


ALIGNMENT = Exercise(
    id="systolic.alignment",
    title="Which copy can it use?",
    signature="widest_copy(m, n, k, bytes_per_element)",
    unit="",
    points=3,
    reference=widest_copy,
    shows=(widest_copy, systolic.widest_copy),
    groups=(Group("products", 1.0, _products),),
    hints=(
        "How many elements has a row of A, of B and of C? Only two of the three sizes occur. Multiply each by the size of an "
        "element: now you have the length of a row in bytes.",
        "All rows must suit a copy. Ask for the widest copy first, then for the next one.",
        'Multiples of 16 bytes allow "TMA". Multiples of 4 bytes, 8 included, allow "cp.async". Anything else is "element".',
    ),
    solution="""
def widest_copy(m, n, k, bytes_per_element):
    rows = [n * bytes_per_element, k * bytes_per_element]
    if all(row % 16 == 0 for row in rows):
        return "TMA"
    if all(row % 4 == 0 for row in rows):
        return "cp.async"
    return "element"
""",
    explanation=(
        "If the first row starts at a multiple of 16 bytes, so does every other row if its length is a multiple of 16 bytes. One "
        "misaligned matrix is enough to lose the fast kernel, because the kernel copies all three. The batch m counts rows and "
        "is in no row's length, so it may be odd."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "eight elements in every format",
            _by(wide=8, narrow=2, count=lambda size, width: size),
            "You asked for multiples of 8 and of 2 elements, which is right for 2-byte formats alone. Count bytes: "
            "elements times bytes_per_element.",
        ),
        Mistake(
            "elements for bytes",
            _by(count=lambda size, width: size),
            "You compared numbers of elements with 16 and 4. These are bytes: multiply by bytes_per_element first.",
        ),
        *(
            Mistake(
                f"{alone} alone aligned",
                _by(sizes=alone),
                f"You looked at {alone} alone. A has rows of k elements and C has rows of n: both lengths count.",
            )
            for alone in "nk"
        ),
        Mistake(
            "m aligned as well",
            _by(sizes="mnk"),
            "You asked for an aligned m. No row has m elements: A has rows of k, B and C have rows of n (or k, if B is stored "
            "transposed).",
        ),
        Mistake(
            "m instead of n",
            _by(sizes="mk"),
            "You looked at m and k. A has m rows of k elements, so m is no row's length. C has rows of n elements.",
        ),
        Mistake(
            "one aligned row is enough",
            _by(all_rows=any),
            "You required only one aligned matrix. The kernel copies all three, so every row length must fit.",
        ),
        Mistake(
            "the whole matrix aligned",
            lambda m, n, k, bytes_per_element: _by(sizes="n", count=lambda size, width: size * k * width)(
                m, n, k, bytes_per_element
            ),
            "You asked about the bytes of a whole matrix. Every row must start at a multiple, so the length of one row counts.",
        ),
        Mistake(
            "never cp.async",
            _by(narrow=0),
            'You return only "TMA" or "element". Between them is "cp.async": rows that are multiples of 4 bytes.',
        ),
        Mistake(
            "cp.async from 8 bytes",
            _by(narrow=8),
            "You asked for multiples of 8 bytes for cp.async. It copies 4 bytes, too: multiples of 4 are enough.",
        ),
        Mistake(
            "cp.async from 2 bytes",
            _by(narrow=2),
            "You accepted rows of 2 bytes for cp.async. Its smallest copy has 4 bytes.",
        ),
        Mistake(
            "TMA from 8 bytes",
            _by(wide=8),
            "You accepted multiples of 8 bytes for TMA. It needs rows at multiples of 16 bytes.",
        ),
        Mistake(
            "TMA from 32 bytes",
            _by(wide=32),
            "You asked for multiples of 32 bytes for TMA. Multiples of 16 bytes are enough.",
        ),
        Mistake(
            "TMA at multiples of 128 bytes",
            _by(wide=128),
            "You asked for whole cache lines of 128 bytes. TMA needs rows at multiples of 16 bytes.",
        ),
        Mistake(
            "other words",
            lambda m, n, k, bytes_per_element: widest_copy(m, n, k, bytes_per_element).swapcase(),
            'Right, but in other letters: return exactly "TMA", "cp.async" or "element".',
            v.TYPE,
        ),
    ),
    mutants=MUTANTS["systolic.alignment"],
)  # fmt: skip
