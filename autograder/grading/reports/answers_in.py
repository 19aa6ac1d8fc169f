"""Find in a lab and in a graded notebook the cells that hold a student's answers."""

from .safe import text_of


def grade_id(cell):
    """nbgrader's name of a cell, or None for a cell that has none."""
    marks = cell.get("metadata", {}).get("nbgrader")
    return marks.get("grade_id") if isinstance(marks, dict) else None


def answer_cells(lab):
    """For each check cell of a `Lab` the ``grade_id`` of the answer cell before it."""
    checks, found, last = {task.cell for task in lab.tasks}, {}, None
    for cell in lab.released["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution") and cell["cell_type"] == "code":
            last = marks["grade_id"]
        elif marks.get("grade_id") in checks:
            found[marks["grade_id"]] = last
    return found


def sources(notebook):
    """The sources of all cells that have a ``grade_id``, by it."""
    return {grade_id(cell): text_of(cell.get("source")) for cell in notebook.get("cells", ()) if grade_id(cell)}
