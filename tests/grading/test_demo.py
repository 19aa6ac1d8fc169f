"""A class that never was, and the proof that a machine can grade."""

from functools import partial

import pytest

from autograder.__main__ import main
from autograder.demo.course import made
from autograder.demo.selftest import findings
from autograder.demo.submissions import NAMES
from autograder.demo.wrong_answers import slips
from autograder.doctor.exercise_checks import judge
from autograder.grading.lab import load
from autograder.grading.runs.pipeline import grade_lab
from tests.grading import fakes
from tests.grading.course import LAB, ROOT


@pytest.fixture(scope="module")
def class_(tmp_path_factory):
    return made(ROOT, LAB, tmp_path_factory.mktemp("class") / "demo", 60)


def test_sixty_students_have_names_of_their_own_and_every_kind_of_trouble(class_):
    assert len({one.student for one in class_}) == 60 and [one.student for one in class_[: len(NAMES)]] == list(NAMES)
    odd = " ".join(one.odd for one in class_)
    for kind in ("never ends", "syntax error", "deleted", "zip", "Colab", "half of the file", "same essay", "Untitled"):
        assert kind in odd
    assert len({one.odd for one in class_}) > 35


def test_the_same_seed_gives_the_same_class_and_the_course_stays_as_it_is(tmp_path, class_):
    before = {file: file.stat().st_mtime_ns for file in (ROOT / "solutions" / LAB).iterdir()}
    again = made(ROOT, LAB, tmp_path / "again", 60)
    other = made(ROOT, LAB, tmp_path / "other", 60, seed=2)
    assert again == class_ != other
    assert before == {file: file.stat().st_mtime_ns for file in (ROOT / "solutions" / LAB).iterdir()}


LABS = sorted(folder.name for folder in (ROOT / "solutions").glob("[0-9]*/"))


def of(lab):
    return [
        (task.definition, name, source) for task in load(ROOT, lab).tasks if task.definition for name, source in slips(task.definition)
    ]


@pytest.mark.parametrize("lab", LABS)
def test_slips_are_wrong_and_stand_alone(lab):
    for known, name, source in of(lab):
        space = {}
        exec(source, space)
        assert judge(known, space[known.function_name], 1).score < known.points, (known.id, name)


def test_nearly_every_lab_has_slips():
    """One whose mistakes all lean on the file around them has a class without them."""
    assert sum(not of(lab) for lab in LABS) <= 1 and sum(len(of(lab)) for lab in LABS) > 100


def test_a_folder_that_holds_something_stays_as_it_is(tmp_path, capsys):
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
def test_bad_input_is_refused_in_a_sentence_and_leaves_nothing(arguments, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.sandbox
def test_a_class_is_graded_and_its_pages_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("autograder.grading.runs.pipeline.cores", lambda: 1)  # one box is warm sooner than two
    assert main(["demo", LAB, "--to", str(tmp_path / "demo"), "--submissions", "3"]) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert "25 of 25" in lines[0] and " 0 of 25" in lines[1] and "a syntax error" in lines[2]
    assert (tmp_path / "demo/report.html").is_file()
    assert len(list((tmp_path / "demo/autograder/work/feedback").glob("*/*/*.html"))) == 3


@pytest.mark.sandbox
def test_this_machine_grades(monkeypatch):
    monkeypatch.setattr("autograder.demo.selftest.grade_lab", partial(grade_lab, jobs=1, open_box=fakes.impatient))
    found = list(findings(ROOT, LAB))
    assert len(found) == 11
    assert all(one.holds for one in found), [one for one in found if not one.holds]


def test_a_spy_that_gets_through_fails_the_proof():
    """Its marks are those of the answer that it gives only once it has read or called."""
    from autograder.demo.selftest import SPY

    for attempt, allowed in (("open('/')", False), ("open('/dev/null').close()", True)):
        space = {}
        exec(SPY.format(attempt=attempt, answer="    answer = 1"), space)
        assert ("answer" in space) is allowed
