"""Prove that an exercise grades as it says.

The stub scores 0, and the reference full marks. Every known mistake, submitted as a student's answer, is named, on the
visible inputs of `check` and on hidden ones, and earns its share of the points there, never all of them. Every mutant
gets its stated share, verdict and message; no constant and no echoed input earns points. Answers memorized from `check`
earn nothing in graded work. All this holds on each draw of hidden inputs, because a resubmission is graded on another
draw and must not gain by it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from chip2cluster.exercise.answers import agree, normalize
from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN

from ..checking.judge import grade_outcomes
from ..checking.local_runner import call_on_cases
from ..checking.outcome import Outcome, OutcomeKind, value_outcome
from ..checking.verdict import Verdict
from ..exercises import Case, Exercise, Unfair
from ..secret import student, student_seed
from .critique_checks import critique_complaints
from .memorization import StudentDraw, lookup_complaints

DRAWS = 20  # number of draws of hidden inputs
SEEDS = range(1, DRAWS + 1)  # one for each draw
RATED = 4  # number of draws for exercises with a rating, which take longer and whose hidden part is only random numbers


def examine(exercise: Exercise, seeds: Iterable[int] = SEEDS) -> list[str]:
    """Return complaints about one exercise; an empty list if it grades as it says.

    Parameters
    ----------
    exercise : Exercise
        Exercise to examine.
    seeds : iterable of int
        Seeds of the hidden inputs. A mistake that coincides with another gets both names only if there are many seeds.
    """
    if exercise.redraw:
        return critique_complaints(exercise)
    # Personal values are those of the person who runs this, since solutions and mutants get them from `given`.
    seeds = [*seeds][:RATED] if exercise.rate else [*seeds]
    own = _with_cached_answers(
        exercise.personal(exercise.given(student_seed(student(), exercise.numbers_of or exercise.id)))
    )
    hidden = cache(own.cases)
    draw_for = cache(
        lambda seed: _draw_with_cache(exercise, seed) if exercise.constants else StudentDraw({}, own, hidden(seed))
    )
    try:
        complaints = list(_mistake_complaints(exercise, seeds, own, draw_for))
    except Unfair as problem:
        return [str(problem)]  # no cases, no verdicts
    if exercise.graded and not exercise.rate:
        complaints += lookup_complaints(exercise, seeds, draw_for)
    if not exercise.solution and not exercise.graded:
        complaints.append(f"{exercise.id}: has no solution to reveal")
    if len(exercise.mistakes) + len(exercise.mutants) < 3:
        complaints.append(f"{exercise.id}: has fewer than three wrong solutions, named mistakes counted")
    complaints += _pair_complaints(exercise, seeds, own, draw_for)
    complaints += _source_complaints(own, seeds, hidden)
    # If many answers are right, each of them is a constant, and submitting one is legitimate.
    return complaints if exercise.rate else complaints + list(_constant_complaints(own, seeds, hidden))


def judge(exercise: Exercise, function: Callable[..., Any], seed: int) -> Verdict:
    """Return the verdict on a function that is called in this process."""
    cases = exercise.cases(seed)
    # This module's own lambdas stand for a student's function, so they are not refused as the package's own.
    return grade_outcomes(exercise, cases, call_on_cases(function, cases, (*exercise.allowed, __name__)))


def _source_complaints(exercise: Exercise, seeds: Iterable[int], hidden: Callable[[int], list[Case]]) -> Iterator[str]:
    """Yield a complaint for each source, and for the reference, that gets another verdict, score or message."""
    wanted: list[tuple[str, str, str, float, str]] = [("the stub", exercise.stub, NOT_WRITTEN, 0, "")]
    if exercise.solution:
        wanted.append(("the solution", exercise.solution, CORRECT, 1, ""))
    wanted += [(f"mutant {one.source!r}", one.source, one.verdict, one.share, one.says) for one in exercise.mutants]
    tried: dict[str, tuple[Callable | None, str, float, str]] = {"the reference": (None, CORRECT, exercise.points, "")}
    for label, source, verdict, share, says in wanted:
        namespace: dict[str, Any] = {}
        exec(compile(source, f"<{exercise.id}: {label}>", "exec"), namespace)  # our own text, from the registry
        tried[label] = namespace[exercise.function_name], verdict, share * exercise.points, says
    for seed in seeds:
        cases = hidden(seed)
        for label, (function, verdict, points, says) in [*tried.items()]:
            outcomes = (
                call_on_cases(function, cases, exercise.allowed)
                if function
                else [*map(value_outcome, map(exercise.expected, cases))]
            )
            judged = grade_outcomes(exercise, cases, outcomes)
            if judged.verdict != verdict or abs(judged.score - points) > 1e-9 or says not in judged.message:
                yield (
                    f"{exercise.id}: {label} got {judged.verdict!r}, {judged.score:g} points, {judged.message!r} "
                    f"with seed {seed}; wanted {verdict!r}, {points:g} points, {says!r}"
                )
                del tried[label]


def _mistake_complaints(
    exercise: Exercise, seeds: Iterable[int], own: Exercise, draw_for: Callable[[int], StudentDraw]
) -> Iterator[str]:
    """Yield a complaint for each known mistake that is not named or earns another share."""
    verdicts_by_place = {
        where: _verdicts_on_mistakes(mine, cases) for where, mine, cases in _case_sets(exercise, seeds, own, draw_for)
    }
    for mistake in exercise.mistakes:
        title = f"{exercise.id}: the mistake {mistake.name!r}"
        names = set()
        for where, verdicts in verdicts_by_place.items():
            verdict = verdicts[mistake.name]
            names.add(verdict.mistake)
            if verdict.correct:
                yield f"{title} earns all points {where}"
            elif abs(verdict.score - mistake.share * exercise.points) > 1e-6:
                yield f"{title} earns {verdict.score:g} points {where}, and its share is {mistake.share:g} of them"
            elif not verdict.mistake or verdict.mistake not in (mistake.name, mistake.coincides):
                yield f"{title} is named {verdict.heading!r} {where}: {verdict.message}"
            else:
                continue
            break
        else:
            if mistake.name not in names:
                yield f"{title} is always named {mistake.coincides!r}: one of the two is enough"
            elif mistake.coincides and mistake.coincides not in names:
                yield f"{title} always gets its own name: it does not coincide with {mistake.coincides!r}"


def _pair_complaints(
    exercise: Exercise, seeds: Iterable[int], own: Exercise, draw_for: Callable[[int], StudentDraw]
) -> Iterator[str]:
    """Yield a complaint for each stated pair of mistakes that is not named as the two, or earns points."""
    messages = {mistake.name: mistake.message for mistake in exercise.mistakes}
    for where, mine, cases in _case_sets(exercise, seeds, own, draw_for):
        for pair in mine.together:
            outcomes = [Outcome(OutcomeKind.VALUE, normalize(pair.wrong(**case.inputs))) for case in cases]
            verdict = grade_outcomes(mine, cases, outcomes)
            both = all(messages[name] in verdict.message for name in (pair.first, pair.second))
            if verdict.score or not (both and verdict.message.startswith("Two mistakes. ")):
                yield (
                    f"{exercise.id}: the pair {pair.first!r} and {pair.second!r} gets {verdict.score:g} points {where}: "
                    f"{verdict.message}"
                )


def _case_sets(
    exercise: Exercise, seeds: Iterable[int], own: Exercise, draw_for: Callable[[int], StudentDraw]
) -> Iterator[tuple[str, Exercise, list[Case]]]:
    """Yield each set of cases with a description and the exercise with a student's personal values."""
    personal = _with_cached_answers(exercise.personal(exercise.given(0))) if exercise.constants else own
    yield "on the inputs that `check` shows", personal, personal.visible_cases
    for seed in seeds:
        _, mine, cases = draw_for(seed)
        yield f"with seed {seed}", mine, cases


