"""A recorded exercise gives the same verdicts as the exercise itself, with NumPy and without."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from autograder.checking.check_source import check_source, missing_packages
from autograder.checking.exercise_record import NotRecordable, record, restore
from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import UNWRITTEN, value_outcome
from autograder.exercises import exercises
from chip2cluster.exercise.critique_draws import DRAWS
from course.publish.book.live_exercises import needs_numpy

OPEN = [one for one in exercises().values() if not one.graded]
GRADED = [one for one in exercises().values() if one.graded]
IN_PLAIN_PYTHON = 118  # of 157 chapter exercises: their inputs and solutions need no NumPy
# Runs the source of every given exercise where NumPy cannot be imported, and prints the verdicts.
WITHOUT_NUMPY = """
import json, sys
sys.modules["numpy"] = sys.modules["pandas"] = None
from autograder.checking.check_source import check_source
print(json.dumps([check_source(recorded, source, {})["text"] for recorded, source in json.load(sys.stdin)]))
"""


# Judges the right answers, the stub and every named mistake of every given exercise, and prints the verdicts.
MISTAKES_WITHOUT_NUMPY = """
import json, sys
sys.modules["numpy"] = sys.modules["pandas"] = None
from autograder.checking.exercise_record import restore
from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import UNWRITTEN, value_outcome
told = []
for recorded in json.load(sys.stdin):
    one = restore(recorded)
    cases, wrong = one.visible_cases, [*one.mistakes, *one.together]
    answers = [[value_outcome(answer(**case.inputs)) for case in cases] for answer in (one.reference, *(m.wrong for m in wrong))]
    told.append([repr(grade_outcomes(one, cases, outcomes)) for outcomes in [*answers, [UNWRITTEN] * len(cases)]])
