"""From the answers to the cases of an exercise to one verdict.

`decide` sees only plain outcomes, never the student's function, so that it can
stand in another process than the code it judges.
"""

from dataclasses import dataclass

import numpy as np

from . import verdict as v
from .answers import Unusable, agree, describe, plain, same_kind, shown
from .factors import diagnose, known
from .verdict import Verdict


@dataclass(frozen=True)
class Outcome:
    """What one call gave: ``kind`` is "value", "raised", "unwritten", "package" or "unusable".

    ``value`` is a plain answer; ``text`` says what happened otherwise, ``brief``
    the same without anything that the student's code could have put into it.
    """

    kind: str
    value: object = None
    text: str = ""
    brief: str = ""


@dataclass(frozen=True)
class _Finding:
    """A verdict in the making; ``failing`` is (case, outcome, expected)."""

    verdict: str
    message: str
    failing: tuple = None
    mistake: str = ""


def decide(exercise, cases, outcomes, *, hidden=False):
    """Judge the outcomes of all cases.

    Parameters
    ----------
    exercise : Exercise
    cases : list of Case
    outcomes : list of Outcome
        One for each case, in order.
    hidden : bool
        True keeps inputs, expected values and their sizes out of the verdict.

    Returns
    -------
    Verdict
    """
    answers = [(case, outcome, plain(exercise.expected(case))) for case, outcome in zip(cases, outcomes, strict=True)]
    passed = {group.name: True for group in exercise.groups}
    for case, outcome, expected in answers:
        passed[case.group] &= outcome.kind == "value" and agree(outcome.value, expected, exercise.tolerance)

    heart, *others = exercise.groups
    share = 0.0
    if any(outcome.kind == "package" for outcome in outcomes):
        finding = _refused_package(outcomes)
    elif not passed[heart.name]:
        finding = _heart(exercise, [a for a in answers if a[0].group == heart.name], hidden)
    else:
        share = sum(group.share for group in exercise.groups if passed[group.name])
        failed = next((group for group in others if not passed[group.name]), None)
        if failed is None:
            finding = _Finding(v.CORRECT, "Every case agrees with the reference.")
        else:
            # A mistake that would have shown where this answer is right is not the one that was made.
            telling = [a for a in answers if passed[a[0].group] or a[0].group == failed.name]
            finding = _beyond(exercise, failed, telling, hidden)
    return _verdict(exercise, finding, share, hidden)


def _heart(exercise, answers, hidden):
    """Name what is wrong in the main group of cases."""
    if all(outcome.kind == "unwritten" for _, outcome, _ in answers):
        return _Finding(
            v.NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines, then run the cell again."
        )
    for answer in answers:
        _, outcome, expected = answer
        if outcome.kind in ("raised", "unwritten"):
            return _Finding(v.RAISES, _told(outcome, hidden), answer)
        if outcome.kind == "unusable":
            return _Finding(v.TYPE, outcome.text, answer)
        if not same_kind(outcome.value, expected):
            if mistake := _mistake(exercise, answers):
                return _Finding(mistake.verdict, mistake.message, answer, mistake.name)
            message = f"Return {describe(expected)}; you returned {describe(outcome.value)}."
            return _Finding(v.TYPE, message, answer)

    wrong = next(a for a in answers if not agree(a[1].value, a[2], exercise.tolerance))
    if mistake := _mistake(exercise, answers):
        return _Finding(mistake.verdict, mistake.message, wrong, mistake.name)
    if copied := _constant_or_echo(exercise, answers):
        return _Finding(v.REFUSED, copied, wrong, "ignores what it is asked")
    if isinstance(answers[0][2], (float, np.ndarray)):
        got = _flat(outcome.value for _, outcome, _ in answers)
        expected = _flat(value for *_, value in answers)
        tolerance = exercise.tolerance
        if found := known(got, expected, tolerance):
            return _Finding(*found, wrong)
        if found := _two_slips(exercise, answers, got):
            return _Finding(*found, wrong)
        if found := diagnose(got, expected, tolerance):
            return _Finding(*found, wrong)
    return _Finding(v.VALUE, "Not yet, and not a mistake that has a name here. Work one case by hand.", wrong)


def _beyond(exercise, group, answers, hidden):
    """Name what is wrong where the main cases pass."""
    wrong = next(a for a in answers if a[1].kind != "value" or not agree(a[1].value, a[2], exercise.tolerance))
    _, outcome, expected = wrong
    if outcome.kind != "value":
        return _Finding(group.verdict, f"{group.advice} {_told(outcome, hidden)}".strip(), wrong)
    if not same_kind(outcome.value, expected):
        advice = group.advice or f"Return {describe(expected)} here."
        return _Finding(group.verdict, f"{advice} You returned {describe(outcome.value)}.", wrong)
    if mistake := _mistake(exercise, answers):
        return _Finding(group.verdict, mistake.message, wrong, mistake.name)
    advice = group.advice or "The ordinary cases are right; this one at the edge is not."
    return _Finding(group.verdict, advice, wrong)


def _told(outcome, hidden):
    if outcome.kind == "unwritten":
        return "One branch of your function still says NotImplementedError."
    return outcome.brief if hidden and outcome.brief else outcome.text


def _mistake(exercise, answers):
    """The first named mistake that gives every one of these answers, and is wrong here."""
    for mistake in exercise.mistakes:
        predicted = [plain(mistake.wrong(**case.inputs)) for case, *_ in answers]
        if all(agree(outcome.value, value, exercise.tolerance) for (_, outcome, _), value in zip(answers, predicted)):
            if not all(agree(value, truth, exercise.tolerance) for (*_, truth), value in zip(answers, predicted)):
                return mistake
    return None


def _two_slips(exercise, answers, got):
    """A named mistake and a known factor together."""
    for mistake in exercise.mistakes:
        predicted = _flat(plain(mistake.wrong(**case.inputs)) for case, *_ in answers)
        if found := known(got, predicted, exercise.tolerance):
            return mistake.verdict, f"Two slips. {mistake.message} Without that one: {found[1]}"
    return None


def _flat(values):
    return np.concatenate([np.ravel(value) for value in values])


def _constant_or_echo(exercise, answers):
    values = [outcome.value for _, outcome, _ in answers]
    # Different lists of names can have one and the same right order.
    if len(answers) > 1 and not isinstance(values[0], list) and all(agree(value, values[0], 1e-12) for value in values):
        return "Your function gives the same answer whatever it is asked."
    for name in answers[0][0].inputs:
        if all(_same_input(case.inputs[name], outcome.value) for case, outcome, _ in answers):
            return f"Your function hands back its own argument {name}."
    return None


def _same_input(given, value):
    try:
        return agree(value, plain(given), 1e-12)
    except Unusable:
        return False


def _refused_package(outcomes):
    name = next(outcome.text for outcome in outcomes if outcome.kind == "package")
    message = f"Your function calls {name}, which is the answer itself. Write the formula in your own lines."
    return _Finding(v.REFUSED, message, mistake="calls the answer itself")


def _verdict(exercise, finding, share, hidden):
    details = {}
    if finding.failing is not None and not hidden:
        case, outcome, expected = finding.failing
        details = {"case": case, "unit": exercise.unit}
        if outcome.kind == "value":
            details |= {"got": shown(outcome.value), "expected": shown(expected)}
    return Verdict(
        exercise.id,
        exercise.title,
        finding.verdict,
        finding.message,
        score=round(exercise.points * share, 6),
        max_score=exercise.points,
        mistake=finding.mistake,
        **details,
    )
