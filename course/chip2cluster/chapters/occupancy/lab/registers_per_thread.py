"""Task on the most registers per thread with which a number of blocks fits."""

from chip2cluster.chapters.occupancy.exercises.multiprocessor import by_registers, warps_of
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def largest_registers(threads_per_block, blocks):
    """Most registers a thread may have so that the register file holds this many blocks."""
    return max(count for count in range(1, 256) if by_registers(threads_per_block, count) >= blocks)


def _inputs(threads, blocks):
    return {"threads_per_block": threads, "blocks": blocks}


def _targets(generator):
    # All warps together are a multiple of four, so that the quarters change nothing.
    targets = [
        (32 * warps, 4 * quarter // warps)
        for quarter in range(3, 17)
        for warps in range(2, 33)
        if 4 * quarter % warps == 0 and 4 * quarter > warps
    ]
    return [_inputs(256, 4), *(_inputs(*targets[place]) for place in generator.choice(len(targets), 10, replace=False))]


def _edges(generator):
    return [
        _inputs(128, 1),
        _inputs(96, 3),
        _inputs(100, 4),
        _inputs(160, int(generator.choice([5, 9]))),
        _inputs(224, 3),
    ]


def _pool(unit=8, most=255, size=65536, threads=lambda threads: 32 * warps_of(threads)):
    def wrong(threads_per_block, blocks):
        return min(most, size // (threads(threads_per_block) * blocks) // unit * unit)

    return wrong


LARGEST = Exercise(
    id="lab.occupancy.largest_registers",
    title="The most registers",
    signature="largest_registers(threads_per_block, blocks)",
    unit="registers",
    graded=True,
    points=4,
    reference=largest_registers,
    tolerance=1e-9,
    groups=(
        Group("targets", 0.7, _targets),
        Group(
            "edges",
            0.3,
            _edges,
            advice="A thread never has more than 255 registers, an incomplete last warp counts in full, and the warps must fit into "
            "four separate quarters.",
        ),
    ),
    hints=(
        "You could try all numbers from 255 down with the register limit of the chapter. Or solve the formula for the registers.",
        "How many warps must one quarter hold? How many of its 16,384 registers can each warp have?",
        "Round that down to a multiple of 256. It is for 32 threads, so divide by 32, and return at most 255.",
    ),
    explanation=(
        "With `__launch_bounds__(threads, blocks)` you request this limit from the compiler. The answer is a multiple of 8 (or the "
        "maximum, 255), because 256 registers are 8 for each of 32 threads."
    ),
    mistakes=(
        Mistake(
            "one pool",
            _pool(),
            "You treated the 65,536 registers as one pool. The fullest quarter decides: it holds a quarter of the warps, rounded up.",
            share=0.7,
        ),
        Mistake(
            "units forgotten",
            _pool(unit=1, threads=lambda threads: threads),
            "You divided the registers by all threads. The registers of a warp must be a multiple of 256, so round down to a multiple of 8.",
        ),
        Mistake(
            "rounded up",
            lambda threads_per_block, blocks: -(-65536 // (threads_per_block * blocks) // 8) * 8,
            "You rounded up to a multiple of 8, so the blocks no longer fit. Round down.",
        ),
        Mistake(
            "rounded to the nearest",
            lambda threads_per_block, blocks: min(255, 8 * round(65536 / (threads_per_block * blocks) / 8)),
            "You rounded to the nearest multiple of 8. If that rounds up, the blocks no longer fit. Round down.",
        ),
        Mistake(
            "not rounded",
            lambda threads_per_block, blocks: 65536 / (threads_per_block * blocks),
            "A thread has a whole number of registers, in steps of 8 (a warp's registers are a multiple of 256). Round down.",
        ),
        Mistake(
            "bytes",
            _pool(size=16384),
            "Your register file is four times too small: 65,536 is the number of registers, not of bytes.",
        ),
        Mistake(
            "one block",
            lambda threads_per_block, blocks: _pool()(threads_per_block, 1),
            "You returned the most for one block. All `blocks` must fit.",
        ),
        Mistake(
            "no cap",
            _pool(most=10**6),
            "A thread cannot have more than 255 registers, however much room there is.",
            share=0.7,
        ),
        Mistake(
            "cap at 256",
            lambda threads_per_block, blocks: 256 if (n := largest_registers(threads_per_block, blocks)) == 255 else n,
            "The most registers a thread can have is 255, not 256.",
            share=0.7,
        ),
    ),
    mutants=MUTANTS["lab.occupancy.largest_registers"],
)
