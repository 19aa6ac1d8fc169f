"""Task on the block size with the best occupancy."""

from chip2cluster.chapters.occupancy.exercises.multiprocessor import warps_of
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .multiprocessors import CAPABILITIES, chip, fill

SIZES = (64, 128, 256, 512, 1024)
CHIP_H100 = chip("9.0")


def best_launch(chip, registers_per_thread, shared_per_thread):
    """Block size of the five usual ones with the most active warps, the smallest in a tie."""
    return _best(chip, registers_per_thread, shared_per_thread)


def _best(chip, registers, shared, *, key=lambda blocks, warps: (blocks * warps, -warps), scaled=True, **changes):
    scores = {
        size: key(fill(chip, size, registers, shared * (size if scaled else 1), **changes), warps_of(size))
        for size in SIZES
    }
    return max(scores, key=scores.__getitem__)


def _inputs(name, registers, shared):
    return {"chip": chip(name), "registers_per_thread": registers, "shared_per_thread": shared}


# For each kernel its best block, ranges of registers and shared memory (in 4 bytes) that make it likely, and what it shows.
KERNELS = (
    (64, (32, 0, 100, 60), ("registers forgotten", "largest in a tie")),
    (64, (16, 10, 60, 40), ("an H100 everywhere",)),
    (64, (16, 20, 60, 60), ("largest in a tie", "shared memory not scaled")),
    (64, (16, 10, 60, 40), ("largest in a tie",)),
    (128, (16, 10, 60, 40), ("block slots forgotten",)),
    (128, (16, 10, 60, 40), ("largest in a tie", "most blocks", "every multiple of 32")),
    (128, (16, 10, 60, 40), ("reserve forgotten",)),
    (256, (16, 10, 40, 40), ("shared memory not scaled", "reserve forgotten")),
    (256, (16, 10, 40, 40), ("shared memory not scaled",)),
    (256, (16, 10, 40, 40), ("largest in a tie", "most blocks", "every multiple of 32")),
    (512, (20, 14, 43, 23), ("reserve forgotten",)),
    (512, (20, 14, 43, 23), ("most blocks",)),
)


def _kernels(generator):
    order = generator.permutation(len(KERNELS))
    return [_inputs("8.9", 32, 0), *(_kernel(generator, *KERNELS[place]) for place in order)]


def _kernel(generator, best, ranges, mistakes):
    def draw():
        name = CAPABILITIES[generator.integers(len(CAPABILITIES))]
        registers, shared = (int(number) for number in generator.integers(ranges[:2], ranges[2:]))
        return _inputs(name, registers, 4 * shared)

    return draw_until(
        lambda kernel: best_launch(**kernel) == best and tells_apart(BEST_LAUNCH, kernel, *mistakes), draw
    )


def _edges(generator):
    return [_inputs("7.5", 128, 4), _inputs("7.0", 255, 0), _inputs("12.0", 40, 800)]


def _wrong(**changes):
    def wrong(chip, registers_per_thread, shared_per_thread):
        return _best(chip, registers_per_thread, shared_per_thread, **changes)

    return wrong


BEST_LAUNCH = Exercise(
    id="lab.occupancy.best_launch",
    title="The block size to launch with",
    signature="best_launch(chip, registers_per_thread, shared_per_thread)",
    unit="threads",
    graded=True,
    points=4,
    reference=best_launch,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.8, _kernels),
        Group("edges", 0.2, _edges, advice="Large blocks may not fit at all; then a smaller block is best."),
    ),
    hints=(
        "Loop over the five sizes. For each, your active_blocks returns how many blocks fit.",
        "The shared memory of a block is shared_per_thread times its threads. Compare warps, not blocks.",
        "Go from small to large, and replace the best size only for strictly more warps.",
    ),
    explanation=(
        "In a tie the small block wins here, because fewer slots are idle when it ends and the last wave is finer. With shared "
        "memory, small blocks pay the reserved KiB more often, and sometimes that decides."
    ),
    mistakes=(
        Mistake(
            "largest in a tie",
            _wrong(key=lambda blocks, warps: (blocks * warps, warps)),
            "In a tie you return the largest block. Return the smallest.",
        ),
        Mistake(
            "most blocks",
            _wrong(key=lambda blocks, warps: (blocks, -warps)),
            "You compared blocks. Compare warps: blocks times the warps of each.",
        ),
        Mistake(
            "shared memory not scaled",
            _wrong(scaled=False),
            "You left out the shared memory, or gave the block the memory of one thread. It grows with the block: multiply it by the "
            "threads.",
        ),
        Mistake(
            "reserve forgotten",
            _wrong(reserved=False),
            "Every block takes chip['reserved'] bytes more. Small blocks pay that more often.",
        ),
        Mistake(
            "block slots forgotten",
            _wrong(without=("blocks",)),
            "You forgot the block slots: 64 threads in each of 16 blocks are 32 warps, no more.",
        ),
        Mistake(
            "registers forgotten",
            _wrong(without=("registers",)),
            "You forgot the registers. A large block may not fit beside another, or at all.",
        ),
        Mistake(
            "every multiple of 32",
            lambda chip, registers_per_thread, shared_per_thread: max(
                range(32, 1025, 32),
                key=lambda size: (
                    fill(chip, size, registers_per_thread, shared_per_thread * size) * warps_of(size),
                    -size,
                ),
            ),
            "You tried other block sizes as well. Try only 64, 128, 256, 512 and 1024.",
        ),
        Mistake(
            "an H100 everywhere",
            lambda chip, **kernel: _best(CHIP_H100, *kernel.values()),
            "You used the limits of an H100. Pass `chip` to active_blocks.",
        ),
        Mistake(
            "warps",
            lambda chip, registers_per_thread, shared_per_thread: (
                _best(chip, registers_per_thread, shared_per_thread) / 32
            ),
            "You returned the warps of the best block. Return its threads.",
            v.FACTOR,
        ),
    ),
)
