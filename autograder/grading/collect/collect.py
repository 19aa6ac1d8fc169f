"""Collect the submissions in a download from a learning platform, or in nbgrader's exchange, into the course."""

import shutil
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import datetime, tzinfo
from pathlib import Path

from ...atomic_write import raising_disk_full
from ..gradebook.course import STEPS, NbgraderCourse, open_course
from ..gradebook.database import open_gradebook
from ..gradebook.dates import Dates
from ..gradebook.timestamps import format_time
from ..gradebook.unknown_students import unknown_in_course
from ..lab import load
from ..platforms import Platform, detect_platform, exchange, has_platform_name
from ..result_store import ResultStore
from ..sanitize.terminal_text import printable
from . import mapping_table, staging
from .collection_result import CollectionResult
from .date_table import record_times
from .download_files import DownloadFile, open_downloads
from .downloaded_submission import DownloadedSubmission
from .due_dates import due_dates
from .exchange import read_exchange
from .mapping_table import NOBODY, MappingRow
from .match_students import MatchMethod, StudentMatch, StudentMatcher, WorksheetLine
from .numbered_copies import settle_copies
from .place_submissions import place_submissions, withdraw_reassigned
from .roster import gradebook_students
from .student_names import normalize_name


@raising_disk_full()
def collect(
    root: str | Path,
    lab: str,
    downloads: Iterable[Path] = (),
    *,
    platform: Platform | None = None,
    worksheet_file: Path | None = None,
    zone: tzinfo | None = None,
    dry_run: bool = False,
) -> CollectionResult:
    """Collect a download into the course.

    Parameters
    ----------
    root : path
        Course folder.
    lab : str
        Name of the lab.
    downloads : list of Path
        Zips and folders; none for nbgrader's exchange.
    platform : Platform, optional
        Origin of the download; by default it is detected by the names of the files.
    worksheet_file : Path, optional
        Grading worksheet of the platform.
    zone : tzinfo, optional
        Time zone of the times in the worksheet.
    dry_run : bool
        Change nothing.

    Returns
    -------
    CollectionResult
        Table of names, and the students who need the instructor.

    Raises
    ------
    ValueError
        If a download or a table cannot be used; then nothing was changed.
    """
    trusted, course = load(root, lab), open_course(root)
    with open_gradebook(course.directory) as book:
        people = gradebook_students(book)
        due, extensions = due_dates(book, lab)
    parent, file = mapping_table.collections_folder(course.root, lab), mapping_table.mapping_file(course.root, lab)
    with ExitStack() as stack:
        stack.enter_context(ResultStore.of(course.root, lab).locked())
        platform, submissions, ignored, remarks = _find_submissions(
            course, lab, [*downloads], platform, stack, {normalize_name(one.student) for one in people}
        )
        if platform is not exchange.PLATFORM:  # nbgrader takes the notebook by its name
            submissions = settle_copies(submissions, trusted)
        worksheet, notes = _read_worksheet(platform, worksheet_file, zone)
        matcher = StudentMatcher(people, worksheet)
        if not submissions:
            raise ValueError(
                f"the download contains no submission, read as {platform.name}; --from names another platform"
            )
        if platform.submissions and platform.submissions.needs_roster and not matcher.people:
            raise ValueError(
                "the gradebook has no students yet, so submissions cannot be matched to them: give `autograder roster FILE` "
                f"the list of students that {platform.label} exports, then this command again"
            )
        result = CollectionResult(platform, file, notes=[*notes, *ignored], remarks=remarks)
        before, batches = mapping_table.read_mapping(file), staging.active_batches(parent)
        # The folder of an interrupted collection has no table.
        tables = [one.folder / "who.csv" for one in batches if (one.folder / "who.csv").is_file()]
        assigned = mapping_table.manual_assignments(before, mapping_table.read_mapping(tables[-1]) if tables else [])
        _check_assignments(assigned, matcher, file)
        student_due = _due_by_student(Dates(course.root, lab), due)
        by_key = {one.key: _mapping_row(one, assigned, matcher, platform, lab, student_due) for one in submissions}
        batch = None if dry_run else staging.new_batch(parent)
        rows, placed = place_submissions(submissions, by_key, trusted, course, batch, result)
        if batch is not None:
            withdraw_reassigned(
                staging.current_keys(batches),
                {row.handed_in_as: row.student for row in rows},
                placed,
                course,
                lab,
                batch,
                result,
            )
        result.rows = _complete_table(rows, before, matcher, course, lab, result)
        result.lacks_due_date = bool(result.late) and due is None
        result.notes += [one.sentence(lab) for one in unknown_in_course(course.root, lab, course)]
        if batch is not None:
            # Students can have written the times in an exchange.
            if platform is not exchange.PLATFORM:
                with_times = [row for row in rows if row.student in placed]
                result.notes += record_times(course, lab, with_times, before, extensions, batch, result.replaced)
            mapping_table.write_mapping(file, result.rows)
            shutil.copy(file, batch.folder / "who.csv")
            batch.save()
    return result


def _read_worksheet(
    platform: Platform, file: Path | None, zone: tzinfo | None
) -> tuple[dict[str, WorksheetLine], list[str]]:
    if file is None:
        return {}, []
    if platform.worksheet is None:
        raise ValueError(
            f"the download was read as {platform.name}, which has no grading worksheet: leave --worksheet out, or name "
            "another platform with --from"
        )
    return platform.worksheet(file, zone)


