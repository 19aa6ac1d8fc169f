"""Withdraw marks for work that was given to the wrong student or was taken back."""

import os
import shutil
from pathlib import Path
from typing import Any

from ..gradebook.backup import back_up
from ..gradebook.course import NbgraderCourse
from ..gradebook.database import open_gradebook
from ..gradebook.marks import load_marks
from ..result_store import ResultStore, file_name
from ..sanitize.terminal_text import printable


def withdraw_marks(course: NbgraderCourse, lab: str, students: list[str], folder: Path) -> list[str]:
    """Remove the automatic marks of students from the gradebook; marks and comments by hand stay.

    Parameters
    ----------
    course : NbgraderCourse
        Open course.
    lab : str
        Name of the lab.
    students : list of str
        Ids of the students.
    folder : Path
        Folder into which their results, autograded notebooks and feedback pages move.

    Returns
    -------
    list of str
        Sentences that name whose marks were removed and whose stay.
    """
    removed: list[str] = []
    marked_by_hand: list[str] = []
    with open_gradebook(course.directory) as book:
        marks = load_marks(book, lab)
        for student in students:
            if (mark := marks.get(student)) is not None:
                if mark.by_hand or _has_comments(book, lab, student):
                    marked_by_hand.append(student)
                    continue
                if not removed:
                    back_up(course.directory)
                book.remove_submission(lab, student)
                removed.append(student)
            feedback = course.directory.format_path(course.directory.feedback_directory, student, lab)
            for kind, path in (
                ("results", ResultStore.of(course.root, lab).file(student)),
                ("autograded", course.autograded(lab, student)),
                ("feedback", feedback),
            ):
                if os.path.lexists(path):
                    target = folder / kind / file_name(student)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.move(path, target)
    notes = []
    if removed:
        notes.append(f"Their marks for it are no longer in the gradebook: {', '.join(map(printable, removed))}.")
    if marked_by_hand:
        notes.append(
            "Marks or comments by hand for work that has been removed stay in the gradebook, since they are yours: "
            f"{', '.join(map(printable, marked_by_hand))}."
        )
    return notes


def _has_comments(book: Any, lab: str, student: str) -> bool:
    """Whether a person wrote a comment; nbgrader's comments on empty answers do not count."""
    notebooks = book.find_submission(lab, student).notebooks
    return any(comment.manual_comment for notebook in notebooks for comment in notebook.comments)
