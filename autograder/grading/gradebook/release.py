"""Labs as they are released: with their points, and stamped, so that a later edit can be told from a fresh one."""

import hashlib
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor

from ...exercises import exercise
from ...help_policy import Allowed, allowed, of_course
from ..intake.notebook import STAMP
from ..releases import keep

# The line above a task for the machine, the end of a question for a person, the line under the title.
TASK = re.compile(r"^(\*difficulty .*)\*$", re.M)
QUESTION = re.compile(r"\*\((read by a person)\)\*")
TITLE = re.compile(r"^(\*You need: .*)\*$", re.M)
# In a check cell: what students see, and the hidden part, which goes to the gradebook alone.
ASKS = re.compile(r"""\b((check|award)\(\s*(["'])([\w.]+)\3,\s*\w+)\s*\)""")


class ShowPoints(NbGraderPreprocessor):
    """First step of ``nbgrader generate_assignment``: say what each task and the lab are worth, on the page and to its checks."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        by_machine = by_hand = 0
        above: list[Any] = []  # texts since the last graded cell
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                above.append(cell)
            marks = cell.metadata.get("nbgrader", {})
            if not (marks.get("grade") or marks.get("task")):
                continue
            points = marks["points"]
            if marks.get("solution") or marks.get("task"):
                by_hand += points
                self._write(above, QUESTION, rf"*({_points(points)}, \1)*")
            else:
                by_machine += points
                self._write(above, TASK, rf"\1 · {_points(points)}*")
                if "award(" in cell.source:
                    cell.source = ASKS.sub(partial(_worth, points=points), cell.source)
            above = []
        worth = f"{_points(by_machine + by_hand)}, {by_machine:g} of them marked by machine and {by_hand:g} by hand"
        self._write(nb.cells[:1], TITLE, rf"\1 · {worth}*")
        return nb, resources

    def _write(self, cells: list[Any], place: re.Pattern[str], text: str) -> None:
        for cell in cells:
            cell.source = place.sub(text, cell.source)


class SayHelp(NbGraderPreprocessor):
    """Second step of ``nbgrader generate_assignment``: the lab's first cell says how far help goes in this course."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        limits = self.limits(resources)
        if limits != FULL:
            title = nb.cells[0]
            said = NAMES.sub(lambda found: found[0] if limits.mistakes else UNNAMED, title.source)
            said = HINTS.sub(lambda found: _hints(limits, found[1]), said)
            # A page that says it in words of its own keeps them.
            words = "" if limits.mistakes else f" {UNNAMED}"
            title.source = (
                said if HINTS.search(title.source) else f"{said}\n\n**Help in this lab.** {_hints(limits)}{words}"
            )
        return nb, resources

    def limits(self, resources: Any) -> Allowed:
        """What the course of this release allows in the lab."""
        topic = resources["nbgrader"]["assignment"].partition("_")[2]
        # The exporter's parent is the converter.
        return allowed(topic, of_course(Path(self.parent.parent.coursedir.root)))


FULL = Allowed(mistakes=True, hints=3)
NAMES = re.compile(r"A check tells you which mistake you made and on which input; run it as often as you like\.")
HINTS = re.compile(r"(`hint\([^)]*\)` and its like) give up to three hints; solutions of graded work are not shown\.")
UNNAMED = (
    "A check tells you whether you are right, and if not, on which input; which mistake it was is left to you in this "
    "course. Run it as often as you like."
)


def _hints(limits: Allowed, calls: str = "`hint()`") -> str:
    gives = ("gives", "give")[" its like" in calls]
    if limits.hints:
        most = "one hint" if limits.hints == 1 else f"up to {('two', 'three')[limits.hints - 2]} hints"
        return f"{calls} {gives} {most}; solutions of graded work are not shown."
    return (
        "Hints are switched off in this lab; those of the chapter's exercises are there as always. Solutions of graded "
        "work are not shown."
    )


def _worth(call: re.Match[str], points: float) -> str:
    if call[2] == "check" and exercise(call[4]).points == points:
        return call[0]
    return f"{call[1]}, points={points:g})"


def _points(number: float) -> str:
    return f"{number:g} point" if number == 1 else f"{number:g} points"


class StampRelease(NbGraderPreprocessor):
    """Last step of ``nbgrader generate_assignment``: write a checksum of all cells, and keep the release.

    The claims of the prose stay behind: those of a model answer would give it away.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        nb.metadata.pop("language_info", None)
        for cell in nb.cells:
            cell.metadata.pop("claims", None)
        nb.metadata[STAMP] = fingerprint(nb)
        # The exporter's parent is the converter.
        keep(self.parent.parent.coursedir.root, resources["nbgrader"]["assignment"], nb)
        return nb, resources


def fingerprint(notebook: dict[str, Any]) -> str:
    """Checksum of the cells' kinds and sources; outputs and ids do not count."""
    cells = [[cell["cell_type"], "".join(cell["source"])] for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def edited(labs: str | Path) -> list[Path]:
    """Return the notebooks under ``labs`` that somebody has worked in since their release."""
    return [file for folder in sorted(Path(labs).glob("*/")) for file in worked_in(folder)]


def worked_in(folder: Path) -> list[Path]:
    """Return the notebooks of one released lab that somebody has worked in since."""
    return [file for file in sorted(folder.glob("*.ipynb")) if _edited(file)]


def _edited(file: Path) -> bool:
    try:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        return notebook["metadata"].get(STAMP) != fingerprint(notebook)
    except (ValueError, KeyError, TypeError):
        # Half a file may be somebody's work too.
        return True
