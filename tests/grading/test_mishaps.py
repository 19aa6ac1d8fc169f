"""A killed grader, a full disk or a second grader leaves no files behind and loses no results."""

import os
import shutil
import signal
import subprocess
import sys

import psutil
import pytest

from autograder import __main__ as command
from autograder.grading.gradebook.writer import GradebookWriter
from autograder.grading.lab import load
from autograder.grading.result_store import ResultStore
from autograder.grading.runs import pipeline, worker_pool, worker_process
from tests.grading import fakes
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, graded, run
from tests.waiting import wait_until

MOST = load(ROOT, LAB).max_score


@pytest.fixture
def grade(course, monkeypatch, capsys):
    """``autograder grade`` in this process, with a fake grader; return its exit code and stderr."""
    monkeypatch.setattr(
        pipeline.grade_lab,
        "__kwdefaults__",
        pipeline.grade_lab.__kwdefaults__ | {"open_sandbox": fakes.open_sandbox, "grade_one": fakes.grade_one},
    )

    def grade(*more):
        capsys.readouterr()
        with fakes.copied():
            code = command.main(["grade", LAB, "--root", str(course.root), "--jobs", "1", *more])
        return code, capsys.readouterr().err

    return grade


@pytest.mark.sandbox
def test_a_grader_that_is_killed_leaves_no_process_and_no_folder(course, tmp_path):
    cells = course.answers()
    course.submit("ann", dict.fromkeys(list(cells)[:1], "import os\nos.system('sleep 1000')"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    grader = subprocess.Popen(
        [sys.executable, "-m", "autograder", "grade", LAB, "--root", str(course.root), "--jobs", "1"],
        cwd=ROOT,
        env=course.environment | {"TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def sleeping():
        assert grader.poll() is None
        found = psutil.Process(grader.pid).children(recursive=True)
        return found if any(_line(one) == ["sleep", "1000"] for one in found) else None

    started = wait_until(sleeping, seconds=120, what="the submission's cell runs")
    assert list(temporary.glob("box-*"))
    grader.kill()
    grader.wait()
    # Long before the time limit of the cell.
    _, alive = psutil.wait_procs(started, timeout=40)
    assert not alive and not list(temporary.glob("box-*"))
    shutil.rmtree(fakes.submitted(course, "ann"))
    course.submit("ann", answers(course, 1))
    assert run(course).clean


def _line(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.fixture
def small_disk(course):
    """Move the course's working folder to a disk of 4 MB; return a function that limits its free bytes."""
    work = course.root / "autograder/work"
    shutil.copytree(work, course.root / "aside")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(work)], capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        shutil.copytree(course.root / "aside", work, dirs_exist_ok=True)

        def leave(size):
            ballast = work / "ballast"
            ballast.unlink(missing_ok=True)
            if size is not None:
                ballast.write_bytes(bytes(shutil.disk_usage(work).free - size))

        yield leave
    finally:
        subprocess.run(["umount", "-l", str(work)], check=True)


def test_full_disk_gives_one_sentence_and_the_run_can_continue(course, small_disk, grade):
    students = [f"s{number}" for number in range(6)]
    for student in students:
        course.submit(student, answers(course, 1))
    # From no space for the lock file to space for some of the results.
    for left in (0, 4096, 40_000, 120_000):
        small_disk(left)
        code, said = grade()
        assert code == 2 and said == f"autograder: {pipeline_says()}\n", (left, said)
        kept = {result.student for result in ResultStore.of(course.root, LAB)}
        graded(course)
    small_disk(None)
    code, said = grade()
    assert code == 0 and set(graded(course)) == set(students) - kept, said
    assert fakes.scores(course) == pytest.approx(dict.fromkeys(students, MOST))


def pipeline_says():
    return (
        "the disk is full: free some space, then repeat the command; it continues from here, "
        "and submissions that were graded stay graded"
    )


def test_no_room_for_a_box_is_said_in_the_same_words(course, grade, monkeypatch):
    course.submit("ann", answers(course, 1))
    monkeypatch.setitem(pipeline.grade_lab.__kwdefaults__, "open_sandbox", fakes.no_room)
    assert grade() == (2, f"autograder: {pipeline_says()}\n")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interruption_stops_the_run_even_if_it_is_swallowed(course, grade, monkeypatch):
    students = ["ann", "ben", "cem"]
    for student in students:
        course.submit(student, answers(course, 1))
    write = GradebookWriter.write

    class Finalized:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def interrupted(*arguments):
        Finalized()
        write(*arguments)

    monkeypatch.setattr(GradebookWriter, "write", interrupted)
    # Processes that a shell starts in the background ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert grade() == (130, "\nautograder: stopped; the same command continues from here\n")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    monkeypatch.setattr(GradebookWriter, "write", write)
    kept = {result.student for result in ResultStore.of(course.root, LAB)}
    graded(course)
    assert len(kept) == 1 and grade()[0] == 0
    assert set(graded(course)) == set(students) - kept
    assert fakes.scores(course) == pytest.approx(dict.fromkeys(students, MOST))


def test_a_second_grader_ends_at_once_and_names_the_first(course, grade):
    course.submit("ann", answers(course, 1))
    with ResultStore.of(course.root, LAB).locked():
        code, said = grade()
    assert code == 2 and f"by another process (pid {os.getpid()} on " in said and "wait for it or stop it" in said
    assert graded(course) == [] and grade()[0] == 0


def test_what_a_fault_prints_is_obeyed_by_no_terminal(capsys):
    fault = "Traceback\n  \x1b]0;owned\x07\u202e\nValueError: \x9b2J"
    pipe = type(
        "Pipe", (), {"recv": lambda self: (worker_process.WorkerMessage.FAULT, fault), "close": lambda self: None}
    )()
    team = worker_pool.WorkerPool(0)
    team._start = lambda: None
    process = type("Process", (), {"join": lambda *_: None, "is_alive": lambda _: False})()
    worker = worker_pool._Worker(process, pipe, True, worker_pool.GradingJob("ann\x1b[2J", None, ""))
    assert team._receive(worker) == (worker.job, None)
    said = capsys.readouterr().err
    assert "ann?[2J: the grader failed" in said and "]0;owned" in said and "ValueError" in said
    assert all(line.isprintable() for line in said.splitlines())
