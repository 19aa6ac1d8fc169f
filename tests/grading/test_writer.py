"""Results in nbgrader's gradebook and autograded notebooks: as nbgrader writes them, and nobody's work lost."""

import json
import os
import shutil
import stat

import pytest

from autograder.grading.gradebook.writer import GradebookWriter
from autograder.grading.lab import load
from tests.grading import fakes
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, autograded, graded, run, snapshot, submitted

MOST = load(ROOT, LAB).max_score


def test_writer_restores_a_lost_gradebook_from_results(course, new_gradebook):
    course.submit("ann", answers(course, 1))
    course.submit("bob", answers(course, 0.5))
    run(course)
    before = fakes.contents(course)
    new_gradebook()
    shutil.rmtree(course.root / "autograder/work/autograded/bob")
    graded(course)
    run(course)
    assert graded(course) == [] and fakes.contents(course) == before and autograded(course, "bob")


def test_writer_keeps_hand_marks_and_their_review_state(course):
    essay = "## My essay: <b>[why](https://ok.test)</b>"
    course.submit("ann", answers(course, 1, essay))
    course.submit("bob", answers(course, 1, "his essay"))
    run(course)
    file = course.root / "autograder/work/autograded/ann" / LAB / f"lab_{LAB}.ipynb"
    older = autograded(course, "ann")
    for cell in older["cells"]:
        if cell["id"] == "recommendation":
            assert "".join(cell["source"]) != f"# score 1\n{essay}"
            cell["source"] = f"# score 1\n{essay}"  # as versions wrote it that kept no characters apart
    file.chmod(0o644)
    file.write_text(json.dumps(older), encoding="utf-8")
    for student in ("ann", "bob"):
        with course.gradebook() as book:
            grade = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
            assert grade.needs_manual_grade
            grade.manual_score, grade.needs_manual_grade = 4.5, False
            book.find_comment("recommendation", f"lab_{LAB}", LAB, student).manual_comment = "well argued"
            book.db.commit()
    shutil.rmtree(submitted(course, "bob"))
    course.submit("bob", answers(course, 1, "another essay"))
    run(course, regrade=True)
    with course.gradebook() as book:
        for student, look in (("ann", False), ("bob", True)):
            grade = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
            assert (grade.manual_score, grade.needs_manual_grade) == (4.5, look)
            assert book.find_comment("recommendation", f"lab_{LAB}", LAB, student).comment == "well argued"
            assert book.find_submission(LAB, student).score == MOST + 4.5


def test_hand_mark_of_a_check_needs_review_after_a_change(course):
    course.submit("ann", answers(course, 0.5))
    run(course)

    def override(look):
        with course.gradebook() as book:
            grade = book.find_grade("efficiency-check", f"lab_{LAB}", LAB, "ann")
            assert grade.needs_manual_grade is look
            grade.manual_score, grade.needs_manual_grade = 1.0, False
            book.db.commit()

    override(False)
    run(course, regrade=True)
    override(False)
    shutil.rmtree(submitted(course, "ann"))
    course.submit("ann", answers(course, 0.5, "# tried again\n"))
    run(course)
    override(True)


