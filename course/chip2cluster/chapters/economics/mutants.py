"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "economics.audit": (
        Mutant(
            source="""
def audit(gpu_hours, watts, pue, mwh, grams_per_kwh, tonnes):
    return "pue"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
}
