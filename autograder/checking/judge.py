"""Judge: from the outcomes of an exercise's cases to one verdict.

`grade_outcomes` sees only plain outcomes, never the student's function, so it can run in another process than the code
that it judges. It needs no NumPy: the book's pages run it in a browser.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import Answer, Array, format_value, ignore_float_errors, normalize, numbers
from chip2cluster.exercise.critique import ALL_RIGHT
from chip2cluster.exercise.model import Case, Exercise
from chip2cluster.exercise.scored_answers import Rating, rated
from chip2cluster.exercise.verdict_codes import Refusal

from .diagnosis import critique_finding, edge_group_finding, main_group_finding
from .findings import CaseResult, Finding
from .outcome import Outcome, OutcomeKind
from .verdict import Verdict


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
        finding = critique_finding(exercise, relevant[0]) or main_group_finding(exercise, relevant, hidden)
    else:
        share = sum(group.share for group in exercise.groups if passed[group.name])
        failed = next((group for group in others if not passed[group.name]), None)
        if failed is None:
            meaning = exercise.meaning() if exercise.meaning else ""
            said = ALL_RIGHT if exercise.critique else "Every case agrees with the reference."
            finding = Finding(v.CORRECT, f"{said} {meaning}".strip())
        else:
            # A mistake that fails a case that this answer solves is not the one that was made.
            relevant = [answer for answer in answers if passed[answer.case.group] or answer.case.group == failed.name]
            finding = edge_group_finding(exercise, failed, relevant, hidden)
    return _verdict(exercise, finding, share, hidden)


def _package_call(outcomes: Sequence[Outcome]) -> Finding | None:
    """Return the finding that the function calls the package's own answer; None if it does not."""
    used = next((outcome.text for outcome in outcomes if outcome.kind is OutcomeKind.PACKAGE), None)
    if used is None:
        return None
    message = f"Your function calls {used}, which is the answer itself. Write the formula in your own lines."
    return Finding(v.REFUSED, message, mistake=Refusal.PACKAGE)


def _grade_rated(exercise: Exercise, cases: Sequence[Case], outcomes: Sequence[Outcome], hidden: bool) -> Verdict:
    """Judge scored answers, of which many are right: the mean of the scores counts, and the lowest one is explained."""
    answers = [CaseResult(case, outcome, 0.0) for case, outcome in zip(cases, outcomes, strict=True)]
    if refused := _package_call(outcomes):
        return _verdict(exercise, refused, 0.0, hidden)
    if without := [answer for answer in answers if answer.outcome.value is None]:
        finding = main_group_finding(exercise, without, hidden)
        if finding.ruling == v.TYPE:
            finding = replace(finding, message=f"{finding.message} {exercise.groups[0].advice}".strip())
        return _verdict(exercise, finding, 0.0, hidden)
    ratings = [_rating(exercise, answer) for answer in answers]
    # In hundredths, rounded down, so that a nearly right answer gets a short number and not full marks.
    share = int(100 * sum(rating.share for rating in ratings) / len(ratings) + 1e-9) / 100
    least = min(ratings, key=lambda rating: rating.share)
    meaning = f" {exercise.meaning()}" if exercise.meaning and share == 1 else ""
    ruling = v.CORRECT if share == 1 else v.MISCONCEPTION if least.mistake else v.VALUE
    finding = Finding(ruling, least.says + meaning, mistake=least.mistake)
    return replace(_verdict(exercise, finding, share, hidden), place=least.place)


def _rating(exercise: Exercise, answer: CaseResult) -> Rating:
    if exercise.rate is None:
        raise TypeError(f"{exercise.id} has one right answer, so its answers are not rated")
    return rated(exercise.rate, answer.outcome.value, {**answer.case.inputs, "seed": answer.case.seed})


def _verdict(exercise: Exercise, finding: Finding, share: float, hidden: bool) -> Verdict:
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
