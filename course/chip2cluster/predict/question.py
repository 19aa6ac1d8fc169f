"""Question of a prediction: text, unit, and an answer that is computed, never typed."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question with one number above zero as its answer.

    Attributes
    ----------
    id : str
        Identifier ``"chapter.topic"``; the learner's record is kept under it.
    text : str
        Text of the question, one short paragraph.
    unit : str
        Unit of the answer.
    truth : callable
        Function that returns the answer in ``unit``; called only after a guess is committed.
    explain : callable
        Function that takes the truth and returns its reason in two or three sentences.
    """

    id: str
    text: str
    unit: str
    truth: Callable[[], float]
    explain: Callable[[float], str]
