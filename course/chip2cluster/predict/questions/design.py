"""Questions on design."""

from .model import Question


def _first():
    raise NotImplementedError("FILL IN the truth, computed by a model")


def _why_first(truth):
    return "FILL IN why it is so, in two or three sentences."


QUESTIONS = (
    Question(
        "design.first",
        "FILL IN the question, one short paragraph that can be reasoned from what the page has said so far.",
        "FILL IN the unit",
        _first,
        _why_first,
    ),
)
