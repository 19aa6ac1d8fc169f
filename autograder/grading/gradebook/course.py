"""The course as nbgrader sees it: folders, gradebook and settings from ``nbgrader_config.py``."""

import hashlib
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url

from ... import lab_names
from ..nbgrader_compat.application import CourseApplication
from ..nbgrader_compat.exchange import exchange_folders
from ..nbgrader_compat.tools import CourseDirectory

ANY_STUDENT = "\0student\0"
STEPS = ("source", "release", "submitted", "autograded", "feedback")
MAX_NAME_BYTES = 255  # of a file name, on nearly every system


@dataclass(frozen=True)
class NbgraderCourse:
    """An open course.

    Attributes
    ----------
    root : Path
        The course folder, which holds ``nbgrader_config.py``.
    app : NbGrader or NbGraderAPI
        Object that has read the configuration; parent of nbgrader's converters.
    """

    root: Path
    app: Any

    @property
    def directory(self) -> CourseDirectory:
        """Object of nbgrader with the folders and the gradebook's address."""
        directory: CourseDirectory = self.app.coursedir
        return directory

    def submission(self, lab: str, student: str) -> Path:
        """Path of a student's submission, existing or not."""
        return Path(self.directory.format_path(self.directory.submitted_directory, student, lab))

    def autograded(self, lab: str, student: str) -> Path:
        """Path of a student's autograded version, existing or not."""
        return Path(self.directory.format_path(self.directory.autograded_directory, student, lab))

    @property
    def work(self) -> Path:
        """Folder of everything that grading stores."""
        return self.root / "autograder" / "work"

    @property
    def private(self) -> tuple[Path, ...]:
        """Folders that no submission may see."""
        steps = (getattr(self.directory, f"{step}_directory") for step in STEPS)
        # The folder of the gradebook's file also holds its journals.
        books = make_url(self.directory.db_url)
        book = [Path(books.database).parent] if books.get_backend_name() == "sqlite" and books.database else []
        others = (*steps, *book, *exchange_folders(self.app))
        return (self.root, *(Path(self.root, folder) for folder in others if folder))

    def submissions(self, lab: str) -> dict[str, Path]:
        """Find the submissions of a lab.

        Returns
        -------
        dict
            Path of each student's submission by the student's id, sorted. Anything in the place of a submission
            is found: a folder, a file, a link, which is not followed, or a folder without permission to read. So is
            a student's folder that contains no lab's folder, because the work is elsewhere in it.
        """
        around = self.submission(lab, ANY_STUDENT).parts
        if ANY_STUDENT not in around:
            raise ValueError(
                f"CourseDirectory.directory_structure is {self.directory.directory_structure!r}; "
                "the student must have a folder of their own, as in {nbgrader_step}/{student_id}/{assignment_id}"
            )
        place = around.index(ANY_STUDENT)
        above = Path(*around[:place])
        if not above.is_dir():
            raise ValueError(
                f"there is no folder {above}; put submissions there as STUDENT/{lab}/{lab_names.notebook_name(lab)}.ipynb"
            )
        excluded = set(self.directory.student_id_exclude.split(","))
        folders, files = {}, {}
        for name in os.listdir(above):
            if name.startswith(".") or name in excluded:
                continue
            own = above / name
            if name.endswith(".ipynb") and os.path.isfile(own) and not os.path.islink(own):
                # Its name alone says whose it is.
                files[folder_to_student_id(name.removesuffix(".ipynb"))] = own
            elif (path := _found(own, around[place + 1 :], lab)) is not None:
                folders[folder_to_student_id(name)] = path
        folders = files | folders
        return dict(sorted(folders.items()))


def _found(folder: Path, below: tuple[str, ...], lab: str) -> Path | None:
    """Path of what a student submitted for a lab; None if that is nothing."""
    path = folder
    for part in ("", *below):
        path = path / part
        # Work behind a link may belong to anybody.
        if os.path.islink(path):
            return path
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return None
        with os.scandir(folder) as entries:
            within = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    except OSError:
        return path
    if os.path.lexists(path):
        return path
    for name in (f"{lab_names.notebook_name(lab)}.ipynb", f"{lab}.ipynb"):
        if name in within:
            return folder / name
    return None if any(within.values()) else path


def folder_to_student_id(name: str) -> str:
    r"""Return a student's id from a folder's name: the name, with bytes that are not UTF-8 as ``\xNN``; one to one."""
    data = os.fsencode(name)
    try:
        if "\\x" not in (text := data.decode("utf-8")):
            return text
    except UnicodeDecodeError:
        pass
    # Text that already looks like such a byte stays distinct from one.
    text = data.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    if len(text.encode()) > MAX_NAME_BYTES:
        text = f"{text[:100]}~{hashlib.sha256(data).hexdigest()}"
    return text


def open_course(root: str | Path, submitted: str | Path | None = None) -> NbgraderCourse:
    """Read a course's nbgrader configuration.

    Parameters
    ----------
    root : path
        The course folder.
    submitted : path, optional
        Folder of the submissions; the configured one if omitted.

    Raises
    ------
    ValueError
        If there is no configuration or it cannot be read.
    """
    root = Path(root).resolve()
    if not (root / "nbgrader_config.py").is_file():
        raise ValueError(f"{root} contains no nbgrader_config.py; name the course folder with --root")
    # nbgrader makes its database with the program alembic, which is in the folder of this Python.
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", "")])
    app = CourseApplication.of(root)
    if submitted is not None:
        app.coursedir.submitted_directory = str(Path(submitted).resolve())
    return NbgraderCourse(root, app)
