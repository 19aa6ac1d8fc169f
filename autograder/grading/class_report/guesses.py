"""Accuracy of a class's guesses: error factor of each question, and shares within a factor of the correct value."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from .journals import Journal

MIN_LEARNERS = 5  # results of fewer learners are not shown
FACTORS = tuple(10 ** (place / 8) for place in range(25))  # 1 to 1000


@dataclass(frozen=True)
class QuestionGuesses:
    """Guesses of a class for one question.

    Attributes
    ----------
    question, topic, text, why : str
        Id, topic, text and explanation of the question.
    learners : int
        Number of learners who guessed.
    factor : float
        Median error factor, up or down, at least 1.
    middle : float
        Median ratio of guess to correct value.
    too_high, within_two : float
        Shares of learners whose guess was too high, or correct within a factor of two.
    ratios : tuple of float
        All ratios of guess to correct value, sorted.
    """

    question: str
    topic: str
    text: str
    why: str
    learners: int
    factor: float
    middle: float
    too_high: float
    within_two: float
    ratios: tuple[float, ...]


def question_guesses(journals: Sequence[Journal], questions: Iterable) -> list[QuestionGuesses]:
    """Compare the guesses with the correct value, for each question that at least five learners answered."""
    found = []
    for question in questions:
        given = [one.guesses[question.id] for one in journals if question.id in one.guesses]
        if len(given) < MIN_LEARNERS:
            continue
        truth = question.truth()
        ratios = tuple(sorted(guess / truth for guess in given))
        found.append(
            QuestionGuesses(
                question.id,
                question.id.partition(".")[0],
                question.text,
                question.explain(truth),
                len(given),
                10 ** median(abs(math.log10(ratio)) for ratio in ratios),
                median(ratios),
                sum(ratio > 1 for ratio in ratios) / len(ratios),
                share_within([ratios], 2.0),
                ratios,
            )
        )
    return found


def share_within(ratios: Iterable[Sequence[float]], factor: float) -> float:
    """Return the share of guesses within a factor of the correct value, up or down.

    >>> share_within([[0.4, 0.5, 1.0, 3.0]], 2.0)
    0.5
    """
    every = [ratio for some in ratios for ratio in some]
    return sum(abs(math.log10(ratio)) <= math.log10(factor) + 1e-12 for ratio in every) / len(every)


def curves(found: Iterable[QuestionGuesses], topics: Sequence[str]) -> dict[str, list[float]]:
    """Return the share of guesses within each of `FACTORS`, for all chapters and, if there are four or more, each half.

    Parameters
    ----------
    found : iterable of QuestionGuesses
    topics : sequence of str
        Topics of the chapters, in order.
    """
    by_topic: dict[str, list[tuple[float, ...]]] = {}
    for one in found:
        by_topic.setdefault(one.topic, []).append(one.ratios)
    answered = [topic for topic in topics if topic in by_topic]
    groups = {"all guesses": answered} if answered else {}
    if len(answered) >= 4:
        half = len(answered) // 2
        groups |= {"first half of the chapters": answered[:half], "second half": answered[half:]}
    return {
        name: [share_within((ratios for topic in chosen for ratios in by_topic[topic]), factor) for factor in FACTORS]
        for name, chosen in groups.items()
    }
