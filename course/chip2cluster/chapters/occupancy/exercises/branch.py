"""What a branch costs."""

from chip2cluster import occupancy
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def branch_cycles(threads, cut, cycles_if, cycles_else):
    """Warp-cycles of a block whose first ``cut`` threads take one path and the others the other."""
    return occupancy.branch_cycles(threads, cut, cycles_if, cycles_else)


def _blocks(generator):
    easy = {"threads": 64, "cut": 16, "cycles_if": 10, "cycles_else": 3}
    drawn = []
    for warps, inside in ((4, 1), (8, 5), (12, 3), (32, 20)):
        cut = 32 * inside + int(generator.integers(3, 30))
        short, long = int(generator.integers(5, 40)), int(generator.integers(50, 200))
        pair = (long, short) if warps % 8 else (short, long)
        drawn.append({"threads": 32 * warps, "cut": cut, "cycles_if": pair[0], "cycles_else": pair[1]})
    return [easy, *drawn]


def _clean(generator):
    a, b = int(generator.integers(11, 60)), int(generator.integers(70, 99))
    return [
        {"threads": 256, "cut": 64, "cycles_if": a, "cycles_else": b},
        {"threads": 256, "cut": 0, "cycles_if": a, "cycles_else": b},
        {"threads": 256, "cut": 256, "cycles_if": a, "cycles_else": b},
        {"threads": 80, "cut": 70, "cycles_if": a, "cycles_else": b},
        {"threads": 80, "cut": 48, "cycles_if": a, "cycles_else": b},
        {"threads": 80, "cut": 80, "cycles_if": a, "cycles_else": b},
    ]


def _split(pay):
    """Whole warps on each path, and what the mixed one, if any, pays."""

    def wrong(threads, cut, cycles_if, cycles_else):
        warps, mixed = -(-threads // 32), cut % 32 > 0
        whole_if = cut // 32
        return whole_if * cycles_if + (warps - whole_if - mixed) * cycles_else + mixed * pay(cycles_if, cycles_else)

    return wrong


def _meaning():
    split, clean = branch_cycles(256, 48, 100, 100), branch_cycles(256, 64, 100, 100)
    every = 2 * clean
    return (
        f"A block of 256 threads and two paths of 100 cycles: {clean:.0f} warp-cycles with the cut at 64, {split:.0f} with the cut "
        f"at 48, and {every:.0f} where even and odd threads part. The same work in all three."
    )


BRANCH = Exercise(
    id="occupancy.branch_cycles",
    title="What a branch costs",
    signature="branch_cycles(threads, cut, cycles_if, cycles_else)",
    unit="warp-cycles",
    points=3,
    reference=branch_cycles,
    tolerance=1e-9,
    groups=(
        Group("blocks", 0.7, _blocks),
        Group(
            "edges",
            0.3,
            _clean,
            advice="A cut between two warps splits none of them; cut may be 0 or all threads; and 80 threads are three warps.",
        ),
    ),
    hints=(
        "Go through the warps: threads 0 to 31, 32 to 63, and so on. Which paths does each take?",
        "All below the cut: one path. All at or above it: the other. A warp with both pays both.",
        "Warps that touch the first path: ceil(cut / 32). Warps that touch the second: all warps minus cut // 32.",
    ),
    solution="""
def branch_cycles(threads, cut, cycles_if, cycles_else):
    warps = -(-threads // 32)
    with_if = -(-cut // 32)
    only_if = warps if cut == threads else cut // 32
    return with_if * cycles_if + (warps - only_if) * cycles_else
""",
    meaning=_meaning,
    explanation=(
        "A warp has one instruction at a time. Where its threads disagree it walks both paths, each with the other "
        "threads switched off. A cut at a multiple of 32 costs nothing extra; `threadIdx.x % 2` would make every warp pay "
        "for both."
    ),
    mistakes=(
        Mistake(
            "every warp pays both",
            lambda threads, cut, cycles_if, cycles_else: -(-threads // 32) * (cycles_if + cycles_else),
            "You let every warp pay for both paths. A warp whose threads agree takes one; only the mixed warp takes both.",
        ),
        Mistake(
            "threads pay alone",
            lambda threads, cut, cycles_if, cycles_else: (cut * cycles_if + (threads - cut) * cycles_else) / 32,
            "You let each thread pay for its own path. A warp pays as one: where its threads disagree, for both paths in full.",
        ),
        Mistake(
            "threads for warps",
            lambda threads, cut, cycles_if, cycles_else: cut * cycles_if + (threads - cut) * cycles_else,
            "You counted cycles of threads. 32 threads of a warp share every cycle; count warps.",
        ),
        Mistake(
            "the longer path",
            _split(max),
            "You let the mixed warp pay for the longer path alone. Its two paths run one after the other: add them.",
        ),
        Mistake(
            "longest for all",
            lambda threads, cut, cycles_if, cycles_else: -(-threads // 32) * max(cycles_if, cycles_else),
            "You charged every warp the longer path. Each warp pays for the paths that its own threads take.",
        ),
        Mistake(
            "mixed warp takes the first path",
            _split(lambda first, second: first),
            "The warp in which the cut falls pays for the first path only. Some of its threads take the second: add it.",
        ),
        Mistake(
            "mixed warp takes the second path",
            _split(lambda first, second: second),
            "The warp in which the cut falls pays for the second path only. Some of its threads take the first: add it.",
        ),
        Mistake(
            "one warp",
            lambda threads, cut, cycles_if, cycles_else: cycles_if + cycles_else,
            "This is what one mixed warp pays. Add up all warps of the block.",
        ),
        Mistake(
            "counted afresh from the cut",
            lambda threads, cut, cycles_if, cycles_else: (
                -(-cut // 32) * cycles_if + -(-(threads - cut) // 32) * cycles_else
            ),
            "You counted warps from the cut on, as if one began there. Warps begin at multiples of 32: of 80 threads, those "
            "from 48 on lie in two warps, not in one.",
            share=0.7,
        ),
        Mistake(
            "always one mixed warp",
            lambda threads, cut, cycles_if, cycles_else: (
                cut // 32 * cycles_if + (-(-threads // 32) - cut // 32 - 1) * cycles_else + cycles_if + cycles_else
            ),
            "You always count one mixed warp. When the cut falls between two warps, or all threads agree, there is none.",
            share=0.7,
        ),
        Mistake(
            "places without a thread",
            lambda threads, cut, cycles_if, cycles_else: (
                -(-cut // 32) * cycles_if + (-(-threads // 32) - cut // 32) * cycles_else
            ),
            "You let places of the last warp take the second path that hold no thread. With 80 threads and a cut at 80 nobody takes it.",
            share=0.7,
        ),
    ),
    mutants=MUTANTS["occupancy.branch_cycles"],
)
