"""Plain nbgrader tests of an instructor run in the sandbox; unsupported assignments are refused."""

import json

import nbformat
import pytest
from nbgrader.utils import determine_grade

from autograder.doctor.content_lint import CourseContent
from autograder.grading.check_cells import GradedTask, without_hidden
from autograder.grading.lab import load
from autograder.grading.lab_doctor import examine_lab
from autograder.grading.reports.feedback_page import feedback_page
from autograder.grading.reports.report import build_report
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.grading.task_questions import judge_test
from autograder.sandbox import CallReply, Limits, NoReply, Sandbox, SandboxType
from autograder.sandbox.inside.reply_codes import TEST, ReplyCode
from tests.grading.assignments import answer, assignment, course_with, essay, handed_in, put, release
from tests.grading.assignments import test as check

HIDDEN = "### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"
SECRET = 271828
CELLS = [
    answer("mean", "def mean(v):\n    ### BEGIN SOLUTION\n    return sum(v) / len(v)\n    ### END SOLUTION"),
    check(
        "mean-1",
        "data = [1, 2, 6]\nassert mean(data) == 3\n" + HIDDEN.format("near = math.isclose\nassert mean([1, 5]) == 3"),
        2,
    ),
    # Uses definitions of the visible and of the hidden part of the test above.
    check("mean-2", HIDDEN.format(f"secret = {SECRET}\nassert near(mean([secret, *data]), (secret + 9) / 4)"), 4),
    answer("top", "def top(v):\n    ### BEGIN SOLUTION\n    return max(v)\n    ### END SOLUTION"),
    check("top-1", "(top([1, 2]) == 2) + 0.5 * (top([-2, -1]) == -1)", 1.5),
    essay("why", 3),
]
RIGHT = {"mean": "def mean(v):\n    return sum(v) / len(v)", "top": "def top(v):\n    return max(v)"}
GOOD = {"mean-1": 2, "mean-2": 4, "top-1": 1.5}
# Edits of a correct submission, points of each test, and texts of its message.
TRIED = {
    "right": ({}, GOOD, {"mean-1": "passed", "mean-2": "passed", "top-1": "passed"}),
    "untouched": (
        dict.fromkeys(RIGHT),
        {"mean-1": 0, "mean-2": 0, "top-1": 0},
        {"mean-1": "Replace", "top-1": "Replace"},
    ),
    "visible": (
        {"mean": "def mean(v):\n    return v[0]"},
        GOOD | {"mean-1": 0, "mean-2": 0},
        {
            "mean-1": "AssertionError in the line `assert mean(data) == 3`",
            "mean-2": "A hidden part of the test `mean-2`",
        },
    ),
    "hidden": (
        {"mean": "def mean(v):\n    return 3"},
        GOOD | {"mean-2": 0},
        {"mean-2": "A hidden part of the test `mean-2` failed."},
    ),
    "part": ({"top": "def top(v):\n    return max(0, *v)"}, GOOD | {"top-1": 1}, {"top-1": "a part of its points"}),
    "nothing": ({"top": "def top(v):\n    pass"}, GOOD | {"top-1": 0}, {"top-1": "none of its points"}),
    "raises": (
        {"top": "def top(v):\n    return v / 0"},
        GOOD | {"top-1": 0},
        {"top-1": "TypeError in the line `(top([1, 2]) == 2)"},
    ),
    "exits": ({"top": "import os\ndef top(v):\n    os._exit(0)"}, GOOD | {"top-1": 0}, {"top-1": "ended the whole"}),
    "endless": ({"top": "def top(v):\n    while True: pass"}, GOOD | {"top-1": 0}, {"top-1": "Still running"}),
    "too much": ({"top": "class Most(float):\n    pass\ndef top(v):\n    return 1e9"}, GOOD | {"top-1": 0}, {}),
    "syntax": ({"top": "def top(v:"}, GOOD | {"top-1": 0}, {"top-1": "NameError in the line `(top("}),
    "prints": ({"top": "def top(v):\n    print('!', __import__('sys').stderr)\n    return max(v)"}, GOOD, {}),
}


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    lab = course_with(root, "10_mine", assignment(*CELLS))
    with Sandbox(lab, limits=Limits(cell_seconds=0.5, case_seconds=0.5, patience=600)) as box:
        yield root, lab, box


