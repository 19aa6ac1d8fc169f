"""Marks given by hand stay reviewed if the work that they were given for has not changed."""

from collections.abc import Iterator
from typing import Any

from ..nbgrader_compat.queries import marked_by_hand


def reviewed_cells(book: Any, lab: str, student: str) -> set[str]:
    """Return the ``grade_id`` of every cell that a person has marked and need not look at again."""
    return {grade.name for grade in marked_by_hand(book, lab, student) if not grade.needs_manual_grade}


def restore_review_state(book: Any, lab: str, student: str, reviewed: set[str], before: Any, after: Any) -> None:
    """Withdraw nbgrader's request for another review of cells in which the student has changed nothing.

    nbgrader requests one whenever a submission with marks by hand is graded again. A change of the machine's points, such as
    after an exercise was fixed, is none of the student's.

    Parameters
    ----------
    book : Gradebook
        The open gradebook.
    lab, student : str
        Name of the lab, and id of the student.
    reviewed : set of str
        Result of `reviewed_cells` before this grading.
    before, after : notebook or None
        The autograded notebook before and after this grading.
    """
    if before is None:
        return
    old, new = ({name: text for name, text, _ in _cells(notebook)} for notebook in (before, after))
    names = {name for name, *_ in _cells(after)}
    code = [name for name, _, is_code_answer in _cells(after) if is_code_answer]
    checks = _checks(after)
    for grade in marked_by_hand(book, lab, student):
        # A mark for a check cell judges a function, which may call those of other answer cells.
        judged = code if grade.name in checks or grade.name not in names else [grade.name]
        same = all(old.get(name) == new.get(name) for name in judged)
        if same and grade.name in reviewed:
            grade.needs_manual_grade = False


def _cells(notebook: Any) -> Iterator[tuple[str, str, bool]]:
    """Yield ``grade_id``, source, and whether it is an answer in code, for every cell with a ``grade_id``."""
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader")
        if marks and "grade_id" in marks:
            is_code_answer = marks.get("solution", False) and cell["cell_type"] == "code"
            yield marks["grade_id"], "".join(cell["source"]), is_code_answer


def _checks(notebook: Any) -> set[str]:
    """Return the ``grade_id`` of every check cell."""
    marks = (cell["metadata"].get("nbgrader") or {} for cell in notebook["cells"])
    return {one["grade_id"] for one in marks if one.get("grade") and not one.get("solution")}
