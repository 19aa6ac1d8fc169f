"""The grader's own failure is never a mark, and earlier marks stay."""

import errno
import os
import re
import shutil
from dataclasses import replace

import pytest

from autograder import __main__ as command
from autograder.grading.intake.extra_files import read_extra_files
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.lab import load
from autograder.grading.result_store import ResultStore
from autograder.grading.task_questions import TaskQuestions
from autograder.sandbox import CallReply, NoReply
from tests.grading import fakes
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, autograded, graded, run
from tests.grading.test_dates import ZERO, configure, due, lost, table
from tests.grading.test_mishaps import grade  # noqa: F401  (a fixture)

MOST = load(ROOT, LAB).max_score
TASKS = len(load(ROOT, LAB).tasks)


def failing(folder, student, lab, box, secrets=None):
    raise RuntimeError("a fault of the grader")


def halved(folder, student, lab, box, secrets=None):
    """Grade as the fake does, with half of the machine's points."""
    result = fakes.grade_one(folder, student, lab, box)
    for marked in result.exercises.values():
        marked["score"] /= 2
    for cell in result.notebook["cells"]:
        for output in cell.get("outputs", ()):
            if output["output_type"] == "execute_result":
                output["data"]["text/plain"] = repr(float(output["data"]["text/plain"]) / 2)
    return result


def mark(course, cell, points, student="ann"):
    with course.gradebook() as book:
        entry = book.find_grade(cell, f"lab_{LAB}", LAB, student)
        entry.manual_score, entry.needs_manual_grade = points, False
        book.db.commit()


def waits(course, cell, student="ann"):
    with course.gradebook() as book:
        return book.find_grade(cell, f"lab_{LAB}", LAB, student).needs_manual_grade


def resubmit(course, student, edits):
    shutil.rmtree(fakes.submitted(course, student))
    course.submit(student, edits)


def test_fault_keeps_result_marks_and_pages(course, capfd):
    for student in ("ann", "bob"):
        course.submit(student, answers(course, 1))
    run(course)
    mark(course, "recommendation", 4.5)
    before = fakes.contents(course), autograded(course, "ann"), ResultStore.of(course.root, LAB).get("ann")
    found = run(course, regrade=True, student="ann", grade_one=failing)
    assert (fakes.contents(course), autograded(course, "ann"), ResultStore.of(course.root, LAB).get("ann")) == before
    assert found.kept == ["ann"] and not found.clean and not found.not_graded
    assert found.to_json()["students"]["ann"]["kept"] is True and found.rows["ann"]["score"] == MOST
    assert "kept" in "\n".join(found.notices)
    resubmit(course, "ann", answers(course, 0.5, "# raise\n"))
    assert run(course).kept == ["ann"]
    assert fakes.scores(course) == pytest.approx({"ann": MOST, "bob": MOST})
    resubmit(course, "ann", answers(course, 0.5))
    graded(course)
    assert run(course).clean and graded(course) == ["ann"], "the next run tries again"
    assert fakes.scores(course) == pytest.approx({"ann": MOST / 2, "bob": MOST})


def test_fault_on_late_work_leaves_the_earlier_marks_in_time(course):
    """The marks that stay are those of work that was in time, so they get no penalty."""
    course.submit("ann", answers(course, 1))
    table(course, "student,received", "ann,2029-12-31 12:00")
    due(course, "2030-01-01")
    configure(course, ZERO)
    assert run(course).clean and lost(course) == {"ann": 0}
    resubmit(course, "ann", answers(course, 0.5, "# raise\n"))
    table(course, "student,received", "ann,2030-01-03 12:00")
    assert run(course).kept == ["ann"] and lost(course) == {"ann": 0}
    # What was graded at last counts with its own time.
    resubmit(course, "ann", answers(course, 0.5))
    assert run(course).clean and lost(course) != {"ann": 0}


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENOMEM])
@pytest.mark.parametrize("name", [f"lab_{LAB}.ipynb", "helper.py", "work.zip", "folder"])
def test_disk_that_fails_makes_no_work_unreadable(tmp_path, monkeypatch, name, number):
    """An answer that the grader's disk cannot read is a fault of the grader, not a missing answer."""
    files = {f"lab_{LAB}.ipynb": "{}", "helper.py": "x = 1", "work.zip": "", "folder/other.py": "y = 1"}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    def read():
        return read_submission(tmp_path, f"lab_{LAB}"), read_extra_files(tmp_path)

    opened = {function: getattr(os, function) for function in ("open", "scandir")}
    for function in opened:
        monkeypatch.setattr(os, function, failing_for(name, opened[function], errno.EACCES))
    read()  # a file without permission is reported, and nothing is raised
    for function in opened:
        monkeypatch.setattr(os, function, failing_for(name, opened[function], number))
    with pytest.raises(OSError, match=re.escape(os.strerror(number))):
        read()


