"""Rename a lab's notebook in the gradebook and in its files during a term, without losing a mark.

nbgrader identifies a notebook by the name of its file. After a change of the name it would refuse the lab, or begin
again without the marks. Here the row gets the new name, so points, marks by hand and comments stay.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from ... import lab_names
from .backup import back_up
from .database import MissingEntry, open_gradebook


def rename_notebook_entries(directory: Any, lab: str, notebook: str) -> None:
    """Rename the notebook of a lab in the gradebook and in the graded files, unless that has been done.

    Parameters
    ----------
    directory : CourseDirectory
        nbgrader's, of the course.
    lab, notebook : str
        Name of the assignment, and present name of its notebook.

    Raises
    ------
    ValueError
        If the gradebook is damaged; nothing has changed then.
    """
    old = lab_names.other_name(notebook)
    if not _knows(directory, lab, old) or _knows(directory, lab, notebook):
        return
    back_up(directory)
    with open_gradebook(directory) as book:
        # Files first: as long as the gradebook has the old name, an interrupted rename is repeated.
        for submission in book.find_assignment(lab).submissions:
            _rename_files(directory, lab, submission.student_id, old, notebook)
        book.find_notebook(old, lab).name = notebook
        book.db.commit()


def _knows(directory: Any, lab: str, name: str) -> bool:
    with open_gradebook(directory) as book:
        if book is None:
            return False
        with suppress(MissingEntry):
            return bool(book.find_notebook(name, lab))
    return False


def _rename_files(directory: Any, lab: str, student: str, old: str, new: str) -> None:
    """Rename the autograded notebook, and copy the page of feedback, which may have been edited by hand."""
    graded = Path(directory.format_path(directory.autograded_directory, student, lab))
    if (graded / f"{old}.ipynb").is_file() and not (graded / f"{new}.ipynb").exists():
        (graded / f"{old}.ipynb").rename(graded / f"{new}.ipynb")
    page = Path(directory.format_path(directory.feedback_directory, student, lab))
    if (page / f"{old}.html").is_file() and not (page / f"{new}.html").exists():
        # The exchange returns it under the old name, as long as the submission has that name.
        shutil.copy2(page / f"{old}.html", page / f"{new}.html")
