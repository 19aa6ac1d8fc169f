"""Grade one submission: read it, rebuild it, run it in the sandbox, judge the replies, and collect the verdicts."""

import copy
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from chip2cluster.specs import data_version

from ..sandbox import Sandbox, TimeBudget
from .carried_errors import plan_corrected_runs, with_correction_note
from .display_run import failed_cells, results_for_people
from .intake.documents import document_names
from .intake.extra_files import read_extra_files, without_unused_notebooks
from .intake.reconstruction import rebuild
from .intake.submission_reader import read_submission
from .intake.submitted_notebook import Submission
from .intake.text_files import prose_by_file
from .lab import Lab
from .model_access import RunsByModels
from .model_answers import ModelAnswers
from .notebook_run import NotebookRun
from .outputs import safe_outputs, verdict_outputs
from .releases import matching_release, release_name
from .result import GRADED, WITH_ERRORS, Result
from .sanitize.paths import hide_paths
from .student_seeds import Secrets, code_digest, secrets_for
from .task_questions import TaskQuestions, group_by_answer, scores_more


def grade(folder: str | Path, student: str, lab: Lab, sandbox: Sandbox, secrets: Secrets | None = None) -> Result:
    """Grade what a student handed in.

    Parameters
    ----------
    folder : path
        The submitted folder of one student and lab; only read.
    student : str
    lab : Lab
    sandbox : Sandbox
        An open sandbox of this lab.
    secrets : Secrets, optional
        Keys of the hidden cases and the student's own constants; drawn from the
        course secret if omitted.

    Returns
    -------
    Result
        Always: no content of a submission raises an exception.
    """
    began = time.perf_counter()
    secrets = secrets or secrets_for(lab, student)
    submitted = read_submission(folder, lab.notebook, lab.released, lab.folder.parent)
    notebook = submitted.notebook or lab.released
    release = matching_release(lab, notebook)
    extra = read_extra_files(folder)
    documents, prose = document_names(folder, lab.notebook), prose_by_file(folder, extra.files)
    rebuilt = rebuild(notebook, lab.released, release, lab.earlier, documents, prose)
    code = [cell["source"] for cell in rebuilt.notebook["cells"] if cell["cell_type"] == "code"]
    files = without_unused_notebooks(extra.files, code)
    result = grade_notebook(rebuilt.notebook, student, lab, sandbox, secrets, files)
    repairs = [*submitted.notes, *rebuilt.repairs, *extra.notes, *result.repairs]
    result.hints = hints_read(submitted, lab)
    result.found = rebuilt.found
    result.repairs = repairs if submitted.notebook else [submitted.problem]
    if submitted.notebook and release not in (None, lab.released):
        result.made_from = release_name(release)
    if submitted.status is not GRADED:
        result.status = submitted.status
    result.seconds = time.perf_counter() - began
    return result


def hints_read(submitted: Submission, lab: Lab) -> dict[str, int]:
    """Return how many hints of each exercise of this lab were read, according to the submission."""
    hints = {task.exercise: len(task.definition.hints) for task in lab.tasks if task.definition}
    return {name: min(count, hints[name]) for name, count in submitted.hints.items() if name in hints}


def grade_notebook(
    notebook: dict[str, Any],
    student: str,
    lab: Lab,
    sandbox: Sandbox,
    secrets: Secrets,
    files: Mapping[str, bytes] | None = None,
) -> Result:
    """Grade a rebuilt notebook.

    A function is queried at its check, and again after the last cell if cells below the
    check may change it; the better verdict counts. The better verdict also counts if a task
    builds on an earlier task with a mistake: it is judged with the model answer, too.
    Each query finds the models that its own exercise allows, see `model_access`.

    Parameters
    ----------
    notebook : dict
        The rebuilt submission, unchanged afterwards.
    student : str
    lab : Lab
    sandbox : Sandbox
    secrets : Secrets
    files : mapping of str to bytes, optional
        Modules and tables that were handed in with the notebook, by path.
    """
    tasks = {task.cell: task for task in lab.tasks}
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in notebook["cells"]]
    files = files or {}
    seeds = secrets.seeds(code_digest(notebook, files))
    questions = {
        position: TaskQuestions.prepare(tasks[name], lab, secrets.given, seeds)
        for position, name in enumerate(names)
        if name in tasks
    }
    with ModelAnswers(lab, sandbox, secrets.given) as answers:
        run = NotebookRun(notebook, lab, sandbox, secrets.given, files, questions, TimeBudget(sandbox.limits), answers)
        runs = RunsByModels(run)
        first = runs.run({position: of_task.steps for position, of_task in questions.items()})
        verdicts = dict(sorted(first.verdicts.items()))
        for plan in plan_corrected_runs(notebook, lab, questions, verdicts):
            corrected = runs.run(plan.steps, show_cells=False).verdicts
            for group in group_by_answer({position: questions[position] for position in corrected}):
                if scores_more(corrected, verdicts, group):
                    verdicts |= {
                        position: with_correction_note(corrected[position], plan.corrected[position])
                        for position in group
                    }

    result = Result(lab.name, student, GRADED, sandbox.name, repairs=first.notes.sentences(), catalogue=data_version())
    result.by_clock = runs.wall_clock_hit
    result.notebook = copy.deepcopy(notebook)
    if failed_cells(notebook, first.results):
        result.status = WITH_ERRORS
    for position, cell_result in results_for_people(run, first.results).items():
        result.notebook["cells"][position]["outputs"] = safe_outputs(cell_result.outputs, sandbox.limits.output_bytes)
    for position, given in verdicts.items():
        verdict = replace(given, message=hide_paths(given.message))
        exercise = questions[position].task.exercise
        result.exercises[exercise] = {
            "score": verdict.score,
            "max_score": verdict.max_score,
            "verdict": verdict.verdict,
            "message": verdict.message,
            "mistake": verdict.mistake,
        }
        if verdict.fault:
            result.exercises[exercise]["fault"] = True
        if verdict.place:
            result.exercises[exercise]["place"] = list(verdict.place)
        result.notebook["cells"][position]["outputs"] = verdict_outputs(verdict)
    return result
