"""Marks that somebody got for work that was not theirs, or that was taken back."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..gradebook.backup import back_up
from ..gradebook.course import Course
from ..gradebook.marks import gradebook, marks_of
from ..result_store import ResultStore, file_name
from ..sanitize.terminal_text import shown


def forget(course: Course, lab: str, students: Iterable[str], keep: Path) -> tuple[list[str], list[str]]:
    """Take the machine's marks of students out of the gradebook; results and pages move into ``keep``.

    Parameters
    ----------
    course : Course
    lab : str
    students : iterable of str
    keep : Path
        A folder.

    Returns
    -------
    list of str
        Whose marks are gone.
    list of str
        Whose marks stay, since a person gave or wrote some of them.
    """
    gone: list[str] = []
    stay: list[str] = []
    with gradebook(course.directory) as book:
        marks = marks_of(book, lab)
        for student in students:
            if (mark := marks.get(student)) is not None:
                if mark.by_hand or _comments(book, lab, student):
                    stay.append(student)
                    continue
                if not gone:
                    back_up(course.directory)
                book.remove_submission(lab, student)
                gone.append(student)
            for kind, place in (
                ("results", ResultStore.of(course.root, lab).file(student)),
                ("autograded", course.autograded(lab, student)),
                ("feedback", _feedback(course, lab, student)),
            ):
                if os.path.lexists(place):
                    to = keep / kind / file_name(student)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.move(place, to)
    return gone, stay


def _comments(book: Any, lab: str, student: str) -> bool:
    """Whether a person wrote anything; nbgrader itself says where there is no answer."""
    notebooks = book.find_submission(lab, student).notebooks
    return any(comment.manual_comment for notebook in notebooks for comment in notebook.comments)


def _feedback(course: Course, lab: str, student: str) -> Path:
    return Path(course.directory.format_path(course.directory.feedback_directory, student, lab))


def forgotten(course: Course, lab: str, students: list[str], keep: Path) -> list[str]:
    """Take away the marks for work that is theirs no more, as far as no person gave them."""
    gone, stay = forget(course, lab, students, keep)
    said = []
    if gone:
        said.append(f"Their marks for it are no longer in the gradebook: {', '.join(map(shown, gone))}.")
    if stay:
        said.append(
            "Marks or comments by hand for work that is not there any more stay in the gradebook, since they are yours: "
            f"{', '.join(map(shown, stay))}."
        )
    return said
