"""Grade one submission: rebuild it, run it in a box, ask, judge, write the verdicts down."""

import copy
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chip2cluster.specs import data_version

from ..box import Answered, Box, Cell, Ending, Question, Ran
from ..exercises import exercise
from ..judge import decide
from .intake.rebuild import rebuild
from .intake.submitted import read
from .lab import Lab
from .outputs import kept, verdict_outputs
from .result import GRADED, UNREADABLE, WITH_ERRORS, Result
from .secrets import Secrets, code_digest, secrets_for
from .trusted import trusted

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
        Keys of the hidden cases and the student's own constants; drawn from the
        course secret when left out.

    Returns
    -------
    Result
        Always: nothing that a student hands in raises.
    """
    began = time.perf_counter()
    secrets = secrets or secrets_for(lab, student)
    submitted = read(folder, lab.name)
    rebuilt = rebuild(submitted.notebook or lab.released, lab.released)
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
    seeds = secrets.seeds(code_digest(notebook))
    steps: list[Cell | Question] = []
    # Of each step: the cell's place in the notebook, the task and the exercise that it checks, its cases.
    places, asked = [], {}
    for place, cell in enumerate(notebook["cells"]):
        task = tasks.get(cell["metadata"].get("nbgrader", {}).get("grade_id"))
        if task is not None:
            own = exercise(task.exercise).personal(secrets.given.get(task.exercise))
            cases = own.cases(seeds[task.exercise])
            asked[place] = task, own, cases
            steps.append(Question(task.function, [list(case.inputs.values()) for case in cases]))
            places.append(place)
        elif cell["cell_type"] == "code" and cell["source"].strip():
            steps.append(Cell(cell["source"]))
            places.append(place)
    sources = {number: step.source for number, step in enumerate(steps) if isinstance(step, Cell)}

    result = Result(lab.name, student, GRADED, box.name, catalogue=data_version())
    # The notebook handed in stays as it is; its outputs are replaced in a copy.
    result.notebook = copy.deepcopy(notebook)
    for place, done in zip(places, _run(box, steps, secrets.given), strict=True):
        cell = result.notebook["cells"][place]
        if isinstance(done, Ran):
            cell["outputs"] = kept(done.outputs, box.limits.output_bytes)
            if done.ending is not Ending.OK:
                result.status = WITH_ERRORS
            continue
        task, own, cases = asked[place]
        names = list(cases[0].inputs)
        outcomes = [trusted(answered, task.function, names, sources) for answered in done]
        verdict = decide(own, cases, outcomes, hidden=True)
        result.exercises[task.exercise] = {
            "score": verdict.score,
            "max_score": verdict.max_score,
            "verdict": verdict.verdict,
            "message": verdict.message,
            "mistake": verdict.mistake,
        }
        cell["outputs"] = verdict_outputs(verdict)
    return result


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
