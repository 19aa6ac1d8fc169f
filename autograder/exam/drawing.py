"""Choose the exercises of an exam by topic, difficulty and minutes, in an order that follows from the secret."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..exercise_headers import topic
from .eligibility import ExamCandidate


@dataclass(frozen=True)
class ExamRequest:
    """Requested exam: ``topics`` (none: all), difficulty from ``easiest`` to ``hardest`` dots, total minutes.

    ``comparisons`` of its tasks ask what is wrong with two of three answers.
    """

    topics: tuple[str, ...] = ()
    easiest: int = 1
    hardest: int = 5
    minutes: int = 60
    comparisons: int = 0


def choose_exercises(
    pool: Sequence[ExamCandidate], wish: ExamRequest, seed: int, works: Callable[[ExamCandidate], bool]
) -> list[ExamCandidate]:
    """Choose exercises for an exam: one that asks for a judgement, then one of each topic in turn, while minutes are left.

    The minutes are those that the notebooks state. The exercises are in the order of the course.

    Parameters
    ----------
    pool : sequence of ExamCandidate
        Candidates in the order of the course.
    wish : ExamRequest
    seed : int
    works : callable
        Returns whether numbers are found for every student; called only for an exercise that would be taken.

    Raises
    ------
    ValueError
        If no exercise fits.
    """
    generator = np.random.default_rng(seed)
    fitting = [one for one in pool if wish.easiest <= one.header.difficulty <= wish.hardest]
    piles: dict[str, list[ExamCandidate]] = {}
    for place in generator.permutation(len(fitting)):
        one = fitting[int(place)]
        piles.setdefault(topic(one.exercise.id), []).append(one)
    taken: list[ExamCandidate] = []
    left = wish.minutes
    for pile in piles.values():
        judging = [one for one in pile if one.judges and one.header.minutes <= left]
        if found := next(filter(works, reversed(judging)), None):
            pile.remove(found)
            taken.append(found)
            left -= found.header.minutes
            break
    while any(piles.values()):
        for pile in piles.values():
            while pile:
                one = pile.pop()
                if one.header.minutes <= left and works(one):
                    taken.append(one)
                    left -= one.header.minutes
                    break
    if not taken:
        shortest = min((one.header.minutes for one in fitting), default=0)
        why = (
            f"the shortest of {len(fitting)} exercises that fit takes {shortest} minutes"
            if fitting
            else "no exercise of these topics and this difficulty can be asked in this form"
        )
        raise ValueError(f"nothing was drawn: {why}; `autograder exam NAME --list` lists the exercises")
    order = [one.exercise.id for one in pool]
    return sorted(taken, key=lambda one: order.index(one.exercise.id))
