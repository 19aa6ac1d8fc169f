"""Judge: from the outcomes of an exercise's cases to one verdict.

`grade_outcomes` sees only plain outcomes, never the student's function, so it can run in another process than the code
that it judges. It needs no NumPy: the book's pages run it in a browser.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, NamedTuple

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import (
    Answer,
    Array,
    UnusableAnswer,
    agree,
    describe_type,
    format_value,
    ignore_float_errors,
    is_close,
    normalize,
    numbers,
    same_type,
)
from chip2cluster.exercise.critique import ALL_RIGHT
from chip2cluster.exercise.model import Case, Exercise, Group, Mistake
from chip2cluster.exercise.scored_answers import Rating, rated
from chip2cluster.exercise.verdict_codes import Refusal, Ruling

from .mistake_pairs import pair_of_mistakes, two_mistakes
from .outcome import Outcome, OutcomeKind
from .unit_errors import Diagnosis, Numbers, diagnose_ratio, known_factor, possible_causes
from .verdict import Verdict


class CaseResult(NamedTuple):
    """A case with its outcome and the expected answer."""

    case: Case
    outcome: Outcome
    expected: Answer

    def is_right(self, tolerance: float) -> bool:
        """Return whether the outcome agrees with the expected answer."""
        return agree(self.outcome.value, self.expected, tolerance)


@dataclass(frozen=True)
class _Finding:
    """Result of the judge before points are counted."""

    ruling: Ruling
    message: str
    failing: CaseResult | None = None
    mistake: str = ""


def _in_present_words(outcome: Outcome, former_words: Sequence[tuple[str, str]]) -> Outcome:
    if isinstance(outcome.value, str):
        return replace(outcome, value=dict(former_words).get(outcome.value, outcome.value))
    return outcome


def grade_outcomes(
    exercise: Exercise, cases: Sequence[Case], outcomes: Sequence[Outcome], *, hidden: bool = False
) -> Verdict:
    """Return the verdict on the outcomes of all cases.

    Parameters
    ----------
    exercise : Exercise
    cases : list of Case
    outcomes : list of Outcome
        One outcome for each case, in order.
    hidden : bool
        Whether inputs, expected values, the sizes of both and those of the answers stay out of the verdict.

    Returns
    -------
    Verdict
    """
    if exercise.rate:
        return _grade_rated(exercise, cases, outcomes, hidden)
    with ignore_float_errors():  # a named mistake may overflow
        return _grade_compared(exercise, cases, outcomes, hidden)


def _grade_compared(exercise: Exercise, cases: Sequence[Case], outcomes: Sequence[Outcome], hidden: bool) -> Verdict:
    """Judge answers that are right or wrong."""
    answers = [
        CaseResult(case, _in_present_words(outcome, exercise.former_words), normalize(exercise.expected(case)))
        for case, outcome in zip(cases, outcomes, strict=True)
    ]
    passed = {group.name: True for group in exercise.groups}
    for answer in answers:
        passed[answer.case.group] &= answer.is_right(exercise.tolerance)

    main, *others = exercise.groups
    share = 0.0
    if refused := _package_call(outcomes):
        finding = refused
    elif not passed[main.name]:
        relevant = [answer for answer in answers if answer.case.group == main.name]
        finding = _critique(exercise, relevant[0]) or _main_group(exercise, relevant, hidden)
    else:
        share = sum(group.share for group in exercise.groups if passed[group.name])
        failed = next((group for group in others if not passed[group.name]), None)
        if failed is None:
            meaning = exercise.meaning() if exercise.meaning else ""
            said = ALL_RIGHT if exercise.critique else "Every case agrees with the reference."
            finding = _Finding(v.CORRECT, f"{said} {meaning}".strip())
        else:
            # A mistake that fails a case that this answer solves is not the one that was made.
            relevant = [answer for answer in answers if passed[answer.case.group] or answer.case.group == failed.name]
            finding = _edge_groups(exercise, failed, relevant, hidden)
    return _verdict(exercise, finding, share, hidden)


def _package_call(outcomes: Sequence[Outcome]) -> _Finding | None:
    """Return the finding that the function calls the package's own answer; None if it does not."""
    used = next((outcome.text for outcome in outcomes if outcome.kind is OutcomeKind.PACKAGE), None)
    if used is None:
        return None
    message = f"Your function calls {used}, which is the answer itself. Write the formula in your own lines."
    return _Finding(v.REFUSED, message, mistake=Refusal.PACKAGE)


