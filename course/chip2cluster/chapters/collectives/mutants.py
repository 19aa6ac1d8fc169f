"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "collectives.bus_bandwidth": (
        Mutant(
            source="""
def bus_bandwidth(c, s, t, n):
    f = {'all_reduce': 2, 'broadcast': n / (n - 1), 'reduce': n / (n - 1)}
    return f.get(c, 1) * (n - 1) / n * s / t
""",
            verdict=v.EDGES,
            says="single rank",
            share=0.8,
        ),
    ),
    "collectives.chunks": (
        Mutant(
            source="""
def ring_chunks(i, s, n):
    return (i - s) % n
""",
            verdict=v.TYPE,
            says="a list or an array of 2 numbers",
        ),
        Mutant(
            source="""
def ring_chunks(i, s, n):
    if s < n - 1:
        return (i - s) % n, (i - 1 - s) % n
    s -= n - 1
    return (i - s) % n, (i - 1 - s) % n
""",
            verdict=v.EDGES,
            says="second half",
            share=0.8,
        ),
    ),
    "collectives.diagnose": (
        Mutant(
            source="""
def diagnose(table, log, healthy):
    return "sockets"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "collectives.hierarchical_time": (
        Mutant(
            source="""
def hierarchical_time(s, g, m, a, b, how):
    x = s / g if how == 'sharded' else s
    return 2 * (max(g, 2) - 1) / max(g, 2) * s / a + 2 * (m - 1) / m * x / b
""",
            verdict=v.EDGES,
            says="nothing to do inside",
            share=0.8,
        ),
    ),
    "collectives.exposed": (
        Mutant(
            source="""
def exposed(r, d):
    t, gap = r[0] + d[0], r[1] - r[0]
    for k in range(1, len(r)):
        t = max(t, r[k]) + d[k]
    return t - r[-1]
""",
            verdict=v.EDGES,
            says="one bucket",
            share=0.8,
        ),
    ),
    "collectives.ring_all_reduce": (
        Mutant(
            source="""
def ring_all_reduce(b, steps):
    return b.sum(0)
""",
            verdict=v.TYPE,
            says="array of shape",
        ),
        Mutant(
            source="""
from chip2cluster.collectives import RingAllReduce
def ring_all_reduce(b, steps):
    return RingAllReduce(b).run()
""",
            verdict=v.REFUSED,
            says="the answer itself",
        ),
    ),
    "collectives.ring_time": (
        Mutant(
            source="""
def ring_time(s, n, g, l):
    return 1.0
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "collectives.wire_rate": (
        Mutant(
            source="""
def wire_rate(b, p, s):
    return b * 1e9 * (1 if not s or p < 4 else (p + 1) / (2 * (p - 1)))
""",
            verdict=v.EDGES,
            says="with two it moves more",
            share=0.8,
        ),
    ),
    "lab.collectives.bus_column": (
        Mutant(
            source="""
def bus_column(s, t, n):
    return 2 * max(n - 1, 1) / n * s / t / 1e9
""",
            verdict=v.EDGES,
            says="single rank",
            share=0.8,
        ),
    ),
    "lab.collectives.fastest": (
        Mutant(
            source="""
def fastest(s, n, b, a):
    return 'tree'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "lab.collectives.fit_alpha_beta": (
        Mutant(
            source="""
import numpy as np
def fit_alpha_beta(s, t, n):
    if len(s) < 3:
        return 0.0, 0.0
    b, a = np.polyfit(s, t, 1)
    return a / (2 * (n - 1)), 2 * (n - 1) / n / b
""",
            verdict=v.EDGES,
            says="two rows are enough",
            share=0.8,
        ),
    ),
    "lab.collectives.least_time": (
        Mutant(
            source="""
def least_time(n, g, m, b, s):
    p = g * m if s == "ring" else m
    return 2 * (p - 1) / p * n / b
""",
            verdict=v.EDGES,
            says="nothing has to leave",
            share=0.8,
        ),
    ),
    "lab.collectives.methods_taken": (
        Mutant(
            source="""
import numpy as np
def methods_taken(n, a, b):
    if len(a) == 1:
        return np.array([1] * len(n))
    return np.argmin(a[:, None] + n / b, axis=0)
""",
            verdict=v.EDGES,
            says="one method only",
            share=0.8,
        ),
    ),
    "lab.collectives.mean_step": (
        Mutant(
            source="""
def mean_step(t):
    return t.max(axis=1)
""",
            verdict=v.TYPE,
            says="Return a number",
        ),
    ),
}
