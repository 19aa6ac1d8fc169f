"""Results made by hand, for tests of feedback, reports and exports."""

import copy
import json
from functools import cache

from autograder.grading.lab import load
from autograder.grading.reports.answer_cells import answer_cells, grade_id, sources_by_cell
from autograder.grading.result import GRADED, Result
from autograder.sandbox import SandboxType
from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN
from tests.grading.course import LAB, ROOT

ESSAY = "recommendation"
TIME = "lab.roofline.shortest_time"


@cache
def lab():
    return load(ROOT, LAB)


def graded(student, sources_by_cell=None, verdicts=None, outputs=None, extra=(), **fields):
    """Return a `Result` of the roofline lab.

    ``sources_by_cell`` and ``outputs`` go by grade id; ``verdicts`` by exercise id, each
    (share of the points, verdict, message, mistake); others were not written.
    """
    released = lab()
    notebook = copy.deepcopy(released.released)
    for cell in notebook["cells"]:
        cell["source"] = (sources_by_cell or {}).get(grade_id(cell), cell["source"])
        if cell["cell_type"] == "code":
            cell["outputs"] = (outputs or {}).get(grade_id(cell) or cell["id"], [])
    notebook["cells"].extend(extra)
    exercises = {}
    for task in released.tasks:
        default = (0.0, NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines.", "")
        share, verdict, message, mistake = (verdicts or {}).get(task.exercise, default)
        exercises[task.exercise] = {
            "score": share * task.points,
            "max_score": task.points,
            "verdict": verdict,
            "message": message,
            "mistake": mistake,
        }
    fields = {"status": GRADED, "sandbox": SandboxType.BUBBLEWRAP} | fields
    return Result(LAB, student, exercises=exercises, notebook=notebook, **fields)


def correct():
    """Return correct verdicts by exercise id."""
    return {task.exercise: (1.0, CORRECT, "Every case agrees with the reference.", "") for task in lab().tasks}


def reference():
    """Return the sources of the model answers, by grade id."""
    cells = sources_by_cell(json.loads((ROOT / "solutions" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8")))
    return {name: cells[name] for name in answer_cells(lab()).values()}
