"""Check that answers memorized from `check` earn nothing in graded work.

A patient student learns every visible case with its answer. No table of these, however it is looked up, may earn a point
on hidden cases.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cmp_to_key, partial
from typing import NamedTuple

import numpy as np

from chip2cluster.exercise.answers import agree, normalize

from ..checking.judge import grade_outcomes
from ..checking.outcome import Outcome, OutcomeKind
from ..exercises import Case, Exercise

SEEDS = range(20)
CLASSMATES = range(1000, 1003)  # seeds of classmates whose personal values a student has seen
DIFFERENCE = 3.0  # distance of two different values that have no distance of their own, such as names


@dataclass(frozen=True)
class VisibleCase:
    """A visible case with the student's personal values: its inputs, their features, and its answer."""

    inputs: dict
    features: dict
    answer: object


class StudentDraw(NamedTuple):
    """What one student is asked: personal values, the exercise with these, and the hidden cases."""

    given: dict
    exercise: Exercise
    cases: list[Case]


def draw_for_student(exercise: Exercise, seed: int) -> StudentDraw:
    """Draw what the student with this seed is asked."""
    given = exercise.given(seed)
    personal = exercise.personal(given)
    return StudentDraw(given, personal, personal.cases(seed))


def lookup_complaints(
    exercise: Exercise, seeds: Iterable[int] = SEEDS, drawn: Callable[[int], StudentDraw] | None = None
) -> list[str]:
    """Return a complaint for each lookup strategy that earns points, with the first seed at which it does.

    ``drawn`` returns the draw of a seed, if it exists already.
    """
    complaints: dict[str, str] = {}
    for strategy, seed, points in lookup_scores(exercise, seeds, drawn):
        complaints.setdefault(strategy, f"{exercise.id}: {strategy} earns {points:g} points with seed {seed}")
    return list(complaints.values())


def lookup_scores(
    exercise: Exercise, seeds: Iterable[int] = SEEDS, drawn: Callable[[int], StudentDraw] | None = None
) -> Iterator[tuple[str, int, float]]:
    """Yield strategy, seed and points wherever visible cases earn points on hidden ones."""
    drawn = drawn or partial(draw_for_student, exercise)
    strategies: dict[str, Callable] = {}
    numbers = [exercise.given(classmate) for classmate in (CLASSMATES if exercise.constants else ())]
    of_classmates = [case for given in numbers for case in _visible_cases(given, exercise.personal(given))]
    for seed in seeds:
        given, personal, cases = drawn(seed)
        if given or not strategies:
            strategies = lookup_strategies(_visible_cases(given, personal) + of_classmates)
        answers: dict[str, list[Outcome]] = {strategy: [] for strategy in strategies}
        for position, case in enumerate(cases):
            in_main_group = case.group == personal.groups[0].name
            expected = normalize(personal.expected(case)) if in_main_group else None
            for strategy in list(answers):
                answer = strategies[strategy]({**case.inputs, **given}, position)
                if expected is not None and not agree(answer, expected, personal.tolerance):
                    del answers[strategy]  # without the main group there are no points
                else:
                    answers[strategy].append(Outcome(OutcomeKind.VALUE, answer))
            if not answers:
                break
        for strategy, outcomes in answers.items():
            yield strategy, seed, grade_outcomes(personal, cases, outcomes, hidden=True).score


def _visible_cases(given, exercise):
    """Return the visible cases of the student with these personal values, with their answers."""
    seen = []
    for case in exercise.visible_cases:
        inputs = {**case.inputs, **given}
        seen.append(VisibleCase(inputs, features(inputs), normalize(exercise.expected(case))))
    return seen


