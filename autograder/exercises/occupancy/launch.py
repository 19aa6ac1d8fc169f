"""How many blocks, and who is idle?"""

import numpy as np

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def launch(elements, threads_per_block):
    """Blocks that cover all elements, and the threads of the last one that have nothing to do."""
    blocks = -(-elements // threads_per_block)
    return np.array([blocks, blocks * threads_per_block - elements])


def _arrays(generator):
    easy = {"elements": 1000, "threads_per_block": 300}
    drawn = []
    for size in (96, 128, 256, 512):
        whole, rest = int(generator.integers(20, 4000)), int(generator.integers(1, size // 3))
        drawn.append({"elements": whole * size + rest, "threads_per_block": size})
    return [easy, *drawn]


def _even(generator):
    size, whole = int(generator.integers(2, 9)) * 32, int(generator.integers(5, 900))
    return [
        {"elements": whole * size, "threads_per_block": size},
        {"elements": 5, "threads_per_block": size},
        {"elements": whole * size + 1, "threads_per_block": size},
    ]


def _wrong(answer):
    def wrong(elements, threads_per_block):
        up = -(-elements // threads_per_block)
        return np.array(answer(elements, threads_per_block, up))

    return wrong


LAUNCH = Exercise(
    id="occupancy.launch",
    title="How many blocks, and who is idle?",
    signature="launch(elements, threads_per_block)",
    unit="",
    points=2,
    reference=launch,
    tolerance=1e-9,
    groups=(
        Group("arrays", 0.75, _arrays),
        Group(
            "edges",
            0.25,
            _even,
            advice="An array that fills its last block leaves nobody idle and needs no block more.",
        ),
    ),
    hints=(
        "Blocks come whole. Round which way, so that no element is left out?",
        "Up: math.ceil(elements / threads_per_block), or -(-elements // threads_per_block).",
        "Idle: all threads launched minus all elements.",
    ),
    solution="""
def launch(elements, threads_per_block):
    blocks = -(-elements // threads_per_block)
    return blocks, blocks * threads_per_block - elements
""",
    explanation=(
        "The usual idiom in a launch is `(n + t - 1) / t`, the same thing in whole numbers. At most one block is partly "
        "idle, so for a large array the waste is nothing; for a tiny one it is almost everything."
    ),
    mistakes=(
        Mistake(
            "rounded down",
            _wrong(lambda n, t, up: (n // t, n % t)),
            "You rounded down: the last elements have no thread. What you gave as idle threads are elements left out.",
        ),
        Mistake(
            "rounded down, idle negative",
            _wrong(lambda n, t, up: (n // t, n // t * t - n)),
            "You rounded down: the last elements have no thread, so your idle threads come out negative. Round up.",
        ),
        Mistake(
            "remainder for idle",
            _wrong(lambda n, t, up: (up, n % t)),
            "The blocks are right. The remainder counts the threads of the last block that work; the others are idle.",
        ),
        Mistake(
            "one block more",
            _wrong(lambda n, t, up: (n // t + 1, (n // t + 1) * t - n)),
            "Adding 1 to the rounded-down quotient is one block too many when the elements fill their blocks exactly.",
            share=0.75,
        ),
        Mistake(
            "idle by remainder",
            _wrong(lambda n, t, up: (up, t - n % t)),
            "When the elements fill their blocks exactly the remainder is 0, and nobody is idle; you get a whole block.",
            share=0.75,
        ),
        Mistake(
            "the other order",
            _wrong(lambda n, t, up: (up * t - n, up)),
            "Both numbers are right, in the other order: blocks first, then idle threads.",
        ),
        Mistake(
            "threads launched",
            _wrong(lambda n, t, up: (up, up * t)),
            "Your second number counts all threads launched. Take away those that have an element.",
        ),
        Mistake(
            "not rounded",
            _wrong(lambda n, t, up: (n / t, 0)),
            "Blocks come whole: round up.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def launch(n, t):
    return -(-n // t)
""",
            verdict=v.TYPE,
            says="an array of 2 numbers",
        ),
    ),
)
