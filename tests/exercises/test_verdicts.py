"""One verdict for each type of error, with the message for the student."""

import itertools
import json
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from autograder.checking.html_cards import format_inline
from autograder.checking.unit_errors import diagnose_ratio
from autograder.doctor.exercise_checks import judge
from autograder.exercises import Mistake, exercise
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.answers import UnusableAnswer, UnusableReason, agree, format_value, normalize
from tests.tables import every_row

GEMM = exercise("roofline.gemm_intensity")
RIDGE = exercise("roofline.ridge")
ATTAINABLE = exercise("roofline.attainable")


def of(one, function):
    return judge(one, function, seed=5)


def right(m, n, k, s):
    return 2 * m * n * k / (s * (m * k + k * n + m * n))


@pytest.mark.parametrize("tolerance", [0.0, 1e-4, 0.5])
def test_two_numbers_agree_when_numpy_finds_them_close(tolerance):
    numbers = [0.0, -0.0, 1.0, 1.000099, 1.000101, -1.0, 5e-324, 1e-320, 1e308, -1.7e308, np.inf, -np.inf, np.nan]
    for got, expected in itertools.product(numbers, numbers):
        with np.errstate(all="ignore"):
            close = np.isclose(got, expected, rtol=tolerance, atol=0)
        assert agree(got, expected, tolerance) is bool(close), (got, expected)


class Chameleon(float):
    """Claims to be equal to everything."""

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    __hash__ = float.__hash__


@pytest.mark.parametrize(
    "function, verdict, words",
    [
        (right, v.CORRECT, "agrees"),
        (lambda m, n, k, s: np.float32(right(m, n, k, s)), v.CORRECT, "agrees"),
        (lambda m, n, k, s: np.array(right(m, n, k, s)), v.CORRECT, "agrees"),
        (lambda m, n, k, s: None, v.TYPE, "return` missing"),
        (lambda m, n, k, s: "295", v.TYPE, "you returned text"),
        (lambda m, n, k, s: True, v.TYPE, "truth value"),
        (lambda m, n, k, s: [right(m, n, k, s)], v.TYPE, "a list or an array of 1 number"),
        (lambda m, n, k, s: [(1.0, "a")], v.TYPE, "neither all numbers nor all names"),
        (lambda m, n, k, s: right(m, n, k, s) * 1e18, v.FACTOR, "brackets round the whole denominator"),
        (lambda m, n, k, s: 2 * m * n * k / s * (m * k + k * n + m * n), v.MISCONCEPTION, "parentheses"),
        (lambda m, n, k, s: Chameleon(1), v.TYPE, "Chameleon"),
        (lambda m, n, k, s: 10**400, v.TYPE, "too large"),
        (lambda m, n, k, s: 1j, v.TYPE, "complex"),
        (lambda m, n, k, s: m / 0, v.RAISES, "ZeroDivisionError"),
        (lambda m, n: 1, v.RAISES, "must take 4 arguments"),
        (lambda m, n, k, s: 8 * right(m, n, k, s), v.UNIT, "8 times too large"),
        (lambda m, n, k, s: right(m, n, k, s) / 1e12, v.UNIT, "a trillion"),
        (lambda m, n, k, s: right(m, n, k, s) * 2**30 / 1e9, v.UNIT, "GiB"),
        (lambda m, n, k, s: 2 * right(m, n, k, s), v.FACTOR, "twice"),
        (lambda m, n, k, s: 0.7 * right(m, n, k, s), v.FACTOR, "0.7 times"),
        (lambda m, n, k, s: -right(m, n, k, s), v.FACTOR, "sign"),
        (lambda m, n, k, s: 1 / right(m, n, k, s), v.MISCONCEPTION, "upside down"),
        (lambda m, n, k, s: round(right(m, n, k, s), 1), v.VALUE, "Don't round"),
        (lambda m, n, k, s: m + n, v.VALUE, "by hand"),
        (lambda m, n, k, s: float("nan"), v.VALUE, "by hand"),
        (lambda m, n, k, s: 5.0, v.REFUSED, "whatever it is asked"),
        (lambda m, n, k, s: k, v.REFUSED, "hands back its own argument k"),
    ],
)
def test_verdict_and_words(function, verdict, words):
    found = of(GEMM, function)
    assert found.verdict == verdict
    assert words in found.message
    assert found.score == (GEMM.points if verdict == v.CORRECT else 0)


def test_an_unwritten_stub_and_an_unwritten_branch_differ():
    def stub(*inputs):
        raise NotImplementedError

    def half(m, n, k, s):
        if s == 4:
            raise NotImplementedError
        return right(m, n, k, s)

    assert of(GEMM, lambda m, n, k, s: stub()).verdict == v.NOT_WRITTEN
    assert of(GEMM, half).verdict == v.RAISES
    assert "One branch" in of(GEMM, half).message


