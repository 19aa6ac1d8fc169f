"""Marks given by hand stay reviewed if the work that they were given for has not changed."""

from collections.abc import Iterator
from typing import Any

from ..nbgrader_compat.queries import marked_by_hand


def reviewed_scores(book: Any, lab: str, student: str) -> dict[str, float | None]:
    """The machine's points of every cell that a person has marked and need not look at again, by ``grade_id``."""
    marked = marked_by_hand(book, lab, student)
    return {grade.name: grade.auto_score for grade in marked if not grade.needs_manual_grade}


def restore_review_state(
    book: Any, lab: str, student: str, reviewed: dict[str, float | None], before: Any, after: Any
) -> None:
    """Withdraw nbgrader's request for another review of cells in which nothing has changed.

    nbgrader requests one whenever a submission with marks by hand is graded again.

    Parameters
    ----------
    book : Gradebook
        The open gradebook.
    lab, student : str
        Name of the lab, and id of the student.
    reviewed : dict
        Result of `reviewed_scores` before this grading.
    before, after : notebook or None
        The autograded notebook before and after this grading.
    """
    if before is None:
        return
    old, new = ({name: text for name, text, _ in _cells(notebook)} for notebook in (before, after))
    answers = [name for name, _, answer in _cells(after) if answer]
    for grade in marked_by_hand(book, lab, student):
        # A mark for a check cell judges everything that the student wrote.
        judged = [grade.name] if grade.name in answers else answers
        same = all(old.get(name) == new[name] for name in judged)
        if same and grade.name in reviewed and reviewed[grade.name] == grade.auto_score:
            grade.needs_manual_grade = False


def _cells(notebook: Any) -> Iterator[tuple[str, str, bool]]:
    """Yield ``grade_id``, source, and whether it is an answer, for every cell with a ``grade_id``."""
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader")
        if marks and "grade_id" in marks:
            yield marks["grade_id"], "".join(cell["source"]), marks.get("solution", False)
