"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "parallelism.expert_bytes": (
        Mutant(
            source="""
def expert_bytes(tokens, width, per_token, nodes, most_nodes, imbalance, gbytes_per_second):
    return 8 * tokens * width * per_token / 1e9
""",
            verdict=v.TYPE,
            says="3 numbers",
        ),
    ),
    "parallelism.diagnose": (
        Mutant(
            source="""
def diagnose(table):
    return "placement"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "parallelism.mlp_parallel": (
        Mutant(
            source="""
import numpy as np
def mlp_parallel(x, first, first_bias, second, second_bias, t):
    return np.maximum(x @ first + first_bias, 0) @ second + second_bias
""",
            verdict=v.TYPE,
            says="an array of shape",
        ),
    ),
    "parallelism.name_collective": (
        Mutant(
            source="""
def name_collective(left, right, result):
    return "all_reduce result"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "parallelism.order": (
        Mutant(
            source="""
def order(device, p, m):
    return p - device
""",
            verdict=v.TYPE,
            says="list",
        ),
    ),
    "parallelism.zero": (
        Mutant(
            source="""
def zero(parameters, stage, replicas, micro_batches):
    return 16 * parameters
""",
            verdict=v.TYPE,
            says="a list or an array of 2 numbers",
        ),
    ),
}
