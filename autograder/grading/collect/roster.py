"""Who is in the course: a list from the learning platform, entered in nbgrader's gradebook."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from ..gradebook.backup import back_up
from ..gradebook.course import MOST_BYTES, open_course
from ..gradebook.marks import gradebook
from ..sanitize.terminal_text import shown
from ..spreadsheet import read_rows

# What the columns are called: here and by nbgrader, by Canvas's gradebook, by Moodle's lists; the first that is there.
IDS = ("student", "student_id", "student id", "id", "Username", "ID number", "Email address", "email")
_CANVAS, CANVAS_IDS = {"student", "id", "section"}, ("SIS Login ID", "SIS User ID", "ID")
TEST_STUDENT = "student, test"  # behind Canvas's Student View
NUMBERS = ("lms_user_id", "canvas")
_FIRST = ("first_name", "First name", "firstname")
_LAST = ("last_name", "Last name", "Surname", "lastname")
_EMAIL = ("email", "Email address", "E-mail", "mail")


@dataclass(frozen=True)
class Person:
    """Somebody of the course; ``number`` is Canvas's own for them."""

    student: str
    first: str = ""
    last: str = ""
    email: str = ""
    number: str = ""

    @property
    def name(self) -> str:
        """First and last name."""
        return " ".join(filter(None, (self.first, self.last)))


@dataclass
class Entered:
    """What became of a list.

    Attributes
    ----------
    people : list of Person
    column : str
        Became the students' ids.
    added, changed, gone : list of str
        Students who are new, whose name, address or number is another now, and who are in the gradebook only.
    notes : list of str
        A sentence each, for whoever gave the list.
    backup : Path or None
        The gradebook as it was, where this run made a copy.
    """

    people: list[Person]
    column: str
    notes: list[str]
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    backup: Path | None = None


