"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

_HALVING = """
from chip2cluster import reliability


def slowest_storage(parameters_billions, goodput, restart_minutes, mtbf_hours):
    mean, restart = 3600 * mtbf_hours, 60 * restart_minutes

    def work(dump):
        return reliability.goodput(reliability.optimal_interval(dump, mean), dump, restart, mean)

    if work(1e-6) < goodput:
        return float("inf")
    short, long = 1e-6, 50 * mean
    for _ in range(80):
        middle = (short + long) / 2
        short, long = (middle, long) if work(middle) >= goodput else (short, middle)
    return 14 * parameters_billions / short
"""

MUTANTS = {
    "storage.fatal": (
        Mutant(
            source="""
def fatal(steps):
    return [1] * len(steps)
""",
            verdict=v.VALUE,
            says="the first number that differs",
        ),
    ),
    "storage.diagnose": (
        Mutant(
            source="""
def diagnose(log, healthy):
    return "metadata"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "storage.slowest": (
        Mutant(source=_HALVING, verdict=v.CORRECT, says="", share=1.0),
        Mutant(
            source="""
from chip2cluster import reliability


def slowest_storage(parameters_billions, goodput, restart_minutes, mtbf_hours):
    return 14 * parameters_billions / reliability.longest_dump(goodput, 60 * restart_minutes, 3600 * mtbf_hours)
""",
            verdict=v.REFUSED,
            says="longest_dump",
        ),
    ),
}
