"""Diagnosis: what is wrong with the outcomes of one group of cases."""

from typing import Any

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import Answer, Array, UnusableAnswer, agree, normalize, numbers, same_type
from chip2cluster.exercise.model import Case, Exercise, Group, Mistake
from chip2cluster.exercise.verdict_codes import Refusal, Ruling

from .example_case import distance_text, example_case
from .findings import CaseResult, Finding, flat_numbers, outcome_text, type_texts
from .mistake_pairs import computed_pair, stated_pair
from .outcome import OutcomeKind
from .unit_errors import diagnose_ratio, known_factor, possible_causes


def critique_finding(exercise: Exercise, answer: CaseResult) -> Finding | None:
    """Return what is wrong with an answer about three answers, without the case, which would show the right numbers."""
    if exercise.critique is None or answer.outcome.value is None:
        return None
    if not same_type(answer.outcome.value, answer.expected):
        wanted, got = type_texts(answer.expected, answer.outcome.value, hidden=False)
        return Finding(v.TYPE, f"Return {wanted}, such as [2, 0, 1]; you returned {got}.")
    ruling, message, mistake = exercise.critique.diagnose(numbers(answer.outcome.value))
    return Finding(ruling, message, mistake=mistake)


def main_group_finding(exercise: Exercise, answers: list[CaseResult], hidden: bool) -> Finding:
    """Return what is wrong in the main group of cases."""
    if all(outcome.kind is OutcomeKind.UNWRITTEN for _, outcome, _ in answers):
        return Finding(v.NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines, then run the cell again.")
    values = []
    for answer in answers:
        _, outcome, expected = answer
        if outcome.kind in (OutcomeKind.RAISED, OutcomeKind.UNWRITTEN):
            return Finding(v.RAISES, outcome_text(outcome, hidden), answer)
        if outcome.value is None:
            return Finding(v.TYPE, outcome.text, answer)
        if not same_type(outcome.value, expected):
            if mistake := named_mistake(exercise, answers):
                return Finding(Ruling(mistake.verdict), mistake.message, answer, mistake.name)
            wanted, got = type_texts(expected, outcome.value, hidden)
            return Finding(v.TYPE, f"Return {wanted}; you returned {got}.", answer)
        values.append(outcome.value)

    wrong = example_case(exercise, answers)
    if mistake := named_mistake(exercise, answers):
        return Finding(Ruling(mistake.verdict), mistake.message, wrong, mistake.name)
    if both := stated_pair(exercise, answers):
        return Finding(*both, wrong)
    if copied := _constant_or_echo([answer.case for answer in answers], values):
        return Finding(v.REFUSED, copied, wrong, Refusal.IGNORES)
    if isinstance(answers[0].expected, (float, Array)):
        given, truth = flat_numbers(values), flat_numbers(answer.expected for answer in answers)
        possible = possible_causes(exercise)
        diagnosis = (
            known_factor(given, truth, exercise.tolerance, possible)
            or computed_pair(exercise, answers, given, truth)
            or diagnose_ratio(given, truth, exercise.tolerance, possible, hidden=hidden, close=exercise.close)
        )
        if diagnosis:
            return Finding(*diagnosis, wrong)
    by_hand = "." if hidden else f", such as the one below{distance_text(wrong, exercise.tolerance)}."
    return Finding(v.VALUE, f"Not yet, and it doesn't match a known mistake. Work one case by hand{by_hand}", wrong)


def edge_group_finding(exercise: Exercise, group: Group, answers: list[CaseResult], hidden: bool) -> Finding:
    """Return what is wrong if the main cases pass."""
    wrong = example_case(exercise, answers)
    _, outcome, expected = wrong
    # A group of ordinary cases has no verdict of its own; it gets the one that the main group would get.
    ordinary, ruling = group.verdict == v.VALUE, Ruling(group.verdict)
    if outcome.value is None:
        kind = v.TYPE if outcome.kind is OutcomeKind.UNUSABLE else v.RAISES
        return Finding(kind if ordinary else ruling, f"{group.advice} {outcome_text(outcome, hidden)}".strip(), wrong)
    mistake = named_mistake(exercise, answers)
    if mistake is None and not same_type(outcome.value, expected):
        wanted, got = type_texts(expected, outcome.value, hidden)
        message = f"{group.advice or f'Return {wanted} here.'} You returned {got}."
        return Finding(v.TYPE if ordinary else ruling, message, wrong)
    if mistake:
        return Finding(Ruling(mistake.verdict) if ordinary else ruling, mistake.message, wrong, mistake.name)
    return Finding(ruling, group.advice or "The first cases are right; this one is not.", wrong)


def named_mistake(exercise: Exercise, answers: list[CaseResult]) -> Mistake | None:
    """Return the first named mistake that gives every one of these answers."""
    for mistake in exercise.mistakes:
        if all(
            agree(outcome.value, normalize(mistake.wrong(**case.inputs)), exercise.tolerance)
            for case, outcome, _ in answers
        ):
            return mistake
    return None


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
