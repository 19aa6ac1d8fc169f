"""Which element is mine?"""

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def my_element(block_index, thread_index, threads_per_block, elements):
    """Element that a thread of a one-dimensional grid works on; -1 where it has none."""
    index = block_index * threads_per_block + thread_index
    return index if index < elements else -1


def _threads(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"block_index": 2, "thread_index": 5, "threads_per_block": 100, "elements": 1000}
    drawn = []
    for size in (64, 96, 192, 512):
        block, thread = int(generator.integers(3, 40)), int(generator.integers(7, size))
        inputs = {"block_index": block, "thread_index": thread, "threads_per_block": size}
        drawn.append({**inputs, "elements": (block + int(generator.integers(2, 9))) * size + 17})
    return [easy, *drawn]


def _bounds(generator):
    size = int(generator.integers(3, 12)) * 32
    return [
        {"block_index": 3, "thread_index": 40, "threads_per_block": size, "elements": 3 * size + 40},
        {"block_index": 3, "thread_index": 39, "threads_per_block": size, "elements": 3 * size + 40},
        {"block_index": 3, "thread_index": size - 1, "threads_per_block": size, "elements": 3 * size + 40},
        {"block_index": 0, "thread_index": 0, "threads_per_block": size, "elements": 1},
    ]


ELEMENT = Exercise(
    id="occupancy.my_element",
    title="Which element is mine?",
    signature="my_element(block_index, thread_index, threads_per_block, elements)",
    unit="",
    points=2,
    reference=my_element,
    tolerance=1e-9,
    groups=(
        Group("threads", 0.7, _threads),
        Group(
            "edges",
            0.3,
            _bounds,
            advice="The last element has index elements − 1, and a thread beyond it gets -1.",
        ),
    ),
    hints=(
        "How many threads stand in the blocks before mine?",
        "Add my own place in my block.",
        "block_index * threads_per_block + thread_index; in a kernel the bounds check is `if (i < n)`.",
    ),
    solution="""
def my_element(block_index, thread_index, threads_per_block, elements):
    index = block_index * threads_per_block + thread_index
    return index if index < elements else -1
""",
    explanation=(
        "`blockIdx.x * blockDim.x + threadIdx.x`, the first line of most kernels. The second is the bounds check: the grid "
        "comes in whole blocks, the array does not."
    ),
    mistakes=(
        Mistake(
            "no bounds check",
            lambda block_index, thread_index, threads_per_block, elements: (
                block_index * threads_per_block + thread_index
            ),
            "You never look at the end of the array. The last block has threads beyond it; return -1 for them.",
            share=0.7,
        ),
        Mistake(
            "one too far",
            lambda block_index, thread_index, threads_per_block, elements: (
                i if (i := block_index * threads_per_block + thread_index) <= elements else -1
            ),
            "One too far: indices count from 0, so index == elements is already outside.",
            share=0.7,
        ),
        Mistake(
            "indices swapped",
            lambda block_index, thread_index, threads_per_block, elements: (
                i if (i := thread_index * threads_per_block + block_index) < elements else -1
            ),
            "You multiplied the thread's place by the block size. The blocks before mine hold "
            "block_index * threads_per_block threads.",
        ),
        Mistake(
            "counted from one",
            lambda block_index, thread_index, threads_per_block, elements: (
                i if (i := block_index * threads_per_block + thread_index + 1) < elements else -1
            ),
            "One too many: block, thread and element all count from 0.",
        ),
        Mistake(
            "thread alone",
            lambda block_index, thread_index, threads_per_block, elements: thread_index,
            "This is the place within the block. Every block would work on the same elements.",
        ),
        Mistake(
            "sum of the indices",
            lambda block_index, thread_index, threads_per_block, elements: block_index + thread_index,
            "You added the two indices. Each block before mine stands for threads_per_block elements.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def my_element(b, t, n, e):
    return t * n + b
""",
            verdict=v.VALUE,
            says="one case by hand",
        ),
    ),
)
