"""Demo class and self-test of a machine."""

from functools import partial

import pytest

from autograder.__main__ import main
from autograder.demo.course import make_course
from autograder.demo.selftest import run_selftest
from autograder.demo.submissions import NAMES
from autograder.demo.wrong_answers import wrong_answers
from autograder.doctor.exercise_checks import judge
from autograder.grading.lab import load
from autograder.grading.runs.pipeline import grade_lab
from tests.grading import fakes
from tests.grading.course import LAB, ROOT


@pytest.fixture(scope="module")
def class_(tmp_path_factory):
    return make_course(ROOT, LAB, tmp_path_factory.mktemp("class") / "demo", 60)


def test_class_has_unique_names_and_every_oddity(class_):
    assert len({one.student for one in class_}) == 60 and [one.student for one in class_[: len(NAMES)]] == list(NAMES)
    oddities = " ".join(one.oddity for one in class_)
    for kind in ("never ends", "syntax error", "deleted", "zip", "Colab", "half of the file", "same essay", "Untitled"):
        assert kind in oddities
    assert len({one.oddity for one in class_}) > 35


def test_same_seed_makes_the_same_class_and_leaves_the_course(tmp_path, class_):
    before = {file: file.stat().st_mtime_ns for file in (ROOT / "solutions" / LAB).iterdir()}
    again = make_course(ROOT, LAB, tmp_path / "again", 60)
    other = make_course(ROOT, LAB, tmp_path / "other", 60, seed=2)
    assert again == class_ != other
    assert before == {file: file.stat().st_mtime_ns for file in (ROOT / "solutions" / LAB).iterdir()}


LABS = sorted(folder.name for folder in (ROOT / "solutions").glob("[0-9]*/"))


def _wrong_answers_of(lab):
    return [
        (task.definition, name, source)
        for task in load(ROOT, lab).tasks
        if task.definition
        for name, source in wrong_answers(task.definition)
    ]


@pytest.mark.parametrize("lab", LABS)
def test_wrong_answers_are_wrong_and_complete(lab):
    for known, name, source in _wrong_answers_of(lab):
        space = {}
        exec(source, space)
        assert judge(known, space[known.function_name], 1).score < known.points, (known.id, name)


def test_nearly_every_lab_has_wrong_answers():
    """A lab whose mistakes all need other lines of their files has none."""
    assert (
        sum(not _wrong_answers_of(lab) for lab in LABS) <= 1 and sum(len(_wrong_answers_of(lab)) for lab in LABS) > 100
    )


def test_demo_leaves_a_folder_that_is_not_empty(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("work")
    assert main(["demo", LAB, "--to", str(tmp_path)]) == 2
    assert "name another folder with --to" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["demo", LAB, "--submissions", "0"], "submissions must be at least 1"),
        (["demo", "99_nothing"], "99_nothing"),
        (["selftest", "99_nothing"], "99_nothing"),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing(arguments, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.sandbox
def test_demo_grades_the_class_and_writes_its_pages(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        "autograder.grading.runs.pipeline.available_cores", lambda: 1
    )  # one sandbox starts faster than two
    assert main(["demo", LAB, "--to", str(tmp_path / "demo"), "--submissions", "3"]) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert "25 of 25" in lines[0] and " 0 of 25" in lines[1] and "a syntax error" in lines[2]
    assert (tmp_path / "demo/report.html").is_file()
    assert len(list((tmp_path / "demo/autograder/work/feedback").glob("*/*/*.html"))) == 3


@pytest.mark.sandbox
def test_selftest_passes_here(monkeypatch):
    monkeypatch.setattr("autograder.demo.selftest.grade_lab", partial(grade_lab, jobs=1, open_sandbox=fakes.impatient))
    found = list(run_selftest(ROOT, LAB))
    assert len(found) == 11
    assert all(one.passed for one in found), [one for one in found if not one.passed]


def test_spy_that_succeeds_fails_the_selftest():
    """It answers only after it has read the file or opened the connection."""
    from autograder.demo.selftest import SPY

    for attempt, allowed in (("open('/')", False), ("open('/dev/null').close()", True)):
        space = {}
        exec(SPY.format(attempt=attempt, answer="    answer = 1"), space)
        assert ("answer" in space) is allowed
