"""Grade one submission: rebuild it, run it in a box, ask, judge, write the verdicts down."""

import copy
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chip2cluster.specs import data_version

from ..sandbox import Sandbox, TimeBudget, CellStatus
from .carry_over import again, told
from .intake.extras import extras
from .intake.rebuild import rebuild
from .intake.submission_reader import Submission, read
from .lab import Lab
from .notebook_run import Run
from .outputs import kept, verdict_outputs
from .releases import name_of, release_of
from .result import GRADED, WITH_ERRORS, Result
from .secrets import Secrets, code_digest, secrets_for
from .shared_answers import families, more
from .task_questions import Asked


def grade(folder: str | Path, student: str, lab: Lab, box: Sandbox, secrets: Secrets | None = None) -> Result:
    """Grade what a student handed in.

    Parameters
    ----------
    folder : path
        The submitted folder of one student and lab; only read.
    student : str
    lab : Lab
    box : Sandbox
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
    submitted = read(folder, lab.notebook, lab.released)
    notebook = submitted.notebook or lab.released
    made_from = release_of(lab, notebook)
    rebuilt = rebuild(notebook, lab.released, made_from)
    beside = extras(folder)
    result = grade_notebook(rebuilt.notebook, student, lab, box, secrets, beside.files)
    repairs = [*submitted.notes, *rebuilt.repairs, *beside.notes, *result.repairs]
    result.hints = hints_read(submitted, lab)
    result.repairs = repairs if submitted.notebook else [submitted.problem]
    if submitted.notebook and made_from not in (None, lab.released):
        result.made_from = name_of(made_from)
    if submitted.status is not GRADED:
        result.status = submitted.status
    result.seconds = time.perf_counter() - began
    return result


def hints_read(submitted: Submission, lab: Lab) -> dict[str, int]:
    """The hints of this lab's exercises that a submission says were read; what else it says is left out."""
    known = {task.exercise: len(task.known.hints) for task in lab.tasks if task.known}
    return {name: min(count, known[name]) for name, count in submitted.hints.items() if name in known}


def grade_notebook(
    notebook: dict[str, Any],
    student: str,
    lab: Lab,
    box: Sandbox,
    secrets: Secrets,
    files: Mapping[str, bytes] | None = None,
) -> Result:
    """Grade a rebuilt notebook, with ``files`` of the student's beside it; see `grade`.

    A function is asked as it is at its check, and where cells below that may matter
    also as it is in the end; the better verdict counts. So does the better of two where
    a task builds on an earlier one that is wrong: it is judged with the right one too.
    """
    tasks = {task.cell: task for task in lab.tasks}
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in notebook["cells"]]
    files = files or {}
    seeds = secrets.seeds(code_digest(notebook, files))
    # By the place in the notebook, as all that follows.
    asked = {
        place: Asked.of(tasks[name], lab, secrets.given, seeds) for place, name in enumerate(names) if name in tasks
    }
    run = Run(notebook, lab, box, secrets.given, files, asked, TimeBudget(box.limits))
    first = run.once({place: one.steps for place, one in asked.items()})
    verdicts = first.verdicts
    if second := again(notebook, lab, asked, verdicts):
        others = run.once(second.steps).verdicts
        for family in families({place: asked[place] for place in others}):
            if more(others, verdicts, family):
                verdicts |= {place: told(others[place], second.functions[place]) for place in family}

    result = Result(lab.name, student, GRADED, box.name, repairs=first.notes.sentences(), catalogue=data_version())
    result.by_clock = run.budget.wall_clock_hit
    # The notebook handed in stays as it is; its outputs are replaced in a copy.
    result.notebook = copy.deepcopy(notebook)
    for place, ran in first.ran.items():
        result.notebook["cells"][place]["outputs"] = kept(ran.outputs, box.limits.output_bytes)
        if ran.status is not CellStatus.OK:
            result.status = WITH_ERRORS
    for place, verdict in verdicts.items():
        result.exercises[asked[place].task.exercise] = {
            "score": verdict.score,
            "max_score": verdict.max_score,
            "verdict": verdict.verdict,
            "message": verdict.message,
            "mistake": verdict.mistake,
        }
        if verdict.place:
            result.exercises[asked[place].task.exercise]["place"] = list(verdict.place)
        result.notebook["cells"][place]["outputs"] = verdict_outputs(verdict)
    return result
