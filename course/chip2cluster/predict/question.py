"""What a question is: text, unit, and a truth that is computed, never typed."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question with one number above zero as its answer.

    Attributes
    ----------
    id : str
        ``"chapter.topic"``; the learner's record is kept under it.
    text : str
        The question, one short paragraph.
    unit : str
        Unit of the answer.
    truth : callable
        Returns the answer in ``unit``; called only after a guess is committed.
    explain : callable
        Takes the truth and returns why it is so, in two or three sentences.
    """

    id: str
    text: str
    unit: str
    truth: Callable[[], float]
    explain: Callable[[float], str]
