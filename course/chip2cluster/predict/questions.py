"""Questions of all chapters: ``QUESTIONS`` in the file ``predictions.py`` of each."""

from collections.abc import Container
from contextlib import suppress
from difflib import get_close_matches

from .. import chapters
from .._pages import in_order
from ..renamed import PREDICTIONS, current
from .question import Question

__all__ = ["Question", "find", "topics"]


def __getattr__(name: str) -> tuple[Question, ...]:
    if name == "QUESTIONS":
        return _all()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def truths(names: Container[str]) -> dict[str, float]:
    """Return the true value of each of these questions; those whose models need a missing library are left out."""
    found = {}
    for question in _all():
        if question.id in names:
            with suppress(ModuleNotFoundError):  # in a browser without NumPy
                found[question.id] = float(question.truth())
    return found


def topics() -> list[str]:
    """Return the topics that have questions, in the order of the chapters."""
    return in_order(topic for topic in chapters.topics() if (chapters.FOLDER / topic / "predictions.py").is_file())


def find(name: str) -> Question:
    """Return a question by its present or former identifier.

    Parameters
    ----------
    name : str
        Identifier such as ``"roofline.faster_chip"``.

    Returns
    -------
    Question
        Question of that identifier; the error for an unknown one lists the choices.
    """
    wanted = current(str(name), PREDICTIONS)
    topic = wanted.partition(".")[0]
    # A notebook needs only the models of its own chapter, so no other chapter's questions are imported.
    for question in _questions_of(topic) if topic in topics() else ():
        if question.id == wanted:
            return question
    ids = [question.id for topic in topics() for question in _questions_of(topic)]
    near = get_close_matches(wanted, ids, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"there is no question {name!r}{hint}; there are {', '.join(ids)}")


def _all() -> tuple[Question, ...]:
    return tuple(question for topic in topics() for question in _questions_with_models(topic))


def _questions_with_models(topic: str) -> tuple[Question, ...]:
    """Return the questions of a chapter; none in a browser that has no NumPy for its models."""
    try:
        return _questions_of(topic)
    except ModuleNotFoundError:
        return ()


def _questions_of(topic: str) -> tuple[Question, ...]:
    module = chapters.module(topic, "predictions")
    if module is None or not hasattr(module, "QUESTIONS"):
        raise ValueError(f"chapters/{topic}/predictions.py has no QUESTIONS")
    return module.QUESTIONS