def _grade_rated(exercise: Exercise, cases: Sequence[Case], outcomes: Sequence[Outcome], hidden: bool) -> Verdict:
    """Judge scored answers, of which many are right: the mean of the scores counts, and the lowest one is explained."""
    answers = [CaseResult(case, outcome, 0.0) for case, outcome in zip(cases, outcomes, strict=True)]
    if refused := _package_call(outcomes):
        return _verdict(exercise, refused, 0.0, hidden)
    if without := [answer for answer in answers if answer.outcome.value is None]:
        finding = _main_group(exercise, without, hidden)
        if finding.ruling == v.TYPE:
            finding = replace(finding, message=f"{finding.message} {exercise.groups[0].advice}".strip())
        return _verdict(exercise, finding, 0.0, hidden)
    ratings = [_rating(exercise, answer) for answer in answers]
    # In hundredths, rounded down, so that a nearly right answer gets a short number and not full marks.
    share = int(100 * sum(rating.share for rating in ratings) / len(ratings) + 1e-9) / 100
    least = min(ratings, key=lambda rating: rating.share)
    meaning = f" {exercise.meaning()}" if exercise.meaning and share == 1 else ""
    ruling = v.CORRECT if share == 1 else v.MISCONCEPTION if least.mistake else v.VALUE
    finding = _Finding(ruling, least.says + meaning, mistake=least.mistake)
    return replace(_verdict(exercise, finding, share, hidden), place=least.place)


def _rating(exercise: Exercise, answer: CaseResult) -> Rating:
    if exercise.rate is None:
        raise TypeError(f"{exercise.id} has one right answer, so its answers are not rated")
    return rated(exercise.rate, answer.outcome.value, {**answer.case.inputs, "seed": answer.case.seed})


def _critique(exercise: Exercise, answer: CaseResult) -> _Finding | None:
    """Return what is wrong with an answer about three answers, without the case, which would show the right numbers."""
    if exercise.critique is None or answer.outcome.value is None:
        return None
    if not same_type(answer.outcome.value, answer.expected):
        wanted, got = _type_texts(answer.expected, answer.outcome.value, hidden=False)
        return _Finding(v.TYPE, f"Return {wanted}, such as [2, 0, 1]; you returned {got}.")
    ruling, message, mistake = exercise.critique.diagnose(numbers(answer.outcome.value))
    return _Finding(ruling, message, mistake=mistake)


def _main_group(exercise: Exercise, answers: list[CaseResult], hidden: bool) -> _Finding:
    """Return what is wrong in the main group of cases."""
    if all(outcome.kind is OutcomeKind.UNWRITTEN for _, outcome, _ in answers):
        return _Finding(
            v.NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines, then run the cell again."
        )
    values = []
    for answer in answers:
        _, outcome, expected = answer
        if outcome.kind in (OutcomeKind.RAISED, OutcomeKind.UNWRITTEN):
            return _Finding(v.RAISES, _outcome_text(outcome, hidden), answer)
        if outcome.value is None:
            return _Finding(v.TYPE, outcome.text, answer)
        if not same_type(outcome.value, expected):
            if mistake := _mistake(exercise, answers):
                return _Finding(Ruling(mistake.verdict), mistake.message, answer, mistake.name)
            wanted, got = _type_texts(expected, outcome.value, hidden)
            return _Finding(v.TYPE, f"Return {wanted}; you returned {got}.", answer)
        values.append(outcome.value)

    wrong = _example_case(exercise, answers)
    if mistake := _mistake(exercise, answers):
        return _Finding(Ruling(mistake.verdict), mistake.message, wrong, mistake.name)
    if both := _stated_pair(exercise, answers):
        return _Finding(*both, wrong)
    if copied := _constant_or_echo([answer.case for answer in answers], values):
        return _Finding(v.REFUSED, copied, wrong, Refusal.IGNORES)
    if isinstance(answers[0].expected, (float, Array)):
        given, truth = _flat(values), _flat(answer.expected for answer in answers)
        possible = possible_causes(exercise)
        diagnosis = (
            known_factor(given, truth, exercise.tolerance, possible)
            or _computed_pair(exercise, answers, given, truth)
            or diagnose_ratio(given, truth, exercise.tolerance, possible, hidden=hidden, close=exercise.close)
        )
        if diagnosis:
            return _Finding(*diagnosis, wrong)
    by_hand = "." if hidden else f", such as the one below{_distance_text(wrong, exercise.tolerance)}."
    return _Finding(v.VALUE, f"Not yet, and it doesn't match a known mistake. Work one case by hand{by_hand}", wrong)


