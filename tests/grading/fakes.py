"""Fake grader without a sandbox, which reads the score from the text of an answer.

``# score 0.5`` in an answer cell gives half of the points of its check cell.
"""

import copy
import errno
import json
import multiprocessing
import os
import re
import signal
import time
from contextlib import contextmanager
from functools import partial
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from unittest.mock import patch

from autograder import lab_names
from autograder.grading.result import GRADED, UNREADABLE, Result
from autograder.sandbox import SandboxType, SandboxUnavailable
from chip2cluster.exercise.verdict_codes import RAISES, VALUE
from tests.grading.course import LAB
from tests.waiting import wait_until


class FakeSandbox:
    """Fake sandbox; ``name`` is its kind."""

    def __init__(self, name=SandboxType.BUBBLEWRAP):
        self.name = name


@contextmanager
def open_sandbox(lab, *, sandbox="auto"):
    yield FakeSandbox()


@contextmanager
def open_where_no_sandbox_runs(lab, *, sandbox="auto"):
    if sandbox == "auto":
        raise SandboxUnavailable("no sandbox here")
    yield FakeSandbox(SandboxType.UNSANDBOXED)


def no_room(lab, *, sandbox="auto"):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/box-1")


def impatient(lab, *, sandbox="auto"):
    """Open a real sandbox with short limits of CPU time."""
    from autograder.sandbox import Limits, Sandbox

    return Sandbox(lab, sandbox=sandbox, limits=Limits(case_seconds=0.3, cell_seconds=0.6, patience=100))


def grade_one(folder, student, lab, box, secrets=None):
    """Grade by the text of the answers."""
    exercises = {}
    try:
        names = (lab.notebook, lab_names.other_name(lab.notebook))
        file = next(file for name in names if (file := Path(folder) / f"{name}.ipynb").exists())
        given = json.loads(file.read_text(encoding="utf-8"))
        sources = {cell["id"]: "".join(cell["source"]) for cell in given["cells"]}
        pictures = {cell["id"]: cell["attachments"] for cell in given["cells"] if "attachments" in cell}
    except (StopIteration, OSError, ValueError, KeyError):
        for task in lab.tasks:
            exercises[task.exercise] = _said(0.0, task, RAISES, "not written")
        return Result(lab.name, student, UNREADABLE, box.name, ["That is not a notebook."], exercises)
    text = "\n".join(sources.values())
    if (trace := os.environ.get("FAKE_TRACE")) is not None:
        with open(trace, "a", encoding="utf-8") as file:
            file.write(f"{student}\n")
    _take_time(text)
    if (once := re.search(r"# die once (\S+)", text)) and not Path(once[1]).exists():
        Path(once[1]).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if "# die always" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "# raise" in text:
        raise RuntimeError("a fault of the grader")
    by_clock = False
    if found := re.search(r"# hurried (\S+)", text):
        # The wall clock ends it the first time; both times are logged.
        began, spans = time.monotonic(), Path(found[1]) / f"{student}.spans"
        by_clock = not spans.exists()
        time.sleep(0.1)  # so that two gradings at the same time overlap
        with open(spans, "a", encoding="utf-8") as file:
            file.write(f"{began} {time.monotonic()} {os.getpid()}\n")
    notebook = copy.deepcopy(lab.released)
    share = 0.0
    tasks = {task.cell: task for task in lab.tasks}
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            cell["source"] = sources.get(cell["id"], "".join(cell["source"]))
            cell |= {"attachments": pictures[cell["id"]]} if cell["id"] in pictures else {}
            found = re.search(r"# score (\S+)", cell["source"])
            share = float(found[1]) if found and not by_clock else 0.0
        elif marks.get("grade"):
            task = tasks[marks["grade_id"]]
            exercises[task.exercise] = _said(task.points * share, task, VALUE, f"{share:g} of it")
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": "said"},
                {
                    "output_type": "execute_result",
                    "execution_count": None,
                    "metadata": {},
                    "data": {"text/plain": repr(task.points * share)},
                },
            ]
    result = Result(lab.name, student, GRADED, box.name, exercises=exercises, notebook=notebook, seconds=0.01)
    result.by_clock = by_clock
    return result


def _take_time(text):
    if found := re.search(r"# sleep (\S+)", text):
        time.sleep(float(found[1]))  # seconds that grading this answer takes
    if found := re.search(r"# wait for (\S+)", text):
        wait_until(Path(found[1]).exists, seconds=600, what=f"{found[1]} exists")