def _find_submissions(
    course: NbgraderCourse,
    lab: str,
    downloads: list[Path],
    platform: Platform | None,
    stack: ExitStack,
    students: set[str],
) -> tuple[Platform, list[DownloadedSubmission], list[str], list[str]]:
    """Find the submissions of a download or of the exchange.

    Also return sentences about files that were ignored, and sentences that need nobody.
    """
    ignored: list[str] = []
    remarks: list[str] = []
    if platform is exchange.PLATFORM or not downloads:
        if downloads:
            raise ValueError(
                "nbgrader's exchange is not a download: leave the download out, or leave out --from exchange"
            )
        platform, (submissions, remarks) = exchange.PLATFORM, read_exchange(course, lab)
    else:
        _refuse_course_folders(course, downloads)
        contents = open_downloads(
            downloads, stack, lambda file: has_platform_name(file) or _is_of_student(file, students)
        )
        platform = platform or detect_platform(contents.files)
        if platform.submissions is None or platform.submissions.group is None:
            raise ValueError(f"downloads of {platform.label} cannot be read")
        submissions, unmatched = platform.submissions.group(contents.files, lab)
        ignored = [
            f"{'/'.join(file.parts)} is not named as {platform.label} names a submission and was ignored."
            for file in unmatched
        ]
        ignored += contents.ignored
    for index, one in enumerate(submissions):
        # The table of names joins spaces; names that differ only in spaces remain two.
        key = " ".join(one.key.split())
        one.key = key if all(key != other.key for other in submissions[:index]) else f"{key} ({index})"
    return platform, submissions, ignored, remarks


def _is_of_student(file: DownloadFile, students: set[str]) -> bool:
    """Whether the outermost name of a file is a student's id, with or without a suffix."""
    outermost = file.parts[0]
    return not students.isdisjoint({normalize_name(outermost), normalize_name(outermost.rpartition(".")[0])})


def _refuse_course_folders(course: NbgraderCourse, downloads: list[Path]) -> None:
    folders = [Path(course.root, getattr(course.directory, f"{step}_directory")).resolve() for step in STEPS]
    for download in downloads:
        if any(download.resolve().is_relative_to(folder) for folder in folders):
            raise ValueError(f"{download} is a folder of the course itself; name what the platform gave you")


def _check_assignments(assigned: dict[str, str], matcher: StudentMatcher, file: Path) -> None:
    for key, student in assigned.items():
        if matcher.people and student != NOBODY and student not in matcher.by_id:
            if changed := matcher.changed_by_spreadsheet(student):
                raise ValueError(
                    f"{file} gives {printable(key)} to {printable(student)}, which a spreadsheet can have made of "
                    f"{' or '.join(changed)}: correct the table in an editor, or import its columns as text"
                )
            raise ValueError(
                f"{file} gives {printable(key)} to {printable(student)}, who is not on the roster; correct the table, or enter "
                "them with `autograder roster`"
            )


def _due_by_student(dates: Dates, due: datetime | None) -> Callable[[str], datetime | None]:
    def due_of(student: str) -> datetime | None:
        entry = dates.entries.get(student)
        return (entry and entry.due) or due

    return due_of


def _mapping_row(
    submission: DownloadedSubmission,
    assigned: dict[str, str],
    matcher: StudentMatcher,
    platform: Platform,
    lab: str,
    due_of: Callable[[str], datetime | None],
) -> MappingRow:
    """Match a submission to its student and state when it was due, as a row of the table."""
    if line := matcher.worksheet.get(submission.number):
        submission.late, submission.received = line.late, line.received
    assert platform.submissions is not None, "_find_submissions refuses such a platform"
    match = (
        StudentMatch("", MatchMethod.UNKNOWN, submission.doubt)
        if submission.doubt
        else platform.submissions.match(matcher, submission, lab)
    )
    student, method, reason = match.student, match.method, match.reason
    if submission.key in assigned:
        student, method, reason = assigned[submission.key], MatchMethod.HAND, ""
    due = due_of(student)
    is_after_due = bool(submission.received and due and submission.received > due)
    if is_after_due and submission.late is False:
        reason = (
            f"{platform.label} counts it as in time, and it came after the due date that holds here: if they have more "
            f"time, write it under due in autograder/work/dates/{lab}.csv."
        )
    if submission.late is None and submission.received and due:
        submission.late = is_after_due
    if platform is exchange.PLATFORM and matcher.people and student not in (*matcher.by_id, "", NOBODY):
        submission.notes.append("They are not on the roster.")
    late = "" if submission.late is None else "yes" if submission.late or is_after_due else "no"
    received = format_time(submission.received) if submission.received else ""
    what = " ".join([f"{reason[:1].upper()}{reason[1:]}", *submission.notes]).strip()
    return MappingRow(
        submission.key, student, method, late, received, submission.answer_to, _list_names(submission.files), what
    )


def _list_names(files: list[DownloadFile], most: int = 6) -> str:
    names = ["/".join(file.parts) for file in files]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _complete_table(
    rows: list[MappingRow],
    before: list[MappingRow],
    matcher: StudentMatcher,
    course: NbgraderCourse,
    lab: str,
    result: CollectionResult,
) -> list[MappingRow]:
    """Add the rows of earlier downloads and of students who handed in nothing, and sort them."""
    keys = {row.handed_in_as for row in rows}
    rows = rows + [row for row in before if row.handed_in_as and row.handed_in_as not in keys]
    known = {row.student for row in rows}
    for student in matcher.by_id:
        if student in known:
            continue
        has_submission = course.submission(lab, student).exists()
        if not has_submission:
            result.absent.append(student)
        rows.append(MappingRow("", student, what="Handed in otherwise." if has_submission else "Handed in nothing."))
    unresolved = {row.handed_in_as for row in result.unresolved}
    return sorted(
        rows,
        key=lambda row: (row.handed_in_as not in unresolved or not row.handed_in_as, row.student, row.handed_in_as),
    )
