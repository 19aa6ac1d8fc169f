"""The best block size."""

from chip2cluster import occupancy

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant
from .sm import MAX_BLOCKS, MAX_WARPS, QUARTERS, REGISTERS, UNIT, up


def best_block(registers_per_thread):
    """Block size with the most active warps on an H100, the largest in a tie."""
    return occupancy.max_potential_block_size("9.0", registers_per_thread).threads_per_block


def _kernels(generator):
    # From 89 to 93 the roundings of a warp's registers and of the quarters lead to different blocks.
    fixed = (32, 40, 48, 55, int(generator.integers(89, 94)))
    return [{"registers_per_thread": count} for count in (*fixed, *map(int, generator.integers(65, 240, 4)))]


def _edges(generator):
    return [{"registers_per_thread": count} for count in (1, 255)]


def _held(registers, quartered=True, rounded=True):
    per_warp = up(32 * registers, UNIT) if rounded else 32 * registers
    warps = QUARTERS * (REGISTERS // QUARTERS // per_warp) if quartered else REGISTERS // per_warp
    return min(warps, MAX_WARPS)


def _best(key, **changes):
    def wrong(registers_per_thread):
        held = _held(registers_per_thread, **changes)
        return 32 * max(range(1, 33), key=lambda warps: key(min(held // warps, MAX_BLOCKS), warps))

    return wrong


def _power_of_two(registers_per_thread):
    held = _held(registers_per_thread)
    return 32 * max((1, 2, 4, 8, 16, 32), key=lambda warps: (min(held // warps, MAX_BLOCKS) * warps, warps))


def _largest_tie(blocks, warps):
    return blocks * warps, warps


BEST_BLOCK = Exercise(
    id="occupancy.best_block",
    title="The best block size",
    signature="best_block(registers_per_thread)",
    unit="threads",
    points=3,
    reference=best_block,
    shows=(occupancy.max_potential_block_size,),
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.8, _kernels),
        Group("edges", 0.2, _edges, advice="Very few registers are no limit (64 warps are), and 255 leave 8 warps."),
    ),
    hints=(
        "There are 32 candidates. Try them all.",
        "For each: active blocks, times its warps. Your occupancy_of does the counting.",
        "Go from 32 threads upwards and keep a size when it is at least as good as the best so far: that settles ties.",
    ),
    solution="""
def best_block(registers_per_thread):
    per_warp = -(-registers_per_thread * 32 // 256) * 256
    held = min(64, 4 * (16384 // per_warp))
    best, most = 0, 0
    for warps in range(1, 33):
        active = min(held // warps, 32) * warps
        if active >= most:
            best, most = 32 * warps, active
    return best
""",
    explanation=(
        "The registers hold some number of warps; the best block divides that number with nothing left over. "
        "CUDA's `cudaOccupancyMaxPotentialBlockSize` searches the same way. Most warps is not the same as fastest: "
        "measure the few sizes that come close."
    ),
    mistakes=(
        Mistake(
            "smallest in a tie",
            _best(lambda blocks, warps: (blocks * warps, -warps)),
            "In a tie you keep the smallest block. The largest wins here.",
        ),
        Mistake(
            "largest that fits",
            lambda registers_per_thread: 32 * min(32, _held(registers_per_thread)),
            "You took the largest block that fits. Two smaller ones can hold more warps together.",
        ),
        Mistake(
            "one huge block",
            lambda registers_per_thread: 32 * held if (held := _held(registers_per_thread)) < MAX_WARPS else 1024,
            "These are all threads that fit. A block has at most 1,024 of them, so put them into several blocks.",
        ),
        Mistake(
            "largest that fits, not rounded",
            lambda registers_per_thread: 32 * min(32, _held(registers_per_thread, quartered=False, rounded=False)),
            "You took the largest block that fits, and divided registers thread by thread. Try all sizes, with the register "
            "limit of exercise 4.",
        ),
        Mistake(
            "1,024 left out",
            lambda registers_per_thread: (
                32 * max(range(1, 32), key=lambda warps: (_held(registers_per_thread) // warps * warps, warps))
            ),
            "You never tried 1,024: range(32, 1024, 32) ends before it.",
        ),
        Mistake(
            "powers of two",
            _power_of_two,
            "You tried 32, 64, 128 and so on. The best size is often none of them: try every multiple of 32.",
        ),
        Mistake(
            "most blocks",
            _best(lambda blocks, warps: (blocks, warps)),
            "You looked for the most blocks. The most warps are wanted: blocks times the warps of each.",
        ),
        Mistake(
            "warps for threads",
            lambda registers_per_thread: best_block(registers_per_thread) / 32,
            "Right, counted in warps. The block size is in threads: times 32.",
            v.FACTOR,
        ),
        Mistake(
            "registers as one pool",
            _best(_largest_tie, quartered=False),
            "You treated the registers as one pool. Each quarter of 16,384 holds whole warps.",
        ),
        Mistake(
            "registers not rounded",
            _best(_largest_tie, quartered=False, rounded=False),
            "A warp's registers are rounded up to a multiple of 256, in one of four quarters.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def best_block(r):
    return 1024
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
)
