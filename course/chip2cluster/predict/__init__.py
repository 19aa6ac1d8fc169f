"""Numeric predictions: guess first, then see the answer. The first guess is final.

>>> from chip2cluster import predict
>>> predict.ask("roofline.faster_chip").question.unit
'tokens/s'
"""

from math import log10
from typing import NamedTuple

from .. import journal
from . import questions
from .feedback import parse, summary, verdict
from .fold import Folded, folded
from .form import Form
from .notes import Notes, notes
from .questions import Question, find

__all__ = [
    "QUESTIONS",
    "Calibration",
    "Folded",
    "Form",
    "Notes",
    "Question",
    "ask",
    "calibration",
    "find",
    "folded",
    "notes",
    "parse",
    "summary",
    "verdict",
]


class Calibration(NamedTuple):
    """Prediction and truth; ``orders`` is ``log10(guess / truth)``."""

    question: str
    guess: float
    truth: float
    orders: float


def __getattr__(name: str) -> tuple[Question, ...]:
    if name == "QUESTIONS":  # imports every chapter and every model
        return questions.QUESTIONS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def ask(question: str) -> Form:
    """Show a question and a field for the guess; the first committed guess is final.

    Parameters
    ----------
    question : str
        Identifier of a question, such as ``"roofline.faster_chip"``.

    Returns
    -------
    Form
        Show it as the last line of a cell.

    Raises
    ------
    ValueError
        If the identifier is unknown; the message lists the choices.
    """
    return Form(find(question))


def calibration() -> list[Calibration]:
    """Compare every prediction made so far with the truth.

    Returns
    -------
    list of Calibration
        Predictions with ``(question, guess, truth, orders)``; ``orders`` is ``log10(guess / truth)``, the error in orders of
        magnitude, positive if the guess was too high.
    """
    made = journal.read()["predictions"]
    values = questions.truths(made)
    pairs = [(name, made[name]["guess"], value) for name, value in values.items()]
    return [Calibration(name, guess, truth, log10(guess / truth)) for name, guess, truth in pairs]
