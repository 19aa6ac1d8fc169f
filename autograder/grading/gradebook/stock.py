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
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import NbGraderAPI, api, autogradeapp
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import temp_attrs

from ..intake.submission_reader import Submission, read
from ..lab import Lab, load
from ..sanitize.notebook_cells import tame, texts_of
from .attachments import copy_files, submitted_at
from .backup import readable
from .course import Course
from .hand_marks import keep_reviewed, reviews
from .notebook_renames import follow
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
        follow(self.coursedir, lab.name, lab.notebook)
        failed = []
        if not folders:
            self.log.error("nothing was handed in for %s by %a", lab.name, wanted)
            raise NbGraderException("nothing was handed in")
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
            readable(self.coursedir),
            tempfile.TemporaryDirectory() as place,
            temp_attrs(self.coursedir, submitted_directory=place, student_id=glob.escape(student)),
        ):
            self.source, self.handed_in = folder, read(folder, lab.notebook, lab.released)
            target = Path(self.coursedir.format_path(place, student, lab.name))
            target.mkdir(parents=True)
            bounds = self.coursedir.max_file_size * 1000, self.coursedir.max_dir_size * 1000
            copy_files(folder, target, [*self.coursedir.ignore, "*.ipynb"], *bounds)
            if submitted_at(target) is None:
                (target / "timestamp.txt").unlink(missing_ok=True)
            # `Rebuild` takes what was read; this only has to be there.
            (target / f"{lab.notebook}.ipynb").write_text(json.dumps(lab.released), encoding="utf-8")
            before, past = self._graded(student, lab), {}
            # What was graded may be there without its gradebook.
            with suppress(MissingEntry), Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
                past = reviews(book, lab.name, student)
            super().start()
            with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
                if before and (after := self._graded(student, lab)):
                    keep_reviewed(book, lab.name, student, past, before, after)
                    book.db.commit()

    def _graded(self, student: str, lab: Lab) -> Any:
        """The autograded notebook as formgrader shows it, or None."""
        file = Path(self.coursedir.format_path(self.coursedir.autograded_directory, student, lab.name))
        try:
            notebook = json.loads((file / f"{lab.notebook}.ipynb").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        tame(notebook, texts_of(lab.released))
        return notebook


def _submitted_timestamp(self: NbGraderAPI, assignment_id: str, student_id: str) -> datetime | None:
    """What formgrader's pages ask for: by itself one pipe or one odd timestamp stops the list of a whole class."""
    directory = self.coursedir
    return submitted_at(Path(directory.format_path(directory.submitted_directory, student_id, assignment_id)))


def take_over() -> None:
    """Have nbgrader's command and formgrader use these; no option of nbgrader's names what they use."""
    autogradeapp.Autograde = api.Autograde = Checked
    NbGraderAPI.get_submitted_timestamp = _submitted_timestamp
