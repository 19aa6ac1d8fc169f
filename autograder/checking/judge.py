"""From the answers to the cases of an exercise to one verdict.

`decide` sees only plain outcomes, never the student's function, so that it can
stand in another process than the code it judges.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import Answer, Unusable, agree, describe, plain, same_kind, shown
from chip2cluster.exercise.model import Case, Exercise, Group, Mistake
from chip2cluster.exercise.scored_answers import Rating, rated
from chip2cluster.exercise.verdict_codes import Refusal, Ruling

from .outcome import Kind, Outcome
from .unit_errors import Diagnosis, Numbers, diagnose, known, suspects
from .verdict import Verdict


class Judged(NamedTuple):
    """A case, what came of it, what should have."""

    case: Case
    outcome: Outcome
    expected: Answer

    def right(self, tolerance: float) -> bool:
        return agree(self.outcome.value, self.expected, tolerance)


@dataclass(frozen=True)
class _Finding:
    """A verdict in the making."""

    ruling: Ruling
    message: str
    failing: Judged | None = None
    mistake: str = ""


# An answer may overflow whatever it is compared by.
@np.errstate(all="ignore")
def decide(exercise: Exercise, cases: Sequence[Case], outcomes: Sequence[Outcome], *, hidden: bool = False) -> Verdict:
    """Judge the outcomes of all cases.

    Parameters
    ----------
    exercise : Exercise
    cases : list of Case
    outcomes : list of Outcome
        One for each case, in order.
    hidden : bool
        True keeps inputs, expected values, the sizes of both and those of the answers out of the verdict.

    Returns
    -------
    Verdict
    """
    if exercise.rate:
        return _rated(exercise, cases, outcomes, hidden)
    answers = [
        Judged(case, outcome, plain(exercise.expected(case))) for case, outcome in zip(cases, outcomes, strict=True)
    ]
    passed = {group.name: True for group in exercise.groups}
    for answer in answers:
        passed[answer.case.group] &= answer.right(exercise.tolerance)

    heart, *others = exercise.groups
    share = 0.0
    if refused := _calls_package(outcomes):
        finding = refused
    elif not passed[heart.name]:
        finding = _heart(exercise, [answer for answer in answers if answer.case.group == heart.name], hidden)
    else:
        share = sum(group.share for group in exercise.groups if passed[group.name])
        failed = next((group for group in others if not passed[group.name]), None)
        if failed is None:
            meaning = exercise.meaning() if exercise.meaning else ""
            finding = _Finding(v.CORRECT, f"Every case agrees with the reference. {meaning}".strip())
        else:
            # A mistake that would have shown where this answer is right is not the one that was made.
            telling = [answer for answer in answers if passed[answer.case.group] or answer.case.group == failed.name]
            finding = _beyond(exercise, failed, telling, hidden)
    return _verdict(exercise, finding, share, hidden)


def _calls_package(outcomes: Sequence[Outcome]) -> _Finding | None:
    """Say that the answer was called; None where it was not."""
    used = next((outcome.text for outcome in outcomes if outcome.kind is Kind.PACKAGE), None)
    if used is None:
        return None
    message = f"Your function calls {used}, which is the answer itself. Write the formula in your own lines."
    return _Finding(v.REFUSED, message, mistake=Refusal.PACKAGE)


def _rated(exercise: Exercise, cases: Sequence[Case], outcomes: Sequence[Outcome], hidden: bool) -> Verdict:
    """Judge answers of which many are right: each earns what it is worth, and the one that is worth least is told."""
    answers = [Judged(case, outcome, 0.0) for case, outcome in zip(cases, outcomes, strict=True)]
    if refused := _calls_package(outcomes):
        return _verdict(exercise, refused, 0.0, hidden)
    if without := [answer for answer in answers if answer.outcome.value is None]:
        finding = _heart(exercise, without, hidden)
        if finding.ruling == v.TYPE:
            finding = replace(finding, message=f"{finding.message} {exercise.groups[0].advice}".strip())
        return _verdict(exercise, finding, 0.0, hidden)
    ratings = [_rating(exercise, answer) for answer in answers]
    # In hundredths, rounded down: who is nearly right reads a plain number, and no full marks.
    share = int(100 * sum(rating.share for rating in ratings) / len(ratings) + 1e-9) / 100
    least = min(ratings, key=lambda rating: rating.share)
    meaning = f" {exercise.meaning()}" if exercise.meaning and share == 1 else ""
    ruling = v.CORRECT if share == 1 else v.MISCONCEPTION if least.mistake else v.VALUE
    finding = _Finding(ruling, least.says + meaning, mistake=least.mistake)
    return replace(_verdict(exercise, finding, share, hidden), place=least.place)


def _rating(exercise: Exercise, answer: Judged) -> Rating:
    if exercise.rate is None:
        raise TypeError(f"{exercise.id} has one right answer, so its answers are not rated")
    return rated(exercise.rate, answer.outcome.value, {**answer.case.inputs, "seed": answer.case.seed})


def _heart(exercise: Exercise, answers: list[Judged], hidden: bool) -> _Finding:
    """Name what is wrong in the main group of cases."""
    if all(outcome.kind is Kind.UNWRITTEN for _, outcome, _ in answers):
        return _Finding(
            v.NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines, then run the cell again."
        )
    values = []
    for answer in answers:
        _, outcome, expected = answer
        if outcome.kind in (Kind.RAISED, Kind.UNWRITTEN):
            return _Finding(v.RAISES, _words(outcome, hidden), answer)
        if outcome.value is None:
            return _Finding(v.TYPE, outcome.text, answer)
        if not same_kind(outcome.value, expected):
            if mistake := _mistake(exercise, answers):
                return _Finding(Ruling(mistake.verdict), mistake.message, answer, mistake.name)
            wanted, got = _kinds(expected, outcome.value, hidden)
            return _Finding(v.TYPE, f"Return {wanted}; you returned {got}.", answer)
        values.append(outcome.value)

    wrong = _smallest(exercise, answers)
    if mistake := _mistake(exercise, answers):
        return _Finding(Ruling(mistake.verdict), mistake.message, wrong, mistake.name)
    if copied := _constant_or_echo([answer.case for answer in answers], values):
        return _Finding(v.REFUSED, copied, wrong, Refusal.IGNORES)
    if isinstance(answers[0].expected, (float, np.ndarray)):
        numbers, truth = _flat(values), _flat(answer.expected for answer in answers)
        possible = suspects(exercise)
        diagnosis = (
            known(numbers, truth, exercise.tolerance, possible)
            or _two_slips(exercise, answers, numbers)
            or diagnose(numbers, truth, exercise.tolerance, possible, hidden=hidden, close=exercise.close)
        )
        if diagnosis:
            return _Finding(*diagnosis, wrong)
    by_hand = "." if hidden else f", such as the one below{_how_far(wrong, exercise.tolerance)}."
    return _Finding(v.VALUE, f"Not yet, and not a mistake that has a name here. Work one case by hand{by_hand}", wrong)


def _smallest(exercise: Exercise, answers: list[Judged]) -> Judged:
    """The case to work by hand: the first, which is made for that, or of others that failed the one with the shortest inputs."""
    wrong = [answer for answer in answers if not answer.right(exercise.tolerance)]
    first = next(answer for answer in answers if answer.case.group == wrong[0].case.group)
    if wrong[0] is first:
        return first
    return min(wrong, key=lambda answer: sum(len(shown(value)) for value in answer.case.inputs.values()))


def _how_far(answer: Judged, tolerance: float) -> str:
    """How far and to which side an answer is off, or where it differs first; empty where neither can be said."""
    got, expected = answer.outcome.value, answer.expected
    if isinstance(got, float) and isinstance(expected, float):
        if not (np.isfinite([got, expected]).all() and got * expected > 0) or _chosen(answer):
            return ""
        ratio, side = (got / expected, "large") if abs(got) > abs(expected) else (expected / got, "small")
        far = f"{100 * (ratio - 1):.2g} %" if ratio < 1.5 else f"{ratio:.3g} times"
        return f": there your answer is {far} too {side}"
    if isinstance(got, np.ndarray) and isinstance(expected, np.ndarray):
        different = np.argwhere(~np.isclose(got, expected, rtol=tolerance, atol=0))
        return f": there the first number that differs has the index {different[0].tolist()}" if len(different) else ""
    if isinstance(got, list) and isinstance(expected, list):
        places = [place for place, pair in enumerate(zip(got, expected, strict=False)) if pair[0] != pair[1]]
        return (
            f": there the first that differs has the index [{places[0]}]"
            if places
            else ": there your list has another length"
        )
    return ""


def _chosen(answer: Judged) -> bool:
    """Whether both numbers are two of a list that was given: a choice is another one, and no larger or smaller."""
    both = {answer.outcome.value, answer.expected}
    lists = (value for value in answer.case.inputs.values() if isinstance(value, np.ndarray) and value.ndim == 1)
    return any(both <= set(value.tolist()) for value in lists)


def _beyond(exercise: Exercise, group: Group, answers: list[Judged], hidden: bool) -> _Finding:
    """Name what is wrong where the main cases pass."""
    wrong = _smallest(exercise, answers)
    _, outcome, expected = wrong
    # A group of ordinary cases has no verdict of its own: there it is what it would be in the main one.
    ordinary, ruling = group.verdict == v.VALUE, Ruling(group.verdict)
    if outcome.value is None:
        kind = v.TYPE if outcome.kind is Kind.UNUSABLE else v.RAISES
        return _Finding(kind if ordinary else ruling, f"{group.advice} {_words(outcome, hidden)}".strip(), wrong)
    mistake = _mistake(exercise, answers)
    if mistake is None and not same_kind(outcome.value, expected):
        wanted, got = _kinds(expected, outcome.value, hidden)
        message = f"{group.advice or f'Return {wanted} here.'} You returned {got}."
        return _Finding(v.TYPE if ordinary else ruling, message, wrong)
    if mistake:
        return _Finding(Ruling(mistake.verdict) if ordinary else ruling, mistake.message, wrong, mistake.name)
    return _Finding(ruling, group.advice or "The first cases are right; this one is not.", wrong)


def _kinds(expected: Answer, got: Answer, hidden: bool) -> tuple[str, str]:
    """What was wanted and what came, in words."""
    if hidden and isinstance(expected, np.ndarray) and isinstance(got, np.ndarray):
        # A shape can be chosen by what was asked, and what was wanted may tell how much that was.
        return "an array of the shape that the task asks for", "one of another shape"
    return describe(expected, shape=not hidden), describe(got, shape=not hidden)


def _words(outcome: Outcome, hidden: bool) -> str:
    if outcome.kind is Kind.UNWRITTEN:
        return "One branch of your function still says NotImplementedError."
    return outcome.brief if hidden and outcome.brief else outcome.text


def _mistake(exercise: Exercise, answers: list[Judged]) -> Mistake | None:
    """The first named mistake that gives every one of these answers."""
    for mistake in exercise.mistakes:
        if all(
            agree(outcome.value, plain(mistake.wrong(**case.inputs)), exercise.tolerance)
            for case, outcome, _ in answers
        ):
            return mistake
    return None


def _two_slips(exercise: Exercise, answers: list[Judged], got: Numbers) -> Diagnosis | None:
    """A named mistake and a known factor together.

    Not a factor of two: that joins the halves and doubles of too many formulas, and the pair would be a guess.
    """
    for mistake in exercise.mistakes:
        predicted = _flat(plain(mistake.wrong(**case.inputs)) for case, *_ in answers)
        if factor := known(got, predicted, exercise.tolerance, suspects(exercise), halves=False):
            return Ruling(
                mistake.verdict
            ), f"Two slips. {mistake.message} Without that one: {factor[1][:1].lower()}{factor[1][1:]}"
    return None


def _flat(values: Iterable[Any]) -> Numbers:
    return np.concatenate([np.ravel(value) for value in values])


def _constant_or_echo(cases: list[Case], values: list[Answer]) -> str:
    """Say that a function ignores what it is asked; empty where it does not."""
    # Different lists of names can have one and the same right order.
    if len(values) > 1 and not isinstance(values[0], list) and all(agree(value, values[0], 1e-12) for value in values):
        return "Your function gives the same answer whatever it is asked."
    for name in cases[0].inputs:
        if all(_same_input(case.inputs[name], value) for case, value in zip(cases, values, strict=True)):
            return f"Your function hands back its own argument {name}."
    return ""


def _same_input(given: Any, value: Answer) -> bool:
    try:
        return agree(value, plain(given), 1e-12)
    except Unusable:
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
    """An answer as it is shown; text, a truth value and what is infinite have no unit."""
    numbers = isinstance(value, (float, np.ndarray)) and bool(np.all(np.isfinite(value)))
    return f"{shown(value)} {unit}" if unit and numbers else shown(value)