def _example_case(exercise: Exercise, answers: list[CaseResult]) -> CaseResult:
    """Return the case to work by hand: the first, which is made for that, else the failed one with the shortest inputs."""
    wrong = [answer for answer in answers if not answer.is_right(exercise.tolerance)]
    first = next(answer for answer in answers if answer.case.group == wrong[0].case.group)
    if wrong[0] is first:
        return first
    return min(wrong, key=lambda answer: sum(len(format_value(value)) for value in answer.case.inputs.values()))


def _distance_text(answer: CaseResult, tolerance: float) -> str:
    """Say how far and in which direction an answer is off, or where it differs first; empty if neither is clear."""
    got, expected = answer.outcome.value, answer.expected
    if isinstance(got, float) and isinstance(expected, float):
        if not (isfinite(got) and isfinite(expected) and got * expected > 0) or _is_choice(answer):
            return ""
        ratio, side = (got / expected, "large") if abs(got) > abs(expected) else (expected / got, "small")
        far = f"{100 * (ratio - 1):.2g} %" if ratio < 1.5 else f"{ratio:.3g} times"
        return f": there your answer is {far} too {side}"
    if isinstance(got, Array) and isinstance(expected, Array):
        pairs = zip(numbers(got), numbers(expected), strict=True)
        different = next((place for place, pair in enumerate(pairs) if not is_close(*pair, tolerance)), None)
        if different is None:
            return ""
        return f": there the first number that differs is at index {_index(different, expected.shape)}"
    if isinstance(got, list) and isinstance(expected, list):
        places = [place for place, pair in enumerate(zip(got, expected, strict=False)) if pair[0] != pair[1]]
        return (
            f": there the first item that differs is at index {places[0]}"
            if places
            else ": there your list has another length"
        )
    return ""


def _index(place: int, shape: tuple[int, ...]) -> int | list[int]:
    """Return the index, one number for each axis, of an item by its place among all items."""
    index: list[int] = []
    for length in reversed(shape):
        place, here = divmod(place, length)
        index.insert(0, here)
    return index[0] if len(index) == 1 else index


def _is_choice(answer: CaseResult) -> bool:
    """Return whether both numbers are items of an input list: then the answer is another choice, not a larger number."""
    both = {answer.outcome.value, answer.expected}
    lists = (value for value in answer.case.inputs.values() if isinstance(value, Array) and value.ndim == 1)
    return any(both <= set(value.tolist()) for value in lists)


def _edge_groups(exercise: Exercise, group: Group, answers: list[CaseResult], hidden: bool) -> _Finding:
    """Return what is wrong if the main cases pass."""
    wrong = _example_case(exercise, answers)
    _, outcome, expected = wrong
    # A group of ordinary cases has no verdict of its own; it gets the one that the main group would get.
    ordinary, ruling = group.verdict == v.VALUE, Ruling(group.verdict)
    if outcome.value is None:
        kind = v.TYPE if outcome.kind is OutcomeKind.UNUSABLE else v.RAISES
        return _Finding(kind if ordinary else ruling, f"{group.advice} {_outcome_text(outcome, hidden)}".strip(), wrong)
    mistake = _mistake(exercise, answers)
    if mistake is None and not same_type(outcome.value, expected):
        wanted, got = _type_texts(expected, outcome.value, hidden)
        message = f"{group.advice or f'Return {wanted} here.'} You returned {got}."
        return _Finding(v.TYPE if ordinary else ruling, message, wrong)
    if mistake:
        return _Finding(Ruling(mistake.verdict) if ordinary else ruling, mistake.message, wrong, mistake.name)
    return _Finding(ruling, group.advice or "The first cases are right; this one is not.", wrong)


