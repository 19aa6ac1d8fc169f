"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "mfu.audit": (
        Mutant(
            source="""
def audit(t, f, n, p, x):
    return 'MFU'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "mfu.diagnose": (
        Mutant(
            source="""
def diagnose(log, healthy):
    return "network"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "mfu.exposed": (
        # Both give 0 everywhere that the network binds, as forgotten prefixes do.
        Mutant(
            source="""
def exposed(parameters, batch_tokens, chips, tflops, gigabytes, each):
    sending = 2 * (chips - 1) / chips * parameters * each / (gigabytes * 1e9)
    return max(0, 4 * parameters * batch_tokens / chips / (tflops * 1e12) - sending)
""",
            verdict=v.MISCONCEPTION,
            says="subtract computing from sending",
        ),
        Mutant(
            source="""
def exposed(parameters, batch_tokens, chips, tflops, gigabytes, each):
    sending = 2 * (chips - 1) / chips * batch_tokens * each / (gigabytes * 1e9)
    return max(0, sending - 4 * parameters * batch_tokens / chips / (tflops * 1e12))
""",
            verdict=v.MISCONCEPTION,
            says="not for each token",
        ),
    ),
    "mfu.measure_first": (
        Mutant(
            source="""
def measure_first(names, low, high):
    return [name for _, name in sorted(((l - h) / (l + h), name) for name, l, h in zip(names, low, high))]
""",
            verdict=v.CORRECT,
            says="agrees",
            share=1.0,
        ),
    ),
    "mfu.mfu": (
        Mutant(
            source="""
from chip2cluster import utilization
def mfu(t, f, n, p):
    return utilization.mfu(t, f, n, p * 1e12)
""",
            verdict=v.REFUSED,
            says="the answer itself",
        ),
    ),
    "mfu.parameters": (
        Mutant(
            source="""
def parameters(l, d, a, k, f, w):
    return 8030261248
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "lab.mfu.rank_offers": (
        Mutant(
            source="""
def rank_offers(names, t, n, d):
    return names
""",
            verdict=v.REFUSED,
            says="argument names",
        ),
    ),
    "lab.mfu.scaling": (
        Mutant(
            source="""
def scaling(n, t):
    small = min(range(len(n)), key=lambda i: n[i])
    return [t[i] / n[i] / (t[small] / n[small]) for i in range(len(n))]
""",
            verdict=v.CORRECT,
            says="agrees",
            share=1.0,
        ),
    ),
    "lab.mfu.suspects": (
        Mutant(
            source="""
import numpy as np
def suspects(names, p, c, d):
    return list(np.array(names)[abs(p - c) > 0.5 * 10.0**-d])
""",
            verdict=v.CORRECT,
            says="agrees",
            share=1.0,
        ),
    ),
}
