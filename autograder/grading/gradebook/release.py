"""Preprocessors of a release: write points and help policy into the lab, and a checksum that reveals later edits."""

import hashlib
import json
import re
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ...exercises import exercise
from ...help_policy import HelpPolicy, policy_file, policy_for
from ..intake.notebook import RELEASE_STAMP
from ..nbgrader_compat.tools import NbGraderPreprocessor
from ..releases import store_release

# The line above a task that the machine marks, the end of a question that a person marks, the line below the title.
TASK = re.compile(r"^(\*difficulty .*)\*$", re.M)
QUESTION = re.compile(r"\*\((read by a person)\)\*")
TITLE = re.compile(r"^(\*You need: .*)\*$", re.M)
# A picture file in Markdown or HTML, as the text of a notebook file has it.
PICTURE = re.compile(
    r"""(?:!\[[^\]\n]*\]\(|<img[^>\n]*?\ssrc=\\?["'])([^()\s"'\\:]+\.(?:png|jpe?g|gif|svg|webp))""", re.I
)
# Calls in a check cell: the visible one, and the hidden one, which only the gradebook has.
CHECK_CALL = re.compile(r"""\b((check|award)\(\s*(["'])([\w.]+)\3,\s*\w+)\s*\)""")


class ShowPoints(NbGraderPreprocessor):
    """First preprocessor of a release: write the points of each task and of the lab into its texts and check cells."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Write the points into a notebook."""
        by_machine = by_hand = 0
        texts: list[Any] = []  # since the last graded cell
        for cell in nb.cells:
            if cell.cell_type == "markdown":
                texts.append(cell)
            marks = cell.metadata.get("nbgrader", {})
            if not (marks.get("grade") or marks.get("task")):
                continue
            points = marks["points"]
            if marks.get("solution") or marks.get("task"):
                by_hand += points
                self._write(texts, QUESTION, rf"*({_points(points)}, \1)*")
            else:
                by_machine += points
                self._write(texts, TASK, rf"\1 · {_points(points)}*")
                if "award(" in cell.source:
                    cell.source = CHECK_CALL.sub(partial(_with_points, points=points), cell.source)
            texts = []
        worth = f"{_points(by_machine + by_hand)}, {by_machine:g} of them marked by machine and {by_hand:g} by hand"
        self._write(nb.cells[:1], TITLE, rf"\1 · {worth}*")
        return nb, resources

    def _write(self, cells: list[Any], place: re.Pattern[str], text: str) -> None:
        for cell in cells:
            cell.source = place.sub(text, cell.source)


class DescribeHelpPolicy(NbGraderPreprocessor):
    """Second preprocessor of a release: state in the lab's first cell how much help its checks give in this course."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Write the help policy into a notebook, unless it allows everything."""
        limits = self.limits(resources)
        if limits != FULL:
            title = nb.cells[0]
            text = NAMES.sub(lambda found: found[0] if limits.mistakes else UNNAMED, title.source)
            text = HINTS.sub(lambda found: _hints(limits, found[1]), text)
            # A lab that describes its help in other words keeps them.
            more = "" if limits.mistakes else f" {UNNAMED}"
            title.source = (
                text if HINTS.search(title.source) else f"{text}\n\n**Help in this lab.** {_hints(limits)}{more}"
            )
        return nb, resources

    def limits(self, resources: Any) -> HelpPolicy:
        """Return how much help the course allows in the lab of this release."""
        topic = resources["nbgrader"]["assignment"].partition("_")[2]
        # The exporter's parent is the converter.
        return policy_for(topic, policy_file(Path(self.parent.parent.coursedir.root)))


# The name that configurations of earlier versions import.
SayHelp = DescribeHelpPolicy

FULL = HelpPolicy(mistakes=True, hints=3)
NAMES = re.compile(r"A check tells you which mistake you made and on which input; run it as often as you like\.")
HINTS = re.compile(
    r"(`hint\([^)]*\)` and (?:similar calls|its like)) give up to three hints; solutions of graded work are not shown\."
)
UNNAMED = (
    "A check tells you whether you are right, and if not, on which input; which mistake it was is left to you in this "
    "course. Run it as often as you like."
)


def _hints(limits: HelpPolicy, calls: str = "`hint()`") -> str:
    gives = ("gives", "give")[" and " in calls]
    if limits.hints:
        most = "one hint" if limits.hints == 1 else f"up to {('two', 'three')[limits.hints - 2]} hints"
        return f"{calls} {gives} {most}; solutions of graded work are not shown."
    return (
        "Hints are switched off in this lab; those of the chapter's exercises are there as always. Solutions of graded "
        "work are not shown."
    )


def _with_points(call: re.Match[str], points: float) -> str:
    if call[2] == "check" and exercise(call[4]).points == points:
        return call[0]
    return f"{call[1]}, points={points:g})"


def _points(number: float) -> str:
    return f"{number:g} point" if number == 1 else f"{number:g} points"


class StampRelease(NbGraderPreprocessor):
    """Last preprocessor of a release: write a checksum of all cells, and keep the release.

    Claims in the metadata of cells are removed, because those of a model answer would reveal it. So are pictures that were
    pasted into an answer: nbgrader replaces its text and leaves its attachments.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Write the checksum into a notebook."""
        nb.metadata.pop("language_info", None)
        for cell in nb.cells:
            cell.metadata.pop("claims", None)
            text = unquote(cell.source)
            shown = {name: data for name, data in cell.pop("attachments", {}).items() if f"attachment:{name}" in text}
            cell.update({"attachments": shown} if shown else {})
        self._remove_answer_files(nb, resources["nbgrader"]["assignment"])
        nb.metadata[RELEASE_STAMP] = fingerprint(nb)
        # The exporter's parent is the converter.
        store_release(self.parent.parent.coursedir.root, resources["nbgrader"]["assignment"], nb)
        return nb, resources

    def _remove_answer_files(self, nb: Any, lab: str) -> None:
        """Remove files that only the model answers show, because nbgrader releases every file beside the notebook."""
        directory = self.parent.parent.coursedir
        source, release = (
            Path(directory.format_path(stage, ".", lab))
            for stage in (directory.source_directory, directory.release_directory)
        )
        texts = [file.read_text(encoding="utf-8") for file in source.glob("*.ipynb")]
        released = "\n".join(cell.source for cell in nb.cells)
        for name in {name for text in texts for name in PICTURE.findall(text)}:
            file = release / unquote(name)
            if name not in released and file.is_file() and file.resolve().is_relative_to(release.resolve()):
                file.unlink()
                self.log.warning("%s is shown only in a model answer and was left out of the release", name)


def fingerprint(notebook: dict[str, Any]) -> str:
    """Return a checksum of types and sources of the cells; outputs and ids do not count."""
    cells = [[cell["cell_type"], "".join(cell["source"])] for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def edited_notebooks(labs: str | Path) -> list[Path]:
    """Return the notebooks under ``labs`` that somebody has worked in since their release."""
    return [file for folder in sorted(Path(labs).glob("*/")) for file in edited_in(folder)]


def edited_in(folder: Path) -> list[Path]:
    """Return the notebooks of one released lab that somebody has worked in since."""
    return [file for file in sorted(folder.glob("*.ipynb")) if _edited(file)]


def _edited(file: Path) -> bool:
    try:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        return notebook["metadata"].get(RELEASE_STAMP) != fingerprint(notebook)
    except (ValueError, KeyError, TypeError):
        # A truncated file may be somebody's work too.
        return True
