"""Exercise on the cost of a divergent branch."""

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
        f"A block of 256 threads with two paths of 100 cycles takes {clean:.0f} warp-cycles with the cut at 64, {split:.0f} with the "
        f"cut at 48, and {every:.0f} if even and odd threads take different paths. The work is the same in all three."
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
            advice="A cut between two warps splits neither of them; `cut` may be 0 or equal to `threads`; and 80 threads are three warps.",
        ),
    ),
    hints=(
        "Go through the warps: threads 0 to 31, 32 to 63, and so on. Which paths does each take?",
        "If all its threads are below the cut, a warp takes the first path; if all are at or above it, the second. Otherwise it pays for both.",
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
        "A warp executes one instruction at a time. If its threads take different branches, it runs both paths, each with the "
        "other threads switched off. A cut at a multiple of 32 costs nothing extra; `threadIdx.x % 2` makes every warp pay "
        "for both."
    ),
    mistakes=(
        Mistake(
            "every warp pays both",
            lambda threads, cut, cycles_if, cycles_else: -(-threads // 32) * (cycles_if + cycles_else),
            "You let every warp pay for both paths. A warp whose threads agree runs one path; only the mixed warp runs both.",
        ),
        Mistake(
            "threads pay alone",
            lambda threads, cut, cycles_if, cycles_else: (cut * cycles_if + (threads - cut) * cycles_else) / 32,
            "You let each thread pay for its own path. If the threads of a warp disagree, the warp pays for both paths in full.",
        ),
        Mistake(
            "threads for warps",
            lambda threads, cut, cycles_if, cycles_else: cut * cycles_if + (threads - cut) * cycles_else,
            "You counted cycles of threads. The 32 threads of a warp share every cycle, so count warps.",
        ),
        Mistake(
            "the longer path",
            _split(max),
            "You let the mixed warp pay only for the longer path. Its two paths run one after the other: add them.",
        ),
        Mistake(
            "longest for all",
            lambda threads, cut, cycles_if, cycles_else: -(-threads // 32) * max(cycles_if, cycles_else),
            "You charged every warp the longer path. Each warp pays for the paths that its own threads take.",
        ),
        Mistake(
            "mixed warp takes the first path",
            _split(lambda first, second: first),
            "You let the warp with the cut pay only for the first path. Some of its threads take the second: add it.",
        ),
        Mistake(
            "mixed warp takes the second path",
            _split(lambda first, second: second),
            "You let the warp with the cut pay only for the second path. Some of its threads take the first: add it.",
        ),
        Mistake(
            "one warp",
            lambda threads, cut, cycles_if, cycles_else: cycles_if + cycles_else,
            "You returned the cost of one mixed warp. Add up all warps of the block.",
        ),
        Mistake(
            "counted afresh from the cut",
            lambda threads, cut, cycles_if, cycles_else: (
                -(-cut // 32) * cycles_if + -(-(threads - cut) // 32) * cycles_else
            ),
            "You counted warps as if a new one began at the cut. Warps begin at multiples of 32: of 80 threads, those "
            "from 48 on are in two warps, not in one.",
            share=0.7,
        ),
        Mistake(
            "always one mixed warp",
            lambda threads, cut, cycles_if, cycles_else: (
                cut // 32 * cycles_if + (-(-threads // 32) - cut // 32 - 1) * cycles_else + cycles_if + cycles_else
            ),
            "You always count one mixed warp. If the cut is between two warps, or all threads agree, there is none.",
            share=0.7,
        ),
        Mistake(
            "places without a thread",
            lambda threads, cut, cycles_if, cycles_else: (
                -(-cut // 32) * cycles_if + (-(-threads // 32) - cut // 32) * cycles_else
            ),
            "You let empty positions of the last warp take the second path. With 80 threads and a cut at 80 no thread takes it.",
            share=0.7,
        ),
    ),
    mutants=MUTANTS["occupancy.branch_cycles"],
)
