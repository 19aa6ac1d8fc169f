"""Labs as they are released: with their points, and stamped, so that a later edit can be told from a fresh one."""

import hashlib
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor

from ...exercises import exercise
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
