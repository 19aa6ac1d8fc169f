"""Grade one submission: rebuild it, run it in a box, ask, judge, write the verdicts down."""

import copy
import time

from chip2cluster.specs import data_version

from ..box import Cell, Question, Ran
from ..exercises import exercise
from ..judge import decide
from .intake.rebuild import rebuild
from .intake.submitted import read
from .outcomes import outcome
from .outputs import kept, verdict_outputs
from .result import GRADED, UNREADABLE, WITH_ERRORS, Result
from .secrets import secrets_for

RERUNS = 3


def grade(folder, student, lab, box, secrets=None):
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
    rebuilt = rebuild(submitted.notebook or lab.released, lab.released)
    result = grade_notebook(rebuilt.notebook, student, lab, box, secrets)
    result.repairs = [*submitted.notes, *rebuilt.repairs]
    if submitted.notebook is None:
        result.status = UNREADABLE
        result.repairs = [submitted.problem]
    result.seconds = time.perf_counter() - began
    return result


def grade_notebook(notebook, student, lab, box, secrets):
    """Grade a rebuilt notebook; see `grade`."""
    tasks = {task.cell: task for task in lab.tasks}
    steps, cells, asked = [], [], {}
    for cell in notebook["cells"]:
        task = tasks.get(cell["metadata"].get("nbgrader", {}).get("grade_id"))
        if task is not None:
            own = exercise(task.exercise).personal(secrets.given.get(task.exercise))
            asked[task.cell] = own, own.cases(secrets.seeds[task.exercise])
            steps.append(Question(task.function, [list(case.inputs.values()) for case in asked[task.cell][1]]))
            cells.append((cell, task))
        elif cell["cell_type"] == "code" and cell["source"].strip():
            steps.append(Cell(cell["source"]))
            cells.append((cell, None))
    sources = {at: step.source for at, step in enumerate(steps) if isinstance(step, Cell)}

    result = Result(lab.name, student, GRADED, box.name, catalogue=data_version())
    # The notebook handed in stays as it is; its outputs are replaced in a copy.
    result.notebook = copy.deepcopy(notebook)
    places = {id(old): new for old, new in zip(notebook["cells"], result.notebook["cells"])}
    for (cell, task), found in zip(cells, _run(box, steps, secrets.given)):
        if task is None:
            places[id(cell)]["outputs"] = kept(found.outputs, box.limits.output_bytes)
            if found.how != "ok":
                result.status = WITH_ERRORS
            continue
        own, cases = asked[task.cell]
        names = list(cases[0].inputs)
        outcomes = [outcome(said, task.function, names, sources) for said in found]
        verdict = decide(own, cases, outcomes, hidden=True)
        result.exercises[task.exercise] = {
            "score": verdict.score,
            "max_score": verdict.max_score,
            "verdict": verdict.verdict,
            "message": verdict.message,
            "mistake": verdict.mistake,
        }
        places[id(cell)]["outputs"] = verdict_outputs(verdict)
    return result


def _run(box, steps, given):
    """Run all steps; where a cell ended the interpreter, run the rest again without it."""
    nothing = Cell("pass")
    found = box.run(steps, given)
    for _ in range(RERUNS):
        fatal = max((at for at, one in enumerate(found) if isinstance(one, Ran) and one.how == "killed"), default=None)
        if fatal is None or steps[fatal] is nothing or fatal + 1 == len(steps):
            break
        # Questions before it have their answers; the cells before it must run once more.
        steps = [
            nothing if at == fatal or (at < fatal and isinstance(s, Question)) else s for at, s in enumerate(steps)
        ]
        found[fatal + 1 :] = box.run(steps, given)[fatal + 1 :]
    return found
