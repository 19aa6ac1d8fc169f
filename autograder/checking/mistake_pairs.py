"""Two named mistakes in one answer: their effects multiplied or added, where no mistake alone gives the answer."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isfinite

from chip2cluster.exercise.answers import all_close
from chip2cluster.exercise.model import Mistake
from chip2cluster.exercise.verdict_codes import Ruling

from .unit_errors import Diagnosis, Numbers


def two_mistakes(first: Mistake, second: Mistake) -> Diagnosis:
    """Return the diagnosis that names both."""
    return Ruling(first.verdict), f"Two mistakes. First: {first.message} Second: {second.message}"


def pair_of_mistakes(
    mistakes: Sequence[tuple[Mistake, Numbers]], got: Numbers, expected: Numbers, tolerance: float
) -> tuple[Mistake, Mistake] | None:
    """Return the only pair of mistakes that explains all answers; None if no pair or several do.

    An error multiplies an answer or adds to it, so two of them together give r·(a/r)·(b/r) or r + (a - r) + (b - r) for
    the right answer r and the mistaken ones a and b.

    Parameters
    ----------
    mistakes : list of (Mistake, list of float)
        Mistakes with their answers to all cases, flat.
    got, expected : list of float
        Answers and right answers, flat.
    tolerance : float
        Relative tolerance of the exercise.
    """
    # Answers of two values, such as marks for yes and no, add up to each other by chance.
    if not all(map(isfinite, (*got, *expected))) or len({*expected}) < 3:
        return None
    distinct: list[tuple[Mistake, Numbers]] = []
    for mistake, wrong in mistakes:
        known = [expected, *(other for _, other in distinct)]
        usable = len(wrong) == len(expected) and all(map(isfinite, wrong))
        if usable and not any(all_close(wrong, other, tolerance) for other in known):
            distinct.append((mistake, wrong))
    found = [
        (first, second)
        for (first, a), (second, b) in combinations(distinct, 2)
        if any(all_close(got, both, tolerance) for both in _together(a, b, expected))
    ]
    return found[0] if len(found) == 1 else None


def _together(a: Numbers, b: Numbers, expected: Numbers) -> Iterator[Numbers]:
    """Yield what two mistakes give together, where each has an effect of its own on at least two answers."""
    rows = [*zip(a, b, expected, strict=True)]
    if min(sum(one != right for one, _, right in rows), sum(other != right for _, other, right in rows)) < 2:
        return
    if all(right or one == other == 0 for one, other, right in rows):
        yield [one * other / (right or 1) for one, other, right in rows]
    yield [one + other - right for one, other, right in rows]
