"""Roster of the course: a list of students from a learning platform, imported into nbgrader's gradebook."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..gradebook.backup import back_up
from ..gradebook.course import MAX_NAME_BYTES, open_course
from ..gradebook.database import create_gradebook, open_gradebook
from ..platforms import canvas, folder, platforms
from ..platforms.interface import RosterColumns
from ..sanitize.terminal_text import printable
from ..spreadsheet import read_rows
from .canvas_columns import assignment_columns, keep_columns
from .due_dates import due_dates
from .mapping_table import NOBODY
from .student_names import Person, bare_number, is_shortened_number, normalize_name


@dataclass
class RosterImport:
    """Students of a list, and what importing them changed.

    Attributes
    ----------
    people : list of Person
        Students in the order of the list.
    column : str
        Column that the students' ids were read from.
    notes : list of str
        Sentences for the instructor.
    added, changed, gone : list of str
        Students who are new; whose name, address or number has changed; who are in the gradebook only.
    undated : list of str
        Labs of the course without a due date.
    backup : Path or None
        Copy of the gradebook before the import; None if there was nothing to copy.
    repeated : dict of str to tuple of int
        Two lines of each student who is listed more than once.
    assignments : list of str
        Columns of assignments in a list of Canvas; exports for Canvas have the same.
    """

    people: list[Person]
    column: str
    notes: list[str]
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)
    backup: Path | None = None
    repeated: dict[str, tuple[int, int]] = field(default_factory=dict)
    assignments: list[str] = field(default_factory=list)


class MissingIdColumn(ValueError):
    """A list of students without a column that holds their ids."""


def gradebook_students(book: Any) -> list[Person]:
    """All students in a gradebook, sorted by id."""
    if book is None:
        return []
    return [
        Person(one.id, one.first_name or "", one.last_name or "", one.email or "", one.lms_user_id or "")
        for one in sorted(book.students, key=lambda one: str(one.id))
    ]


def class_in_gradebook(root: str | Path) -> list[str]:
    """Return the ids of the students in the gradebook of a course folder; none if there is no course or gradebook."""
    try:
        with open_gradebook(open_course(root).directory) as book:
            return [one.student for one in gradebook_students(book)]
    except ValueError:
        return []


def import_roster(root: str | Path, file: Path, column: str | None = None) -> RosterImport:
    """Import a list of students into the gradebook; nobody is removed from it.

    Parameters
    ----------
    root : path
        Course folder.
    file : Path
        CSV file: the list of any platform that has `RosterColumns`, or one with the same columns.
    column : str, optional
        Column of the students' ids; by default the first column of the platform's ids that is not empty.

    Raises
    ------
    ValueError
        If the list cannot be used; then nothing is imported.
    """
    done = read_roster(file, column)
    directory = open_course(root).directory
    with open_gradebook(directory) as book:
        before = {one.student: one for one in gradebook_students(book)}
    _refuse_twins(done.people, before, file)
    done.backup = back_up(directory)
    keep_columns(root, done.assignments)
    done.gone = sorted(before.keys() - {one.student for one in done.people})
    # nbgrader creates the gradebook, but not its folder.
    Path(directory.root, "autograder", "work").mkdir(parents=True, exist_ok=True)
    with create_gradebook(directory) as book:
        done.undated = undated_labs(book, root)
        for one in done.people:
            known = before.get(one.student)
            values = {"first": one.first, "last": one.last, "email": one.email, "number": one.number}
            # An empty cell of the list deletes nothing.
            values = {name: value for name, value in values.items() if value}
            if known is None:
                done.added.append(one.student)
            elif any(getattr(known, name) != value for name, value in values.items()):
                done.changed.append(one.student)
            book.update_or_create_student(
                one.student, **{_GRADEBOOK_FIELDS[name]: value for name, value in values.items()}
            )
    return done


def undated_labs(book: Any, root: str | Path) -> list[str]:
    """Labs of a course, by the folders of its solution notebooks, that have no due date in the gradebook."""
    labs = sorted({file.parent.name for file in Path(root).glob("solutions/[!.]*/*.ipynb")})
    return [lab for lab in labs if due_dates(book, lab)[0] is None]


_GRADEBOOK_FIELDS = {"first": "first_name", "last": "last_name", "email": "email", "number": "lms_user_id"}


def read_roster(file: Path, column: str | None = None) -> RosterImport:
    """Read a list of students; see `import_roster`."""
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    indices = {normalize_name(name): index for index, name in reversed([*enumerate(header)])}
    columns, label = _columns_of(indices.keys())

    def cell(row: list[str], *names: str) -> str:
        index = next((indices[normalize_name(name)] for name in names if normalize_name(name) in indices), None)
        return row[index].strip() if index is not None and index < len(row) else ""

    chosen = next(
        (name for name in ([column] if column else columns.ids) if any(cell(row, name) for _, row in rows)), None
    )
    if chosen is None:
        names = ", ".join(printable(name) for name in header[:20])
        missing = f"the column {column!r} is empty or missing" if column else "no column holds the students' ids"
        raise MissingIdColumn(f"{file}: {missing}; name one with --id; the columns are {names}")
    found: dict[str, tuple[int, Person]] = {}
    notes: list[str] = []
    repeated: dict[str, tuple[int, int]] = {}
    for line, row in rows:
        full_name = cell(row, columns.full_name) if columns.full_name else ""
        first, last = cell(row, *columns.first_names), cell(row, *columns.last_names)
        if not (first or last):
            last, _, first = (part.strip() for part in full_name.partition(","))
        student = _without_apostrophe(cell(row, chosen))
        if columns.test_student and normalize_name(full_name) == columns.test_student:
            notes.append(f"Line {line} ({printable(full_name)}) is {label}'s test student and was ignored.")
            continue
        if not student:
            is_other_row = columns.other_row and columns.other_row in normalize_name(full_name)
            if any(part.strip() for part in row) and not is_other_row:
                name = printable(full_name or f"{first} {last}".strip() or ", ".join(filter(None, row)))
                notes.append(f"Line {line} ({name}) has nothing under {chosen!r} and was ignored.")
            continue
        person = Person(student, first, last, cell(row, *columns.emails), cell(row, *columns.numbers))
        _check_id(student, file, line)
        if student in found:
            earlier, same = found[student]
            if same != person:
                raise ValueError(
                    f"{file}: lines {earlier} and {line} are both {printable(student)}; keep one. Nothing was entered"
                )
            repeated[student] = (earlier, line)
            notes.append(f"{printable(student)} is listed twice (lines {earlier} and {line}); it counts once.")
            continue
        found[student] = (line, person)
    if not found:
        raise ValueError(f"{file}: it lists no students")
    people = [person for _, person in found.values()]
    assignments = assignment_columns(header) if label == canvas.PLATFORM.label else []
    notes += _find_duplicates(people, file)
    if len(header) > 1 and not any(person.name for person in people):
        names = ", ".join((*columns.first_names, *columns.last_names))
        notes.append(
            f"No column with the students' names was found (known are {names}), so a submission under a name is given to nobody."
        )
    return RosterImport(people, chosen, notes, repeated=repeated, assignments=assignments)


def _columns_of(names: Iterable[str]) -> tuple[RosterColumns, str]:
    """Choose the columns to read a list by, from the normalized names of its columns; also return the platform's label.

    A platform whose signature the list has determines ids and numbers. Otherwise the columns of all platforms without a
    signature are read, an instructor's own first. Names and addresses are read from all of them in either case.
    """
    others = [one for one in platforms() if one is not folder.PLATFORM]
    rosters = [one.roster for one in (folder.PLATFORM, *others) if one.roster and not one.roster.signature]

    def merged(kind: str, *first: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*first, *(name for roster in rosters for name in getattr(roster, kind)))))

    recognized = [one for one in others if one.roster and one.roster.signature and one.roster.signature <= set(names)]
    columns = (recognized[0].roster if recognized else None) or RosterColumns(
        "any list", ids=merged("ids"), numbers=merged("numbers")
    )
    label = recognized[0].label if recognized else ""
    return replace(
        columns,
        first_names=merged("first_names", *columns.first_names),
        last_names=merged("last_names", *columns.last_names),
        emails=merged("emails", *columns.emails),
    ), label


def _refuse_twins(people: Iterable[Person], known: Iterable[str], file: Path) -> None:
    """Refuse an id that differs from one in the gradebook only by what a spreadsheet or a person's typing changes."""
    by_bare, by_case = ({make(one): one for one in known} for make in (bare_number, normalize_name))
    known = set(known)
    for one in people:
        if one.student in known:
            continue
        listed = printable(one.student)
        if twin := by_case.get(normalize_name(one.student)):
            raise ValueError(
                f"{file}: {listed} and {printable(twin)} in the gradebook differ only in capital letters, and some disks do "
                "not distinguish them; write the id as in the gradebook. Nothing was entered"
            )
        if (bare := bare_number(one.student)) and (twin := by_bare.get(bare)):
            raise ValueError(
                f"{file}: {listed} and {printable(twin)} in the gradebook differ only in zeros that a spreadsheet drops. Export "
                "the list again without opening it in a spreadsheet, or import the ids there as text; if the gradebook has "
                f"the wrong one, remove it with `nbgrader db student remove {printable(twin)}`. Nothing was entered"
            )


