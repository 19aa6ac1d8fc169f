"""Whether a lab's texts say the points that its cells give: the released page by itself, the instructor's notes by hand."""

import re
from pathlib import Path

from ..questions.cells import ANSWER
from .check_cells import graded
from .lab import Lab

RUBRIC = re.compile(r"Rubric, (\d+(?:\.\d+)?) points?:\n\n\| points \|.*\n\|.*\n((?:\|.*\n?)+)")


def wrong_points(root: str | Path, lab: Lab) -> list[str]:
    """Return a complaint for each text that says other points than its cells give, or none.

    Parameters
    ----------
    root : path
        The course folder.
    lab : Lab
        Of a chapter; an assignment of an instructor's own may say it in other words.
    """
    complaints = []
    points, said = graded(lab.released), ""
    for cell in lab.released["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in points:
            if not _says(said, points[name]):
                complaints.append(
                    f"{lab.name}: no text above the cell {name!r} says that it gives {points[name]:g} points"
                )
            said = ""
        elif cell["cell_type"] == "markdown":
            said += "".join(cell["source"])
    if not _says("".join(lab.released["cells"][0]["source"]), sum(points.values())):
        complaints.append(f"{lab.name}: its first cell does not say that the lab gives {sum(points.values()):g} points")
    file = Path(root) / "solutions" / lab.name / "INSTRUCTOR.md"
    # The second question brings a rubric of its own.
    by_hand = sum(points for cell, points in lab.by_hand.items() if cell != ANSWER)
    rubric = RUBRIC.search(file.read_text(encoding="utf-8")) if file.is_file() else None
    if rubric and not float(rubric[1]) == by_hand == sum(map(float, re.findall(r"^\| *([\d.]+) *\|", rubric[2], re.M))):
        complaints.append(
            f"{lab.name}: the rubric in {file} is not one of {by_hand:g} points, which its cells give by hand"
        )
    return complaints


def _says(text: str, points: float) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(f'{points:g}')} points?\b", text) is not None