def _type_texts(expected: Answer, got: Answer, hidden: bool) -> tuple[str, str]:
    """Describe the expected and the returned type."""
    if hidden and isinstance(expected, Array) and isinstance(got, Array):
        # A function can choose its shape by the hidden inputs, and the expected shape may reveal their size.
        return "an array of the shape that the task asks for", "one of another shape"
    return describe_type(expected, shape=not hidden), describe_type(got, shape=not hidden)


def _outcome_text(outcome: Outcome, hidden: bool) -> str:
    if outcome.kind is OutcomeKind.UNWRITTEN:
        return "One branch of your function still says NotImplementedError."
    return outcome.brief if hidden and outcome.brief else outcome.text


def _mistake(exercise: Exercise, answers: list[CaseResult]) -> Mistake | None:
    """Return the first named mistake that gives every one of these answers."""
    for mistake in exercise.mistakes:
        if all(
            agree(outcome.value, normalize(mistake.wrong(**case.inputs)), exercise.tolerance)
            for case, outcome, _ in answers
        ):
            return mistake
    return None


def _stated_pair(exercise: Exercise, answers: list[CaseResult]) -> Diagnosis | None:
    """Return the diagnosis of a pair that the exercise states, if it gives every one of these answers."""
    named = {mistake.name: mistake for mistake in exercise.mistakes}
    for pair in exercise.together:
        if all(
            agree(outcome.value, normalize(pair.wrong(**case.inputs)), exercise.tolerance)
            for case, outcome, _ in answers
        ):
            return two_mistakes(named[pair.first], named[pair.second])
    return None


def _computed_pair(exercise: Exercise, answers: list[CaseResult], got: Numbers, expected: Numbers) -> Diagnosis | None:
    """Return the diagnosis of a named mistake with a known factor, or of two named mistakes; None without one.

    A factor of two is not tried: it connects too many formulas, so that the pair would be a guess.
    """
    known = []
    for mistake in exercise.mistakes:
        wrong = [normalize(mistake.wrong(**case.inputs)) for case, *_ in answers]
        if not all(isinstance(value, (float, Array)) for value in wrong):
            continue
        predicted = _flat(wrong)
        if factor := known_factor(got, predicted, exercise.tolerance, possible_causes(exercise), halves=False):
            return Ruling(
                mistake.verdict
            ), f"Two mistakes. {mistake.message} Without that one: {factor[1][:1].lower()}{factor[1][1:]}"
        known.append((mistake, predicted))
    pair = pair_of_mistakes(known, got, expected, exercise.tolerance)
    return two_mistakes(*pair) if pair else None


def _flat(values: Iterable[Any]) -> Numbers:
    return [number for value in values for number in numbers(value)]


def _constant_or_echo(cases: list[Case], values: list[Answer]) -> str:
    """Say that a function ignores its inputs; empty if it does not."""
    # Different lists of names can have the same right order.
    if len(values) > 1 and not isinstance(values[0], list) and all(agree(value, values[0], 1e-12) for value in values):
        return "Your function gives the same answer whatever it is asked."
    for name in cases[0].inputs:
        if all(_same_input(case.inputs[name], value) for case, value in zip(cases, values, strict=True)):
            return f"Your function hands back its own argument {name}."
    return ""


def _same_input(given: Any, value: Answer) -> bool:
    try:
        return agree(value, normalize(given), 1e-12)
    except UnusableAnswer:
        return False


def _verdict(exercise: Exercise, finding: _Finding, share: float, hidden: bool) -> Verdict:
    verdict = Verdict(
        exercise.id,
        exercise.title,
        finding.ruling,
        finding.message,
        score=round(exercise.points * share, 6),
        max_score=exercise.points,
        mistake=finding.mistake,
        graded=exercise.graded,
    )
    if finding.failing is None or hidden:
        return verdict
    case, outcome, expected = finding.failing
    verdict = replace(verdict, case=case, digest=exercise.digest(**case.inputs) if exercise.digest else None)
    if outcome.value is None:
        return verdict
    return replace(verdict, got=_with_unit(outcome.value, exercise.unit), expected=_with_unit(expected, exercise.unit))


def _with_unit(value: Answer, unit: str) -> str:
    """Format an answer with its unit; text, truth values and infinite numbers have none."""
    finite = isinstance(value, (float, Array)) and all(map(isfinite, numbers(value)))
    return f"{format_value(value)} {unit}" if unit and finite else format_value(value)
