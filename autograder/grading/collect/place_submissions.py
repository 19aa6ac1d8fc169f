"""Put collected submissions into the course, and move aside the work that the table now gives to another student."""

import hashlib
from collections import defaultdict
from dataclasses import replace

from ..gradebook.course import NbgraderCourse
from ..intake.notebook_candidates import UnreadableFile
from ..intake.permissions import LockedFile
from ..intake.submission_reader import read_submission
from ..lab import Lab
from ..sanitize.terminal_text import printable
from . import staging
from .collection_result import CollectionResult
from .download_files import is_notebook, is_zip, portable_parts, same_place
from .downloaded_submission import DownloadedSubmission
from .mapping_table import NOBODY, MappingRow
from .nested_zip import extract_inner_zip
from .withdraw_marks import withdraw_marks

MAX_BYTES, MAX_FILES = 128 << 20, 500  # per student


def place_submissions(
    submissions: list[DownloadedSubmission],
    by_key: dict[str, MappingRow],
    lab: Lab,
    course: NbgraderCourse,
    batch: staging.Batch | None,
    result: CollectionResult,
) -> tuple[list[MappingRow], set[str]]:
    """Put each submission with a known student into the course; return the rows and the students."""
    rows: list[MappingRow] = []
    placed: set[str] = set()
    by_student: defaultdict[str, list[DownloadedSubmission]] = defaultdict(list)
    for one in submissions:
        by_student[by_key[one.key].student].append(one)
    for one in submissions:
        row = by_key[one.key]
        same_student = by_student[row.student]
        if row.student == NOBODY:
            rows.append(_with_notes(row, "You said that this does not count."))
        elif not row.student:
            note = "Write the student's id under student, or a - if it does not count, and give the command again."
            rows.append(_with_notes(row, note))
            result.unresolved.append(rows[-1])
        elif len(same_student) > 1 and len({_checksum(each) for each in same_student}) > 1:
            others = ", ".join(each.key for each in same_student if each is not one)
            note = (
                f"{row.student} has more than one submission, this and {others}, and nothing says which counts; none was "
                "taken. Write a - under student for each that does not count, and give the command again."
            )
            rows.append(_with_notes(row, note))
            result.unresolved.append(rows[-1])
        elif one is not same_student[0]:
            rows.append(_with_notes(row, f"The same as {same_student[0].key}."))
        else:
            # Read one at a time, because the work of a whole class is large.
            try:
                files, problems = _read_files(one)
            except LockedFile as problem:
                rows.append(_with_notes(row, f"{problem} Nothing of it was taken; then give the command again."))
                result.unresolved.append(rows[-1])
                continue
            rows.append(_place_submission(_with_notes(row, *problems), files, lab, course, batch, result))
            placed.add(row.student)
            if row.late == "yes":
                result.late.append(row.student)
    return rows, placed


def _checksum(submission: DownloadedSubmission) -> str:
    checksum = hashlib.sha256()
    try:
        files, _ = _read_files(submission)
    except LockedFile as problem:
        return str(problem)
    for parts, data in sorted(files.items()):
        checksum.update(f"{parts!a} {len(data)}\n".encode() + data)
    return checksum.hexdigest()


def _with_notes(row: MappingRow, *sentences: str) -> MappingRow:
    return replace(row, what=" ".join(filter(None, [row.what, *sentences])))


def _read_files(submission: DownloadedSubmission) -> tuple[dict[tuple[str, ...], bytes], list[str]]:
    """Read the files of a submission, each under a unique path, and list what could not be taken.

    Raises
    ------
    LockedFile
        If this account may not read one of them: the rest is not what was handed in.
    """
    files: dict[tuple[str, ...], bytes] = {}
    taken: set[tuple[str, ...]] = set()
    problems: list[str] = []
    total = 0
    has_notebook = any(is_notebook(file.name) for file in submission.files)

    def add(path: tuple[str, ...], data: bytes) -> None:
        parts = portable_parts(path)
        while any(same_place(parts[:depth]) in taken for depth in range(1, len(parts))) or _is_taken(parts, taken):
            parts = (f"again-{parts[0]}", *parts[1:])
        taken.add(same_place(parts))
        files[parts] = data

    # Of two names that a disk may not distinguish, the one in small letters keeps its name: the lab's has no others.
    for file in sorted(submission.files, key=lambda one: one.name != one.name.lower()):
        if len(files) == MAX_FILES:
            problems.append(f"It has more than {MAX_FILES} files; the others were left out.")
            break
        try:
            data, name = file.read(), file.name
            if is_zip(name) and not has_notebook:
                outer = data
                name, data, notes = extract_inner_zip(name, data)
                problems += notes
                if data is not outer:
                    # It can hold more than the inner zip, such as a document with the written answer.
                    add(file.parts, outer)
                    total += len(outer)
        except LockedFile:
            raise
        except UnreadableFile as problem:
            problems.append(str(problem))
            continue
        if (total := total + len(data)) > MAX_BYTES:
            problems.append(f"It has more than {MAX_BYTES >> 20} MiB; {file.name} and later files were left out.")
            break
        add((*file.parts[:-1], name), data)
    return files, problems


def _is_taken(parts: tuple[str, ...], taken: set[tuple[str, ...]]) -> bool:
    """Return whether a path is a file or a folder already, on a disk that ignores capital letters."""
    key = same_place(parts)
    return any(other[: len(key)] == key for other in taken)


def _place_submission(
    row: MappingRow,
    files: dict[tuple[str, ...], bytes],
    lab: Lab,
    course: NbgraderCourse,
    batch: staging.Batch | None,
    result: CollectionResult,
) -> MappingRow:
    target = course.submission(lab.name, row.student)
    if batch is None:
        return row
    try:
        state = batch.put(row.student, row.handed_in_as, target, files)
    except OSError as problem:
        result.unresolved.append(row)
        return _with_notes(row, f"It could not be put into the course: {printable(problem, 200)}.")
    result.new += state != "same"
    result.same += state == "same"
    if state == "replaced":
        result.replaced.append(row.student)
        before = batch.folder / "before"
        row = _with_notes(row, f"It replaced earlier work, which is in {before.relative_to(course.root)}.")
    try:
        found = read_submission(target, lab.notebook, lab.released, lab.folder.parent)
    except OSError as problem:
        result.unreadable.append(row.student)
        return _with_notes(row, f"It is in the course, but the disk fails to read it: {printable(problem, 200)}.")
    if found.notebook is None:
        result.unreadable.append(row.student)
    return _with_notes(row, found.problem, *found.notes)


def withdraw_reassigned(
    holders: dict[str, str],
    student_by_key: dict[str, str],
    placed: set[str],
    course: NbgraderCourse,
    lab: str,
    batch: staging.Batch,
    result: CollectionResult,
) -> None:
    """Move work aside that the table, as it is corrected now, gives to another student."""
    former: list[str] = []
    for student, key in holders.items():
        is_reassigned = student_by_key.get(key, "") not in ("", student) and student not in placed
        if is_reassigned and batch.move_aside(student, course.submission(lab, student)):
            former.append(student)
            result.notes.append(
                f"{key} is not {student}'s any more: what {student} had was moved to "
                f"{(batch.folder / 'before').relative_to(course.root)}."
            )
    result.notes += withdraw_marks(course, lab, former, batch.folder / "forgotten")
