"""Exercise on the fewest loads in flight per thread, with registers shared by warps and loads."""

from functools import cache

from chip2cluster import occupancy, specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .multiprocessor import MAX_WARPS, REGISTERS, active_blocks, warps_of

_NAMES = ("registers", "bytes_per_load", "threads_per_block", "bytes_wanted")
MOST = 255  # registers of a thread


def _under_way(registers, bytes_per_load, threads_per_block, loads):
    """Bytes that an H100's multiprocessor then has on their way."""
    needed = registers + loads * bytes_per_load // 4
    held = occupancy.occupancy("9.0", threads_per_block, needed).active_warps
    return held * 32 * loads * bytes_per_load


def fewest_loads(registers, bytes_per_load, threads_per_block, bytes_wanted):
    """Fewest loads a thread must have on their way, each of which holds registers; 0 where no number is enough."""
    most = (MOST - registers) * 4 // bytes_per_load
    enough = (
        loads
        for loads in range(1, most + 1)
        if _under_way(registers, bytes_per_load, threads_per_block, loads) >= bytes_wanted
    )
    return next(enough, 0)


def _search(bytes_each=lambda held, loads, size, threads: held * 32 * loads * size, charge=lambda size: size // 4,
            held=None, most=MOST, none=0):  # fmt: skip
    """The same search with one thing wrong."""

    def wrong(registers, bytes_per_load, threads_per_block, bytes_wanted):
        loads = 1
        while (needed := registers + loads * charge(bytes_per_load)) <= most and loads <= 999:
            warps = active_blocks(threads_per_block, needed, 0) * warps_of(threads_per_block)
            if held:
                warps = held(threads_per_block, registers, needed)
            if bytes_each(warps, loads, bytes_per_load, threads_per_block) >= bytes_wanted:
                return loads
            loads += 1
        return none

    return wrong


@cache
def _pool():
    """Kernels in which more loads cost blocks, and each way to count without that goes wrong in its own way.

    A search that does not try every number finds the answer of all these; the edges tell it.
    """
    found = []
    for registers in range(24, 97, 4):
        for size in (4, 8, 16):
            for threads in (128, 192, 256, 320, 512):
                for wanted in range(8000, 40000, 2000):
                    case = dict(zip(_NAMES, (registers, size, threads, wanted), strict=True))
                    answers = [function(**case) for function in _CLOSE]
                    if (
                        2 <= answers[0] <= 40
                        and answers[0] not in answers[1:]
                        and len({*answers}) > 4
                        and (_halving(**case) == _to_the_first_fall(**case) == answers[0])
                    ):
                        found.append(case)
    return found


def _kernels(generator):
    # A case that can be done in the head comes first: 64 warps with one load, 48 with two.
    easy = dict(zip(_NAMES, (31, 4, 128, 10000), strict=True))
    pool = _pool()
    return [easy, *(pool[int(place)] for place in generator.integers(0, len(pool), 5))]


def _edges(generator):
    # With 255 registers a thread 195,584 bytes are the most; with 512, if there were such kernels, 229,376.
    wanted = int(generator.integers(197, 222)) * 1000
    return [
        dict(zip(_NAMES, (64, 4, 64, wanted), strict=True)),  # no number is enough
        dict(zip(_NAMES, (31, 4, 256, 8192), strict=True)),  # one is, exactly
        dict(zip(_NAMES, (84, 4, 32, 2700), strict=True)),  # the quarters
        dict(zip(_NAMES, (16, 4, 256, 9000), strict=True)),  # registers for more than 64 warps
        dict(zip(_NAMES, (16, 4, 32, 8192), strict=True)),  # and for more than 32 blocks
        dict(zip(_NAMES, (254, 4, 32, 1024), strict=True)),  # the last register that a thread can have
        dict(zip(_NAMES, (255, 4, 32, 1024), strict=True)),  # and none for a load
        dict(zip(_NAMES, (40, 8, 1024, 18000), strict=True)),
        dict(zip(_NAMES, (31, 8, 512, 50000), strict=True)),  # 49,152 bytes, one load more 40,960, in the end enough
    ]


