"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "accelerators.decide": (
        Mutant(
            source="""
def decide(a, b, w):
    return "open"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "accelerators.dense_16_bit": (
        Mutant(
            source="""
def dense_16_bit(p, b, s):
    return p * b / 16 / (1 + s) * 1e12
""",
            verdict=v.UNIT,
            says="a trillion",
        ),
    ),
    "accelerators.peak": (
        Mutant(
            source="""
def peak(u, c, m, f):
    return u * c * m * f * 1e9
""",
            verdict=v.FACTOR,
            says="Two mistakes",
        ),
    ),
    "accelerators.readings": (
        Mutant(
            source="""
def readings(t, c, dense, sparse):
    out = [p + ' dense' for p, x in dense.items() if abs(c * x / 1e3 - t) <= 0.02 * t]
    out += [p + ' sparse' for p in dense if abs(c * sparse[p] / 1e3 - t) <= 0.02 * t]
    return out
""",
            verdict=v.RAISES,
            says="KeyError",
        ),
    ),
    "lab.accelerators.audit": (
        Mutant(
            source="""
def audit(p, u, m, f):
    return 'dense'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "lab.accelerators.implied_clock": (
        Mutant(
            source="""
def implied_clock(p, u, m):
    return 1830.0
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "lab.accelerators.yearly_growth": (
        Mutant(
            source="""
def yearly_growth(a, x, b, y):
    return max(1.0, (y / x) ** (1 / (b - a)))
""",
            verdict=v.EDGES,
            says="below 1",
            share=0.85,
        ),
    ),
    "lab.accelerators.own_room": (
        Mutant(
            source="""
def own_chips(n, w, h):
    return 128
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "lab.accelerators.rank_by_joule": (
        Mutant(
            source="""
from chip2cluster import specs
def rank_by_joule(names, precision):
    a = specs.accelerator
    return sorted(names, key=lambda n: -a(n).peak_flops_dense(precision) / a(n).tdp_watts)
""",
            verdict=v.EDGES,
            says="Not every chip",
            share=0.75,
        ),
    ),
    "lab.accelerators.trusted": (
        Mutant(
            source="""
from chip2cluster import specs
def trusted(printed, field):
    a = specs.accelerator
    return [n for n, p in printed.items() if a(n).source(field).confidence != 'low'
            and abs(p - getattr(a(n), field)) <= 0.01 * getattr(a(n), field)]
""",
            verdict=v.EDGES,
            says="not published",
            share=0.75,
        ),
        Mutant(
            source="""
from chip2cluster import specs
def trusted(printed, field):
    a = specs.accelerator
    return {n for n, p in printed.items() if a(n).source(field).confidence != 'low'}
""",
            verdict=v.TYPE,
            says="set",
        ),
        Mutant(
            source="""
from chip2cluster import specs
def trusted(printed, field):
    a = specs.accelerator
    return [p for n, p in printed.items() if a(n).source(field).confidence != 'low']
""",
            verdict=v.TYPE,
            says="a list of texts",
        ),
    ),
}
