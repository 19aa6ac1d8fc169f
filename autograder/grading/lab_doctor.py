"""Proof that a lab marks as it says, on the way that a student's submission takes.

Untouched it scores 0, solved it scores full marks, and in the solved lab each
mutant gets its stated share and message, a constant and an echo nothing.
"""

import copy
import json
import re
from pathlib import Path
from typing import Any

from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN

from ..sandbox import Sandbox
from .lab import Lab
from .result import Marked
from .secrets import secrets_for
from .submission import grade_notebook

NOBODY = "doctor"


def examine_lab(root: str | Path, lab: Lab, box: Sandbox) -> list[str]:
    """Return a list of complaints about one lab; an empty list is health.

    Parameters
    ----------
    root : path
        The course folder; its ``solutions/`` are read.
    lab : Lab
    box : Sandbox
        An open box of this lab.
    """
    secrets = secrets_for(lab, NOBODY)
    worth = {task.exercise: task.points for task in lab.tasks}
    complaints = []

    def marks(notebook: dict[str, Any]) -> dict[str, Marked]:
        return grade_notebook(notebook, NOBODY, lab, box, secrets).exercises

    def expect(tried: str, name: str, got: Marked, verdict: str, share: float, says: str = "") -> None:
        points = share * worth[name]
        if got["verdict"] != verdict or abs(got["score"] - points) > 1e-6 or says not in got["message"]:
            complaints.append(
                f"{lab.name}, {name}: {tried} got '{got['verdict']}', {got['score']:g} points, {got['message']!r}; "
                f"wanted '{verdict}', {points:g} points, {says!r}"
            )

    own = {task.exercise for task in lab.tasks if task.known is None}
    untouched = marks(_plain(lab.released))
    for name in untouched.keys() - own:
        expect("the untouched lab", name, untouched[name], NOT_WRITTEN, 0)
    solved = _solved(root, lab)
    for name, got in marks(solved).items():
        expect("the solution", name, got, CORRECT, 1)
    for task in lab.tasks:
        for mutant in task.known.mutants if task.known else ():
            got = marks(_with(solved, task.function, mutant.source))[task.exercise]
            expect(f"mutant {mutant.source!r}", task.exercise, got, mutant.verdict, mutant.share, mutant.says)
        for tried, value in () if task.test else (("a constant", "1.0"), ("an echo", "args[0]")):
            source = f"def {task.function}(*args):\n    return {value}"
            if score := marks(_with(solved, task.function, source))[task.exercise]["score"]:
                complaints.append(f"{lab.name}, {task.exercise}: {tried} earns {score:g} points")
    return complaints


def _plain(notebook: dict[str, Any]) -> dict[str, Any]:
    """A copy whose sources are text."""
    made = copy.deepcopy(notebook)
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
    return made


def _solved(root: str | Path, lab: Lab) -> dict[str, Any]:
    """The released lab with the model answers of the solutions in it."""
    source = Path(root) / "solutions" / lab.name / f"{lab.notebook}.ipynb"
    answers = {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in json.loads(source.read_text(encoding="utf-8"))["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }
    made = _plain(lab.released)
    for cell in made["cells"]:
        cell["source"] = answers.get(cell["metadata"].get("nbgrader", {}).get("grade_id"), cell["source"])
    return made


def _with(notebook: dict[str, Any], function: str, source: str) -> dict[str, Any]:
    """A copy with another source in the cell that defines ``function``."""
    made = copy.deepcopy(notebook)
    for cell in made["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution") and re.search(
            rf"^def {function}\(", cell["source"], re.M
        ):
            cell["source"] = source
    return made