_CLOSE = (
    _search(),
    _search(held=lambda threads, registers, needed: active_blocks(threads, registers, 0) * warps_of(threads)),
    _search(held=lambda threads, registers, needed: MAX_WARPS),
    _search(held=lambda threads, registers, needed: warps_of(threads)),
    _search(charge=lambda size: size),
    _search(charge=lambda size: 1),
)


def _halving(registers, bytes_per_load, threads_per_block, bytes_wanted):
    low, high = 1, (MOST - registers) * 4 // bytes_per_load
    if _under_way(registers, bytes_per_load, threads_per_block, high) < bytes_wanted:
        return 0
    while low < high:
        middle = (low + high) // 2
        if _under_way(registers, bytes_per_load, threads_per_block, middle) >= bytes_wanted:
            high = middle
        else:
            low = middle + 1
    return low


def _to_the_first_fall(registers, bytes_per_load, threads_per_block, bytes_wanted):
    before = 0
    for loads in range(1, (MOST - registers) * 4 // bytes_per_load + 1):
        now = _under_way(registers, bytes_per_load, threads_per_block, loads)
        if now >= bytes_wanted:
            return loads
        if now < before:
            return 0
        before = now
    return 0


def _meaning():
    chip, latency = specs.accelerator("H100 SXM"), occupancy.latency_readings()[-1].latency_seconds
    wanted = occupancy.bytes_in_flight(latency, chip.memory_bandwidth) / known("compute_units", chip.compute_units)
    loads = fewest_loads(31, 4, 256, wanted)
    warps = occupancy.occupancy("9.0", 256, 31 + loads).active_warps
    return (
        f"One multiprocessor of an H100 needs {wanted / 1e3:.1f} kB in flight. A kernel with 31 registers and one more for a load fills "
        f"all 64 warp slots, and has {64 * 32 * 4 / 1e3:.1f} kB in flight. With {loads} loads a thread only {warps} warps fit, but they have "
        f"{warps * 32 * 4 * loads / 1e3:.1f} kB in flight."
    )


FEWEST_LOADS = Exercise(
    id="occupancy.fewest_loads",
    title="More warps, or more loads a thread?",
    signature="fewest_loads(registers, bytes_per_load, threads_per_block, bytes_wanted)",
    unit="loads",
    points=4,
    reference=fewest_loads,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.8, _kernels),
        Group(
            "edges", 0.2, _edges,
            advice="A thread has at most 255 registers: if no number of loads within this limit is enough, return 0. The limits are those of occupancy_of, including 64 warps and the quarters. One more load can cost a whole block and reduce the bytes in flight, so try the numbers one by one.",
        ),
    ),
    hints=(
        "What does a load in flight cost the thread? Its bytes need registers to arrive in, of 4 bytes each.",
        "With ℓ loads a thread needs registers + ℓ · bytes_per_load / 4. How many warps does your occupancy_of leave then?",
        "Try ℓ = 1, 2, 3, … while a thread needs no more than 255 registers; the first with warps · 32 · ℓ · bytes_per_load ≥ "
        "bytes_wanted is the answer.",
    ),
    solution="""
def fewest_loads(registers, bytes_per_load, threads_per_block, bytes_wanted):
    warps = -(-threads_per_block // 32)
    loads = 1
    while (needed := registers + loads * bytes_per_load // 4) <= 255:
        per_warp = -(-needed * 32 // 256) * 256
        blocks = min(64 // warps, 4 * (16384 // per_warp) // warps, 32)
        if blocks * warps * 32 * loads * bytes_per_load >= bytes_wanted:
            return loads
        loads += 1
    return 0
""",
    explanation=(
        "One more load per thread costs registers, more registers mean fewer warps, and fewer warps have fewer loads in flight. But "
        "bytes in flight cost fewer registers as extra loads than as extra warps, because a new warp needs all its other registers too."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "registers not charged",
            _CLOSE[1],
            "You kept the warps that fit before. Each load in flight needs bytes_per_load / 4 registers, and with more "
            "registers a thread fewer warps fit.",
        ),
        Mistake(
            "64 warps",
            _CLOSE[2],
            "You assumed all 64 warps. The number of warps depends on the registers of a thread, and those depend on its loads.",
        ),
        Mistake(
            "one block",
            _CLOSE[3],
            "You counted the loads of one block. All active blocks of the multiprocessor have loads in flight.",
        ),
        Mistake(
            "bytes for registers",
            _CLOSE[4],
            "You used one register for each byte. A register holds 4 bytes.",
            v.UNIT,
        ),
        Mistake(
            "one register a load",
            _CLOSE[5],
            "You gave each load one register. A register holds 4 bytes, so a load of 16 bytes takes four.",
        ),
        Mistake(
            "threads for warps",
            _search(bytes_each=lambda held, loads, size, threads: held * loads * size),
            "You counted one thread per warp. A warp has 32 threads, each with its own loads.",
        ),
        Mistake(
            "registers as they are printed",
            lambda **inputs: _search(
                held=lambda threads, registers, needed: (
                    min(MAX_WARPS // warps_of(threads), REGISTERS // (threads * needed)) * warps_of(threads)
                )
            )(**inputs),
            "You divided the registers by threads. They are allocated to whole warps, in units of 256, from quarters: use your "
            "register_limit.",
        ),
        Mistake(
            "quarters forgotten",
            _search(held=lambda threads, registers, needed: (
                active_blocks(threads, needed, 0, quartered=False) * warps_of(threads)
            )),
            "You treated the registers as one pool. Each quarter of 16,384 holds whole warps.",
            share=0.8,
        ),
        Mistake(
            "registers alone",
            _search(held=lambda threads, registers, needed: (
                active_blocks(threads, needed, 0, without=("warps", "blocks")) * warps_of(threads)
            )),
            "You used only the registers. An SM also has limits of 64 warp slots and 32 block slots.",
            share=0.8,
        ),
        Mistake(
            "warp slots forgotten",
            _search(held=lambda threads, registers, needed: (
                active_blocks(threads, needed, 0, without=("warps",)) * warps_of(threads)
            )),
            "You forgot the warp slots: an SM holds at most 64 warps, however few registers they take.",
            share=0.8,
        ),
        Mistake(
            "block slots forgotten",
            _search(held=lambda threads, registers, needed: (
                active_blocks(threads, needed, 0, without=("blocks",)) * warps_of(threads)
            )),
            "You forgot the block slots: an SM holds at most 32 blocks, however small they are.",
            share=0.8,
        ),
        Mistake(
            "more than enough",
            lambda registers, bytes_per_load, threads_per_block, bytes_wanted: _search()(
                registers, bytes_per_load, threads_per_block, bytes_wanted + 1
            ),
            "Exactly bytes_wanted is enough: >= instead of >.",
            share=0.8,
        ),
        Mistake(
            "halving the range",
            _halving,
            "You used a binary search. The bytes in flight don't always grow with the loads: they fall when a block no longer fits. Try the "
            "numbers one by one.",
            share=0.8,
        ),
        Mistake(
            "stopped at the first fall",
            _to_the_first_fall,
            "You stopped when one more load meant fewer bytes. One block no longer fits there, but with more loads the bytes rise again.",
            share=0.8,
        ),
        Mistake(
            "254 at most",
            _search(most=MOST - 1),
            "You stopped at 254 registers a thread. 255 are allowed: <= instead of <.",
            share=0.8,
        ),
        Mistake(
            "256 at most",
            _search(most=MOST + 1),
            "You went up to 256 registers a thread. The most is 255.",
            share=0.8,
        ),
        Mistake(
            "no end at 255",
            _search(most=10**6, none=0),
            "You went beyond 255 registers a thread. No thread can have more, so return 0 in that case.",
            share=0.8,
        ),
        Mistake(
            "minus one for none",
            _search(none=-1),
            "If no number of loads is enough, return 0, not -1.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["occupancy.fewest_loads"],
)  # fmt: skip
