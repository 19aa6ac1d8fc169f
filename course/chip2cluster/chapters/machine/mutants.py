"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "machine.belongs_on": (
        Mutant(
            source="""
def belongs_on(n, t, names, rates):
    return min((r, m) for m, r in zip(names, rates) if r >= n / t)[1]
""",
            verdict=v.EDGES,
            says='"none"',
            share=0.9,
        ),
    ),
    "machine.busy": (
        Mutant(
            source="""
def busy(n, t, c, m, s, g):
    return 100 * t / max(t, n * m / c, n * s / g / 1000)
""",
            verdict=v.UNIT,
            says="percentage",
        ),
    ),
    "machine.largest_model": (
        Mutant(
            source="""
def largest_model(f, b):
    return f / b
""",
            verdict=v.UNIT,
            says="Two mistakes",
        ),
    ),
    "machine.in_flight": (
        Mutant(
            source="""
def in_flight(n, l, b):
    return -(-l * b * 1000 // n) + (n < l * b * 1000)
""",
            verdict=v.EDGES,
            says="takes longer than the latency",
            share=0.85,
        ),
    ),
    "machine.lost_work": (
        Mutant(
            source="""
def lost_work(p, n, l, b):
    return p * (l * 1e-6 + n / (b * 1e9))
""",
            verdict=v.UNIT,
            says="a trillion",
        ),
    ),
}
