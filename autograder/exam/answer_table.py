"""Table of typed answers of an exam: whose row is it, and which task does a column belong to."""

from collections.abc import Iterator
from pathlib import Path

from ..grading.collect.student_names import find_student
from ..grading.sanitize.terminal_text import printable
from ..grading.spreadsheet import read_rows
from .exam import Exam

STUDENT_COLUMNS = ("student", "id")
BLANK = ("-", "–", "—")  # typed for a task that a student left blank


def read_answers(exam: Exam, file: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the student of each row, by the name of the paper, and the answers in the order of the tasks.

    An id is matched without regard to capital letters, accents' encoding and the zeros that a spreadsheet drops, if only
    one paper fits.

    Raises
    ------
    ValueError
        If the table lacks a column or has one twice, has a task that the exam lacks, or names a student twice or one who
        has no paper.
    """
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    names = [" ".join(name.split()).lower() for name in header]
    student, tasks = _columns(exam, names, file)
    lines: dict[str, int] = {}
    for line, row in rows:
        if any(cell.strip() for cell in row[len(names) :]):
            raise ValueError(
                f"{file}, line {line}: more cells than columns; put an answer with a comma in quotes, and separate the "
                'numbers of one answer by ";"'
            )
        cells = [*map(str.strip, row), *[""] * len(names)]
        who = find_student(cells[student], exam.papers)
        if who is None:
            raise ValueError(f"{file}, line {line}: {printable(cells[student])!r} has no paper in the exam {exam.name}")
        if who in lines:
            raise ValueError(
                f"{file}, line {line}: {printable(who)!r} is there a second time, after line {lines[who]}: keep one of the two"
            )
        lines[who] = line
        yield who, [cells[task] for task in tasks]


def _columns(exam: Exam, names: list[str], file: Path) -> tuple[int, list[int]]:
    """Return the places of the student's column and of each task's."""
    known = [str(number) for number in range(1, len(exam.tasks) + 1)]
    student = next((name for name in STUDENT_COLUMNS if name in names), None)
    if lacking := [*(["student"] if student is None else []), *(name for name in known if name not in names)]:
        raise ValueError(f"{file} needs a first line student,{','.join(known)}; it has no column {', '.join(lacking)}")
    if twice := next((name for name in (student, *known) if names.count(str(name)) > 1), None):
        raise ValueError(f"{file} has the column {twice} twice: keep one of the two")
    if unknown := next((name for name in names if name.isdecimal() and name not in known), None):
        raise ValueError(
            f"{file} has a column {printable(unknown)}, and the exam {exam.name} has {len(known)} tasks: is this table "
            "of another exam?"
        )
    return names.index(str(student)), [names.index(name) for name in known]
