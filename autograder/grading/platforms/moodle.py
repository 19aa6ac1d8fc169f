"""Moodle: participants, names in "Download all submissions", grading worksheet, grade import, zip of feedback files.

A file is called ``Jane Doe_987_assignsubmission_file/lab.ipynb``, in a folder for each person or, if the site is set up so,
without folders; the number is another one in each assignment. The patterns follow ``mod/assign/classes/downloader.php`` in
Moodle's source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..collect.download_files import DownloadFile
from ..collect.downloaded_submission import DownloadedSubmission, group_files
from ..collect.match_students import MatchMethod, StudentMatch, StudentMatcher, WorksheetLine, match_only
from ..collect.student_names import normalize_name
from ..gradebook.timestamps import utc_from_clock
from ..spreadsheet import number_cell, read_rows, text_cell
from .interface import CsvRow, FeedbackZipLayout, GradeExport, MarksByLab, Platform, RosterColumns, SubmissionLayout

if TYPE_CHECKING:
    from ..gradebook.marks import Marks

_FIXED_TEXT = "_assignsubmission_"
_FILE = re.compile(
    rf"(?P<name>[^_]*)_(?P<number>\d+){_FIXED_TEXT}(?P<kind>file|onlinetext)(?P<under>_?)(?P<rest>.*)", re.DOTALL
)
_PARTICIPANT = re.compile(r"\D*(\d+)")
_TIME_FORMATS = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %B %d, %Y, %I:%M %p",
    "%d %B %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%Y-%m-%d %H:%M",
)
_LATE = re.compile(r"- [^-]*\blate\b")


def has_moodle_name(file: DownloadFile) -> bool:
    """Whether a part of a file's path is named as in a download of Moodle."""
    return any(_FILE.fullmatch(part) for part in file.parts)


def group(files: list[DownloadFile], lab: str) -> tuple[list[DownloadedSubmission], list[DownloadFile]]:
    """Group the files of a download by the person in their paths."""
    return group_files(files, lab, _add_file)


def _add_file(file: DownloadFile, submissions: dict[str, DownloadedSubmission]) -> bool:
    for depth, part in enumerate(file.parts):
        if not (named := _FILE.fullmatch(part)):
            continue
        is_file = depth == len(file.parts) - 1
        if is_file and not named["rest"]:
            return False
        key = f"{named['name']}_{named['number']}"
        submission = submissions.setdefault(key, DownloadedSubmission(key, named["name"], named["number"]))
        if named["kind"] == "file":
            submission.files.append(file.below(depth, named["rest"]) if is_file else file.below(depth + 1))
            submission.answer_to = f"{key}{_FIXED_TEXT}file_"
        else:
            submission.answer_to = submission.answer_to or f"{key}{_FIXED_TEXT}file_"
            submission.notes.append("On Moodle text was typed in; it is kept as onlinetext.html.")
            submission.files.append(file.below(len(file.parts) - 1, "onlinetext.html"))
        return True
    return False


def match(matcher: StudentMatcher, submission: DownloadedSubmission, lab: str) -> StudentMatch:
    """Find the student by the worksheet's id or address, else by name."""
    if line := matcher.worksheet.get(submission.number):
        for kind, value in (("id", line.student_id), ("email", line.email), ("id", line.email)):
            if value and (found := matcher.only_student_with(kind, normalize_name(value), MatchMethod.WORKSHEET)):
                return found
    candidates = matcher.students_with("name", normalize_name(submission.name))
    return match_only(candidates, MatchMethod.NAME, f"the name {submission.name}")


def read_worksheet(file: Path, zone: tzinfo | None) -> tuple[dict[str, WorksheetLine], list[str]]:
    """Read a grading worksheet, which has the id and the time of submission for each participant's number.

    Parameters
    ----------
    file : Path
        Worksheet in English, as CSV.
    zone : tzinfo or None
        Time zone of the times in the worksheet; without it, times are not read.

    Returns
    -------
    dict of str to WorksheetLine
        Lines by participant's number.
    list of str
        Sentences about lines and times that could not be read.

    Raises
    ------
    ValueError
        If the file has no column of participants.
    """
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    columns = {normalize_name(name): index for index, name in enumerate(header)}
    if "identifier" not in columns:
        raise ValueError(
            f"{file} is not a grading worksheet of Moodle in English: its first line has no 'Identifier'. In the "
            "assignment, choose 'Download grading worksheet'"
        )

    def cell(row: list[str], name: str) -> str:
        index = columns.get(normalize_name(name))
        return row[index].strip() if index is not None and index < len(row) else ""

    lines, notes, untimed = {}, [], []
    for line, row in rows:
        number = _PARTICIPANT.match(cell(row, "Identifier"))
        if not number:
            notes.append(f"Line {line} of {file.name} has no participant's number and was ignored.")
            continue
        time, status = cell(row, "Last modified (submission)"), cell(row, "Status")
        received = None
        if time not in ("", "-"):
            received = _parse_time(time, zone) if zone else None
            if received is None:
                untimed.append(line)
        late = bool(_LATE.search(status)) if status.lower().startswith("submitted") else None
        lines[number[1]] = WorksheetLine(
            cell(row, "Full name"), cell(row, "Email address"), cell(row, "ID number"), late, received
        )
    if untimed:
        why = (
            "have a format that is not known here" if zone else "name no zone: give it, as in --timezone Europe/Berlin"
        )
        notes.append(f"The times in {file.name} {why}; {len(untimed)} lines have no time (the first is {untimed[0]}).")
    return lines, notes


def _parse_time(text: str, zone: tzinfo) -> datetime | None:
    for time_format in _TIME_FORMATS:
        try:
            return utc_from_clock(datetime.strptime(text, time_format), zone)
        except ValueError:
            continue
    return None


def grade_rows(labs: list[Any], students: list[Any], marks: MarksByLab) -> Iterator[CsvRow]:
    """Rows of Moodle's grade import: map *Username* or *Email address*, each lab, and its feedback.

    The feedback holds what graders wrote. Both columns of a lab must be mapped, because Moodle drops the marks of a lab
    whose feedback alone is imported.
    """
    columns = [part for lab in labs for part in (text_cell(lab.name), text_cell(f"{lab.name} (feedback)"))]
    yield ["Username", "Email address", "First name", "Last name", *columns]
    for student in students:
        row = [*map(text_cell, (student.id, student.email, student.first_name, student.last_name))]
        for lab in labs:
            mark = marks[lab.name].get(student.id)
            row += [number_cell(mark.score), text_cell(_feedback(mark))] if mark else ["", ""]
        yield row


def _feedback(mark: Marks) -> str:
    penalty = [f"{number_cell(mark.late_penalty)} points off for handing in late."] if mark.late_penalty else []
    return " ".join([*mark.dated_comments.values(), *penalty])


PLATFORM = Platform(
    name="moodle",
    label="Moodle",
    is_learning_platform=True,
    roster=RosterColumns(
        description="Moodle's participants",
        ids=("Username", "ID number", "Email address", "email"),
        first_names=("First name", "firstname"),
        last_names=("Last name", "Surname", "lastname"),
        emails=("Email address", "email"),
    ),
    submissions=SubmissionLayout(has_moodle_name, group, match, fixed_text=_FIXED_TEXT, needs_roster=True),
    worksheet=read_worksheet,
    export=GradeExport(grade_rows),
    # A page is in the folder of the participant, as submissions do.
    feedback_zip=FeedbackZipLayout(
        lambda answer_to: _FIXED_TEXT in answer_to, lambda answer_to, page: f"{answer_to}/{page}"
    ),
)
