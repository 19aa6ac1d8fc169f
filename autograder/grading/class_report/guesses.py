"""How good a class's guesses are, question by question, and within which factor of the truth."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from .journals import Journal

FEWEST = 5  # learners; of fewer nothing is shown
FACTORS = tuple(10 ** (place / 8) for place in range(25))  # 1 to 1000


@dataclass(frozen=True)
class QuestionGuesses:
    """The guesses of a class for one question.

    ``factor`` is by how much the middle guess was off, up or down; ``middle`` guess over truth of the middle one;
    ``too_high`` and ``within_two`` are shares of the learners; ``ratios`` are guess over truth, sorted.
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
    """Hold the guesses against the truth, for each question that at least five learners have answered."""
    found = []
    for question in questions:
        given = [one.guesses[question.id] for one in journals if question.id in one.guesses]
        if len(given) < FEWEST:
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
    """Share of guesses that are off by no more than a factor, up or down.

    >>> within([[0.4, 0.5, 1.0, 3.0]], 2.0)
    0.5
    """
    every = [ratio for some in ratios for ratio in some]
    return sum(abs(math.log10(ratio)) <= math.log10(factor) + 1e-12 for ratio in every) / len(every)


def curves(found: Iterable[QuestionGuesses], topics: Sequence[str]) -> dict[str, list[float]]:
    """Share of guesses within each of `FACTORS`: of all, and where four chapters or more were asked, of each half of them.

    Parameters
    ----------
    found : iterable of Guessed
    topics : sequence of str
        Of the chapters, in order.
    """
    by_topic: dict[str, list[tuple[float, ...]]] = {}
    for one in found:
        by_topic.setdefault(one.topic, []).append(one.ratios)
    asked = [topic for topic in topics if topic in by_topic]
    groups = {"all guesses": asked} if asked else {}
    if len(asked) >= 4:
        half = len(asked) // 2
        groups |= {"first half of the chapters": asked[:half], "second half": asked[half:]}
    return {
        name: [share_within((ratios for topic in chosen for ratios in by_topic[topic]), factor) for factor in FACTORS]
        for name, chosen in groups.items()
    }