def test_writer_enters_times_penalties_and_files(course):
    config = course.root / "nbgrader_config.py"
    config.write_text(
        config.read_text() + '\nc.LateSubmissionPlugin.penalty_method = "zero"\nc.Dates.believe_timestamps = True\n'
    )
    for student, stamp in (
        ("late", "2030-01-02 00:00:00 UTC"),
        ("intime", "2029-12-31 00:00:00 UTC"),
        ("odd", "yesterday"),
    ):
        course.submit(student, answers(course, 1))
        (submitted(course, student) / "timestamp.txt").write_text(stamp)
    (submitted(course, "late") / "data").mkdir()
    (submitted(course, "late") / "data" / "mine.csv").write_text("1,2")
    (submitted(course, "late") / "theirs").symlink_to(submitted(course, "intime") / f"lab_{LAB}.ipynb")
    os.mkfifo(submitted(course, "late") / "pipe")
    with course.gradebook() as book:
        book.update_or_create_assignment(LAB, duedate="2030-01-01")
    assert run(course).clean
    with course.gradebook() as book:
        found = {
            s.student.id: (s.late_submission_penalty, s.timestamp is not None) for s in book.assignment_submissions(LAB)
        }
    assert found == {"late": (MOST, True), "intime": (0, True), "odd": (0, False)}
    folder = course.root / "autograder/work/autograded/late" / LAB
    assert sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if not f.is_dir()) == [
        "data/mine.csv",
        f"lab_{LAB}.ipynb",
        "timestamp.txt",
    ]
    assert stat.S_IMODE((folder / f"lab_{LAB}.ipynb").stat().st_mode) == 0o444
    # A corrected timestamp is taken over, without grading.
    (submitted(course, "odd") / "timestamp.txt").write_text("2030-01-03 00:00:00 UTC")
    graded(course)
    run(course)
    with course.gradebook() as book:
        assert book.find_submission(LAB, "odd").late_submission_penalty == MOST
    assert graded(course) == []


def test_writer_keeps_the_old_result_after_an_error(course, monkeypatch):
    course.submit("ann", answers(course, 0.5))
    course.submit("bob", answers(course, 0.5))
    run(course)
    before, book = snapshot(course.root / "autograder/work/autograded"), fakes.contents(course)
    write = GradebookWriter.set_permissions

    def fail(self, lab, student):
        write(self, lab, student)
        if student == "ann":
            raise OSError("no space left")

    monkeypatch.setattr(GradebookWriter, "set_permissions", fail)
    for student in ("ann", "bob"):
        shutil.rmtree(submitted(course, student))
        course.submit(student, answers(course, 1))
    found = run(course)
    assert found.failures == {"ann": "OSError: no space left"} and not found.clean
    after = snapshot(course.root / "autograder/work/autograded")
    assert {k: v for k, v in before.items() if "/ann" in k} == {k: v for k, v in after.items() if "/ann" in k}
    assert fakes.scores(course) == pytest.approx({"ann": MOST / 2, "bob": MOST})
    assert fakes.contents(course) != book
    monkeypatch.setattr(GradebookWriter, "set_permissions", write)
    graded(course)
    assert run(course).clean and graded(course) == []
    assert fakes.scores(course) == pytest.approx({"ann": MOST, "bob": MOST})


def test_writer_registers_the_lab_and_keeps_the_release(course):
    (course.root / "autograder/work/gradebook.db").unlink()
    course.submit("ann", answers(course, 1))
    before = snapshot(course.root / "labs")
    assert run(course).clean and snapshot(course.root / "labs") == before
    with course.gradebook() as book:
        assert book.find_assignment(LAB).max_score == MOST + 6


HOOKED = """
from nbgrader import preprocessors as steps
from nbgrader.preprocessors import NbGraderPreprocessor

class Mine(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        from nbgrader.api import Gradebook
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as book:
            submission = book.find_submission(names["assignment"], names["student"])
            nb.metadata["mine"] = submission.score
            submission.notebooks[0].flagged = True
            book.db.commit()
        return nb, resources

c.Autograde.autograde_preprocessors = [steps.SaveAutoGrades, Mine, steps.AssignLatePenalties]
c.CourseDirectory.autograded_directory = "marked"
c.CourseDirectory.submitted_directory = "in"
"""


def test_writer_follows_settings_of_the_instructor(course):
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + HOOKED)
    course.submit("ann", answers(course, 1))
    shutil.move(course.root / "autograder/work/submitted", course.root / "in")
    assert run(course).clean
    notebook = json.loads((course.root / "marked/ann" / LAB / f"lab_{LAB}.ipynb").read_text())
    assert notebook["metadata"]["mine"] == MOST
    course.submit("bob", answers(course, 1))
    found = run(course, submitted=course.root / "autograder/work/submitted")
    assert list(found.rows) == ["bob"]
