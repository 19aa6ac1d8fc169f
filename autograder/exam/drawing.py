"""Which exercises an exam has: by topic, difficulty and minutes, in an order that only the secret tells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..exercise_headers import topic
from .eligibility import Asked


@dataclass(frozen=True)
class Wish:
    """What an exam is to be: ``topics`` (none: all), dots of difficulty from ``easiest`` to ``hardest``, minutes in all."""

    topics: tuple[str, ...] = ()
    easiest: int = 1
    hardest: int = 5
    minutes: int = 60


def chosen(pool: Sequence[Asked], wish: Wish, seed: int, works: Callable[[Asked], bool]) -> list[Asked]:
    """Draw exercises for a sitting: one of each topic in turn, as long as the minutes last.

    The minutes are those of the page. The order of the exam is that of the course.

    Parameters
    ----------
    pool : sequence of Asked
        In the order of the course.
    wish : Wish
    seed : int
    works : callable
        Whether numbers are found for everybody; asked of those alone that are about to be taken.

    Raises
    ------
    ValueError
        When nothing fits.
    """
    generator = np.random.default_rng(seed)
    fitting = [one for one in pool if wish.easiest <= one.header.difficulty <= wish.hardest]
    piles: dict[str, list[Asked]] = {}
    for place in generator.permutation(len(fitting)):
        one = fitting[int(place)]
        piles.setdefault(topic(one.exercise.id), []).append(one)
    taken: list[Asked] = []
    left = wish.minutes
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
            else "no exercise of these topics and this difficulty can be asked so"
        )
        raise ValueError(f"nothing was drawn: {why}; `autograder exam NAME --list` shows what there is")
    order = [one.exercise.id for one in pool]
    return sorted(taken, key=lambda one: order.index(one.exercise.id))
