"""Written questions of a lab's notebook, and whether they are untouched in the saved file."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import course_pages
from . import current_page


def untouched_sentence(topic: str) -> str:
    """Return a sentence about untouched written questions of the lab that the reader works on; empty if there are none.

    Parameters
    ----------
    topic : str
        Topic of the lab, such as ``"roofline"``.
    """
    if current_page.page_prefix() != f"lab.{topic}.":
        return ""
    if (notebook := current_page.notebook(topic)) and (cells := written_questions(notebook)):
        points = [points for points, untouched in cells if untouched]
        return f"{_questions(points)} untouched in the saved notebook: write into the cell below it." if points else ""
    released = next((page for page in course_pages.labs() if course_pages.topic(page) == topic), None)
    points = [points for points, _ in written_questions(released)] if released else []
    return f"{_questions(points)} marked by a person, and not counted here." if points else ""


def written_questions(notebook: Path) -> list[tuple[float, bool]]:
    """Return the points of each written question of a notebook, and whether its answer cell is as released."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        return [*_points_and_state(cells)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _points_and_state(cells: list[dict[str, Any]]) -> Iterator[tuple[float, bool]]:
    for cell in cells:
        marks = cell.get("metadata", {}).get("nbgrader", {})
        if cell["cell_type"] != "code" and marks.get("grade") and marks.get("solution"):
            text = "".join(cell["source"])
            yield float(marks["points"]), not text.strip() or marks.get("checksum") == _checksum(cell, text, marks)


def _checksum(cell: dict[str, Any], text: str, marks: dict[str, Any]) -> str:
    """Return nbgrader's checksum of an answer cell; a student's computer need not have nbgrader."""
    parts = (text, cell["cell_type"], True, True, False, marks["grade_id"], float(marks["points"]))
    return hashlib.md5("".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()


def _questions(points: list[float]) -> str:
    one = len(points) == 1
    return f"The written question{'' if one else 's'} ({sum(points):g} points) {'is' if one else 'are'}"
