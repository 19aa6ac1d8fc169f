"""Limits of the lab's multiprocessors, as its notebook writes them, and how blocks fill them."""

from chip2cluster import occupancy
from chip2cluster.chapters.occupancy.exercises.multiprocessor import by_registers, by_shared_memory, warps_of

CAPABILITIES = ("7.0", "7.5", "8.0", "8.6", "8.7", "8.8", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1")


def chip(capability):
    """One row of the lab's table: sizes in bytes."""
    limits = occupancy.limits(capability)
    return {
        "warps": limits.max_warps_per_sm,
        "blocks": limits.max_blocks_per_sm,
        "shared": limits.shared_memory_per_sm,
        "reserved": limits.reserved_shared_memory_per_block,
        "unit": limits.shared_memory_allocation_unit,
    }


def fill(chip, threads, registers, shared, *, without=(), rounded=True, quartered=True, reserved=True):
    """Active blocks of a kernel; ``without`` names limits that are forgotten."""
    limits = {
        "warps": chip["warps"] // warps_of(threads),
        "registers": by_registers(threads, registers, rounded=rounded, quartered=quartered),
        "shared": by_shared_memory(shared, chip["shared"], reserved=chip["reserved"] * reserved, unit=chip["unit"]),
        "blocks": chip["blocks"],
    }
    return min(blocks for name, blocks in limits.items() if name not in without)
