"""Proof that a lab marks as it says, on the way that a student's submission takes.

Untouched it scores 0, solved it scores full marks, and in the solved lab each
mutant gets its stated share and message, a constant and an echo nothing.
"""

import copy
import json
import re
from pathlib import Path

from ..exercises import exercise
from ..verdict import CORRECT, NOT_WRITTEN
from .secrets import secrets_for
from .submission import grade_notebook

NOBODY = "doctor"


def examine_lab(root, lab, box):
    """Return a list of complaints about one lab; an empty list is health.

    Parameters
    ----------
    root : path
        The course folder; its ``solutions/`` are read.
    lab : Lab
    box : Box
        An open box of this lab.
    """
    secrets = secrets_for(lab, NOBODY)
    complaints = []

    def marks(notebook):
        return grade_notebook(notebook, NOBODY, lab, box, secrets).exercises

    def expect(what, id, found, verdict, share, says=""):
        one = exercise(id)
        if (
            found["verdict"] != verdict
            or abs(found["score"] - share * one.points) > 1e-6
            or says not in found["message"]
        ):
            complaints.append(
                f"{lab.name}, {id}: {what} got {found['verdict']!r}, {found['score']:g} points, {found['message']!r}; "
                f"wanted {verdict!r}, {share * one.points:g} points, {says!r}"
            )

    for id, found in marks(_plain(lab.released)).items():
        expect("the untouched lab", id, found, NOT_WRITTEN, 0)
    solved = _solved(root, lab)
    for id, found in marks(solved).items():
        expect("the solution", id, found, CORRECT, 1)
    for task in lab.tasks:
        for mutant in exercise(task.exercise).mutants:
            found = marks(_with(solved, task.function, mutant.source))[task.exercise]
            expect(f"mutant {mutant.source!r}", task.exercise, found, mutant.verdict, mutant.share, mutant.says)
        for what, value in (("a constant", "1.0"), ("an echo", "args[0]")):
            found = marks(_with(solved, task.function, f"def {task.function}(*args):\n    return {value}"))[
                task.exercise
            ]
            if found["score"]:
                complaints.append(f"{lab.name}, {task.exercise}: {what} earns {found['score']:g} points")
    return complaints


def _plain(notebook):
    """A copy whose sources are text."""
    made = copy.deepcopy(notebook)
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
    return made


def _solved(root, lab):
    """The released lab with the model answers of the solutions in it."""
    source = Path(root) / "solutions" / lab.name / f"{lab.name}.ipynb"
    answers = {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in json.loads(source.read_text(encoding="utf-8"))["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }
    made = _plain(lab.released)
    for cell in made["cells"]:
        cell["source"] = answers.get(cell["metadata"].get("nbgrader", {}).get("grade_id"), cell["source"])
    return made


def _with(notebook, function, source):
    """A copy with another source in the cell that defines ``function``."""
    made = copy.deepcopy(notebook)
    for cell in made["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution") and re.search(
            rf"^def {function}\(", cell["source"], re.M
        ):
            cell["source"] = source
    return made