def _without_apostrophe(student: str) -> str:
    """Remove the apostrophe that keeps a spreadsheet from changing an id, and is not part of it."""
    return student[1:] if student[1:2].isdigit() and student.startswith("'") else student


def _check_id(student: str, file: Path, line: int) -> None:
    if is_shortened_number(student):
        raise ValueError(
            f"{file}, line {line}: {printable(student)} is a number as a spreadsheet shows it, so the id is lost. Export "
            "the list again without opening it in a spreadsheet, or import the ids there as text. Nothing was entered"
        )
    if (
        student.startswith(".")
        or student == NOBODY
        or any(mark in student for mark in "/\\\0")
        or not student.isprintable()
        or len(student.encode()) > MAX_NAME_BYTES
    ):
        raise ValueError(
            f"{file}, line {line}: {printable(student)!r} can't be the name of a folder; choose another column with --id. "
            "Nothing was entered"
        )


def _find_duplicates(people: list[Person], file: Path) -> Iterator[str]:
    """Say which students have the same name; refuse a list in which two have the same id or number."""
    by_number, by_name, by_id, by_bare = (defaultdict(list) for _ in range(4))
    for one in people:
        by_number[one.number].append(printable(one.student))
        by_name[normalize_name(one.name)].append(printable(one.student))
        by_id[normalize_name(one.student)].append(printable(one.student))
        by_bare[bare_number(one.student)].append(printable(one.student))
    for number, students in by_number.items():
        if number and len(students) > 1:
            raise ValueError(f"{file}: {' and '.join(students)} have the same number, {number}. Nothing was entered")
    for students in by_id.values():
        if len(students) > 1:
            raise ValueError(
                f"{file}: {' and '.join(students)} differ only in capital letters or in how accents are stored, and some disks do not "
                "distinguish them; choose another column with --id. Nothing was entered"
            )
    for bare, students in by_bare.items():
        if bare and len(students) > 1:
            yield f"{' and '.join(students)} differ only in leading zeros; if they are one person, keep one of the lines."
    for name, students in by_name.items():
        if name and len(students) > 1:
            yield f"{' and '.join(students)} have the same name: a submission under the name alone is given to neither."
