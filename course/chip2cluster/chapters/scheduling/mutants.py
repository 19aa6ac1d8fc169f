"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "scheduling.easy": (
        Mutant(
            source="""
def easy_pass(free, running, queue):
    return [0] * len(queue)
""",
            verdict=v.VALUE,
            says="doesn't match a known mistake",
        ),
    ),
    "scheduling.post_mortem": (
        Mutant(
            source="""
def post_mortem(sacct, ranks):
    return "limit"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
}
