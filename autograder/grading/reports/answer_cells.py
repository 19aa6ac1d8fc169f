"""Find the answer cells of a lab and of a graded notebook."""

from typing import Any

from ..gradebook.marks import Marks
from ..lab import Lab
from ..result import UNREADABLE, Result
from ..sanitize.html import field_text


def grade_id(cell: dict[str, Any]) -> str | None:
    """Return the ``grade_id`` of a cell, or None."""
    metadata = cell.get("metadata", {}).get("nbgrader")
    return metadata.get("grade_id") if isinstance(metadata, dict) else None


def answer_cells(lab: Lab) -> dict[str, str]:
    """Return for each check cell of a lab the answer cell before it, both by ``grade_id``."""
    checks, last = {task.cell for task in lab.tasks}, ""
    answers = {}
    for cell in lab.released["cells"]:
        metadata = cell["metadata"].get("nbgrader", {})
        if metadata.get("solution") and cell["cell_type"] == "code":
            last = metadata["grade_id"]
        elif metadata.get("grade_id") in checks:
            answers[metadata["grade_id"]] = last
    return answers


def sources_by_cell(notebook: dict[str, Any]) -> dict[str, str]:
    """Return the sources of all cells with a ``grade_id``, by ``grade_id``."""
    return {name: field_text(cell.get("source")) for cell in notebook.get("cells", ()) if (name := grade_id(cell))}


def untouched_questions(result: Result, lab: Lab, marks: Marks | None = None) -> list[str]:
    """Return the cells of written questions that a student left as released and no person has marked."""
    if result.status == UNREADABLE:
        return []
    released, sources = sources_by_cell(lab.released), sources_by_cell(result.notebook)
    answers = {
        name
        for cell in lab.released["cells"]
        if (name := grade_id(cell)) in lab.by_hand and cell["metadata"]["nbgrader"].get("solution")
    }
    by_hand = {cell for cell, mark in (marks.cells if marks else {}).items() if mark.manual is not None}
    return [cell for cell in lab.by_hand if cell in answers - by_hand and sources.get(cell) == released[cell]]


def untouched_name(student: str, cells: list[str], lab: Lab) -> str:
    """Return a student for a list of untouched questions, with the cells if the lab has several written questions."""
    return f"{student} ({', '.join(cells)})" if len(lab.by_hand) > 1 else student
