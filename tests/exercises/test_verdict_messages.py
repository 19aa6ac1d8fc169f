"""Verdict messages: only causes that the exercise can contain, words that fit the answer, and a case to work by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from autograder import check, hint
from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import value_outcome
from autograder.checking.unit_errors import Cause, possible_causes
from autograder.doctor.exercise_checks import judge
from autograder.exercises import exercise, topics
from chip2cluster.exercise.answers import format_value
from tests.grading.fake_sandbox import kind

TOLD = {
    "multiply-accumulate": Cause.PAIRS,
    "sparse": Cause.SPARSE,
    "directions": Cause.DIRECTIONS,
    "8 bits": Cause.BYTES,
    "GiB": Cause.BYTES,
    "percentage": Cause.PERCENT,
    "hours": Cause.HOURS,
}


pytestmark = pytest.mark.usefixtures("own_record")


def off_by(task, factor):
    """Return the verdict on the right answer times a factor."""
    cases = task.visible_cases
    return grade_outcomes(task, cases, [value_outcome(factor * task.expected(case)) for case in cases])


@pytest.mark.parametrize("topic", topics())
def test_a_factor_accuses_nobody_who_is_not_on_the_page(topic):
    for task in topics()[topic]:
        if not task.constants and kind(task) is float:
            accuses_nobody(task)


def accuses_nobody(task):
    own = [mistake.message for mistake in task.mistakes]
    for factor in (8, 1 / 8, 2, 1 / 2, 100, 1 / 100, 3600, 1 / 3600, 2**30 / 1e9):
        found = off_by(task, factor)
        assert not found.correct
        if any(message in found.message for message in own):
            continue
        for word, suspect in TOLD.items():
            assert word not in found.message or suspect in possible_causes(task), found


@pytest.mark.parametrize(
    "task, factor, said, unsaid",
    [
        ("mfu.mfu", 1 / 8, "0.125 times the right one", "byte"),
        ("mfu.hfu", 8, "8 times the right one", "bits"),
        ("links.effective", 1 / 2, "exactly half", "multiply"),
        ("links.effective", 2, "directions", "sparse"),
        ("links.effective", 8, "8 bits", "devices"),
        ("accelerators.operations_per_lane", 1 / 3, "constant factor", "sparse"),
    ],
)
def test_what_is_asked_fits_the_page(task, factor, said, unsaid):
    one = exercise(task)  # its mistakes do not speak first, though their words count
    found = grade_outcomes(
        replace(one, mistakes=tuple(replace(mistake, wrong=lambda **_: 0.0) for mistake in one.mistakes)),
        one.visible_cases,
        [value_outcome(factor * one.expected(case)) for case in one.visible_cases],
    )
    assert said in found.message and unsaid not in found.message, found


def test_a_unit_stands_behind_numbers_alone():
    text = repr(check("roofline.ridge", lambda t, b: "1"))
    assert "you returned: '1'\n" in text and "FLOP/byte" in text
    batch = check("roofline.smallest_batch", lambda i, o, p, b: math.ceil(p / b * i * o / (i * o - p / b * (i + o))))
    assert batch.expected == "inf" and batch.got.endswith(" tokens")


def test_nothing_returned_and_none_returned_are_two_things():
    def says_nothing(sparse_tflops, bandwidth_gbytes):
        sparse_tflops / bandwidth_gbytes

    def says_none(sparse_tflops, bandwidth_gbytes):
        if bandwidth_gbytes < 0:
            return 1.0
        return None

    assert "Is a `return` missing?" in check("roofline.ridge", says_nothing).message
    message = check("roofline.ridge", says_none).message
    assert "returned None, which is not an answer here" in message and "missing" not in message


def test_an_error_is_headed_in_words():
    found = check("roofline.ridge", lambda t, b: t / 0)
    assert found.heading == "stopped without an answer" and found.verdict == "raises"


def test_lists_are_shown_like_other_numbers():
    assert format_value((918e12, 2.5e12)) == "[9.18e14, 2.5e12]"
    assert format_value([1, np.float64(2.5)]) == "[1, 2.5]" and format_value(["a", 1]) == "['a', 1]"


def test_rows_and_columns_are_shown_as_such():
    assert format_value({"waiting": [41, 7], "cache": [0.5, 1]}) == "\nwaiting   41  7\ncache    0.5  1"
    assert format_value([{"name": "pool", "gbytes": 4.0}, {"name": "drive", "gbytes": 30000.0}]) == (
        "\nname   gbytes\npool        4\ndrive   30000"
    )
    for other in ({"a": 1}, {}, [{}], [{"a": 1}, {"b": 1}], {"a": [1], "b": [1, 2]}, {"a": []}):
        assert format_value(other) == repr(other)


def test_the_shortest_failing_case_is_shown():
    cycles = exercise("systolic.cycles")

    def floored(m, n, k, rows, cols):
        return (k // rows) * (n // cols) * max(m, rows) + rows + cols

    cases = [case for case in cycles.cases(3) if case.group == cycles.groups[0].name]
    failing = [case for case in cases if floored(**case.inputs) != cycles.expected(case)]
    found = judge(cycles, floored, 3)
    size = lambda case: len("".join(format_value(value) for value in case.inputs.values()))
    assert size(found.case) == min(map(size, failing))


def test_what_has_no_name_is_told_where_to_begin():
    found = check("roofline.gemm_intensity", lambda m, n, k, s: 1.9 * m * n * k / (s * (m * k + k * n)) + 3)
    assert "Work one case by hand, such as the one below: there your answer is" in found.message
    got, expected = (float(value.split()[0]) for value in (found.got, found.expected))
    assert ("too large" if got > expected else "too small") in found.message


def test_points_are_for_graded_work():
    plain_one, graded = check("roofline.ridge", abs), check("lab.roofline.shortest_time", abs)
    assert "point" not in repr(plain_one) + plain_one._repr_html_()
    assert "0 of" in repr(graded) and "points" in graded._repr_html_()


def test_an_ordinary_case_is_no_edge():
    def all_scores(parameters, layers, d_model, sequence, causal):
        return 6 * parameters + 12 * layers * d_model * sequence

    found = check("mfu.flops_per_token", all_scores)
    assert found.heading == "always all scores" and found.score == pytest.approx(0.7 * found.max_score)


def test_help_is_offered_until_it_is_used_up_or_solved():
    assert "`hint()`" in repr(check("roofline.ridge", lambda t, b: t / b))
    for _ in range(3):
        hint()
    assert "`hint()`" not in repr(check("roofline.ridge", lambda t, b: t / b))
    assert "`hint()`" not in repr(check("roofline.ridge", lambda t, b: t * 500 / b))


@pytest.mark.parametrize("side, by", [("large", 1), ("small", -1)])
def test_one_too_many_is_said_in_general(side, by):
    stages = exercise("occupancy.stages_needed")
    found = grade_outcomes(
        stages, stages.visible_cases, [value_outcome(stages.expected(case) + by) for case in stages.visible_cases]
    )
    assert found.mistake or f"always one too {side}" in found.message
    batches = exercise("systolic.tile_cycles")
    unnamed = replace(batches, mistakes=())
    found = grade_outcomes(
        unnamed, batches.visible_cases, [value_outcome(batches.expected(case) + by) for case in batches.visible_cases]
    )
    assert f"always one too {side}" in found.message


def test_what_differs_first_is_named_by_its_index():
    sweep = exercise("mfu.interval")
    unnamed = replace(sweep, mistakes=())
    answers = [np.array(sweep.expected(case), dtype=float) for case in sweep.visible_cases]
    for place, answer in enumerate(answers):
        answer[1] *= 1 + 0.3 * (place + 1)
    found = grade_outcomes(unnamed, sweep.visible_cases, [value_outcome(answer) for answer in answers])
    assert "is at index 1" in found.message