def test_two_slips_are_both_named():
    found = of(GEMM, lambda m, n, k, s: 1000 * 2 * m * n * k / (s * (m * k + k * n)))
    assert "traffic of C" in found.message and "a thousand" in found.message


def least(sharded):
    return lambda n, g, m, b, how: (2 * (g * m - 1) / (g * m) if how == "ring" else sharded(g, m)) * n / b


def two_levels(inside, between):
    return lambda n, g, m, a, b, how: (
        inside * (g - 1) / g * n / a + between * (m - 1) / m * (n / g if how == "sharded" else n) / b
    )


@pytest.mark.parametrize(
    "task, function, words",
    [
        ("lab.collectives.least_time", lambda n, g, m, b, how: 2 * n / b, "the limit for many ranks"),
        ("lab.collectives.least_time", least(lambda g, m: 2), "the limit for many nodes"),
        ("collectives.hierarchical_time", two_levels(2, 4), "all-reduce between the nodes twice"),
        ("collectives.hierarchical_time", two_levels(2, 8), "doesn't match a known mistake"),
    ],
)
def test_a_factor_of_two_makes_no_second_slip(task, function, words):
    found = of(exercise(task), function).message
    assert words in found and "slips" not in found


def test_the_failing_case_is_shown_and_stays_hidden_in_grading():
    from autograder.checking.judge import grade_outcomes
    from autograder.checking.local_runner import call_on_cases

    cases = RIDGE.cases(3)
    outcomes = call_on_cases(lambda t, b: t * 1e12 / (b * 1e9), cases, RIDGE.allowed)
    format_value = grade_outcomes(RIDGE, cases, outcomes)
    assert format_value.case.inputs == cases[0].inputs and format_value.got and format_value.expected
    hidden = grade_outcomes(RIDGE, cases, outcomes, hidden=True)
    assert (hidden.case, hidden.got, hidden.expected) == (None, "", "")
    assert hidden.message == format_value.message


def test_grading_does_not_repeat_what_an_exception_says():
    from autograder.checking.judge import grade_outcomes
    from autograder.checking.local_runner import call_on_cases

    def spy(sparse_tflops, bandwidth_gbytes):
        raise ValueError(f"secret {sparse_tflops}")

    cases = RIDGE.cases(3)
    outcomes = call_on_cases(spy, cases, RIDGE.allowed)
    assert "secret" in grade_outcomes(RIDGE, cases, outcomes).message
    hidden = grade_outcomes(RIDGE, cases, outcomes, hidden=True)
    assert hidden.verdict == v.RAISES and "ValueError" in hidden.message and f"{cases[0].inputs}" not in hidden.message
    assert str(cases[0].inputs["sparse_tflops"]) not in hidden.message


def test_the_heading_names_the_mistake():
    assert of(RIDGE, lambda t, b: t * 1e12 / (b * 1e9)).heading == "sparse peak used for dense"
    assert (
        of(GEMM, lambda m, n, k, s: right(m, n, k, s) / 2).heading
        == "off by a known factor: multiply-accumulates counted once"
    )
    two = of(RIDGE, lambda t, b: 8 * t * 1e12 / (b * 1e9))
    assert two.message.startswith("Two mistakes") and two.heading == "known mistakes"


def test_the_package_answer_is_refused_however_it_is_reached():
    from chip2cluster import roofline
    from chip2cluster.roofline import bounds

    for function in (
        roofline.attainable,
        lambda i, p, b: bounds.attainable(i, p, b),
        lambda i, p, b: roofline.fraction_of_peak(i, p, b) * p,
        lambda i, p, b: ATTAINABLE.reference(i, p, b),
    ):
        found = of(ATTAINABLE, function)
        assert (found.verdict, found.score) == (v.REFUSED, 0)
        assert "the answer itself" in found.message


def test_partial_credit_needs_the_heart():
    scalar_only = of(ATTAINABLE, lambda i, p, b: min(p, b * i))
    assert (scalar_only.verdict, scalar_only.score) == (v.TYPE, pytest.approx(0.8 * ATTAINABLE.points))
    only_edges = of(ATTAINABLE, lambda i, p, b: 0.0 if np.ndim(i) == 0 and i == 0 else 3.0 + np.asarray(i) * 0)
    assert only_edges.score == 0


def test_a_function_cannot_change_its_inputs_for_the_judge():
    def vandal(i, p, b):
        answer = np.minimum(p, b * i)
        if isinstance(i, np.ndarray):
            i[:] = 0
        return answer

    assert of(ATTAINABLE, vandal).verdict == v.CORRECT


def test_a_loop_without_end_is_stopped_and_said(monkeypatch):
    from autograder.checking import local_runner

    monkeypatch.setattr(local_runner, "CPU_SECONDS", 0.2)

    def endless(d_in, d_out, peak_flops, memory_bandwidth):
        batch = 1
        while batch * peak_flops > 0:
            try:
                batch += 1
            except Exception:
                continue

    found = of(exercise("roofline.smallest_batch"), endless)
    assert found.verdict == v.RAISES and "Does your loop end" in found.message


