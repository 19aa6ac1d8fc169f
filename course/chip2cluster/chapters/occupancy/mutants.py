"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "occupancy.bank_passes": (
        Mutant(
            source="""
from chip2cluster import occupancy
def bank_passes(words):
    return occupancy.bank_passes(words)
""",
            verdict=v.REFUSED,
            says="the answer itself",
        ),
    ),
    "occupancy.branch_cycles": (
        Mutant(
            source="""
def branch_cycles(threads, cut, a, b):
    return sum(a * (first < cut) + b * (first + 31 >= cut) for first in range(0, threads, 32))
""",
            verdict=v.EDGES,
            says="empty positions",
            share=0.7,
        ),
        Mutant(
            source="""
def branch_cycles(threads, cut, a, b):
    return sum(a * (32 * warp < cut) + b * (32 * warp + 32 > cut) for warp in range(threads // 32))
""",
            verdict=v.EDGES,
            says="80 threads are three warps",
            share=0.7,
        ),
    ),
    "occupancy.fewest_loads": (
        Mutant(
            source="""
def fewest_loads(r, b, t, w):
    return 999
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "occupancy.large_grid": (
        Mutant(
            source="""
def large_grid(s, k, x):
    return 1000
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "occupancy.my_pixel": (
        Mutant(
            source="""
def my_pixel(bx, by, tx, ty, w, h, rows, columns):
    return 0
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "occupancy.register_limit": (
        Mutant(
            source="""
from chip2cluster import occupancy
def register_limit(t, r):
    return occupancy.occupancy('9.0', t, r).block_limits.registers
""",
            verdict=v.REFUSED,
            says="the answer itself",
        ),
    ),
    "occupancy.occupancy_of": (
        Mutant(
            source="""
def occupancy_of(t, r, m):
    return t
""",
            verdict=v.REFUSED,
            says="its own argument",
        ),
    ),
    "occupancy.stages_needed": (
        Mutant(
            source="""
def stages_needed(a, b, s, t, n):
    return 2
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "occupancy.warps_range": (
        Mutant(
            source="""
def warps_range(a, b, c, d, s, size, loads):
    return [1, 2]
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "lab.occupancy.active_blocks": (
        Mutant(
            source="""
def active_blocks(c, t, r, m):
    w = -(-t // 32)
    q = 4 * (16384 // (-(-r * 32 // 256) * 256)) // w
    s = -(-(m + c['reserved']) // c['unit']) * c['unit']
    return min(c['warps'] // w, q, c['shared'] // s, c['blocks'])
""",
            verdict=v.EDGES,
            says="V100",
            share=0.75,
        ),
    ),
    "lab.occupancy.largest_registers": (
        Mutant(
            source="""
def largest_registers(t, b):
    w = -(-(-(-t // 32) * b) // 4)
    return 16384 // w // 256 * 8
""",
            verdict=v.EDGES,
            says="255",
            share=0.7,
        ),
    ),
    "lab.occupancy.loads_needed": (
        Mutant(
            source="""
import math
def loads_needed(w, t, b, s, n):
    return min(16, math.ceil(t * b / (s * w * 32 * n)))
""",
            verdict=v.EDGES,
            says="no upper bound",
            share=0.8,
        ),
    ),
}
