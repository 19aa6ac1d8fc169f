"""Exercise on the blocks per SM that registers allow."""

from functools import cache

from chip2cluster import occupancy
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .multiprocessor import REGISTERS, by_registers, up, warps_of


def register_limit(threads_per_block, registers_per_thread):
    """Blocks that the register file of an H100's multiprocessor holds."""
    return occupancy.occupancy("9.0", threads_per_block, registers_per_thread).block_limits.registers


def _held(registers):
    """Warps that the registers hold."""
    return by_registers(32, registers)


@cache
def _pools():
    """Kernels that tell the roundings apart: of a warp's registers, of threads to warps, of the quarters."""
    warp, threads, quarter = [], [], []
    for size in range(48, 513, 16):
        for count in range(17, 200):
            right, whole = by_registers(size, count), by_registers(size, count, quartered=False)
            if right != whole:
                quarter.append((size, count))
            elif size % 32 and right not in (REGISTERS // (up(count, 8) * size), _held(count) * 32 // size):
                threads.append((size, count))
            elif size % 32 == 0 and by_registers(size, count, rounded=False) != right:
                warp.append((size, count))
    return warp, threads, quarter


def _drawn(generator, pool, count):
    picked = [pool[int(place)] for place in generator.integers(0, len(pool), count)]
    return [{"threads_per_block": size, "registers_per_thread": registers} for size, registers in picked]


def _kernels(generator):
    easy = {"threads_per_block": 256, "registers_per_thread": 32}
    warp, threads, _ = _pools()
    # 51 registers round up differently for a warp and for the whole block.
    pair = {"threads_per_block": 64, "registers_per_thread": 51}
    return [easy, pair, *_drawn(generator, warp, 3), *_drawn(generator, threads, 2)]


def _quartered(generator):
    known = {"threads_per_block": 32, "registers_per_thread": 88}
    return [known, *_drawn(generator, _pools()[2], 3)]


def _meaning():
    small, large = register_limit(256, 72), register_limit(512, 72)
    return (
        f"This answers your first guess in this chapter: with 72 registers a thread, blocks of 256 threads fit {small} times and "
        f"blocks of 512 {'once' if large == 1 else f'{large} times'}, so {small * 8} warps become {large * 16}."
    )


LIMIT = Exercise(
    id="occupancy.register_limit",
    title="How many blocks do the registers hold?",
    signature="register_limit(threads_per_block, registers_per_thread)",
    unit="blocks",
    points=4,
    reference=register_limit,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.75, _kernels),
        Group(
            "edges",
            0.25,
            _quartered,
            advice="Don't forget the quarters: all registers of a warp must come from the same quarter of 16,384.",
        ),
    ),
    hints=(
        "Start with one warp: 32 threads times the registers of each thread, rounded up to a multiple of 256.",
        "How many such warps fit into a quarter of 16,384 registers, rounded down? Four quarters hold four times that.",
        "Divide that by the warps of a block, which is the threads over 32 rounded up. Then round down.",
    ),
    solution="""
def register_limit(threads_per_block, registers_per_thread):
    warps = -(-threads_per_block // 32)
    per_warp = -(-registers_per_thread * 32 // 256) * 256
    warps_held = 4 * (16384 // per_warp)
    return warps_held // warps
""",
    meaning=_meaning,
    explanation=(
        "The hardware rounds three times where the simple formula does not: the registers of a warp up to units of 256, threads "
        "up to whole warps, and the warps of each quarter down. Each rounding can cost a block."
    ),
    mistakes=(
        Mistake(
            "quarters forgotten",
            lambda threads_per_block, registers_per_thread: by_registers(
                threads_per_block, registers_per_thread, quartered=False
            ),
            "You treated the 65,536 registers as one pool. Each quarter of 16,384 holds whole warps: "
            "4 × (16384 // registers of a warp).",
            share=0.75,
        ),
        Mistake(
            "dealt out to threads",
            lambda threads_per_block, registers_per_thread: REGISTERS // (threads_per_block * registers_per_thread),
            "You divided by threads × registers. Registers are allocated to whole warps, in units of 256: round up twice.",
        ),
        Mistake(
            "64 KB of registers",
            lambda threads_per_block, registers_per_thread: (
                REGISTERS // (4 * up(32 * registers_per_thread, 256) * warps_of(threads_per_block))
            ),
            "Your register file is four times too small: 65,536 is the number of registers, not of bytes.",
        ),
        Mistake(
            "64 KB of registers, dealt out to threads",
            lambda threads_per_block, registers_per_thread: REGISTERS // (4 * threads_per_block * registers_per_thread),
            "Your register file is four times too small: 65,536 is the number of registers, not of bytes.",
        ),
        Mistake(
            "bytes for registers",
            lambda threads_per_block, registers_per_thread: 4 * REGISTERS // (threads_per_block * registers_per_thread),
            "You divided bytes by registers. The file holds 65,536 registers of 4 bytes each.",
        ),
        Mistake(
            "rounded for the block",
            lambda threads_per_block, registers_per_thread: (
                REGISTERS // up(threads_per_block * registers_per_thread, 256)
            ),
            "You rounded the registers of the whole block. The registers of each warp are rounded up to a multiple of 256.",
        ),
        Mistake(
            "partial warps",
            lambda threads_per_block, registers_per_thread: (
                REGISTERS // (up(registers_per_thread, 8) * threads_per_block)
            ),
            "If the block size is not a multiple of 32, the last warp has missing threads. It still gets registers for all 32.",
        ),
        Mistake(
            "part of a warp",
            lambda threads_per_block, registers_per_thread: _held(registers_per_thread) * 32 // threads_per_block,
            "If the block size is not a multiple of 32, the last warp has missing threads. It still gets registers for all 32: "
            "round the warps of a block up.",
            coincides="partial warps",
        ),
        Mistake(
            "warps rounded down",
            lambda threads_per_block, registers_per_thread: _held(registers_per_thread) // (threads_per_block // 32),
            "You rounded the warps of a block down. The remaining threads need another warp: round up.",
        ),
        Mistake(
            "units forgotten, in quarters",
            lambda threads_per_block, registers_per_thread: (
                4 * (REGISTERS // 4 // (32 * registers_per_thread)) // warps_of(threads_per_block)
            ),
            "Almost: first round up the registers of a warp, 32 × registers_per_thread, to a multiple of 256.",
        ),
        Mistake(
            "threads to warps only",
            lambda threads_per_block, registers_per_thread: (
                REGISTERS // (32 * warps_of(threads_per_block) * registers_per_thread)
            ),
            "You rounded the threads to whole warps, but not the registers: round 32 × registers_per_thread up to a multiple of 256.",
            coincides="units forgotten, in quarters",
        ),
        Mistake(
            "warps held",
            lambda threads_per_block, registers_per_thread: _held(registers_per_thread),
            "You returned the warps that fit. Divide by the warps of a block, and round down.",
        ),
        Mistake(
            "not rounded",
            lambda threads_per_block, registers_per_thread: REGISTERS / (threads_per_block * registers_per_thread),
            "Count only whole blocks. Registers are also allocated to whole warps, in units of 256.",
        ),
        Mistake(
            "not rounded down",
            lambda threads_per_block, registers_per_thread: (
                4 * (REGISTERS / 4 / up(32 * registers_per_thread, 256)) / warps_of(threads_per_block)
            ),
            "You did not round down. A quarter holds only whole warps, and an SM only whole blocks.",
        ),
        Mistake(
            "blocks not rounded down",
            lambda threads_per_block, registers_per_thread: _held(registers_per_thread) / warps_of(threads_per_block),
            "The number of warps that fit is right. Count only whole blocks: round the last division down.",
        ),
        Mistake(
            "blocks of each quarter",
            lambda threads_per_block, registers_per_thread: (
                4 * (REGISTERS // 4 // up(32 * registers_per_thread, 256) // warps_of(threads_per_block))
            ),
            "You fitted whole blocks into a quarter. The warps of a block may be in different quarters.",
        ),
    ),
    mutants=MUTANTS["occupancy.register_limit"],
)
