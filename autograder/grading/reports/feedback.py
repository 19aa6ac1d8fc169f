"""Write feedback pages of all students of a lab where nbgrader expects them."""

import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ... import lab_names
from ...atomic_write import write_text
from ..gradebook.attachments import read_small_text
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..gradebook.groups import load_groups
from ..gradebook.marks import load_marks
from ..gradebook.notebook_renames import rename_notebook_entries
from ..lab import Lab, load
from ..marking.feedback_lines import written_feedback
from ..nbgrader_compat.exchange import COMPANIONS
from ..result_store import ResultStore
from .feedback_page import CHECKSUM_STAMP, feedback_page

CHECKSUM = re.compile(CHECKSUM_STAMP.rstrip("0") + "([0-9a-f]{64})")


class PageStatus(StrEnum):
    """Whether a page was written, or kept because somebody changed it by hand."""

    WRITTEN = "written"
    KEPT = "kept"


@dataclass(frozen=True)
class FeedbackPage:
    """Feedback page of one student."""

    student: str
    file: Path
    status: PageStatus

    @property
    def can_go_by_exchange(self) -> bool:
        """Whether nbgrader's exchange can give the page to its student."""
        return all(self.file.with_name(name).is_file() for name in COMPANIONS)


def write_feedback(root: str | Path, lab: str, student: str | None = None) -> list[FeedbackPage]:
    """Write the feedback pages of a lab where nbgrader expects them.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
    student : str, optional
        Id of the only student; all graded students if omitted.

    Returns
    -------
    list of FeedbackPage
        One for each student; a page that somebody changed by hand is kept.

    Raises
    ------
    ValueError
        If nothing was graded yet, or not this student.
    """
    directory, trusted = open_course(root).directory, load(root, lab)
    rename_notebook_entries(directory, trusted.name, trusted.notebook)
    with open_gradebook(directory) as book:
        marks = load_marks(book, lab)
    written_lines = written_feedback(directory.root, trusted, marks)
    store = ResultStore.of(directory.root, lab)
    submitters = load_groups(directory.root, lab).submitters(marks)
    student = submitters.get(student, student) if student else None
    # Only one result is in memory at a time, because all notebooks of a class are large.
    results = store if student is None else filter(None, [store.get(student)])
    written = [
        _write_student_page(
            directory,
            feedback_page(result, trusted, marks.get(result.student), written_lines.get(result.student)),
            result.student,
            trusted,
        )
        for result in results
    ]
    pages = {page.student: page for page in written}
    for member, submitter in submitters.items():
        if page := pages.get(submitter):
            file = _folder(directory, directory.feedback_directory, member, lab) / page.file.name
            written.append(FeedbackPage(member, file, write_page(page.file.read_text(encoding="utf-8"), file)))
    if not written:
        problem = f"{student} has no graded submission of" if student else "nothing was graded yet of"
        raise ValueError(f"{problem} {lab}: run `autograder grade {lab}` first")
    return written


def _write_student_page(directory: Any, text: str, student: str, lab: Lab) -> FeedbackPage:
    folder = _folder(directory, directory.feedback_directory, student, lab.name)
    file = folder / f"{lab.notebook}.html"
    status = write_page(text, file)
    if status is PageStatus.WRITTEN:
        write_renamed_copy(directory, text, student, lab)
        _copy_companions(directory, student, lab.name, folder)
    return FeedbackPage(student, file, status)


def write_renamed_copy(directory: Any, text: str, student: str, lab: Lab) -> None:
    """Write the page also under the submitted notebook's other name, by which the exchange looks for it."""
    other = lab_names.other_name(lab.notebook)
    if (_folder(directory, directory.submitted_directory, student, lab.name) / f"{other}.ipynb").is_file():
        write_page(text, _folder(directory, directory.feedback_directory, student, lab.name) / f"{other}.html")


def write_page(text: str, file: Path) -> PageStatus:
    """Write a page unless the existing file was changed or comes from elsewhere."""
    if file.exists() and not _is_unchanged(file):
        return PageStatus.KEPT
    write_text(file, with_checksum(text))
    return PageStatus.WRITTEN


def with_checksum(text: str) -> str:
    """Insert a page's checksum, which shows later whether somebody changed the page."""
    return CHECKSUM.sub(CHECKSUM_STAMP.rstrip("0") + _digest(text), text, count=1)


def _digest(text: str) -> str:
    return hashlib.sha256(CHECKSUM.sub(CHECKSUM_STAMP, text, count=1).encode()).hexdigest()


def _is_unchanged(file: Path) -> bool:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    mark = CHECKSUM.search(text)
    return mark is not None and mark[1] == _digest(text)


def _folder(directory: Any, stage: str, student: str, lab: str) -> Path:
    if student in ("", ".", "..") or Path(student).name != student or "\0" in student:
        raise ValueError(f"{student!r} is not a valid name of a student's folder")
    return Path(directory.format_path(stage, student, lab))


def _copy_companions(directory: Any, student: str, lab: str, target: Path) -> None:
    for name in COMPANIONS:
        for stage in (directory.autograded_directory, directory.submitted_directory):
            # Follows no link, because one in a submission may point anywhere.
            with suppress(OSError):
                below = Path(directory.format_path(stage, ".", "."))
                write_text(target / name, read_small_text(_folder(directory, stage, student, lab) / name, below=below))
                break