def _draw_with_cache(exercise: Exercise, seed: int) -> StudentDraw:
    """Draw for a student with other personal values; answers are cached, since the draw and the verdicts need the same."""
    given = exercise.given(seed)
    mine = _with_cached_answers(exercise.personal(given))
    return StudentDraw(given, mine, mine.cases(seed))


def _verdicts_on_mistakes(exercise: Exercise, cases: Sequence[Case]) -> dict[str, Verdict]:
    """Return the verdict on each known mistake as a student's answer to these cases, by the mistake's name."""
    answers = {
        mistake.name: [Outcome(OutcomeKind.VALUE, exercise.mistaken(mistake, case)) for case in cases]
        for mistake in exercise.mistakes
    }
    return {name: grade_outcomes(exercise, cases, outcomes) for name, outcomes in answers.items()}


def _with_cached_answers(exercise: Exercise) -> Exercise:
    """Return the exercise with cached answers of its reference and mistakes, which every verdict needs."""
    return replace(
        exercise,
        reference=_cached(exercise.reference),
        mistakes=tuple(replace(mistake, wrong=_cached(mistake.wrong)) for mistake in exercise.mistakes),
    )


def _cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Cache a function by the identity of its inputs, which the cache keeps alive."""
    answers = {}

    def cached(**inputs):
        key = tuple(map(id, inputs.values()))
        if key not in answers:
            answers[key] = function(**inputs), inputs
        return answers[key][0]

    return cached


def _constant_complaints(
    exercise: Exercise, seeds: Iterable[int], hidden: Callable[[int], list[Case]]
) -> Iterator[str]:
    """Yield a complaint for each constant and each echoed input that earns points."""
    shown = exercise.visible_cases
    main_group = exercise.groups[0].name
    answers = [(f"constant {value!r}", lambda _, value=value: value) for value in map(exercise.expected, shown)]
    answers += [(f"echo of {name}", lambda inputs, name=name: inputs[name]) for name in shown[0].inputs]
    for seed in seeds:
        cases = [case for case in hidden(seed) if case.group == main_group]
        expected = [normalize(exercise.expected(case)) for case in cases]
        for labelled in [*answers]:
            label, answer = labelled
            given = [value_outcome(answer(case.inputs)).value for case in cases]
            if all(agree(value, right, exercise.tolerance) for value, right in zip(given, expected, strict=True)):
                yield f"{exercise.id}: {label} earns points with seed {seed}"
                answers.remove(labelled)
