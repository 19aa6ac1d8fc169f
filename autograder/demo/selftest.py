"""Test whether this machine can grade, with a few submissions whose marks are known, three of them hostile."""

import json
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..grading.lab import Lab, load
from ..grading.reports.answer_cells import answer_cells, sources_by_cell
from ..grading.reports.export import export_marks
from ..grading.reports.feedback import PageStatus, write_feedback
from ..grading.reports.report import report_on_lab
from ..grading.runs.grading_run import GradingRun
from ..grading.runs.pipeline import grade_lab
from ..sandbox import Sandbox, bwrap_binary
from ..secret_strength import COMMAND, is_strong
from .course import make_course, temporary_secret
from .submissions import DemoSubmission, endless_answer, notebook_files

SPY = """\
def _try():
    {attempt}

try:
    _try()
    allowed = True
except Exception:
    allowed = False
if allowed:
{answer}
"""
READING, CALLING, ENDLESS = "reads the course folder", "calls over the network", "never ends"


class Finding(NamedTuple):
    """Result of one test: whether it passed, a sentence, and the remedy if it failed."""

    passed: bool
    sentence: str
    remedy: str = ""


def run_selftest(root: Path, lab: str, unsandboxed: bool = False) -> Iterator[Finding]:
    """Test grading in a temporary folder, and yield each finding as soon as it is known.

    Raises
    ------
    SandboxUnavailable
        If no sandbox runs and ``unsandboxed`` is not given.
    """
    with tempfile.TemporaryDirectory() as place, socket.create_server(("127.0.0.1", 0)) as server, temporary_secret():
        folder = Path(place) / "course"
        right, untouched = make_course(root, lab, folder, 2)
        kept = folder / "solutions" / lab / "kept_from_students.txt"
        kept.write_text("students must not read this", encoding="utf-8")
        released = load(folder, lab)
        yield _check_sandbox(released, unsandboxed)
        attempts = {
            READING: f"open({str(kept)!r}).read()",
            CALLING: f"__import__('socket').create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)",
        }
        first = answer_cells(released)[released.tasks[0].cell]
        model = sources_by_cell(
            json.loads(next((folder / "solutions" / lab).glob("*.ipynb")).read_text(encoding="utf-8"))
        )
        for name, attempt in attempts.items():
            answer = "\n".join(f"    {line}" for line in model[first].splitlines())
            _submit(folder, released, name, {first: SPY.format(attempt=attempt, answer=answer)})
        # In the last task, because no other one needs its answers.
        cell, exercise = [(task.cell, task.definition) for task in released.tasks if task.definition][-1]
        _submit(folder, released, ENDLESS, model | {answer_cells(released)[cell]: endless_answer(exercise)})
        run = grade_lab(folder, lab, unsandboxed=unsandboxed)
        yield from _check_marks(run, released, right, untouched)
        yield from _check_outputs(folder, lab, run)
    yield _check_secret()


def _check_sandbox(lab: Lab, unsandboxed: bool) -> Finding:
    with Sandbox(lab, sandbox="unsandboxed" if unsandboxed else "auto") as sandbox:
        if sandbox.binary:
            return Finding(True, f"the sandbox is {sandbox.binary.describe()}")
    _, problem = bwrap_binary.find()
    remedy = problem or f"bubblewrap may not run here: {bwrap_binary.advice()}"
    return Finding(False, "there is no sandbox", f"{remedy}; see docs/instructors/sandbox.md")


def _submit(folder: Path, lab: Lab, student: str, answers: dict[str, str]) -> None:
    place = folder / "autograder/work/submitted" / student / lab.name
    place.mkdir(parents=True)
    for name, content in notebook_files(lab, answers).items():
        (place / name).write_bytes(content)


def _check_marks(run: GradingRun, lab: Lab, right: DemoSubmission, untouched: DemoSubmission) -> Iterator[Finding]:
    most, rows = lab.max_score, run.rows

    def score(student: str) -> float:
        return float(rows[student]["score"])

    full = score(right.student)
    yield Finding(
        full == most, f"the model answers get {full:g} of {most:g}", "run autograder doctor: it says which task"
    )
    none = score(untouched.student)
    yield Finding(none == 0, f"an untouched notebook gets {none:g}", "run autograder doctor: it says which task")
    for name in (READING, CALLING):
        sentence = f"a submission that {name} " + ("gets nothing for it" if not score(name) else "SUCCEEDS")
        yield Finding(score(name) == 0, sentence, "do not grade students you do not trust on this machine")
    stopped = rows[ENDLESS]["status"] == "graded_with_errors"
    yield Finding(
        stopped,
        f"one that {ENDLESS} is stopped, and gets {score(ENDLESS):g} of {most:g} for the rest",
        "another program may take all processors: try again",
    )


def _check_outputs(folder: Path, lab: str, run: GradingRun) -> Iterator[Finding]:
    """Check what follows grading: gradebook, feedback, export, report."""
    steps: dict[str, Callable[[], Any]] = {
        "the marks are in the gradebook": lambda: not run.failures,
        "feedback is written": lambda: all(
            one.status == PageStatus.WRITTEN for one in write_feedback(folder, lab, None)
        ),
        "a table for Canvas is written": lambda: (
            export_marks(folder, lab, "canvas", folder / "canvas.csv", force=True).file
        ),
        "the report is written": lambda: report_on_lab(folder, lab).text(),
    }
    for name, step in steps.items():
        try:
            done, why = bool(step()), "; ".join(map(str, run.failures.values()))
        except (ValueError, OSError, RuntimeError) as problem:
            done, why = False, str(problem)
        yield Finding(done, name if done else f"it does not hold that {name}", why)


def _check_secret() -> Finding:
    if secret := os.environ.get("CHIP2CLUSTER_SECRET"):
        weak = "" if is_strong(secret) else f", but it can be guessed: in a new course, set one of `{COMMAND}`"
        return Finding(True, f"CHIP2CLUSTER_SECRET is set{weak}")
    return Finding(
        True, "CHIP2CLUSTER_SECRET is not set: a secret of this account is used, which another machine does not know"
    )
