"""Exercise on occupancy: active warps over the most warps of an SM."""

from functools import cache

from chip2cluster import occupancy
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .multiprocessor import MAX_BLOCKS, MAX_WARPS, REGISTERS, SHARED, active_blocks, warps_of


def occupancy_of(threads_per_block, registers_per_thread, shared_per_block):
    """Active warps over the most that an H100's multiprocessor holds."""
    return occupancy.occupancy("9.0", threads_per_block, registers_per_thread, shared_per_block).occupancy


def _inputs(threads, registers, shared):
    return {"threads_per_block": threads, "registers_per_thread": registers, "shared_per_block": shared}


@cache
def _by_registers():
    """Kernels that the registers limit, whichever way the quarters are counted."""
    pool = [(32 * warps, registers) for warps in range(2, 13) for registers in range(41, 190, 5)]
    kinds: tuple[dict[str, bool], ...] = ({}, {"quartered": False})
    return [
        kernel for kernel in pool
        if len({active_blocks(*kernel, 0, **kind) for kind in kinds}) == 1
        and active_blocks(*kernel, 0) != active_blocks(*kernel, 0, rounded=False)
    ]  # fmt: skip


def _kernels(generator):
    pool = _by_registers()
    registers = [pool[int(place)] for place in generator.integers(0, len(pool), 2)]
    shared = int(generator.integers(7, 14)) * 4096
    return [
        _inputs(256, 64, 0),
        *(_inputs(kernel[0], kernel[1], 0) for kernel in registers),
        _inputs(32 * int(generator.integers(11, 16)), 16, 0),  # limited by warps
        _inputs(32, int(generator.integers(17, 32)), 0),  # limited by block slots
        _inputs(128, 32, shared),
        _inputs(192, 24, SHARED // int(generator.integers(5, 9)) - 512),  # the reserve costs a block
    ]


def _edges(generator):
    return [
        _inputs(1024, 72, 0),  # not even one block fits
        _inputs(100, 32, 20480),  # the last warp has missing threads
        _inputs(100, 16, 0),  # and its slot is taken all the same
        _inputs(32, 88, 0),  # the quarters
        _inputs(64, 32, 240000),
        _inputs(128, 32, 32276),  # the units of shared memory cost a block
    ]


def _wrong(share=lambda blocks, threads: blocks * warps_of(threads) / MAX_WARPS, **changes):
    return lambda threads_per_block, registers_per_thread, shared_per_block: share(
        active_blocks(threads_per_block, registers_per_thread, shared_per_block, **changes), threads_per_block
    )


def _printed(divide):
    """The rule as it is printed: three limits, and a ratio of blocks."""

    def wrong(threads_per_block, registers_per_thread, shared_per_block):
        by_shared = divide(SHARED, shared_per_block) if shared_per_block else MAX_BLOCKS
        by_registers = divide(REGISTERS, threads_per_block * registers_per_thread)
        return min(by_registers, by_shared, MAX_BLOCKS) / MAX_BLOCKS

    return wrong


_THREE = "You took the smallest of three limits and divided blocks by blocks. The warps limit is missing, "
_THREE += "and occupancy is active warps over 64."


def _meaning():
    plain, heavy = occupancy_of(256, 32, 0), occupancy_of(256, 72, 0)
    return (
        f"On an H100 a kernel of 256 threads × 32 registers fills {100 * plain:.0f} % of the warp slots, a kernel with 72 registers "
        f"{100 * heavy:.1f} %. NVIDIA's own calculator prints the same numbers; neither says how fast the kernel is."
    )


SHARE = Exercise(
    id="occupancy.occupancy_of",
    title="The occupancy",
    signature="occupancy_of(threads_per_block, registers_per_thread, shared_per_block)",
    unit="",
    points=4,
    reference=occupancy_of,
    groups=(
        Group("kernels", 0.75, _kernels),
        Group(
            "edges",
            0.25,
            _edges,
            advice="A block that does not fit gives 0; a last warp with missing threads counts in full; registers are split into "
            "quarters, and shared memory is allocated in units of 128 bytes.",
        ),
    ),
    hints=(
        "There are four limits, each a whole number of blocks: warps, registers, shared memory, block slots.",
        "The smallest of the four is the number of active blocks. How many warps is that?",
        "min(64 // warps, register_limit(...), shared_memory_limit(...), 32) * warps / 64.",
    ),
    solution="""
def occupancy_of(threads_per_block, registers_per_thread, shared_per_block):
    warps = -(-threads_per_block // 32)
    per_warp = -(-registers_per_thread * 32 // 256) * 256
    by_registers = 4 * (16384 // per_warp) // warps
    by_shared_memory = 233472 // (-(-(shared_per_block + 1024) // 128) * 128)
    blocks = min(64 // warps, by_registers, by_shared_memory, 32)
    return blocks * warps / 64
""",
    meaning=_meaning,
    explanation=(
        "For every resource compute how many whole blocks fit; the smallest number counts. Only then divide, and divide "
        "warps by warps, because the schedulers choose among warps."
    ),
    mistakes=(
        Mistake(
            "quarters forgotten",
            _wrong(quartered=False),
            "You treated the registers as one pool. Each quarter of 16,384 holds whole warps.",
            share=0.75,
        ),
        Mistake(
            "units of shared memory forgotten",
            _wrong(unit=1),
            "You did not round the shared memory of a block up to a multiple of 128. That can cost a block.",
            share=0.75,
        ),
        Mistake(
            "blocks for warps",
            _wrong(lambda blocks, threads: blocks / MAX_BLOCKS),
            "You divided active blocks by 32. Occupancy is active warps over 64: a single block of 1,024 threads fills half of them.",
        ),
        Mistake(
            "three limits, blocks for warps",
            _wrong(lambda blocks, threads: blocks / MAX_BLOCKS, without=("warps",)),
            _THREE,
        ),
        Mistake("the printed rule", _printed(lambda a, b: a // b), _THREE),
        Mistake("the printed rule, not rounded", _printed(lambda a, b: a / b), _THREE),
        Mistake(
            "warps limit forgotten",
            _wrong(without=("warps",)),
            "You forgot that a multiprocessor holds at most 64 warps, so some of your answers exceed 1. The fourth limit is 64 // warps.",
        ),
        Mistake(
            "warps limit not rounded",
            lambda threads_per_block, registers_per_thread, shared_per_block: (
                min(
                    MAX_WARPS / warps_of(threads_per_block),
                    active_blocks(threads_per_block, registers_per_thread, shared_per_block, without=("warps",)),
                )
                * warps_of(threads_per_block)
                / MAX_WARPS
            ),
            "You divided 64 by the warps of a block and did not round down. Count only whole blocks.",
        ),
        Mistake(
            "nothing dealt out in units",
            _wrong(rounded=False, reserved=0),
            "You have all four limits. But registers are allocated to whole warps in units of 256, and each block takes 1,024 bytes "
            "of shared memory more than it requests.",
        ),
        Mistake(
            "block slots forgotten",
            _wrong(without=("blocks",)),
            "You forgot the block slots: at most 32 blocks, however small they are.",
        ),
        Mistake(
            "shared memory forgotten",
            _wrong(without=("shared_memory",)),
            "You forgot the shared memory. It is a separate limit.",
        ),
        Mistake(
            "registers forgotten",
            _wrong(without=("registers",)),
            "You forgot the registers. They are a separate limit.",
        ),
        Mistake(
            "registers dealt out to threads",
            _wrong(rounded=False),
            "You divided by threads × registers. Registers are allocated to whole warps in units of 256.",
        ),
        Mistake(
            "reserve forgotten",
            _wrong(reserved=0),
            "Each block takes 1,024 bytes of shared memory more than it requests.",
        ),
        Mistake(
            "active blocks",
            _wrong(lambda blocks, threads: blocks),
            "You returned the active blocks. Convert them to warps and divide by 64.",
        ),
        Mistake(
            "active warps",
            _wrong(lambda blocks, threads: blocks * warps_of(threads)),
            "You returned the active warps. Divide by the 64 that fit.",
        ),
        Mistake(
            "threads for warps",
            _wrong(lambda blocks, threads: blocks * threads / 2048),
            "Right for whole warps. A last warp with missing threads still takes a whole slot: count warps, not threads.",
            share=0.75,
        ),
        Mistake(
            "threads limited",
            lambda threads_per_block, registers_per_thread, shared_per_block: (
                min(
                    32 * MAX_WARPS // threads_per_block,
                    active_blocks(threads_per_block, registers_per_thread, shared_per_block, without=("warps",)),
                )
                * warps_of(threads_per_block)
                / MAX_WARPS
            ),
            "You limited threads, not warps, so with 100 threads a block your answer exceeds 1. A last warp with missing threads takes a "
            "whole slot.",
            share=0.75,
        ),
    ),
    mutants=MUTANTS["occupancy.occupancy_of"],
)