def _said(score, task, verdict, message):
    return {"score": score, "max_score": task.points, "verdict": verdict, "message": message, "mistake": ""}


def answers(course, share, more=""):
    """Return edits for `Course.submit` that earn ``share`` of the points."""
    return dict.fromkeys(course.answers(), f"# score {share}\n{more}")


class _Copied(ForkServerProcess):
    """Process with the current environment, which the process that it is forked from does not have."""

    def __init__(self, **more):
        super().__init__(**more)
        self.environment = dict(os.environ)

    def run(self):
        os.environ.clear()
        os.environ.update(self.environment)
        super().run()


class _Copies(ForkServerContext):
    """Start method that forks workers from one process that has imported everything."""

    Process = _Copied


COPIES = _Copies()
COPIES.set_forkserver_preload(["autograder.grading.submission", "autograder.grading.runs.worker_pool", __name__])


def copied():
    """Context manager in which workers are such copies."""
    return patch.object(multiprocessing, "get_context", return_value=COPIES)


def run(course, **more):
    """Run `grade_lab` with these fakes in one process."""
    from autograder.grading.runs.pipeline import grade_lab

    with copied():
        return grade_lab(course.root, LAB, **{"jobs": 1, "open_sandbox": open_sandbox, "grade_one": grade_one} | more)


def press_autograde(course, student):
    """Press formgrader's *Autograde* button for a student, with these fakes; return its response."""
    from nbgrader.apps.api import NbGraderAPI

    from autograder.grading.gradebook import autograde
    from autograder.grading.gradebook.course import open_course

    app = open_course(course.root).app
    app.log.setLevel("WARNING")
    with (
        copied(),
        patch.object(
            autograde, "grade_lab", partial(autograde.grade_lab, open_sandbox=open_sandbox, grade_one=grade_one)
        ),
    ):
        return NbGraderAPI(app.coursedir, parent=app).autograde(LAB, student)


def scores(course):
    """Return the autograded total by student from the gradebook."""
    with course.gradebook() as book:
        return {
            submission.student.id: sum(grade.auto_score or 0 for one in submission.notebooks for grade in one.grades)
            for submission in book.assignment_submissions(LAB)
        }


def contents(course):
    """Return the gradebook without UUIDs: every table as sorted rows, with names in place of keys."""
    from nbgrader import api

    with course.gradebook() as book, book.engine.connect() as connection:
        tables = {
            table.name: connection.execute(table.select()).mappings().all() for table in api.Base.metadata.sorted_tables
        }
    names = {}
    for table, rows in tables.items():
        for row in rows:
            own = [
                row.get("name"),
                row.get("student_id"),
                *(names.get(row.get(key)) for key in row if key.endswith("_id")),
            ]
            if table != "student" and "id" in row and table != "course":
                names[row["id"]] = f"{table}:{own}"
    return {
        table: sorted(
            str({key: names.get(value, value) if isinstance(value, str) else value for key, value in row.items()})
            for row in rows
        )
        for table, rows in tables.items()
    }


def grade_with_secrets(folder, student, lab, box, secrets=None):
    """Return what a worker received."""
    result = grade_one(folder, student, lab, box)
    for one in result.exercises.values():
        one["message"] = f"{len(secrets.keys)} keys"
    return result


def logging(log):
    """Return an ``open_sandbox`` that logs opened and closed sandboxes and their files."""

    @contextmanager
    def open_sandbox(lab, *, sandbox):
        log.append("open " + " ".join(str(f.relative_to(lab.folder)) for f in lab.folder.rglob("*") if f.is_file()))
        try:
            yield FakeSandbox()
        finally:
            log.append("close")

    return open_sandbox


def graded(course):
    """Return the students graded since the last call, in order."""
    trace = course.root / "trace"
    names = trace.read_text(encoding="utf-8").splitlines() if trace.exists() else []
    trace.unlink(missing_ok=True)
    return sorted(names)


def submitted(course, student):
    return course.root / "autograder/work/submitted" / student / LAB


def autograded(course, student):
    folder = course.root / "autograder/work/autograded" / student / LAB
    return json.loads((folder / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))


def snapshot(folder):
    """Return every path in a folder with its kind, and time and bytes of files."""
    return {
        str(path): (path.lstat().st_mode, (path.lstat().st_mtime_ns, path.read_bytes()) if path.is_file() else None)
        for path in sorted(folder.rglob("*"))
    }
