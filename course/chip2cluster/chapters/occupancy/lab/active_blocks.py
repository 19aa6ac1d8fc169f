"""Task on the active blocks of a multiprocessor of any kind."""

from chip2cluster.chapters.occupancy.exercises.multiprocessor import by_registers, up, warps_of
from chip2cluster.exercise.input_generators import draw_until, forgives, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .multiprocessors import CAPABILITIES, chip, fill


def active_blocks(chip, threads_per_block, registers_per_thread, shared_per_block):
    """Blocks of a kernel that live on one multiprocessor of this kind."""
    return fill(chip, threads_per_block, registers_per_thread, shared_per_block)


def _inputs(name, threads, registers, shared):
    named = {"threads_per_block": threads, "registers_per_thread": registers, "shared_per_block": shared}
    return {"chip": chip(name), **named}


# Ranges of warps, registers and shared memory (in 128 bytes) in which a limit is likely to count, and what it shows.
KERNELS = {
    "warps": ((1, 16, 1), (17, 40, 40), ("warps limit forgotten", "64 warps everywhere", "warps limit not rounded")),
    "registers": ((3, 40, 1), (17, 100, 60), ("registers forgotten", "registers dealt out to threads")),
    "slots": ((1, 16, 1), (4, 40, 30), ("block slots forgotten", "32 blocks everywhere")),
    "shared": ((1, 16, 20), (9, 40, 240), ("shared memory forgotten", "reserve forgotten", "shared limit not rounded")),
}
AT_THE_EDGE = ("quarters forgotten", "unit forgotten", "the reserve of newer chips")


def _kernels(generator):
    # A T4 comes first: four blocks of eight warps fill its 32 warp slots.
    first = _inputs("7.5", 256, 32, 1024)
    return [first, *(_kernel(generator, *KERNELS[kind]) for kind in generator.permutation([*KERNELS] * 3))]


def _kernel(generator, low, high, mistakes):
    def draw():
        name = CAPABILITIES[generator.integers(len(CAPABILITIES))]
        warps, registers, shared = (int(number) for number in generator.integers(low, high))
        return _inputs(name, 32 * warps, registers, 128 * shared)

    def clear(kernel):
        return (
            active_blocks(**kernel) > 0
            and tells_apart(ACTIVE, kernel, *mistakes)
            and forgives(ACTIVE, kernel, *AT_THE_EDGE)
        )

    return draw_until(clear, draw)


def _edges(generator):
    name = CAPABILITIES[int(generator.integers(2, len(CAPABILITIES)))]
    return [
        _inputs("7.0", 256, 32, 0),  # takes no shared memory at all
        _inputs(name, 1024, 80, 0),  # does not fit
        _inputs(name, 64, 32, 232449),
        _inputs("9.0", 72, 32, 2048),  # a warp with missing threads
        _inputs("8.0", 32, 88, 0),  # the quarters
        _inputs("8.0", 256, 41, 1024),  # the quarters change nothing, the units do
        _inputs("7.5", 64, 32, 16384),  # reserves nothing
        _inputs("7.5", 64, 32, 9300),  # units of 256
    ]


def _wrong(**changes):
    def wrong(chip, threads_per_block, registers_per_thread, shared_per_block):
        return fill(chip, threads_per_block, registers_per_thread, shared_per_block, **changes)

    return wrong


def _counted(count):
    def wrong(chip, threads_per_block, registers_per_thread, shared_per_block):
        blocks = fill(chip, threads_per_block, registers_per_thread, shared_per_block)
        return count(blocks, warps_of(threads_per_block), chip)

    return wrong


