"""A lab's notebook got another name in the middle of a term: the gradebook and its files follow, and no mark is lost.

nbgrader knows a notebook by the name of its file. Under a new one it would refuse the lab, or begin again without the
marks. Here the same row gets the new name, so points, marks by hand and comments stay where they are.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry

from ... import lab_names
from .backup import back_up
from .marks import gradebook


def follow(directory: Any, lab: str, notebook: str) -> None:
    """Let the gradebook and the graded files know a lab by the present name of its notebook; once is enough.

    Parameters
    ----------
    directory : nbgrader.coursedir.CourseDirectory
    lab, notebook : str
        Names of the assignment and of its notebook, as it is now.

    Raises
    ------
    ValueError
        When the gradebook is damaged; nothing has changed then.
    """
    old = lab_names.other(notebook)
    if not _knows(directory, lab, old) or _knows(directory, lab, notebook):
        return
    back_up(directory)
    with gradebook(directory) as book:
        # Files first: as long as the gradebook has the old name, this begins again where it was stopped.
        for submission in book.find_assignment(lab).submissions:
            _rename_files(directory, lab, submission.student_id, old, notebook)
        book.find_notebook(old, lab).name = notebook
        book.db.commit()


def _knows(directory: Any, lab: str, name: str) -> bool:
    with gradebook(directory) as book:
        if book is None:
            return False
        with suppress(MissingEntry):
            return bool(book.find_notebook(name, lab))
    return False


def _rename_files(directory: Any, lab: str, student: str, old: str, new: str) -> None:
    """The autograded notebook, and a page of feedback that somebody may have changed by hand."""
    graded = Path(directory.format_path(directory.autograded_directory, student, lab))
    if (graded / f"{old}.ipynb").is_file() and not (graded / f"{new}.ipynb").exists():
        (graded / f"{old}.ipynb").rename(graded / f"{new}.ipynb")
    page = Path(directory.format_path(directory.feedback_directory, student, lab))
    if (page / f"{old}.html").is_file() and not (page / f"{new}.html").exists():
        # The exchange gives it out under the old name, as long as the work has that name.
        shutil.copy2(page / f"{old}.html", page / f"{new}.html")
