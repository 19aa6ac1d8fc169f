"""The questions that chapters ask before they show anything.

A file here is named after the topic of a chapter and holds its ``QUESTIONS``.
"""

from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules

from ..._pages import in_order
from ...renamed import PREDICTIONS, current
from .model import Question

__all__ = ["QUESTIONS", "Question", "find", "topics"]

# Modules load when first asked for: a page needs the models of its own chapter alone.
_TOPICS = frozenset(module.name for module in iter_modules(__path__)) - {"model"}


def __getattr__(name):
    if name == "QUESTIONS":
        return tuple(question for topic in topics() for question in _asked_in(topic))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def topics():
    """The topics that have questions, in the order of the chapters."""
    return in_order(_TOPICS)


def find(name):
    """Return a question by id, also one that was renamed; an unknown id names the choices."""
    wanted = current(str(name), PREDICTIONS)
    topic = wanted.partition(".")[0]
    for question in _asked_in(topic) if topic in _TOPICS else ():
        if question.id == wanted:
            return question
    ids = [question.id for topic in topics() for question in _asked_in(topic)]
    near = get_close_matches(wanted, ids, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"there is no question {name!r}{hint}; there are {', '.join(ids)}")


def _asked_in(topic):
    module = import_module(f"{__name__}.{topic}")
    try:
        return module.QUESTIONS
    except AttributeError:
        raise ValueError(f"{module.__file__} has no QUESTIONS") from None
