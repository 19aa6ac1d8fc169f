"""Every exercise of the course, by id.

The modules here are named after chapters and labs; each holds ``EXERCISES``.
"""

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from chip2cluster.renamed import EXERCISES, current

from .model import Case, Exercise, Group, Mistake, Mutant

__all__ = ["Case", "Exercise", "Group", "Mistake", "Mutant", "UnknownExercise", "exercise", "exercises"]

MODULES = (
    "machine",
    "accelerators",
    "accelerators_lab",
    "roofline",
    "roofline_lab",
    "occupancy",
    "occupancy_lab",
    "systolic",
    "systolic_lab",
    "links",
    "links_lab",
    "collectives",
    "collectives_lab",
    "bisection",
    "bisection_lab",
    "mfu",
    "mfu_lab",
)


class UnknownExercise(LookupError, ValueError):
    """No exercise has this id; the message lists near ones."""


@cache
def exercises():
    """Return all exercises as a dict from id to `Exercise`, in course order."""
    found = {}
    for module in MODULES:
        for one in import_module(f"{__name__}.{module}").EXERCISES:
            if one.id in found:
                raise ValueError(f"two exercises are called {one.id!r}")
            found[one.id] = one
    return found


def exercise(id):
    """Return the exercise with this id, also a former one, or raise `UnknownExercise` naming near ones."""
    known = exercises()
    if not isinstance(id, str):
        raise TypeError(f'give the id of the exercise as text, such as "{next(iter(known))}", got {id!r}')
    if (today := current(id, EXERCISES)) in known:
        return known[today]
    near = get_close_matches(id, known, n=3, cutoff=0.5) or list(known)
    raise UnknownExercise(f"no exercise is called {id!r}; did you mean {', '.join(map(repr, near))}?")
