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

    ``value`` is a plain answer; ``text`` says what happened otherwise.
    """

    kind: str
    value: object = None
    text: str = ""


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
        finding = _heart(exercise, [answer for answer in answers if answer[0].group == heart.name])
    else:
        share = sum(group.share for group in exercise.groups if passed[group.name])
        failed = next((group for group in others if not passed[group.name]), None)
        if failed is None:
            finding = (v.CORRECT, "Every case agrees with the reference.", None)
        else:
            finding = _beyond(exercise, failed, [answer for answer in answers if answer[0].group == failed.name])
    return _verdict(exercise, finding, share, hidden)


def _heart(exercise, answers):
    """Name what is wrong in the main group of cases: (verdict, message, failing answer)."""
    kinds = [outcome.kind for _, outcome, _ in answers]
    if all(kind == "unwritten" for kind in kinds):
        return v.NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines, then run the cell again.", None
    for answer in answers:
        if answer[1].kind in ("raised", "unwritten"):
            return v.RAISES, answer[1].text or "One branch of your function still says NotImplementedError.", answer
        if answer[1].kind == "unusable":
            return v.TYPE, answer[1].text, answer
        if not same_kind(answer[1].value, answer[2]):
            return v.TYPE, f"Return {describe(answer[2])}; you returned {describe(answer[1].value)}.", answer

    wrong = next(a for a in answers if not agree(a[1].value, a[2], exercise.tolerance))
    mistake = _mistake(exercise, answers)
    if mistake:
        return mistake.verdict, mistake.message, wrong
    if copied := _constant_or_echo(exercise, answers):
        return v.REFUSED, copied, wrong
    if isinstance(answers[0][2], (float, np.ndarray)):
        got = _flat(outcome.value for _, outcome, _ in answers)
        expected = _flat(value for *_, value in answers)
        tolerance = exercise.tolerance
        found = known(got, expected, tolerance) or _two_slips(exercise, answers, got)
        if found := found or diagnose(got, expected, tolerance):
            return *found, wrong
    return v.VALUE, "Not yet, and not a mistake that has a name here. Work the case below by hand.", wrong


def _beyond(exercise, group, answers):
    """Name what is wrong where the main cases pass."""
    wrong = next(a for a in answers if a[1].kind != "value" or not agree(a[1].value, a[2], exercise.tolerance))
    if wrong[1].kind != "value":
        return group.verdict, f"{group.advice} {wrong[1].text}".strip(), wrong
    if not same_kind(wrong[1].value, wrong[2]):
        advice = group.advice or f"Return {describe(wrong[2])} here."
        return group.verdict, f"{advice} You returned {describe(wrong[1].value)}.", wrong
    mistake = _mistake(exercise, answers)
    message = mistake.message if mistake else group.advice
    return group.verdict, message or "The ordinary cases are right; this one at the edge is not.", wrong


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
    if len(answers) > 1 and all(agree(value, values[0], 1e-12) for value in values):
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
    return (
        v.REFUSED,
        f"Your function calls {name}, which is the answer itself. Write the formula in your own lines.",
        None,
    )


def _verdict(exercise, finding, share, hidden):
    verdict, message, failing = finding
    score = round(exercise.points * share, 6)
    details = {}
    if failing is not None and not hidden:
        case, outcome, expected = failing
        details = {"case": case, "unit": exercise.unit}
        if outcome.kind == "value":
            details |= {"got": shown(outcome.value), "expected": shown(expected)}
    return Verdict(exercise.id, exercise.title, verdict, message, score, exercise.points, **details)