def test_who_waits_is_stopped_by_the_clock_and_not_before(monkeypatch):
    from autograder.checking import local_runner

    naps = []

    def waits(sparse_tflops, bandwidth_gbytes):
        time.sleep(naps.pop() if naps else 0)  # the answer under test waits
        return 1.0

    # A sleep longer than the CPU limit, and far below three times that by the clock, even on a busy machine.
    monkeypatch.setattr(local_runner, "CPU_SECONDS", 0.8)
    naps.append(0.9)
    assert of(RIDGE, waits).verdict == v.REFUSED
    naps.append(1e6)
    assert "Does your loop end" in of(RIDGE, waits).message


@pytest.mark.parametrize("answer", [right, lambda *_: 1 / 0, lambda *_: None])
def test_a_profiler_that_was_there_is_there_again(answer):
    def profiler(*_):
        pass

    before = sys.getprofile()
    sys.setprofile(profiler)
    try:
        of(GEMM, answer)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(before)


def test_very_close_is_two_per_cent():
    truth = [1.37, 2.71]
    close, message = diagnose_ratio([1.37 * 1.019, 2.71], truth, 1e-4)
    assert close == v.VALUE and "within 2 %" in message
    assert diagnose_ratio([1.37 * 1.021, 2.71], truth, 1e-4) is None


def test_looking_up_a_chip_is_no_short_cut_even_the_first_time():
    code = (
        "from autograder.exercises import exercise; from autograder.checking.local_runner import call_on_cases\n"
        "from chip2cluster import specs\n"
        "one = exercise('lab.roofline.rank_chips')\n"
        "look = lambda names, parameters, cache_bytes, batch: [n for n in names if specs.accelerator(n).memory_bytes]\n"
        "print(*{outcome.kind for outcome in call_on_cases(look, one.cases(1), one.allowed)})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "value"


def test_student_warnings_and_stderr_stay_inside(capsys):
    import sys
    import warnings

    def noisy(m, n, k, s):
        warnings.warn("careful", stacklevel=1)
        print("to stderr", file=sys.stderr)
        print("once")
        return right(m, n, k, s)

    assert of(GEMM, noisy).verdict == v.CORRECT
    captured = capsys.readouterr()
    assert captured.err == "" and captured.out == "once\n"


def test_cards_escape_what_students_write():
    found = of(GEMM, lambda m, n, k, s: "<script>alert(1)</script>")
    assert "<script>" not in found._repr_html_() and "&lt;script&gt;" in found._repr_html_()
    assert repr(found).startswith("✗ The intensity of a matrix product: wrong type or shape")


def test_answers_of_every_plain_shape_are_taken():
    assert normalize([[1, 2], (3, 4)]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert normalize(np.array(["b", "a"])) == ["b", "a"]
    with pytest.raises(UnusableAnswer) as problem:
        normalize([[1, 2], [3]])
    assert problem.value.reason is UnusableReason.MIXED_ITEMS


def test_whole_numbers_are_shown_in_full_and_others_short():
    assert [format_value(x) for x in (1374600.0, 1374611.0, 989.4e12, 0.123456789, 7)] == [
        "1.3746e6",
        "1374611",
        "9.894e14",
        "0.12346",
        "7",
    ]


def test_error_in_a_library_names_the_students_own_line():
    def total(m, n, k, bytes_per_element):
        return json.loads("{")["never"]

    found = of(GEMM, total)
    assert found.verdict == v.RAISES and 'json.loads("{")' in found.message


def test_values_are_shown_in_their_shape():
    assert format_value(np.arange(9.0).reshape(3, 3)) == "[[0, 1, 2], [3, 4, 5], [6, 7, 8]]"
    assert format_value(np.arange(100.0)).endswith(", 7, …]")
    assert format_value("GPU0\tX\nGPU1\tY") == "\nGPU0\tX\nGPU1\tY"


@every_row(
    "text, html",
    [
        ("Enough for *all of it*, and (*this*).", "Enough for <em>all of it</em>, and (<em>this</em>)."),
        ("`a *b* c` is *one*", "<code>a *b* c</code> is <em>one</em>"),
        *(
            (text, text)
            for text in ("n * p / (q * r)", "10**9 and 2**30", "f(*args), g(*args)", "a*b*c", "for *: int, for *: str")
        ),
        ("*<b>*", "<em>&lt;b&gt;</em>"),
    ],
)
def test_stars_stress_words_and_leave_sums_alone(text, html):
    assert format_inline(text) == html


def test_a_named_mistake_of_another_shape_is_no_obstacle():
    answers = Mistake("all at once", lambda m, n, k, bytes_per_element: np.array([m, n]), "You returned the sizes.")
    found = of(replace(GEMM, mistakes=(answers,)), lambda m, n, k, s: 1.37 * right(m, n, k, s) + 0.1 * m)
    assert found.verdict == v.VALUE, found
