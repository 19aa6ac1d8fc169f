"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "systolic.alignment": (
        Mutant(
            source="""
def widest_copy(m, n, k, b):
    return 'TMA'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
        Mutant(
            source="""
def widest_copy(m, n, k, b):
    return 16
""",
            verdict=v.TYPE,
            says="Return text",
        ),
    ),
    "systolic.faster": (
        Mutant(
            source="""
def faster(m, n, k, t, g):
    return 'TPU'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
        Mutant(
            source="""
def faster(m, n, k, t, g):
    return t[2] > g[4]
""",
            verdict=v.TYPE,
            says="Return text",
        ),
    ),
    "systolic.padding_loss": (
        Mutant(
            source="""
import math
def padding_loss(k, n, s):
    return 100 * (1 - k * n / (math.ceil(k / s) * math.ceil(n / s) * s * s))
""",
            verdict=v.UNIT,
            says="percentage",
        ),
    ),
    "systolic.step": (
        Mutant(
            source="""
def step(w, a, s, e):
    return (w * a).sum()
""",
            verdict=v.TYPE,
            says="an array of shape",
        ),
        Mutant(
            source="""
def step(w, a, s, e):
    return s
""",
            verdict=v.REFUSED,
            says="own argument",
        ),
    ),
    "systolic.tile_cycles": (
        Mutant(
            source="""
def tile_cycles(m, r, c):
    return 2 * r + c + max(m, 5) - 2
""",
            verdict=v.EDGES,
            says="single row",
            share=0.8,
        ),
    ),
    "lab.systolic.rank_chips": (
        Mutant(
            source="""
def rank_chips(sides, m, n, k):
    return sorted(sides)
""",
            verdict=v.VALUE,
            says="one case by hand",
        ),
    ),
    "lab.systolic.largest_split": (
        Mutant(
            source="""
def largest_split(k, n, s, limit):
    return 4
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
}
