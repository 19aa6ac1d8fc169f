"""Questions on occupancy."""

from chip2cluster import hierarchy, occupancy, specs
from chip2cluster._validate import known
from chip2cluster.predict.question import Question

_CHIP, _CAPABILITY = "H100 SXM", "9.0"
_REGISTERS, _SMALL, _LARGE = 72, 256, 512  # registers a thread, threads a block


def _warps(threads):
    return occupancy.occupancy(_CAPABILITY, threads, _REGISTERS).active_warps


def _more_threads():
    return _warps(_LARGE)


def _why_more_threads(truth):
    before = occupancy.occupancy(_CAPABILITY, _SMALL, _REGISTERS)
    after = occupancy.occupancy(_CAPABILITY, _LARGE, _REGISTERS)
    held = occupancy.occupancy(_CAPABILITY, 32, _REGISTERS).block_limits.registers
    return (
        f"The registers hold {held} warps. Only whole blocks start: {before.active_blocks} blocks of {_SMALL // 32} warps fit, "
        f"but only {after.active_blocks} of {_LARGE // 32}. Nearly half of the registers are now unused, and a third of the warps is gone."
    )


def _latency():
    return hierarchy.system("DGX H100").tier("HBM").latency_seconds


def _warps_for_memory():
    chip = specs.accelerator(_CHIP)
    units = known("compute_units", chip.compute_units)
    return occupancy.warps_needed(_latency(), chip.memory_bandwidth, units, bytes_per_thread=4)


def _why_warps_for_memory(truth):
    chip = specs.accelerator(_CHIP)
    units = known("compute_units", chip.compute_units)
    flying = occupancy.bytes_in_flight(_latency(), chip.memory_bandwidth)
    most = occupancy.limits(_CAPABILITY).max_warps_per_sm
    fewest, greatest = (
        occupancy.warps_needed(reading.latency_seconds, chip.memory_bandwidth, units, bytes_per_thread=4)
        for reading in (occupancy.latency_readings()[0], occupancy.latency_readings()[-1])
    )
    return (
        f"{1e9 * _latency():.0f} ns times {chip.memory_bandwidth / 1e12:.2f} TB/s: {flying / 1e6:.1f} MB must always be in "
        f"flight, and a warp of such threads loads 128 bytes. An SM holds {most} warps. By the latencies that other tools "
        f"measured it takes {fewest} to {greatest}, so full occupancy is hardly enough."
    )


def _one_block_more():
    units = known("compute_units", specs.accelerator(_CHIP).compute_units)
    return float(occupancy.waves(units + 1, units))


def _why_one_block_more(truth):
    units = known("compute_units", specs.accelerator(_CHIP).compute_units)
    return (
        f"The first {units} blocks fill the chip. The last block starts when they end and runs alone, on one SM of "
        f"{units}. It is a second wave, as long as the first."
    )


QUESTIONS = (
    Question(
        "occupancy.more_threads",
        f"Your kernel needs {_REGISTERS} registers a thread. In blocks of {_SMALL} threads, {_warps(_SMALL)} warps fit on each "
        f"multiprocessor (SM) of an H100. You double the block to {_LARGE} threads. How many warps fit now?",
        "warps", _more_threads, _why_more_threads,
    ),
    Question(
        "occupancy.warps_for_memory",
        f"One tool measured {1e9 * _latency():.0f} ns for a load from an H100's idle memory. Each thread loads 4 bytes and waits. How many "
        "warps of 32 threads must each SM hold to keep the memory busy? (3.35 TB/s, 132 SMs.)",
        "warps", _warps_for_memory, _why_warps_for_memory,
    ),
    Question(
        "occupancy.one_block_more",
        "A kernel of 132 equal blocks takes 1 ms on an H100: one block runs on each of its 132 SMs, and a second block does not "
        "fit. How long do 133 blocks take?",
        "ms", _one_block_more, _why_one_block_more,
    ),
)  # fmt: skip