def plain(text: str) -> str:
    """A name as it is compared: without differences of case, spaces and ways to write an accent."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def people(book: Any) -> list[Person]:
    """Everybody whom a gradebook knows, by id."""
    if book is None:
        return []
    return [
        Person(one.id, one.first_name or "", one.last_name or "", one.email or "", one.lms_user_id or "")
        for one in sorted(book.students, key=lambda one: str(one.id))
    ]


def enter(root: str | Path, file: Path, column: str | None = None) -> Entered:
    """Enter a list of students in the gradebook; nobody is removed.

    Parameters
    ----------
    root : path
        The course folder.
    file : Path
        CSV: a gradebook that Canvas exported, a list of Moodle's participants or marks, or one's own.
    column : str, optional
        Becomes the students' ids; the first of `IDS`, or for Canvas of `CANVAS_IDS`, that is not empty when left out.

    Raises
    ------
    ValueError
        For a list that cannot be used; then nothing was entered.
    """
    done = read(file, column)
    directory = open_course(root).directory
    with gradebook(directory) as book:
        before = {one.student: one for one in people(book)}
    done.backup = back_up(directory)
    done.gone = sorted(before.keys() - {one.student for one in done.people})
    # nbgrader makes the gradebook where there is none.
    Path(directory.root, "autograder", "work").mkdir(parents=True, exist_ok=True)
    with Gradebook(directory.db_url, directory.course_id) as book:
        for one in done.people:
            known = before.get(one.student)
            fields = {"first_name": one.first, "last_name": one.last, "email": one.email, "lms_user_id": one.number}
            # What the list leaves empty takes nothing away.
            fields = {name: value for name, value in fields.items() if value}
            if known is None:
                done.added.append(one.student)
            elif any(
                getattr(known, mine) not in ("", fields.get(name))
                for mine, name in (
                    ("first", "first_name"),
                    ("last", "last_name"),
                    ("email", "email"),
                    ("number", "lms_user_id"),
                )
                if name in fields
            ):
                done.changed.append(one.student)
            book.update_or_create_student(one.student, **fields)
    return done


def read(file: Path, column: str | None = None) -> Entered:
    """Read a list of students; see `enter`."""
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    columns = {plain(name): place for place, name in reversed([*enumerate(header)])}
    canvas = columns.keys() >= _CANVAS

    def cell(row: list[str], *names: str) -> str:
        place = next((columns[plain(name)] for name in names if plain(name) in columns), None)
        return row[place].strip() if place is not None and place < len(row) else ""

    # Canvas's "ID" is its own number, and its "Student" a name.
    wanted = [column] if column else CANVAS_IDS if canvas else IDS
    chosen = next((name for name in wanted if any(cell(row, name) for _, row in rows)), None)
    if chosen is None:
        names = ", ".join(shown(name) for name in header[:20])
        missing = f"nothing stands in a column {column!r}" if column else "no column holds the students' ids"
        raise ValueError(f"{file}: {missing}; name one with --id; there are {names}")
    found: dict[str, tuple[int, Person]] = {}
    notes = []
    for line, row in rows:
        first, last = cell(row, *_FIRST), cell(row, *_LAST)
        if canvas and not (first or last):
            last, _, first = (part.strip() for part in cell(row, "Student").partition(","))
        student = cell(row, chosen)
        if canvas and plain(cell(row, "Student")) == TEST_STUDENT:
            notes.append(f"Line {line} (Student, Test) is Canvas's test student, who is nobody, and was passed over.")
            continue
        number = cell(row, "id") if canvas else cell(row, *NUMBERS)
        if not student:
            # Canvas's second row says how many points there are.
            if any(part.strip() for part in row) and not (canvas and "points possible" in plain(cell(row, "Student"))):
                who = shown(cell(row, "Student") or f"{first} {last}".strip() or ", ".join(filter(None, row)))
                notes.append(f"Line {line} ({who}) has nothing under {chosen!r} and was passed over.")
            continue
        one = Person(student, first, last, cell(row, *_EMAIL), number)
        _check_id(student, file, line)
        if student in found:
            earlier, same = found[student]
            if same != one:
                raise ValueError(
                    f"{file}: lines {earlier} and {line} are both {shown(student)}; keep one. Nothing was entered"
                )
            notes.append(
                f"{shown(student)} is there twice with the same words (lines {earlier} and {line}); it counts once."
            )
            continue
        found[student] = (line, one)
    if not found:
        raise ValueError(f"{file}: nobody is in it")
    members = [one for _, one in found.values()]
    return Entered(members, chosen, notes + list(_twins(members, file)))


def _check_id(student: str, file: Path, line: int) -> None:
    if (
        student in (".", "..")
        or student.startswith(".")
        or any(mark in student for mark in "/\\\0")
        or not student.isprintable()
        or len(student.encode()) > MOST_BYTES
    ):
        raise ValueError(
            f"{file}, line {line}: {shown(student)!r} can't be the name of a folder; choose another column with --id. "
            "Nothing was entered"
        )


def _twins(members: list[Person], file: Path) -> Iterator[str]:
    """Say who can be taken for another.

    Raises
    ------
    ValueError
        Where nothing tells them apart.
    """
    same_number, same_name, same_id = (defaultdict(list) for _ in range(3))
    for one in members:
        same_number[one.number].append(shown(one.student))
        same_name[plain(one.name)].append(shown(one.student))
        same_id[plain(one.student)].append(shown(one.student))
    for number, students in same_number.items():
        if number and len(students) > 1:
            raise ValueError(f"{file}: {' and '.join(students)} have the same number, {number}. Nothing was entered")
    for students in same_id.values():
        if len(students) > 1:
            raise ValueError(
                f"{file}: {' and '.join(students)} differ in capitals alone, and on some disks that is one folder; choose "
                "another column with --id. Nothing was entered"
            )
    for name, students in same_name.items():
        if name and len(students) > 1:
            yield f"{' and '.join(students)} have the same name: what comes under the name alone is given to neither."
