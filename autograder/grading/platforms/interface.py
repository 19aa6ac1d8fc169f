"""The typed interface of a learning platform: parts that a module of this package fills in or sets to None."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..collect.download_files import DownloadFile
from ..collect.downloaded_submission import DownloadedSubmission
from ..collect.match_students import StudentMatch, StudentMatcher, WorksheetLine

if TYPE_CHECKING:  # it imports nbgrader, which a student's computer need not have
    from ..gradebook.marks import Marks

CsvRow: TypeAlias = Iterable[str]
# By lab, then by student.
MarksByLab: TypeAlias = "dict[str, dict[str, Marks]]"


@dataclass(frozen=True)
class RosterColumns:
    """Columns of a list of students; of each kind, the first column that is present is read.

    Attributes
    ----------
    description : str
        The list as the help of ``autograder roster`` calls it, such as "Canvas's gradebook".
    signature : frozenset of str
        Normalized names of columns that only lists of this platform have together. Ids and numbers of such a list are
        read from this platform's columns alone. If it is empty, the columns are looked up in every other list.
    ids : tuple of str
        Columns that may hold the students' ids; the first that is not empty is read.
    first_names, last_names, emails : tuple of str
        Columns of names and addresses.
    full_name : str
        Column with names as "Last, First", read where first and last name are missing.
    numbers : tuple of str
        Columns with the platform's own number of a student, nbgrader's ``lms_user_id``.
    test_student : str
        Normalized full name of the platform's test account, which is left out.
    other_row : str
        Text in the full name of a row that is not a student, normalized; such a row is ignored.
    """

    description: str
    signature: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ()
    first_names: tuple[str, ...] = ()
    last_names: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    full_name: str = ""
    numbers: tuple[str, ...] = ()
    test_student: str = ""
    other_row: str = ""


GroupFiles: TypeAlias = Callable[[list[DownloadFile], str], tuple[list[DownloadedSubmission], list[DownloadFile]]]


@dataclass(frozen=True)
class SubmissionLayout:
    """Names of files in a download of submissions, and the rule that finds the student of each.

    Attributes
    ----------
    has_name_of : callable or None
        Takes a `DownloadFile`; whether its name follows the platform's pattern. None if any name is possible.
    group : callable or None
        Takes the files and the name of the lab; returns the submissions, and the files that follow no pattern. None for
        nbgrader's exchange, which is no download.
    match : callable
        Takes the `StudentMatcher`, a submission and the name of the lab; returns the `StudentMatch`.
    fixed_text : str
        Text that all names contain. A name that fits two platforms belongs to the one with a fixed text.
    needs_roster : bool
        Whether students can be found only if the gradebook has a roster.
    """

    has_name_of: Callable[[DownloadFile], bool] | None
    group: GroupFiles | None
    match: Callable[[StudentMatcher, DownloadedSubmission, str], StudentMatch]
    fixed_text: str = ""
    needs_roster: bool = False


@dataclass(frozen=True)
class GradeExport:
    """File of marks that a platform imports.

    Attributes
    ----------
    rows : callable
        Takes nbgrader's assignments and students, and the `Marks` by lab and student; returns the rows, header first.
    """

    rows: Callable[[list[Any], list[Any], MarksByLab], Iterator[CsvRow]]


@dataclass(frozen=True)
class FeedbackZipLayout:
    """Paths in the zip of feedback that a platform gives back to its students.

    Attributes
    ----------
    accepts : callable
        Takes the prefix ``answer_to`` of a collected submission; whether this platform has given it.
    page_path : callable
        Takes that prefix and the file name of a page; returns its path in the zip.
    """

    accepts: Callable[[str], bool]
    page_path: Callable[[str, str], str]


# Takes the file and the time zone of its times, or None; returns its lines by participant's number, and notes.
WorksheetReader: TypeAlias = Callable[[Path, "tzinfo | None"], tuple[dict[str, WorksheetLine], list[str]]]


@dataclass(frozen=True)
class Platform:
    """Learning platform, or another place where submissions come from.

    A part that the autograder does not support is None; the command line offers only what is supported.

    Attributes
    ----------
    name : str
        Value of ``--from``, ``--format`` and ``--zip``.
    label : str
        Name in sentences.
    is_learning_platform : bool
        False for a plain folder and for nbgrader's exchange.
    roster : RosterColumns or None
        List of students that ``autograder roster`` reads.
    submissions : SubmissionLayout or None
        Download that ``autograder collect`` reads.
    worksheet : callable or None
        Reader of a table with the times of submissions, for ``autograder collect --worksheet``.
    export : GradeExport or None
        File that ``autograder export`` writes.
    feedback_zip : FeedbackZipLayout or None
        Zip that ``autograder feedback --zip`` writes.
    """

    name: str
    label: str
    is_learning_platform: bool
    roster: RosterColumns | None
    submissions: SubmissionLayout | None
    worksheet: WorksheetReader | None
    export: GradeExport | None
    feedback_zip: FeedbackZipLayout | None
