"""The questions that chapters ask before they show anything.

Each chapter has a module here that holds its ``QUESTIONS``.
"""

from difflib import get_close_matches

from . import accelerators, bisection, collectives, links, machine, mfu, occupancy, roofline, systolic
from .model import Question

__all__ = ["QUESTIONS", "Question", "find"]

QUESTIONS = (
    *machine.QUESTIONS,
    *accelerators.QUESTIONS,
    *roofline.QUESTIONS,
    *occupancy.QUESTIONS,
    *systolic.QUESTIONS,
    *links.QUESTIONS,
    *collectives.QUESTIONS,
    *bisection.QUESTIONS,
    *mfu.QUESTIONS,
)


def find(name):
    """Return a question by id; an unknown id names the choices."""
    for question in QUESTIONS:
        if question.id == name:
            return question
    ids = [question.id for question in QUESTIONS]
    near = get_close_matches(str(name), ids, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"there is no question {name!r}{hint}; there are {', '.join(ids)}")
