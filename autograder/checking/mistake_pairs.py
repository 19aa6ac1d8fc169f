"""Two named mistakes in one answer: their effects multiplied or added, where no mistake alone gives the answer."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isfinite

from chip2cluster.exercise.answers import Array, agree, all_close, normalize
from chip2cluster.exercise.model import Exercise, Mistake
from chip2cluster.exercise.verdict_codes import Ruling

from .findings import CaseResult, flat_numbers
from .unit_errors import Diagnosis, Numbers, known_factor, possible_causes


def stated_pair(exercise: Exercise, answers: list[CaseResult]) -> Diagnosis | None:
    """Return the diagnosis of a pair that the exercise states, if it gives every one of these answers."""
    named = {mistake.name: mistake for mistake in exercise.mistakes}
    for pair in exercise.together:
        if all(
            agree(outcome.value, normalize(pair.wrong(**case.inputs)), exercise.tolerance)
            for case, outcome, _ in answers
        ):
            return _two_mistakes(named[pair.first], named[pair.second])
    return None


def computed_pair(exercise: Exercise, answers: list[CaseResult], got: Numbers, expected: Numbers) -> Diagnosis | None:
    """Return the diagnosis of a named mistake with a known factor, or of two named mistakes; None without one.

    A factor of two is not tried: it connects too many formulas, so that the pair would be a guess.
    """
    known = []
    for mistake in exercise.mistakes:
        wrong = [normalize(mistake.wrong(**case.inputs)) for case, *_ in answers]
        if not all(isinstance(value, (float, Array)) for value in wrong):
            continue
        predicted = flat_numbers(wrong)
        if factor := known_factor(got, predicted, exercise.tolerance, possible_causes(exercise), halves=False):
            rest = factor[1][:1].lower() + factor[1][1:]
            return Ruling(mistake.verdict), f"Two mistakes. {mistake.message} Without that one: {rest}"
        known.append((mistake, predicted))
    pair = _pair_of_mistakes(known, got, expected, exercise.tolerance)
    return _two_mistakes(*pair) if pair else None


def _two_mistakes(first: Mistake, second: Mistake) -> Diagnosis:
    """Return the diagnosis that names both."""
    return Ruling(first.verdict), f"Two mistakes. First: {first.message} Second: {second.message}"


def _pair_of_mistakes(
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