def _grade(mine, edits):
    _, lab, box = mine
    sources = {name: source for name, source in (RIGHT | edits).items() if source is not None}
    return grade_notebook(handed_in(lab, **sources), "ann", lab, box, secrets_for(lab, "ann"))


@pytest.mark.sandbox
@pytest.mark.parametrize("name", TRIED)
def test_a_test_earns_what_it_says(mine, name):
    edits, earned, says = TRIED[name]
    result = _grade(mine, edits)
    assert {test: marked["score"] for test, marked in result.exercises.items()} == earned
    assert {test: marked["max_score"] for test, marked in result.exercises.items()} == GOOD
    for test, words in says.items():
        assert words in result.exercises[test]["message"]
    # Also in the notebook, where nbgrader reads points.
    cells = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in result.notebook["cells"]}
    assert {test: determine_grade(nbformat.from_dict(cells[test]))[0] for test in GOOD} == earned


@pytest.mark.sandbox
def test_hidden_tests_are_in_nothing_that_a_student_reads(mine):
    spy = (
        "import sys, pathlib\n"
        "def mean(v):\n"
        "    text = str(sys._getframe(1).f_globals) + str(v)\n"
        "    print(text); pathlib.Path('seen').open('a').write(text)\n"
        "    raise type(text, (Exception,), {})(text)\n"
    )
    look = "print(pathlib.Path('seen').read_text() if pathlib.Path('seen').exists() else 'nothing')"
    result = _grade(mine, {"mean": spy, "top": f"{look}\n{RIGHT['top']}"})
    assert result.score == 1.5 and "nothing" in json.dumps(result.notebook)
    assert str(SECRET) not in json.dumps(result.to_json()) and str(SECRET) not in feedback_page(result, mine[1])
    assert str(SECRET) in mine[1].tasks[1].test


@pytest.mark.sandbox
def test_pages_and_reports_take_a_test_for_an_exercise(mine):
    _, lab, _ = mine
    results = [_grade(mine, TRIED[name][0]) for name in ("right", "raises")]
    assert (lab.max_score, lab.by_hand) == (7.5, {"why": 3.0})
    assert "TypeError" in feedback_page(results[1], lab) and "Your written answer" in feedback_page(results[1], lab)
    table = build_report(results, lab)
    assert list(table.exercises["of"]) == [2, 4, 1.5] and list(table.mistakes["exercise"]) == ["Test `top-1`"]


@pytest.mark.sandbox
def test_the_doctor_examines_it_and_misses_no_chapter(mine):
    root, lab, box = mine
    assert examine_lab(root, lab, box) == []
    assert not [line for line in CourseContent(root, [], [], {}).problems() if "10_mine" in line]


def test_replies_about_a_test_are_not_trusted():
    """Any reply gives points within the limits and a message without text from the sandbox."""
    hidden = f"assert {SECRET}"
    task = GradedTask("t", "t", "", 3.0, test=f"assert f()\n{HIDDEN.format(hidden)}")
    claims = [
        CallReply(ReplyCode.VALUE, value)
        for value in (True, False, "x" * 99, -1.0, 1e300, float("inf"), float("nan"), [1.0])
    ]
    claims += [
        CallReply(ReplyCode.RAISED, name=name, line=(TEST, line))
        for name in ("AssertionError", "x" * 99)
        for line in range(9)
    ]
    claims += [
        *(CallReply(silence, 1.0) for silence in NoReply),
        CallReply(ReplyCode.UNWRITTEN),
        CallReply(ReplyCode.PACKAGE, name="chip2cluster.roofline"),
    ]
    for first in claims:
        for second in claims:
            verdict = judge_test(task, [first, second])
            assert 0 <= verdict.score <= 3 and str(SECRET) not in verdict.message and "xxx" not in verdict.message
            # Full points only if the whole test passed, whatever the visible part says.
            assert verdict.correct == (verdict.score == 3) and (verdict.score == 0 or second.code is ReplyCode.VALUE)


