"""Find in a lab and in a graded notebook the cells that hold a student's answers."""

from typing import Any

from ..lab import Lab
from ..sanitize.html import field_text


def grade_id(cell: dict[str, Any]) -> str | None:
    """nbgrader's name of a cell, or None for a cell that has none."""
    marks = cell.get("metadata", {}).get("nbgrader")
    return marks.get("grade_id") if isinstance(marks, dict) else None


def answer_cells(lab: Lab) -> dict[str, str]:
    """For each check cell of a `Lab` the ``grade_id`` of the answer cell before it."""
    checks, last = {task.cell for task in lab.tasks}, ""
    answers = {}
    for cell in lab.released["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution") and cell["cell_type"] == "code":
            last = marks["grade_id"]
        elif marks.get("grade_id") in checks:
            answers[marks["grade_id"]] = last
    return answers


def sources_by_cell(notebook: dict[str, Any]) -> dict[str, str]:
    """The sources of all cells that have a ``grade_id``, by it."""
    return {name: field_text(cell.get("source")) for cell in notebook.get("cells", ()) if (name := grade_id(cell))}