def failing_for(name, function, number):
    def fails(path=".", *more, **options):
        if os.fspath(path).endswith(name):
            raise OSError(number, os.strerror(number))
        return function(path, *more, **options)

    return fails


def test_fault_keeps_marks_of_which_no_result_is_stored(course):
    course.submit("ann", answers(course, 1))
    run(course)
    ResultStore.of(course.root, LAB).file("ann").unlink()
    assert run(course, grade_one=failing).kept == ["ann"]
    assert fakes.scores(course) == pytest.approx({"ann": MOST})


def test_kept_marks_are_shown_by_the_command(course, grade, capsys):  # noqa: F811
    course.submit("ann", answers(course, 1))
    assert grade()[0] == 0
    resubmit(course, "ann", answers(course, 1, "# raise\n"))
    capsys.readouterr()
    with fakes.copied():
        assert command.main(["grade", LAB, "--root", str(course.root), "--jobs", "1"]) == 1
    said = capsys.readouterr()
    assert re.search(rf"^ann +{MOST:g} of {MOST:g}  kept", said.out, re.M) and "03_roofline: 1 kept." in said.out
    assert "Their earlier results and marks are kept" in said.err


def test_first_fault_is_no_mark_anywhere(course, capsys, tmp_path):
    course.submit("ann", answers(course, 1, "# raise\n"))
    course.submit("bob", answers(course, 1))
    found = run(course)
    assert found.not_graded == ["ann"] and found.kept == []
    assert all(waits(course, task.cell) for task in load(ROOT, LAB).tasks)
    assert not waits(course, "efficiency-check", "bob")
    mark(course, "recommendation", 6.0)
    root = ["--root", str(course.root)]
    assert command.main(["export", LAB, "--to", str(tmp_path / "marks.csv"), *root]) == 1
    assert "the grader itself failed, so the mark is empty until" in capsys.readouterr().err
    rows = {line.split(",")[3]: line.split(",")[7:10] for line in (tmp_path / "marks.csv").read_text().splitlines()}
    assert rows["ann"] == ["", "", ""] and rows["bob"] == ["25", "0", "25"]
    command.main(["feedback", LAB, *root])
    page = course.feedback("ann")
    assert "The grader itself failed on 7 tasks" in page and "At least one of your cells" not in page
    assert page.count("not graded yet") == 2 * TASKS and "stopped without an answer" not in page
    command.main(["report", LAB, *root])
    said = capsys.readouterr().out
    assert "The grader itself failed; grade again or mark by hand (1): ann" in said
    assert "stopped without an answer" not in said
    # The statistics are those of bob alone.
    assert "2 submissions" in said and f"median {MOST:g} of {MOST:g} points" in said and "1 without a mark" in said
    # A person decides, and the mark counts.
    for task in load(ROOT, LAB).tasks:
        mark(course, task.cell, 1.0)
    command.main(["export", LAB, "--to", str(tmp_path / "marks2.csv"), *root])
    assert f"ann,,,,{TASKS + 6},0" in (tmp_path / "marks2.csv").read_text()
    command.main(["report", LAB, *root])
    said = capsys.readouterr().out
    assert "The grader itself failed" not in said and "without a mark" not in said


def test_judge_that_fails_gives_no_mark(capsys):
    lab = load(ROOT, LAB)
    task = next(one for one in lab.tasks if one.exercise == "lab.roofline.efficiency")
    questions = TaskQuestions.prepare(task, lab, {}, {task.exercise: 1})

    def broken(**inputs):
        raise NameError("name 'efficency' is not defined")

    broken_questions = replace(questions, exercise=replace(questions.exercise, reference=broken))
    verdict = broken_questions.verdict([CallReply(NoReply.GARBLED)] * len(questions.cases), {}, 0)
    assert verdict.fault and verdict.score == 0 and "The grader itself failed" in verdict.message
    assert "efficency" in capsys.readouterr().err and "efficency" not in verdict.message


def test_hand_mark_is_outdated_only_by_its_own_answer(course, monkeypatch):
    essay = {**answers(course, 1), "recommendation": "my essay"}
    course.submit("ann", essay)
    run(course)
    mark(course, "recommendation", 4.5)
    mark(course, "efficiency-check", 1.0)
    run(course, regrade=True, grade_one=halved)
    assert fakes.scores(course) == pytest.approx({"ann": MOST / 2}), "the machine's marks changed"
    assert not waits(course, "recommendation") and not waits(course, "efficiency-check")
    resubmit(course, "ann", {**essay, "recommendation": "another essay"})
    run(course)
    assert waits(course, "recommendation") and not waits(course, "efficiency-check")
    mark(course, "recommendation", 5.0)
    resubmit(course, "ann", {**answers(course, 1, "# more\n"), "recommendation": "another essay"})
    run(course)
    assert not waits(course, "recommendation") and waits(course, "efficiency-check")
