"""Grade one submission: rebuild it, run it in a box, ask, judge, write the verdicts down."""

import copy
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chip2cluster.specs import data_version

from ..box import Answered, Box, Cell, Ending, Question, Ran, Silence
from ..box.inside.codes import Reply
from ..exercises import exercise
from ..exercises.model import Case, Exercise
from ..judge import decide
from ..verdict import Verdict
from .intake.extras import extras
from .intake.matching import plain
from .intake.rebuild import rebuild
from .intake.stubs import yielding
from .intake.submitted import read
from .lab import Lab
from .later import Code, asked_again
from .notes import Notes
from .outputs import kept, verdict_outputs
from .result import GRADED, WITH_ERRORS, Result
from .secrets import Secrets, secrets_for
from .shown import shown_lines
from .trusted import own_cell, trusted

RERUNS = 3  # cells that may end the interpreter, each left out when the others run once more


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
    submitted = read(folder, lab.name, lab.released)
    rebuilt = rebuild(submitted.notebook or lab.released, lab.released)
    beside = extras(folder)
    result = grade_notebook(rebuilt.notebook, student, lab, box, secrets, beside.files)
    repairs = [*submitted.notes, *rebuilt.repairs, *beside.notes, *result.repairs]
    result.repairs = repairs if submitted.notebook else [submitted.problem]
    if submitted.status is not GRADED:
        result.status = submitted.status
    result.seconds = time.perf_counter() - began
    return result


def grade_notebook(
    notebook: dict[str, Any],
    student: str,
    lab: Lab,
    box: Box,
    secrets: Secrets,
    files: Mapping[str, bytes] | None = None,
) -> Result:
    """Grade a rebuilt notebook, with ``files`` of the student's beside it; see `grade`.

    A function is asked as it is at its check, and where cells below that may matter
    also as it is in the end; the better verdict counts.
    """
    tasks = {task.cell: task for task in lab.tasks}
    functions = {task.function for task in lab.tasks}
    steps: list[Cell | Question] = []
    # Of each step: the cell's place in the notebook, the task and the exercise that it checks, its cases.
    places, asked = [], {}
    for place, cell in enumerate(notebook["cells"]):
        task = tasks.get(cell["metadata"].get("nbgrader", {}).get("grade_id"))
        if task is not None:
            own = exercise(task.exercise).personal(secrets.given.get(task.exercise))
            cases = own.cases(secrets.seeds[task.exercise])
            asked[place] = task, own, cases
            steps.append(Question(task.function, [list(case.inputs.values()) for case in cases]))
            places.append(place)
        elif cell["cell_type"] == "code" and cell["source"].strip():
            steps.append(Cell(yielding(cell["source"], functions)))
            places.append(place)
    again = asked_again(_code(notebook, lab), {place: task.function for place, (task, *_) in asked.items()})
    steps += [steps[places.index(place)] for place in again]
    sources = {number: step.source for number, step in enumerate(steps) if isinstance(step, Cell)}

    result = Result(lab.name, student, GRADED, box.name, catalogue=data_version())
    # The notebook handed in stays as it is; its outputs are replaced in a copy.
    result.notebook = copy.deepcopy(notebook)
    ran = box.run(steps, secrets.given, files, reruns=RERUNS)
    late = [answers for answers in ran[len(places) :] if not isinstance(answers, Ran)]
    in_the_end = dict(zip(again, late, strict=True))
    notes = Notes()
    for number, (place, done) in enumerate(zip(places, ran[: len(places)], strict=True)):
        cell = result.notebook["cells"][place]
        if isinstance(done, Ran):
            cell["outputs"] = kept(done.outputs, box.limits.output_bytes)
            if done.ending is not Ending.OK:
                result.status = WITH_ERRORS
                notes.failed(notebook["cells"][place]["source"], done.outputs)
            continue
        task, own, cases = asked[place]
        verdict = _judged(own, cases, done, task.function, own_cell(sources, task.function, number))
        if place in in_the_end and not verdict.correct:
            written = own_cell(sources, task.function, len(steps))
            then = _judged(own, cases, in_the_end[place], task.function, written)
            if then.score > verdict.score or _nothing_in(done) > _nothing_in(in_the_end[place]):
                verdict = then
                notes.late(task.function)
        if any(answered.code is Silence.SLOW for answered in done):
            notes.slow(task.function, sources.values())
        result.exercises[task.exercise] = {
            "score": verdict.score,
            "max_score": verdict.max_score,
            "verdict": verdict.verdict,
            "message": verdict.message,
            "mistake": verdict.mistake,
        }
        cell["outputs"] = verdict_outputs(verdict)
    result.repairs, result.by_clock = notes.sentences(), box.by_clock
    return result


def _code(notebook: dict[str, Any], lab: Lab) -> list[Code | None]:
    """The cells of a rebuilt notebook that run, by place."""
    released = {plain("".join(cell["source"])) for cell in lab.released["cells"]}
    return [
        Code(cell["source"], plain(cell["source"]) in released) if cell["cell_type"] == "code" else None
        for cell in notebook["cells"]
    ]


def _nothing_in(answers: list[Answered]) -> bool:
    """Whether there was no function yet, or one without lines."""
    return all(answered.code in (Reply.UNWRITTEN, Reply.MISSING, Reply.UNCALLABLE) for answered in answers)


def _judged(
    own: Exercise, cases: list[Case], answers: list[Answered], function: str, sources: dict[int, str]
) -> Verdict:
    """The verdict on one exercise; a fault of the grader's own costs this exercise alone."""
    names = list(cases[0].inputs)
    try:
        return decide(own, cases, [trusted(one, function, names, sources) for one in answers], hidden=True)
    except Exception:
        print(f"{own.id}: the grader failed\n{shown_lines(traceback.format_exc())}", file=sys.stderr)
        garbled = trusted(Answered(Silence.GARBLED), function, names, sources)
        return decide(own, cases, [garbled] * len(cases), hidden=True)
