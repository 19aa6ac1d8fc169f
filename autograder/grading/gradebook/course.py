"""The course as nbgrader sees it: folders, gradebook and steps from ``nbgrader_config.py``."""

import hashlib
import logging
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from sqlalchemy.engine import make_url

from ... import lab_names

ANY_STUDENT = "\0student\0"
STEPS = ("source", "release", "submitted", "autograded", "feedback")
MOST_BYTES = 255  # of a name, on nearly every system


class _Settings(NbGrader):
    """nbgrader's way to its settings, from the course folder in place of the current one."""

    load_cwd_config = False

    def init_syspath(self) -> None:
        # The current folder may hold a submission.
        sys.path.insert(0, self.config.CourseDirectory.root)


@dataclass(frozen=True)
class Course:
    """An open course.

    Attributes
    ----------
    root : Path
        The course folder, which holds ``nbgrader_config.py``.
    app : NbGrader
        An application that has read the configuration; parent of nbgrader's converters.
    """

    root: Path
    app: NbGrader

    @property
    def directory(self) -> CourseDirectory:
        """nbgrader's own object for folders and the gradebook's address."""
        return self.app.coursedir

    def submission(self, lab: str, student: str) -> Path:
        """Where a student's submission is, or would be."""
        return Path(self.directory.format_path(self.directory.submitted_directory, student, lab))

    def autograded(self, lab: str, student: str) -> Path:
        """Where a student's autograded version is, or would be."""
        return Path(self.directory.format_path(self.directory.autograded_directory, student, lab))

    @property
    def work(self) -> Path:
        """Folder for what grading keeps: beside nbgrader's own ``submitted`` in this course."""
        return self.root / "autograder" / "work"

    @property
    def private(self) -> tuple[Path, ...]:
        """Folders that no submission may see, wherever they lie."""
        steps = (getattr(self.directory, f"{step}_directory") for step in STEPS)
        # Beside the gradebook's file lie its journals.
        books = make_url(self.directory.db_url)
        book = [Path(books.database).parent] if books.get_backend_name() == "sqlite" and books.database else []
        exchange = Exchange(parent=self.app, coursedir=self.directory)
        others = (*steps, *book, exchange.root, exchange.cache)
        return (self.root, *(Path(self.root, folder) for folder in others if folder))

    def submissions(self, lab: str) -> dict[str, Path]:
        """Find what was handed in for a lab.

        Returns
        -------
        dict
            From each student's id to the path, sorted by id. Whatever stands where a
            submission belongs is found: a folder, a file, a link, which no path leads
            beyond, or what may not be looked into. So is a student's folder without
            any lab's folder in it: what was handed in lies elsewhere.
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
                f"there is no folder {above}; put submissions there as STUDENT/{lab}/{lab_names.notebook(lab)}.ipynb"
            )
        excluded = set(self.directory.student_id_exclude.split(","))
        folders, files = {}, {}
        for name in os.listdir(above):
            if name.startswith(".") or name in excluded:
                continue
            own = above / name
            if name.endswith(".ipynb") and os.path.isfile(own) and not os.path.islink(own):
                # Whose it is says its name alone.
                files[identifier(name.removesuffix(".ipynb"))] = own
            elif (path := _found(own, around[place + 1 :], lab)) is not None:
                folders[identifier(name)] = path
        folders = files | folders
        return dict(sorted(folders.items()))


def _found(folder: Path, below: tuple[str, ...], lab: str) -> Path | None:
    """What a student handed in for a lab; None where that is nothing."""
    path = folder
    for part in ("", *below):
        path = path / part
        # Work that lies behind a link may be anybody's.
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
    for name in (f"{lab_names.notebook(lab)}.ipynb", f"{lab}.ipynb"):
        if name in within:
            return folder / name
    return None if any(within.values()) else path


def identifier(name: str) -> str:
    """A student's id from a folder's name, no other folder's: the name, with bytes that are no text as ``\\xNN``."""
    data = os.fsencode(name)
    try:
        if "\\x" not in (text := data.decode("utf-8")):
            return text
    except UnicodeDecodeError:
        pass
    # What already looks like such a byte is told from one.
    text = data.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    if len(text.encode()) > MOST_BYTES:
        text = f"{text[:100]}~{hashlib.sha256(data).hexdigest()}"
    return text


def open_course(root: str | Path, submitted: str | Path | None = None) -> Course:
    """Read a course's nbgrader configuration.

    Parameters
    ----------
    root : path
        The course folder.
    submitted : path, optional
        Where the submissions are, in place of the configured folder.

    Raises
    ------
    ValueError
        When there is no configuration or it cannot be read.
    """
    root = Path(root).resolve()
    if not (root / "nbgrader_config.py").is_file():
        raise ValueError(f"{root} holds no nbgrader_config.py; name the course folder with --root")
    # nbgrader makes its database with the program alembic, which is beside this Python.
    beside = str(Path(sys.executable).parent)
    if beside not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([beside, os.environ.get("PATH", "")])
    app = _Settings(raise_config_file_errors=True, log_level=logging.ERROR)
    app.config.CourseDirectory.root = str(root)
    app.initialize([], root=str(root))
    app.log.setLevel(logging.ERROR)
    if submitted is not None:
        app.coursedir.submitted_directory = str(Path(submitted).resolve())
    return Course(root, app)
