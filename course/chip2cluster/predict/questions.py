"""The questions that chapters ask before they show anything: ``QUESTIONS`` in the file ``predictions.py`` of a chapter."""

from difflib import get_close_matches

from .. import chapters
from .._pages import in_order
from ..renamed import PREDICTIONS, current
from .question import Question

__all__ = ["Question", "find", "topics"]


def __getattr__(name):
    if name == "QUESTIONS":
        return tuple(question for topic in topics() for question in _asked_in(topic))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def topics():
    """Return the topics that have questions, in the order of the chapters."""
    return in_order(topic for topic in chapters.topics() if (chapters.FOLDER / topic / "predictions.py").is_file())


def find(name):
    """Return a question by id, also one that was renamed; an unknown id names the choices."""
    wanted = current(str(name), PREDICTIONS)
    topic = wanted.partition(".")[0]
    # A page needs the models of its own chapter alone, so no other chapter's questions are imported.
    for question in _asked_in(topic) if topic in topics() else ():
        if question.id == wanted:
            return question
    ids = [question.id for topic in topics() for question in _asked_in(topic)]
    near = get_close_matches(wanted, ids, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"there is no question {name!r}{hint}; there are {', '.join(ids)}")


def _asked_in(topic):
    module = chapters.module(topic, "predictions")
    try:
        return module.QUESTIONS
    except AttributeError:
        raise ValueError(f"{module.__file__} has no QUESTIONS") from None
