"""How an attack is described and turned into a submission."""

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.grading.lab import load

ROOT = Path(__file__).resolve().parents[3]
NAME = "03_roofline"
LAB = load(ROOT, NAME)
POINTS = {task.function: task.points for task in LAB.tasks}
FULL = LAB.max_score
# For cells of a test's own: its page imports nothing, so that a sandbox opens in half the time.
BARE = replace(LAB, released=LAB.released | {"cells": []})


@dataclass(frozen=True)
class Attack:
    """One submission.

    ``claim`` says what it tries, ``build`` writes it into an empty folder.
    ``most`` are the points that the work in it has honestly earned, and ``least``
    those that it must not lose. ``status`` is what the report says, or None where
    it does not matter.
    """

    name: str
    claim: str
    build: Callable
    most: float = 0.0
    least: float = 0.0
    status: str | None = None
    slow: bool = False


def answers():
    """The model answers by the name of their function, without nbgrader's marks."""
    solved = json.loads((ROOT / "solutions" / NAME / f"lab_{NAME}.ipynb").read_text(encoding="utf-8"))
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", "".join(cell["source"]))
        for cell in solved["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code"
    }


SOLVED = answers()


def notebook(edits=None, first="", last="", base=None):
    """A submission: the released lab with solutions of ``base``, then ``edits``; cells before and after."""
    made = copy.deepcopy(LAB.released)
    sources = {**(base or {}), **(edits or {})}
    for cell in made["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in sources:
            cell["source"] = sources[name]
    for place, source in ((1, first), (len(made["cells"]), last)):
        if source:
            made["cells"].insert(place, code(source))
    return made


def code(source, **metadata):
    """A code cell."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"x{abs(hash(source)) % 10**12}",
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }


def graded(made):
    """The cells that nbgrader knows, by grade id."""
    found = ((cell["metadata"].get("nbgrader", {}).get("grade_id"), cell) for cell in made["cells"])
    return {name: cell for name, cell in found if name}


def write(folder, made):
    """Put a submission where it belongs."""
    (folder / f"lab_{NAME}.ipynb").write_text(made if isinstance(made, str) else json.dumps(made), encoding="utf-8")


def cheat(name, claim, first="", edits=None, change=None, last=""):
    """Code in an otherwise untouched lab, or edits of its cells: it must earn nothing."""

    def build(folder):
        made = notebook(edits, first, last)
        if change is not None:
            change(made)
        write(folder, made)

    return Attack(name, claim, build)


def every(body, head="{signature}"):
    """The same body in each function of the lab."""
    signatures = {task.function: re.search(r"def (.*):", SOLVED[task.function])[1] for task in LAB.tasks}
    return {name: f"def {head.format(signature=signature)}:\n    {body}" for name, signature in signatures.items()}


def failing(
    name,
    claim,
    first="",
    edits=None,
    last="",
    lost=(),
    status="graded_with_errors",
    slow=False,
    change=None,
    least=None,
):
    """Breakage in an otherwise solved lab: only the functions in ``lost`` may lose their points, unless ``least`` is given."""

    def build(folder):
        made = notebook(edits, first, last, base=SOLVED)
        if change is not None:
            change(made)
        write(folder, made)

    earned = FULL - sum(POINTS[function] for function in lost)
    return Attack(name, claim, build, most=earned, least=earned if least is None else least, status=status, slow=slow)
