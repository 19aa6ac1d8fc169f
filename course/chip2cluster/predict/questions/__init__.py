"""The questions that chapters ask before they show anything.

Each chapter has a module here that holds its ``QUESTIONS``.
"""

from difflib import get_close_matches
from importlib import import_module

from ...renamed import PREDICTIONS, current
from .model import Question

__all__ = ["QUESTIONS", "Question", "find"]

# Modules load when first asked for: a page needs the models of its own chapter alone.
CHAPTERS = (
    "machine",
    "accelerators",
    "roofline",
    "occupancy",
    "systolic",
    "links",
    "collectives",
    "bisection",
    "mfu",
)


def __getattr__(name):
    if name == "QUESTIONS":
        return tuple(question for chapter in CHAPTERS for question in _asked_in(chapter))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def find(name):
    """Return a question by id, also one that was renamed; an unknown id names the choices."""
    wanted = current(str(name), PREDICTIONS)
    chapter = wanted.partition(".")[0]
    for question in _asked_in(chapter) if chapter in CHAPTERS else ():
        if question.id == wanted:
            return question
    ids = [question.id for chapter in CHAPTERS for question in _asked_in(chapter)]
    near = get_close_matches(wanted, ids, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"there is no question {name!r}{hint}; there are {', '.join(ids)}")


def _asked_in(chapter):
    return import_module(f"{__name__}.{chapter}").QUESTIONS
