"""Blocks that fit on one SM of an H100: the right count, and counts with common mistakes."""

REGISTERS, QUARTERS, UNIT = 65536, 4, 256
SHARED, RESERVED, SHARED_UNIT = 233472, 1024, 128
MAX_WARPS, MAX_BLOCKS = 64, 32
UNLIMITED = 10**9


def up(value, unit):
    """Round up to a whole number of units."""
    return -(-value // unit) * unit


def warps_of(threads):
    return -(-threads // 32)


def by_registers(threads, registers, *, rounded=True, quartered=True):
    """Blocks that the register file holds; without rounding it is dealt out thread by thread."""
    if not registers:
        return UNLIMITED
    if not rounded:
        return REGISTERS // (threads * registers)
    per_warp = up(32 * registers, UNIT)
    if quartered:
        return QUARTERS * (REGISTERS // QUARTERS // per_warp) // warps_of(threads)
    return REGISTERS // (per_warp * warps_of(threads))


def by_shared_memory(requested, pool=SHARED, *, reserved=RESERVED, unit=SHARED_UNIT):
    """Blocks that the shared memory holds."""
    given = up(requested + reserved, unit)
    return pool // given if given else UNLIMITED


def active_blocks(
    threads, registers, shared, *, without=(), rounded=True, quartered=True, reserved=RESERVED, unit=SHARED_UNIT
):
    """Blocks that live on the multiprocessor; ``without`` names limits that are forgotten."""
    limits = {
        "warps": MAX_WARPS // warps_of(threads),
        "registers": by_registers(threads, registers, rounded=rounded, quartered=quartered),
        "shared_memory": by_shared_memory(shared, reserved=reserved, unit=unit if reserved else 1),
        "blocks": MAX_BLOCKS,
    }
    return min(blocks for name, blocks in limits.items() if name not in without)