def test_without_hidden_keeps_line_numbers():
    source = f"a\n{HIDDEN.format('b')}\nc"
    assert without_hidden(source) == "a\n\n\n\nc" and without_hidden("a\n### BEGIN HIDDEN TESTS\nb") == "a\n\n"


REFUSED = {
    "two notebooks": (
        dict(file="other"),
        {},
        "one notebook for each assignment, called lab_10_mine.ipynb or 10_mine.ipynb",
    ),
    "another language": ({}, dict(kernel={"name": "ir", "display_name": "R", "language": "R"}), "only Python"),
    "an award of nothing": ({}, dict(cells=[check("c", 'award("lab.x", *f)', 1)]), "write award"),
    "an exercise that does not exist": ({}, dict(cells=[check("c", 'award("lab.x", f)', 1)]), "no exercise is called"),
    "two cells of one name": ({}, dict(cells=[check("c", "1", 1), check("c", "2", 1)]), "two graded cells"),
    "too many": ({}, dict(cells=[check(f"c{n}", "1", 1) for n in range(99)]), "the maximum is 60"),
}


@pytest.mark.filterwarnings("ignore::nbformat.warnings.DuplicateCellId")
@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_assignment_is_refused_in_one_sentence(tmp_path, name):
    where, what, says = REFUSED[name]
    made = assignment(*what.get("cells", CELLS), **{key: what[key] for key in what if key == "kernel"})
    if where:
        put(tmp_path, "10_mine", made, **where)
    with pytest.raises(ValueError, match=says) as refused:
        course_with(tmp_path, "10_mine", made)
    assert "\n" not in str(refused.value)


def test_broken_notebook_does_not_affect_other_assignments(tmp_path):
    lab = course_with(tmp_path, "10_mine", assignment(*CELLS))
    put(tmp_path, "my_own", assignment(*CELLS)).write_text('{"cells": [', encoding="utf-8")
    assert load(tmp_path, "10_mine").tasks == lab.tasks
    (tmp_path / "labs/my_own").mkdir()
    with pytest.raises(ValueError, match="not a notebook in nbformat 4"):
        load(tmp_path, "my_own")


@pytest.mark.sandbox
def test_magic_in_a_test_runs_as_in_a_notebook(tmp_path):
    lab = course_with(tmp_path, "10_mine", assignment(CELLS[0], check("c", "%precision 3\nassert mean([2]) == 2", 1)))
    with Sandbox(lab) as box:
        assert box.name is SandboxType.BUBBLEWRAP
        result = grade_notebook(handed_in(lab, mean=RIGHT["mean"]), "ann", lab, box, secrets_for(lab, "ann"))
    assert result.score == 1


@pytest.mark.sandbox
def test_nbgrader_autograde_takes_the_same_steps(course):
    put(course.root, "10_mine", assignment(*CELLS))
    assert release(course.root, "10_mine")[0]
    lab = load(course.root, "10_mine")
    for student, name in (("ann", "right"), ("bob", "hidden")):
        folder = course.root / "autograder/work/submitted" / student / "10_mine"
        folder.mkdir(parents=True)
        (folder / "10_mine.ipynb").write_text(json.dumps(handed_in(lab, **RIGHT | TRIED[name][0])), encoding="utf-8")
    course.nbgrader("autograde", "10_mine")
    with course.gradebook() as book:
        scores = {one.student.id: (one.score, one.max_score) for one in book.assignment_submissions("10_mine")}
    assert scores == {"ann": (7.5, 10.5), "bob": (3.5, 10.5)}
    put(course.root, "10_mine", assignment(*CELLS), file="another")
    with pytest.raises(AssertionError, match="one notebook for each assignment") as failed:
        course.nbgrader("autograde", "10_mine", "--force")
    assert "Traceback" not in str(failed.value)
