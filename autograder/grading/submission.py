"""Grade one submission: rebuild it, run it in a box, ask, judge, write the verdicts down."""

import copy
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chip2cluster.specs import data_version

from ..box import Answered, Box, Cell, Ending, Question, Ran
from ..verdict import Verdict
from .asked import Asked
from .carried import again, better
from .intake.rebuild import rebuild
from .intake.submitted import read
from .lab import Lab
from .outputs import kept, verdict_outputs
from .releases import release_of
from .result import GRADED, UNREADABLE, WITH_ERRORS, Result
from .secrets import Secrets, secrets_for

RERUNS = 3


def grade(folder: str | Path, student: str, lab: Lab, box: Box, secrets: Secrets | None = None) -> Result:
    """Grade what a student handed in.

    Parameters
    ----------
    folder : path
        The submitted folder of one student and lab; only read.
    student : str
    lab : Lab
    box : Box
        An open box of this lab.
    secrets : Secrets, optional
        Seeds of the hidden cases and the student's own constants; drawn from the
        course secret when left out.

    Returns
    -------
    Result
        Always: nothing that a student hands in raises.
    """
    began = time.perf_counter()
    secrets = secrets or secrets_for(lab, student)
    submitted = read(folder, lab.name)
    notebook = submitted.notebook or lab.released
    rebuilt = rebuild(notebook, lab.released, release_of(lab, notebook))
    result = grade_notebook(rebuilt.notebook, student, lab, box, secrets)
    result.repairs = [*submitted.notes, *rebuilt.repairs]
    if submitted.notebook is None:
        result.status = UNREADABLE
        result.repairs = [submitted.problem]
    result.seconds = time.perf_counter() - began
    return result


def grade_notebook(notebook: dict[str, Any], student: str, lab: Lab, box: Box, secrets: Secrets) -> Result:
    """Grade a rebuilt notebook; see `grade`."""
    tasks = {task.cell: task for task in lab.tasks}
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in notebook["cells"]]
    # By the place in the notebook, as all that follows.
    asked = {place: Asked.of(tasks[name], lab, secrets) for place, name in enumerate(names) if name in tasks}
    ran, verdicts = _verdicts(notebook, box, secrets, asked, {place: one.steps for place, one in asked.items()})
    if second := again(notebook, lab, asked, verdicts):
        # What comes after the last of them changes nothing.
        part = {"cells": notebook["cells"][: max(second.functions) + 1]}
        _, others = _verdicts(part, box, secrets, asked, second.steps)
        verdicts |= {place: better(verdicts[place], other, second.functions[place]) for place, other in others.items()}

    result = Result(lab.name, student, GRADED, box.name, catalogue=data_version())
    # The notebook handed in stays as it is; its outputs are replaced in a copy.
    result.notebook = copy.deepcopy(notebook)
    for place, done in ran.items():
        result.notebook["cells"][place]["outputs"] = kept(done.outputs, box.limits.output_bytes)
        if done.ending is not Ending.OK:
            result.status = WITH_ERRORS
    for place, verdict in verdicts.items():
        result.exercises[asked[place].task.exercise] = {
            "score": verdict.score,
            "max_score": verdict.max_score,
            "verdict": verdict.verdict,
            "message": verdict.message,
            "mistake": verdict.mistake,
        }
        result.notebook["cells"][place]["outputs"] = verdict_outputs(verdict)
    return result


def _verdicts(
    notebook: dict[str, Any],
    box: Box,
    secrets: Secrets,
    asked: dict[int, Asked],
    at_checks: dict[int, list[Cell | Question]],
) -> tuple[dict[int, Ran], dict[int, Verdict]]:
    """Run a notebook, ask at its checks, and judge; what the student's cells gave comes first."""
    steps: list[Cell | Question] = []
    places: list[int] = []
    for place, cell in enumerate(notebook["cells"]):
        if place in asked:
            steps += at_checks.get(place, ())
        elif cell["cell_type"] == "code" and cell["source"].strip():
            steps.append(Cell(cell["source"]))
        places += [place] * (len(steps) - len(places))
    ran: dict[int, Ran] = {}
    answers: dict[int, list[Answered]] = {}
    for place, done in zip(places, _run(box, steps, secrets.given), strict=True):
        if not isinstance(done, Ran):
            answers.setdefault(place, []).extend(done)
        elif place not in asked:
            ran[place] = done
    sources = {number: step.source for number, step in enumerate(steps) if isinstance(step, Cell)}
    return ran, {place: asked[place].verdict(given, sources) for place, given in answers.items()}


def _run(box: Box, steps: Sequence[Cell | Question], given: dict[str, Any]) -> list[Ran | list[Answered]]:
    """Run all steps; where a cell ended the interpreter, run the rest again without it."""
    nothing = Cell("pass")
    done = box.run(steps, given)
    for _ in range(RERUNS):
        killed = [n for n, ran in enumerate(done) if isinstance(ran, Ran) and ran.ending is Ending.KILLED]
        fatal = max(killed, default=None)
        if fatal is None or steps[fatal] is nothing or fatal + 1 == len(steps):
            break
        # Questions before it have their answers; the cells before it must run once more.
        steps = [
            nothing if number == fatal or (number < fatal and isinstance(step, Question)) else step
            for number, step in enumerate(steps)
        ]
        done[fatal + 1 :] = box.run(steps, given)[fatal + 1 :]
    return done
