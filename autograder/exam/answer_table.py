"""Table of typed answers of an exam: whose row is it, and which task does a column belong to."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from ..grading.collect.student_names import find_student
from ..grading.sanitize.terminal_text import printable
from ..grading.spreadsheet import read_rows, text_cell
from .exam import Exam

WORKING = "working"  # column `1 working`: steps of the working of task 1, or points
STUDENT_COLUMNS = ("student", "id")
BLANK = ("-", "–", "—")  # typed for a task that a student left blank


def read_answers(exam: Exam, file: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the student of each row, by the name of the paper, the answers, and what the working shows, by task.

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
    student, tasks, workings = _columns(exam, names, file)
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
        yield who, [cells[task] for task in tasks], ["" if at is None else cells[at] for at in workings]


def _columns(exam: Exam, names: list[str], file: Path) -> tuple[int, list[int], list[int | None]]:
    """Return the places of the student's column, of each task's, and of each task's working, None without one."""
    known = [str(number) for number in range(1, len(exam.tasks) + 1)]
    student = next((name for name in STUDENT_COLUMNS if name in names), None)
    if lacking := [*(["student"] if student is None else []), *(name for name in known if name not in names)]:
        raise ValueError(f"{file} needs a first line student,{','.join(known)}; it has no column {', '.join(lacking)}")
    if twice := next((name for name in (student, *known, *_workings(known)) if names.count(str(name)) > 1), None):
        raise ValueError(f"{file} has the column {twice} twice: keep one of the two")
    if unknown := next((name for name in names if name.isdecimal() and name not in known), None):
        raise ValueError(
            f"{file} has a column {printable(unknown)}, and the exam {exam.name} has {len(known)} tasks: is this table "
            "of another exam?"
        )
    workings = [names.index(name) if name in names else None for name in _workings(known)]
    return names.index(str(student)), [names.index(name) for name in known], workings


def _workings(tasks: list[str]) -> list[str]:
    return [f"{task} {WORKING}" for task in tasks]


def empty_table(exam: Exam) -> str:
    """Return a table to type the answers into, as CSV: a row for each paper, two columns for each task."""
    file = io.StringIO()
    out = csv.writer(file, lineterminator="\n")
    known = [str(number) for number in range(1, len(exam.tasks) + 1)]
    out.writerow(["student", *(name for pair in zip(known, _workings(known), strict=True) for name in pair)])
    out.writerows([text_cell(who), *[""] * 2 * len(known)] for who in exam.papers)
    return file.getvalue()
