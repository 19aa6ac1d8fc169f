"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "serving.experts_read": (
        Mutant(
            source="""
def experts_read(experts, per_token, expert_gbytes, dense_gbytes, sequences, share):
    return dense_gbytes + experts * expert_gbytes
""",
            verdict=v.TYPE,
            says="2 numbers",
        ),
    ),
    "serving.tp_step": (
        Mutant(
            source="""
def tp_step(chips, step_ms, least_gain):
    return [step_ms[0] * chips[0], step_ms[1]]
""",
            verdict=v.TYPE,
            says="3 numbers",
        ),
    ),
    "serving.cheapest_tier": (
        Mutant(
            source="""
def cheapest_tier(users, history_tokens, cache_bytes, read_again, tiers):
    return tiers[0]["gbytes"]
""",
            verdict=v.TYPE,
            says="text",
        ),
    ),
    "serving.diagnose": (
        Mutant(
            source="""
def diagnose(log, healthy):
    return "cache"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "serving.fill_step": (
        Mutant(
            source="""
def fill_step(decoding, waiting, free_blocks, block_tokens, step_tokens):
    return [min(prompt, step_tokens) for prompt in waiting]
""",
            verdict=v.TYPE,
            says="array of shape",
        ),
    ),
    "serving.own_batch": (
        Mutant(
            source="""
def own_batch(r, n, w, k):
    b = 0
    for _ in range(20000):
        b = r * n * (w * 1e-3 + b * k * 1e-6)
    return [b, w * 1e-3 + b * k * 1e-6] if r * n * k < 1e6 else [float("inf")] * 2
""",
            verdict=v.CORRECT,
            says="agrees",
            share=1.0,
        ),
    ),
    "serving.pools": (
        Mutant(
            source="""
import math
def pools(p, n, r, a, b, u):
    return [math.ceil(r[0] * p / a[1] / u), math.ceil(r[1] * p / a[0] / u)]
""",
            verdict=v.TYPE,
            says="2 numbers",
        ),
    ),
    "serving.users": (
        Mutant(
            source="""
def users(m, p, n, h, k, c, t, b):
    return (m * 1e9 - 2 * p) / (2 * n * (c or 256 * k) * b) // -(-t // b)
""",
            verdict=v.EDGES,
            says="no user does",
            share=0.8,
        ),
    ),
    "serving.waits": (
        Mutant(
            source="""
import numpy as np
def waits(a, t):
    return [np.mean([x[0] - y for x, y in zip(t, a)]), np.mean(np.concatenate([np.diff(x) for x in t]))]
""",
            verdict=v.TYPE,
            says="2 numbers",
        ),
    ),
    "lab.serving.unlucky": (
        Mutant(
            source="""
import math

def unlucky(rate, service, limit):
    return math.ceil(rate * service / (1 - math.log(100) * service / limit))
""",
            verdict=v.EDGES,
            says="math.inf",
            share=0.75,
        ),
    ),
}
