"""The grader's own failure is never a mark: marks that stood stay, and nothing is graded by an exercise that cannot be used."""

import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from autograder import __main__ as command
from autograder.checking.judge import grade_outcomes
from autograder.exercises import exercise
from autograder.grading.gradebook import backup, locking
from autograder.grading.intake.extra_files import read_extra_files
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.lab import load
from autograder.grading.partial_credit import FILE
from autograder.grading.result_store import ResultStore
from autograder.grading.runs import fingerprint
from autograder.grading.task_questions import TaskQuestions
from autograder.sandbox import CallReply, NoReply
from tests.grading import fakes
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, autograded, graded, press_autograde, run
from tests.grading.test_dates import ZERO, configure, due, lost, table
from tests.grading.test_mishaps import grade  # noqa: F401  (a fixture)
from tests.waiting import wait_until

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


# -- marks that stood ---------------------------------------------------------------------


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


# -- exercises that cannot be used --------------------------------------------------------


@pytest.fixture
def edited(course, tmp_path):
    """A function that runs ``autograder`` by a copy of the package in which one exercise's text was replaced."""
    copied = tmp_path / "package"
    shutil.copytree(ROOT / "course/chip2cluster", copied / "chip2cluster")
    file = copied / "chip2cluster/chapters/roofline/lab/efficiency.py"
    text = file.read_text(encoding="utf-8")

    def autograder(old, new, *words):
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "autograder", *words, "--root", str(course.root)],
            env=course.environment | {"PYTHONPATH": os.pathsep.join([str(copied), str(ROOT)])},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    autograder.file = file
    return autograder


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("measured_flops / peak_flops,\n            \"You", "measured_flops / peak_flops,\n            share=0.5,\n            message=\"You", "earns 0 of the points, not 0.5"),
        ("return roofline.efficiency(", "return roofline.efficency(", "AttributeError: module 'chip2cluster.roofline' has no attribute 'efficency'"),
        ("shows=(roofline.efficiency,)", "shows=(roofline.efficency,)", "AttributeError"),
        ("return [{\"measured_flops\": m", "return [{\"measured_flop\": m", "TypeError"),
        ("points=3,", "points=3", "SyntaxError"),
    ],
)  # fmt: skip
def test_unusable_exercise_stops_grading_before_anything_changes(course, edited, old, new, says):
    for student in ("ann", "bob"):
        course.submit(student, answers(course, 1))
    run(course)
    work = course.root / "autograder/work"
    before = fakes.contents(course), fakes.snapshot(work / "autograded"), fakes.snapshot(work / "results")
    code, out, said = edited(old, new, "grade", LAB, "--jobs", "2", "--unsandboxed")
    assert code == 2 and out == "", said
    assert said.startswith("autograder: ") and said.count("\n") == 1 and "Traceback" not in said
    assert says in said and str(edited.file) in said
    assert (fakes.contents(course), fakes.snapshot(work / "autograded"), fakes.snapshot(work / "results")) == before


def test_mistake_keeps_a_share_by_decision_of_the_instructor(course, edited):
    """The end of an appeal: the doctor accepts it, students get it, and everything else stays."""
    wrong = "def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    return measured_flops / peak_flops"
    cells = {cell for cell, source in course.answers().items() if "def efficiency" in "".join(source)}
    course.submit("ann", {**course.answers(), **dict.fromkeys(cells, wrong)})
    same = ("points=3,", "points=3,")
    run_it = ("grade", LAB, "--jobs", "1", "--unsandboxed", "--json", str(course.root / "run.json"))

    def efficiency():
        assert edited(*same, *run_it)[0] in (0, 1)
        return json.loads((course.root / "run.json").read_text())["students"]["ann"]["exercises"][
            "lab.roofline.efficiency"
        ]

    before = efficiency()
    assert before["score"] == 0 and before["max_score"] == 3
    (course.root / FILE).write_text('["lab.roofline.efficiency"]\n"share of the peak" = 0.5\n')
    code, out, said = edited(*same, "doctor", "roofline")
    assert code == 0 and "grade as they say" in out, (out, said)
    after = efficiency()
    assert after["score"] == 1.5 and after["verdict"] == before["verdict"]
    assert after["message"].endswith("Your instructor gives 1.5 of 3 points for this mistake.")
    (course.root / FILE).unlink()
    assert efficiency() == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('["lab.roofline.efficency"]\n"share of the peak" = 0.5', "did you mean 'lab.roofline.efficiency'"),
        ('["lab.roofline.efficiency"]\n"share of peak" = 0.5', "did you mean 'share of the peak'?"),
        ('["lab.roofline.efficiency"]\n"share of the peak" = 50', "from 0, which it earns already, to 1, not 50"),
        ('["lab.roofline.efficiency"]\nclipped = 0.5', "from 0.8, which it earns already, to 1, not 0.5"),
        ("[lab.roofline.efficiency]\n", 'write ["ID OF THE EXERCISE"]'),
        ("efficiency = ", "cannot be read"),
    ],
)
def test_partial_credit_refuses_what_it_cannot_mean(course, capsys, text, says):
    (course.root / FILE).write_text(text)
    course.submit("ann", answers(course, 1))
    for words in (["grade", LAB], ["doctor", "roofline"]):
        assert command.main([*words, "--root", str(course.root)]) == 2
        assert says in capsys.readouterr().err
    assert graded(course) == []


