"""Canvas: gradebook export and import, names in "Download submissions", and the zip of "Upload submissions".

A file is called ``doejane_12345_678901_lab.ipynb``, with ``_LATE`` before the two numbers (of the person and of the file)
if it is late. ``_text.html`` and ``_link.html`` replace file number and name if text or a link was handed in. The patterns
follow ``lib/content_zipper.rb`` in Canvas's source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..collect.download_files import DownloadFile, is_notebook
from ..collect.downloaded_submission import DownloadedSubmission, group_files
from ..collect.match_students import MatchMethod, StudentMatch, StudentMatcher, match_only
from ..collect.student_names import join_name
from ..spreadsheet import number_cell, text_cell
from .interface import CsvRow, FeedbackZipLayout, GradeExport, MarksByLab, Platform, RosterColumns, SubmissionLayout

ID_COLUMNS = ("SIS Login ID", "SIS User ID")

# Canvas takes "_digits_" out of the name of a person, and gives the digits of its own part without leading zeros. So its
# part begins at the first such digits; what the student called the file is behind it and is never looked at first.
_NUMBER = r"[1-9]\d*"
_PERSON = rf"(?P<name>(?:(?!_\d+_).)*?)_(?:(?P<late>LATE)_)?(?P<number>{_NUMBER})_"
_FILE = re.compile(rf"{_PERSON}(?P<file>{_NUMBER})_(?P<rest>.*)", re.DOTALL)
_TEXT_OR_LINK = re.compile(rf"{_PERSON}(?P<kind>text|link)(?:-\d+)?\.html", re.DOTALL)
_ANONYMOUS = re.compile(rf"(?:(?P<late>LATE)_)?(?P<key>anon_[A-Za-z0-9]+)_(?P<file>{_NUMBER})_(?P<rest>.*)", re.DOTALL)
_FILE_NUMBER = re.compile(r"_(\d+)_\Z")  # in the prefix for feedback


def has_canvas_name(file: DownloadFile) -> bool:
    """Whether a file is named as in a download of Canvas."""
    return _named_part(file) is not None


def _named_part(file: DownloadFile) -> tuple[int, re.Match[str]] | None:
    """Find the outermost part of a path that Canvas has named; a student's own name may contain slashes."""
    for depth, part in enumerate(file.parts):
        for pattern in (_TEXT_OR_LINK, _ANONYMOUS, _FILE):
            if named := pattern.fullmatch(part):
                return depth, named
    return None


def group(files: list[DownloadFile], lab: str) -> tuple[list[DownloadedSubmission], list[DownloadFile]]:
    """Group the files of a download by the person in their names."""
    return group_files(files, lab, _add_file)


def _add_file(file: DownloadFile, submissions: dict[str, DownloadedSubmission]) -> bool:
    if not (found := _named_part(file)):
        return False
    depth, named = found
    late = named["late"] is not None

    def under_own_name() -> DownloadFile:
        is_outermost = depth == len(file.parts) - 1
        own = file.below(depth, named["rest"] or "unnamed") if is_outermost else file.below(depth + 1)
        return replace(own, serial=int(named["file"]))

    if named.re is _ANONYMOUS:
        submission = submissions.setdefault(named["key"], DownloadedSubmission(named["key"], late=late))
        submission.files.append(under_own_name())
        return True
    key = f"{named['name']}_{named['number']}"
    submission = submissions.setdefault(key, DownloadedSubmission(key, named["name"], named["number"], late))
    if named.re is _TEXT_OR_LINK:
        what = "text was typed in" if named["kind"] == "text" else "a link was given"
        submission.notes.append(f"On Canvas {what} where a file was asked for.")
        submission.files.append(file.below(len(file.parts) - 1, f"{named['kind']}.html"))
        return True
    # Feedback may answer any file of a submission. The notebook is best, because Canvas shows feedback under the file's name.
    if not submission.answer_to or is_notebook(named["rest"]):
        submission.answer_to = f"{named['name']}_{'LATE_' if late else ''}{named['number']}_{named['file']}_"
    submission.files.append(under_own_name())
    return True


def match(matcher: StudentMatcher, submission: DownloadedSubmission, lab: str) -> StudentMatch:
    """Find the student by Canvas's number, else by name among the students without a number."""
    if not submission.number:
        reason = "Canvas kept the name back; turn anonymous grading off and download again."
        return StudentMatch("", MatchMethod.UNKNOWN, reason)
    file = _FILE_NUMBER.search(submission.answer_to)
    if file and file[1] != submission.number and matcher.students_with("number", file[1]):
        # A person's name that ends in digits moves the number of the person to the place of the file's.
        reason = f"the numbers {submission.number} and {file[1]} in its name are both of students on the roster."
        return StudentMatch("", MatchMethod.UNKNOWN, reason)
    if found := matcher.only_student_with("number", submission.number, MatchMethod.NUMBER):
        return found
    # A student with another number is another person of the same name.
    same_name = matcher.students_with("joined_name", join_name(submission.name))
    candidates = [student for student in same_name if not matcher.by_id[student].number]
    return match_only(candidates, MatchMethod.NAME, f"the number {submission.number} and the name {submission.name}")


def grade_rows(
    labs: list[Any],
    students: list[Any],
    marks: MarksByLab,
    id_column: str = ID_COLUMNS[0],
    headings: Mapping[str, str] | None = None,
) -> Iterator[CsvRow]:
    """Rows of Canvas's gradebook import: a column for each lab, and the row of possible points.

    ``headings`` holds Canvas's own names of labs, such as ``Lab 3 (12345)``; another name makes Canvas ask for the
    assignment.

    Canvas finds a student by ``ID`` (its own number, nbgrader's ``lms_user_id``), else by ``id_column``, which holds
    nbgrader's student id.
    """
    columns = [text_cell((headings or {}).get(lab.name, lab.name)) for lab in labs]
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *columns]
    yield ["    Points Possible", "", "", "", "", *(number_cell(lab.max_score) for lab in labs)]
    for student in students:
        name = ", ".join(part for part in (student.last_name, student.first_name) if part) or student.id
        student_id = text_cell(student.id)
        ids = [student_id, ""] if id_column == "SIS User ID" else ["", student_id]
        totals = (marks[lab.name].get(student.id) for lab in labs)
        scores = (number_cell(mark.score) if mark else "" for mark in totals)
        yield [text_cell(name), text_cell(student.lms_user_id), *ids, "", *scores]


def _accepts(answer_to: str) -> bool:
    """Whether a prefix ends in the numbers of person and file, which Canvas looks for."""
    return re.search(r"_\d+_\d+_\Z", answer_to) is not None


PLATFORM = Platform(
    name="canvas",
    label="Canvas",
    is_learning_platform=True,
    roster=RosterColumns(
        description="Canvas's gradebook",
        signature=frozenset({"student", "id", "section"}),
        # "ID" is Canvas's own number, and "Student" a name.
        ids=(*ID_COLUMNS, "ID"),
        full_name="Student",
        numbers=("ID",),
        test_student="student, test",  # the account of Student View
        other_row="points possible",  # the second row of the gradebook
    ),
    submissions=SubmissionLayout(has_canvas_name, group, match, needs_roster=True),
    worksheet=None,
    export=GradeExport(grade_rows),
    # The name of the page follows the prefix.
    feedback_zip=FeedbackZipLayout(_accepts, lambda answer_to, page: f"{answer_to}{page}"),
)
