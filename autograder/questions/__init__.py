"""A second written question for each lab: its words are public, its numbers and so its answer follow from the secret.

A file in `about` holds the question of a topic: what was measured, and two explanations of it. Which of them is
right, and for which numbers, is drawn for a class; the models say the rest.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..secret import question_seed
from .model import Posed, Question, pose

__all__ = ["Posed", "Question", "pose", "posed", "questions"]


@cache
def questions() -> dict[str, Question]:
    """Every question by the topic of its lab."""
    # What students are given has no questions in it.
    about = import_module(f"{__name__}.about")
    names = sorted(file.name for file in iter_modules(about.__path__))
    return {name: import_module(f"{about.__name__}.{name}").QUESTION for name in names}


def posed(topic: str) -> Posed:
    """The question of a lab as the class of this secret gets it.

    Raises
    ------
    ValueError
        For a topic without one; the message names those that have one.
    """
    known = questions()
    if topic not in known:
        raise ValueError(f"no second question is written for {topic!r}; there are {', '.join(known)}")
    return pose(known[topic], question_seed(topic))
