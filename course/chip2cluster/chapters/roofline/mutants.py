"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "roofline.attainable": (
        Mutant(
            source="""
def attainable(i, p, b):
    return min(p, b * i)
""",
            verdict=v.TYPE,
            says="np.minimum",
            share=0.8,
        ),
        Mutant(
            source="""
def attainable(i, p, b):
    return 312e12
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
        Mutant(
            source="""
from chip2cluster.roofline import attainable as best
def attainable(i, p, b):
    return best(i, p, b)
""",
            verdict=v.REFUSED,
            says="the answer itself",
        ),
    ),
    "roofline.smallest_batch": (
        Mutant(
            source="""
import math
def smallest_batch(i, o, p, b):
    r = p / b
    return math.ceil(r * i * o / (i * o - r * (i + o)))
""",
            verdict=v.EDGES,
            says="math.inf",
            share=0.75,
        ),
    ),
    "roofline.break_even": (
        Mutant(
            source="""
def break_even(s, p, b, q, c):
    return 1
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "roofline.decode_rate": (
        Mutant(
            source="""
def decode_rate(w, b):
    return b / (w * 2**30)
""",
            verdict=v.UNIT,
            says="prefix",
        ),
    ),
    "roofline.fused": (
        Mutant(
            source="""
def fusion_gain(a, b, h, p, w):
    t = lambda f, q: max(f / p, q / w)
    return t(*a) + t(*b) - t(a[0] + b[0], a[1] + b[1] - 2 * h)
""",
            verdict=v.VALUE,
            says="one case by hand",
        ),
    ),
    "roofline.gemm_intensity": (
        Mutant(
            source="""
def gemm_intensity(m, n, k, s):
    return str(m)
""",
            verdict=v.TYPE,
            says="Return a number",
        ),
    ),
    "roofline.ridge": (
        Mutant(
            source="""
def ridge(s, b):
    return s
""",
            verdict=v.REFUSED,
            says="hands back its own argument",
        ),
        Mutant(
            source="""
from chip2cluster import roofline
def ridge(s, b):
    return roofline.ridge_point(s * 5e11, b * 1e9)
""",
            verdict=v.REFUSED,
            says="the answer itself",
        ),
    ),
    "roofline.surely_bound": (
        Mutant(
            source="""
def surely_bound(i, a, b, c, d):
    return "undecided"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "roofline.sweep": (
        Mutant(
            source="""
import numpy as np
def sweep(n, d, p, b):
    return 100 * np.minimum(1, 4 * d * n / (4 * d + 5 * n) * b / p)
""",
            verdict=v.UNIT,
            says="percentage",
        ),
        Mutant(
            source="""
def sweep(n, d, p, b):
    return 0.5
""",
            verdict=v.TYPE,
            says="an array of 5 numbers",
        ),
    ),
    "lab.roofline.efficiency": (
        Mutant(
            source="""
def efficiency(m, i, p, b):
    return 100 * m / min(p, b * i)
""",
            verdict=v.UNIT,
            says="100 times",
        ),
    ),
    "lab.roofline.rank_chips": (
        Mutant(
            source="""
def rank_chips(names, parameters, cache_bytes, batch):
    return names
""",
            verdict=v.REFUSED,
            says="argument names",
        ),
    ),
    "lab.roofline.shortest_time": (
        Mutant(
            source="""
def shortest_time(f, n, p, b):
    return f / min(p, b * f / n)
""",
            verdict=v.EDGES,
            says="pure copy",
            share=0.8,
        ),
    ),
}
