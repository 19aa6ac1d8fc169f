"""nbgrader's own ``autograde``, command and button, on a copy of each submission in which nothing can surprise it.

By itself nbgrader follows links out of a submission, waits for ever at a pipe, and
knows only notebooks that have the lab's name and are UTF-8. In this course it is
shown what ``autograder grade`` reads, one student at a time, so both give the same
marks and what is wrong with one submission concerns its author alone.
"""

import glob
import json
import tempfile
import traceback
from contextlib import suppress
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

import nbgrader.apps.api
import nbgrader.apps.autogradeapp
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc, temp_attrs

from ..intake.submitted import Submission, read
from ..lab import Lab, load
from .beside import copy_files, small_text
from .course import Course
from .steps import Rebuild


class Checked(Autograde):
    """nbgrader's converter, which goes on with the next student whatever one has handed in.

    Attributes
    ----------
    handed_in : Submission or None
        What the student whose turn it is has handed in, and from where ``source``.
    private : tuple of Path
        What no submission may see.
    """

    handed_in: Submission | None = None
    source: Path | None = None
    private: tuple[Path, ...] = ()

    def start(self) -> None:
        try:
            if Rebuild not in self.sanitize_preprocessors:
                raise ValueError("another course")
            lab = load(self.coursedir.root, self.coursedir.assignment_id)
            course = Course(Path(self.coursedir.root), self.parent)
            self.private, everybody = course.private, course.submissions(lab.name)
        except ValueError:
            # Nothing that this grader knows; nbgrader says what is missing.
            return super().start()
        wanted = self.coursedir.student_id
        folders = {name: folder for name, folder in everybody.items() if name == wanted or fnmatchcase(name, wanted)}
        failed = [] if folders else [wanted]
        for student, folder in folders.items():
            try:
                self._grade(student, folder, lab)
            except NbGraderException:
                failed.append(student)
            except Exception:
                self.log.error("%a: %s", student, traceback.format_exc())
                failed.append(student)
        if failed:
            problem = f"{lab.name} was not graded for {', '.join(map(ascii, failed))}"
            self.log.error(problem)
            raise NbGraderException(problem)

    def _grade(self, student: str, folder: Path, lab: Lab) -> None:
        with (
            tempfile.TemporaryDirectory() as place,
            temp_attrs(self.coursedir, submitted_directory=place, student_id=glob.escape(student)),
        ):
            self.source, self.handed_in = folder, read(folder, lab.name, lab.released)
            target = Path(self.coursedir.format_path(place, student, lab.name))
            target.mkdir(parents=True)
            bounds = self.coursedir.max_file_size * 1000, self.coursedir.max_dir_size * 1000
            copy_files(folder, target, [*self.coursedir.ignore, "*.ipynb"], *bounds)
            if existing_timestamp(self.coursedir, target) is None:
                (target / "timestamp.txt").unlink(missing_ok=True)
            # `Rebuild` takes what was read; this only has to be there.
            (target / f"{lab.name}.ipynb").write_text(json.dumps(lab.released), encoding="utf-8")
            super().start()


def existing_timestamp(directory: CourseDirectory, folder: str | Path) -> datetime | None:
    """When a submission says that it was handed in, or None; nbgrader's own waits at a pipe and stops at other text."""
    with suppress(OSError, ValueError, OverflowError, TypeError):
        when: datetime = parse_utc(small_text(Path(folder, "timestamp.txt")).strip())
        return when
    return None


def take_over() -> None:
    """Have nbgrader's command and formgrader use these; no option of nbgrader's names what they use."""
    nbgrader.apps.autogradeapp.Autograde = nbgrader.apps.api.Autograde = Checked
    CourseDirectory.get_existing_timestamp = existing_timestamp
