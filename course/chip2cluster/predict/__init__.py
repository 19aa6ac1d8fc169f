"""Guess first, then see: numeric predictions that stay as they were first made.

>>> from chip2cluster import predict
>>> predict.ask("roofline.faster_chip").question.unit
'tokens/s'
"""

from collections import namedtuple
from math import log10

from .. import journal
from . import questions
from .fold import Folded, folded
from .form import Form
from .notes import Notes, notes
from .questions import Question, find
from .words import parse, summary, verdict

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

Calibration = namedtuple("Calibration", "question guess truth orders")
Calibration.__doc__ = """A prediction beside the truth; ``orders`` is ``log10(guess / truth)``."""


def __getattr__(name):
    if name == "QUESTIONS":  # those of every chapter, and with them every model
        return questions.QUESTIONS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def ask(question):
    """Show a question and a field for the guess; the first committed guess is final.

    Parameters
    ----------
    question : str
        The id of a question, such as ``"roofline.faster_chip"``.

    Returns
    -------
    Form
        Show it as the last line of a cell.

    Raises
    ------
    ValueError
        For an unknown id; the message names those that exist.
    """
    return Form(find(question))


def calibration():
    """Compare every prediction made so far with the truth.

    Returns
    -------
    list of Calibration
        ``(question, guess, truth, orders)``; ``orders`` is ``log10(guess / truth)``,
        the error in orders of magnitude, above zero where the guess was too high.
    """
    made = journal.read()["predictions"]
    known = ((question, made[question.id]["guess"]) for question in questions.QUESTIONS if question.id in made)
    pairs = [(question.id, guess, question.truth()) for question, guess in known]
    return [Calibration(name, guess, truth, log10(guess / truth)) for name, guess, truth in pairs]