print(json.dumps(told))
"""


def through_json(recorded):
    return json.loads(json.dumps(recorded))


@pytest.mark.sampled(30)
@pytest.mark.parametrize("exercise", OPEN, ids=lambda one: one.id)
def test_recorded_exercise_gives_the_same_verdicts(exercise):
    """Stub, solution and every named mistake: the same words, the same failing case, the same points."""
    copy = restore(through_json(record(exercise)))
    cases, copied = exercise.visible_cases, copy.visible_cases
    assert [case.inputs.keys() for case in cases] == [case.inputs.keys() for case in copied]
    answers = [[value_outcome(answer(**case.inputs)) for case in cases] for answer in answers_of(exercise)]
    for outcomes in [*answers, [UNWRITTEN] * len(cases)]:
        usual, recorded = grade_outcomes(exercise, cases, outcomes), grade_outcomes(copy, copied, outcomes)
        assert repr(recorded) == repr(usual)
        assert recorded._repr_html_() == usual._repr_html_()


def answers_of(exercise):
    return [
        exercise.reference,
        *(mistake.wrong for mistake in exercise.mistakes),
        *(pair.wrong for pair in exercise.together),
    ]


@pytest.mark.parametrize("exercise", GRADED[::7], ids=lambda one: one.id)
def test_graded_exercises_are_not_recorded(exercise):
    with pytest.raises(NotRecordable, match="must not leave the course"):
        record(exercise)


def test_personal_exercises_are_not_recorded():
    personal = replace(OPEN[0], constants=lambda generator: {})
    with pytest.raises(NotRecordable, match="personal"):
        record(personal)


@pytest.mark.sampled(30)
@pytest.mark.parametrize("exercise", OPEN, ids=lambda one: one.id)
def test_solution_typed_on_a_page_is_correct(exercise):
    verdict = check_source(through_json(record(exercise)), exercise.solution, {})
    assert verdict["correct"] and verdict["written"], verdict["text"]


@pytest.mark.parametrize("exercise", [one for one in OPEN if one.redraw], ids=lambda one: one.id)
def test_each_draw_of_answers_is_recorded_with_its_own_numbers(exercise):
    for number in range(DRAWS):
        drawn = exercise.with_draw(number)
        recorded = through_json(record(drawn))
        assert check_source(recorded, drawn.solution, {})["correct"]
        right = drawn.critique.right()
        taken = (right.index(0) + 1) % 3
        said = [0 if place == taken else 1 for place in range(3)]
        verdict = check_source(recorded, f"def critique():\n    return {said}\n", {})
        assert verdict["mistake"] == verdict["heading"] == drawn.critique.answers[taken].mistake


def test_most_exercises_need_no_numpy():
    assert sum(not needs_numpy(exercise) for exercise in OPEN) == IN_PLAIN_PYTHON


def test_verdicts_are_the_same_without_numpy():
    """Right answers, lists of numbers, one over the answer, texts, and lines that stop."""
    chosen = [one for one in OPEN if not needs_numpy(one)][::4]
    bodies = ("return 1.0", "return [1.0, 2.0]", "return [[1, 2], [3, 4]]", "return 'a'", "return [", "1 / 0", "pass")
    pairs = [
        (through_json(record(one)), source)
        for one in chosen
        for source in (one.solution, *(f"def {one.signature}:\n    {body}\n" for body in bodies))
    ]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMPY], input=json.dumps(pairs), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [check_source(recorded, source, {})["text"] for recorded, source in pairs]


def test_named_mistakes_are_judged_the_same_without_numpy():
    """The verdicts of all named mistakes are those of `check` in a notebook."""
    done = subprocess.run(
        [sys.executable, "-c", MISTAKES_WITHOUT_NUMPY],
        input=json.dumps([record(one) for one in OPEN]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for exercise, told in zip(OPEN, json.loads(done.stdout), strict=True):
        cases = exercise.visible_cases
        answers = [[value_outcome(answer(**case.inputs)) for case in cases] for answer in answers_of(exercise)]
        usual = [repr(grade_outcomes(exercise, cases, outcomes)) for outcomes in [*answers, [UNWRITTEN] * len(cases)]]
        assert told == usual, exercise.id


RIDGE = through_json(record(exercises()["roofline.ridge"]))


@pytest.mark.parametrize(
    "source, says",
    [
        ("def ridge(a, b)\n    return 1", "Python can't read line 1: expected ':'"),
        ("x = 1", "Your lines define no function called `ridge`."),
        ("ridge = 3", "Your lines define no function called `ridge`."),
        ("import nowhere\ndef ridge(a, b): return 1", "ModuleNotFoundError: No module named 'nowhere'"),
        ("def ridge(a, b):\n    return a / 0", "division by zero in the line `return a / 0`"),
        ("def ridge(a):\n    return a", "Your function must take 2 arguments"),
        ("def ridge(a, b):\n    a / b", "Is a `return` missing?"),
        ("def ridge(a, b):\n    return a * 1e12 / b / 1e9", "the peak with sparsity"),
    ],
)
def test_lines_that_fail_are_told_what_to_do(source, says):
    verdict = check_source(RIDGE, source, {})
    assert says.replace("`", "") in verdict["text"].replace("`", "") and not verdict["correct"]
    assert "Press *Hint*" in verdict["text"]


def test_what_lines_print_comes_back_shortened():
    verdict = check_source(RIDGE, "print('a' * 10_000)\ndef ridge(a, b):\n    raise NotImplementedError", {})
    assert len(verdict["printed"]) < 5000 and not verdict["written"]


def test_imports_of_the_page_are_there_when_used():
    imports = {"math": "import math", "np": "import numpy as np"}
    source = "def ridge(a, b):\n    return math.exp(math.log(a * 1e12 / 2)) / (b * 1e9)"
    assert missing_packages(RIDGE, source, imports) == []
    assert check_source(RIDGE, source, imports)["correct"]
    assert missing_packages(RIDGE, source.replace("math.exp", "np.exp"), imports) == ["numpy"]
    assert missing_packages(RIDGE, "from chip2cluster import roofline", {}) == ["numpy"]
    assert missing_packages(RIDGE, "from chip2cluster import specs", {}) == []
