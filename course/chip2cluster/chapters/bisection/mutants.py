"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "bisection.blame_range": (
        Mutant(
            source="""
def communication_share(t, s):
    return [100 * (1 / t[1] - 1) / (s[1] - 1), 100 * (1 / t[0] - 1) / (s[0] - 1)]
""",
            verdict=v.UNIT,
            says="percentage",
        ),
    ),
    "bisection.crossing": (
        Mutant(
            source="""
def crossing_seconds(s, n, b):
    return 8 * s * n / 4 / b
""",
            verdict=v.UNIT,
            says="8 times too large",
        ),
    ),
    "bisection.diagnose": (
        Mutant(
            source="""
def diagnose(counters):
    return "hash"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "bisection.hashed": (
        Mutant(
            source="""
import numpy as np
def share_left(picks, uplinks):
    fullest = [np.bincount(row).max() for row in picks]
    return 100 * max(1, len(picks[0]) / uplinks) / np.mean(fullest)
""",
            verdict=v.UNIT,
            says="percentage",
        ),
    ),
    "bisection.one_way": (
        Mutant(
            source="""
def per_device(p, c, d):
    return (p / 2 if c == 'both ways' else p) / d
""",
            verdict=v.UNIT,
            says="a trillion",
        ),
    ),
    "lab.bisection.all_to_all": (
        Mutant(
            source="""
def all_to_all(s, n, h, b):
    return h * (n - h) / n * s / b
""",
            verdict=v.TYPE,
            says="a number",
        ),
    ),
    "lab.bisection.convention": (
        Mutant(
            source="""
def convention(p, n, g):
    return 'both ways'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
}