def lookup_strategies(seen: list[VisibleCase]) -> dict[str, Callable]:
    """Return functions of inputs and position of the call that answer from the cases seen, by their description."""
    votes = Counter(repr(case.answer) for case in seen)
    usual = max(seen, key=lambda case: votes[repr(case.answer)]).answer
    exact = {repr(case.inputs): case.answer for case in reversed(seen)}
    unordered = {_unordered(case.inputs): case for case in reversed(seen)}
    spread = _spread(seen)

    def without_order(inputs, _):
        case = unordered.get(_unordered(inputs))
        return usual if case is None else _adapted_answer(inputs, [case], seen)

    def nearest(names, spread):
        def look_up(inputs, _):
            here = features({name: inputs[name] for name in names})
            return _adapted_answer(inputs, sorted(seen, key=lambda case: _distance(here, case.features, spread)), seen)

        return look_up

    def most_of_three(inputs, _):
        here = features(inputs)
        near = sorted(seen, key=lambda case: _distance(here, case.features, spread))[:3]
        votes = Counter(repr(case.answer) for case in near)
        return max(near, key=lambda case: votes[repr(case.answer)]).answer

    names = list(seen[0].inputs)
    return {
        "an exact table": lambda inputs, _: exact.get(repr(inputs), usual),
        "a table that ignores order": without_order,
        "the order of the calls": lambda _, position: seen[position].answer if position < len(seen) else usual,
        "the nearest case": nearest(names, {}),
        "the nearest case, each input by its spread": nearest(names, spread),
        "most of the three nearest cases": most_of_three,
        **{f"the case with the nearest {name}": nearest([name], spread) for name in names},
    }


def features(inputs: Mapping) -> dict[str, dict]:
    """Describe each input by named numbers (logarithms) and words."""
    return {name: dict(_describe(value)) for name, value in inputs.items()}


def _describe(value, name=""):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _describe(item, f"{name}.{key}")
    elif isinstance(value, str) and "\n" in value:
        for place, word in enumerate(value.split()):
            yield f"{name}.{place}", word
    elif isinstance(value, (str, bool, np.bool_)):
        yield name, str(value)
    elif isinstance(value, (list, tuple, np.ndarray)):
        if all(isinstance(item, str) for item in value):
            for item in value:
                yield f"{name}.{item}", "there"
        else:
            numbers = np.ravel(np.asarray(value, dtype=float))
            yield f"{name}.size", math.log(numbers.size)
            summary = {"first": numbers[0], "last": numbers[-1], "least": numbers.min(), "most": numbers.max()}
            for key, number in (summary | {"mean": numbers.mean()}).items():
                yield from _describe(float(number), f"{name}.{key}")
    else:
        yield name, math.log(value) if 0 < value < math.inf else str(value)


def _distance(here, there, spread):
    total = 0.0
    for name, near in here.items():
        far = there[name]
        for key in near.keys() | far.keys():
            a, b = near.get(key), far.get(key)
            apart = abs(a - b) if isinstance(a, float) and isinstance(b, float) else DIFFERENCE * (a != b)
            total += apart / spread.get((name, key), 1.0)
    return total


def _spread(seen):
    """Return the standard deviation of each number over the cases."""
    numbers = defaultdict(list)
    for case in seen:
        for name, described in case.features.items():
            for key, value in described.items():
                if isinstance(value, float):
                    numbers[name, key].append(value)
    return {key: spread for key, values in numbers.items() if (spread := float(np.std(values)))}


def _unordered(inputs):
    """Return a key that is the same for the same values in another order."""
    return repr([sorted(map(repr, _items(value))) or value for value in inputs.values()])


def _items(value):
    if isinstance(value, dict):
        return list(value.items())
    return list(value) if isinstance(value, (list, tuple, np.ndarray)) else []


def _adapted_answer(inputs, near, seen):
    """Return the answer of the first of the ``near`` cases, adapted to other inputs.

    If answers consist of names from the inputs, each name is kept or left out, and each pair is ordered, as in the nearest
    case that has them.
    """
    if not all(isinstance(case.answer, list) and set(case.answer) <= set(_names(case.inputs)) for case in seen):
        return near[0].answer
    kept = []
    for name in _names(inputs):
        case = next((case for case in near if name in _names(case.inputs)), None)
        if case is None or name in case.answer:
            kept.append(name)
    if all(case.answer == [name for name in _names(case.inputs) if name in case.answer] for case in seen):
        return kept

    def before(a, b):
        answer = next((case.answer for case in near if a in case.answer and b in case.answer), [a, b])
        return answer.index(a) - answer.index(b)

    return sorted(kept, key=cmp_to_key(before))


def _names(inputs):
    """Return the names in the first input that has some."""
    for value in inputs.values():
        names = list(value) if isinstance(value, (dict, list, tuple)) else []
        if names and all(isinstance(name, str) for name in names):
            return names
    return []