ACTIVE = Exercise(
    id="lab.occupancy.active_blocks",
    title="Any multiprocessor",
    signature="active_blocks(chip, threads_per_block, registers_per_thread, shared_per_block)",
    unit="blocks",
    graded=True,
    points=5,
    reference=active_blocks,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.75, _kernels),
        Group(
            "edges",
            0.25,
            _edges,
            advice="Some blocks don't fit at all, a V100 allocates no shared memory to a block that requests none, warps may have "
            "missing threads, registers are split into quarters, and older chips reserve nothing and have a larger unit.",
        ),
    ),
    hints=(
        "There are four limits, as in the chapter: warps, registers, shared memory, block slots. The smallest counts.",
        "Only three of the limits depend on the chip; take their sizes from the dict, not from an H100.",
        "Shared memory: round shared_per_block + chip['reserved'] up to chip['unit']. If that is 0, it is no limit.",
    ),
    explanation="One function works for all chips, because the rules have been the same since 2017. Only the sizes and the reserved KiB changed.",
    mistakes=(
        Mistake(
            "warps limit forgotten",
            _wrong(without=("warps",)),
            "You forgot the warp slots: chip['warps'] over the warps of a block, rounded down.",
        ),
        Mistake("block slots forgotten", _wrong(without=("blocks",)), "You forgot the block slots of the chip."),
        Mistake("shared memory forgotten", _wrong(without=("shared",)), "You forgot the shared memory."),
        Mistake("registers forgotten", _wrong(without=("registers",)), "You forgot the registers."),
        Mistake(
            "an H100 everywhere",
            lambda chip, **kernel: fill(
                {"warps": 64, "blocks": 32, "shared": 233472, "reserved": 1024, "unit": 128}, *kernel.values()
            ),
            "These are the limits of an H100. Take them from the dict `chip`.",
        ),
        Mistake(
            "64 warps everywhere",
            lambda chip, **kernel: fill({**chip, "warps": 64}, *kernel.values()),
            "You gave every chip 64 warp slots. Many have 48 or 32: chip['warps'].",
        ),
        Mistake(
            "32 blocks everywhere",
            lambda chip, **kernel: fill({**chip, "blocks": 32}, *kernel.values()),
            "You gave every chip 32 block slots. Many have 24 or 16: chip['blocks'].",
        ),
        Mistake(
            "the reserve of newer chips",
            lambda chip, **kernel: fill({**chip, "reserved": 1024, "unit": 128}, *kernel.values()),
            "You reserved 1,024 bytes for every block on every chip. A V100 and a T4 reserve nothing: use chip['reserved'] and "
            "chip['unit'].",
            share=0.75,
        ),
        Mistake(
            "unit forgotten",
            lambda chip, **kernel: fill({**chip, "unit": 1}, *kernel.values()),
            "You did not round a block's shared memory, the reserve included, up to a multiple of chip['unit'].",
            share=0.75,
        ),
        Mistake(
            "warps limit not rounded",
            lambda chip, threads_per_block, registers_per_thread, shared_per_block: min(
                chip["warps"] / warps_of(threads_per_block),
                fill(chip, threads_per_block, registers_per_thread, shared_per_block, without=("warps",)),
            ),
            "Count only whole blocks: round chip['warps'] over the warps of a block down.",
        ),
        Mistake(
            "shared limit not rounded",
            lambda chip, threads_per_block, registers_per_thread, shared_per_block: min(
                chip["shared"] / max(up(shared_per_block + chip["reserved"], chip["unit"]), 1),
                fill(chip, threads_per_block, registers_per_thread, shared_per_block, without=("shared",)),
            ),
            "Count only whole blocks: round the limit of the shared memory down.",
        ),
        Mistake(
            "nothing dealt out in units",
            _wrong(rounded=False, reserved=False),
            "You have all four limits. But registers are allocated to whole warps in units of 256, and each block takes "
            "chip['reserved'] bytes more, in units of chip['unit'].",
        ),
        Mistake(
            "quarters forgotten",
            _wrong(quartered=False),
            "You treated the registers as one pool. Each quarter of 16,384 holds whole warps.",
            share=0.75,
        ),
        Mistake(
            "registers dealt out to threads",
            _wrong(rounded=False),
            "You divided by threads × registers. Registers are allocated to whole warps, in units of 256.",
        ),
        Mistake(
            "units of registers forgotten",
            lambda chip, threads_per_block, registers_per_thread, shared_per_block: min(
                4 * (16384 // (32 * registers_per_thread)) // warps_of(threads_per_block),
                fill(chip, threads_per_block, registers_per_thread, shared_per_block, without=("registers",)),
            ),
            "Round the registers of a warp, 32 × registers_per_thread, up to a multiple of 256.",
        ),
        Mistake(
            "reserve forgotten",
            _wrong(reserved=False),
            "A block takes chip['reserved'] bytes of shared memory more than it requests.",
        ),
        Mistake(
            "the printed rule",
            lambda chip, threads_per_block, registers_per_thread, shared_per_block: min(
                by_registers(threads_per_block, registers_per_thread, rounded=False),
                chip["shared"] // shared_per_block if shared_per_block else 10**9,
                chip["blocks"],
            ),
            "You used the rule with three limits. Warps are the fourth limit, and memory is allocated in units, not byte by byte.",
        ),
        Mistake(
            "active warps",
            _counted(lambda blocks, warps, chip: blocks * warps),
            "You returned active warps. Return blocks.",
        ),
        Mistake(
            "occupancy",
            _counted(lambda blocks, warps, chip: blocks * warps / chip["warps"]),
            "You returned the occupancy. Return the number of blocks.",
        ),
    ),
    mutants=MUTANTS["lab.occupancy.active_blocks"],
)