def test_partial_credit_never_lowers_points():
    known = exercise("lab.roofline.efficiency")
    lab = load(ROOT, LAB)
    task = next(one for one in lab.tasks if one.exercise == known.id)
    from autograder.checking.outcome import value_outcome
    from autograder.grading.partial_credit import apply_credit

    for mistake in known.mistakes:
        cases = known.cases(3)
        verdict = grade_outcomes(known, cases, [value_outcome(known.mistaken(mistake, case)) for case in cases])
        for share in (0.0, 0.25, 1.0):
            decided = apply_credit(replace(task, credit=((mistake.name, share),)), verdict)
            assert decided.score == pytest.approx(max(verdict.score, share * verdict.max_score))
            assert apply_credit(replace(task, credit=(("another", 1.0),)), verdict) == verdict


# -- another secret -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "says"),
    [("CHIP2CLUSTER_SECRET", "the course secret is not that"), ("CHIP2CLUSTER_VALUES_KEY", "personal values is not")],
)
def test_other_secret_is_reported_before_anything_is_graded(course, monkeypatch, variable, says):
    course.submit("ann", answers(course, 1))
    run(course)
    graded(course)
    monkeypatch.setenv(variable, "another")
    before = fakes.contents(course)
    with pytest.raises(ValueError, match=says):
        run(course)
    assert not press_autograde(course, "ann")["success"]
    assert graded(course) == [] and fakes.contents(course) == before
    run(course, new_secret=True)
    assert run(course).reused == 1, "the new one is known now"
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.delenv("CHIP2CLUSTER_VALUES_KEY", raising=False)
    with pytest.raises(ValueError, match="--new-secret"):
        run(course)
    stored = (course.root / "autograder/work/secrets.json").read_text()
    assert "for the tests" not in stored and re.findall(r'"secret": "[0-9a-f]{8}"', stored)


def test_unset_secret_exits_with_two(course, monkeypatch, grade):  # noqa: F811
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(course.root / "record"))
    course.submit("ann", answers(course, 1))
    assert grade()[0] == 0
    monkeypatch.delenv("CHIP2CLUSTER_SECRET")
    code, said = grade()
    assert code == 2 and "CHIP2CLUSTER_SECRET is not set in this shell" in said and said.count("\n") == 1
    assert grade("--new-secret")[0] == 0


# -- a locked gradebook -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_locked_gradebook_is_waited_for_with_a_word(course, monkeypatch, capfd, kind):
    course.submit("ann", answers(course, 1))
    file = course.root / "autograder/work/gradebook.db"
    with closing(sqlite3.connect(file, check_same_thread=False, isolation_level=None)) as other:
        other.execute(f"BEGIN {kind}")
        said = []

        def release():
            wait_until(
                lambda: said.append(capfd.readouterr().err) or "waiting for at most" in "".join(said),
                seconds=50,
                what="it waits",
            )
            other.execute("ROLLBACK")

        thread = threading.Thread(target=release)
        thread.start()
        assert run(course).clean
        thread.join()
    assert "another program is writing to" in "".join(said)


def test_locked_gradebook_is_given_up_after_the_stated_time(course, monkeypatch, grade):  # noqa: F811
    course.submit("ann", answers(course, 1))
    monkeypatch.setattr(locking, "WAIT_SECONDS", 0.3)
    with closing(sqlite3.connect(course.root / "autograder/work/gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        code, said = grade()
        assert code == 2 and "was locked by another program for 0.3 s" in said and "Traceback" not in said
    assert grade()[0] == 0


def test_lock_in_the_middle_of_a_run_loses_no_result(course, monkeypatch):
    for number in range(4):
        course.submit(f"s{number}", answers(course, 1))
    monkeypatch.setattr(locking, "WAIT_SECONDS", 0.3)
    with closing(sqlite3.connect(course.root / "autograder/work/gradebook.db", isolation_level=None)) as other:

        def lock(done, _):
            if done == 1:
                other.execute("BEGIN IMMEDIATE")

        with pytest.raises(locking.GradebookLocked, match="it continues from here"):
            run(course, progress=lock)
    assert len(graded(course)) < 4, "it does not wait again for each student"
    found = run(course)
    assert found.clean and found.reused >= 2 and fakes.scores(course) == {f"s{n}": MOST for n in range(4)}


def test_back_up_ends_if_the_lock_comes_while_it_copies(course, monkeypatch):
    """Python's own Connection.backup retries without end."""
    stop = backup._stop_if_busy(0.0)
    stop(sqlite3.SQLITE_OK, 0, 1)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        stop(sqlite3.SQLITE_BUSY, 0, 1)
    source, target = (
        sqlite3.connect(course.root / "autograder/work/gradebook.db", timeout=0.1),
        sqlite3.connect(":memory:"),
    )
    with closing(sqlite3.connect(course.root / "autograder/work/gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with closing(source), closing(target), pytest.raises(sqlite3.OperationalError, match="locked"):
            source.backup(target, progress=stop, sleep=0.01)


def test_fingerprint_ignores_the_check_before_grading():
    names = {file.relative_to(fingerprint.PACKAGE).as_posix() for file in fingerprint._grader_files()}
    assert "grading/partial_credit.py" in names and "grading/usable_exercises.py" not in names
