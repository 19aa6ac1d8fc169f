"""Marks for what was written on paper and typed into a table: right, a named mistake, or neither."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from chip2cluster.exercise.answers import Answer

from ..grading.sanitize.terminal_text import printable
from ..grading.spreadsheet import text_cell
from .exam import Exam
from .question import Question, right

THREE_DIGITS = 0.005  # what rounding to them may change
_TIMES = re.compile(r"\s*(?:[x×*·]\s*)?10\s*(?:\^|\*\*)\s*\(?\s*([+-]?\d+)\)?", re.I)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Mark:
    """One answer's points; None where a person must look. ``says`` is the mistake, or what is to be looked at."""

    points: float | None
    says: str = ""


@dataclass(frozen=True)
class Marked:
    """The marks of an exam by student, and sentences about what needs a person."""

    marks: Mapping[str, tuple[Mark, ...]]
    sentences: list[str] = field(default_factory=list)


def mark(exam: Exam, answers: Path) -> Marked:
    """Mark a table of answers: a column ``student``, and one for each task, ``1``, ``2`` and so on.

    Raises
    ------
    ValueError
        For a table without these columns, with a student twice, or with one who has no paper.
    """
    marks: dict[str, tuple[Mark, ...]] = {}
    sentences = []
    for line, who, row in _rows(exam, answers):
        if who not in exam.papers:
            raise ValueError(f"{answers}, line {line}: {printable(who)!r} has no paper in the exam {exam.name}")
        if who in marks:
            raise ValueError(
                f"{answers}, line {line}: {printable(who)!r} stands there a second time: keep one of the two"
            )
        given = [
            one_mark(question, text, task.unit, task.points)
            for question, text, task in zip(exam.papers[who], row, exam.tasks, strict=True)
        ]
        marks[who] = tuple(given)
        sentences += [
            f"{printable(who)}, task {number}: {one.says}" for number, one in enumerate(given, 1) if one.points is None
        ]
    missing = [who for who in exam.papers if who not in marks]
    if missing:
        sentences.append(
            f"no answers of {', '.join(map(printable, missing))}: their marks stay empty, for you to say what that means"
        )
    return Marked(marks, sentences)


def _rows(exam: Exam, answers: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Line, student and answers."""
    columns = [str(number) for number in range(1, len(exam.tasks) + 1)]
    try:
        with open(answers, encoding="utf-8-sig", newline="") as text:
            table = csv.DictReader(text)
            names = [name.strip() for name in table.fieldnames or ()]
            if lacking := [name for name in ("student", *columns) if name not in names]:
                raise ValueError(
                    f"{answers} needs a first line student,{','.join(columns)}; it has no column {', '.join(lacking)}"
                )
            table.fieldnames = names
            for row in table:
                if None in row:
                    raise ValueError(
                        f"{answers}, line {table.line_num}: more cells than columns; an answer with a comma stands in "
                        'quotes, and the numbers of one answer are parted by ";"'
                    )
                yield table.line_num, (row["student"] or "").strip(), [(row[name] or "").strip() for name in columns]
    except UnicodeDecodeError:
        raise ValueError(f"{answers} is no text in UTF-8: save it as CSV UTF-8") from None


def one_mark(question: Question, text: str, unit: str, points: float) -> Mark:
    """Mark one answer, as it was typed."""
    if not text:
        return Mark(0.0, "no answer")
    answer = read(text, question.answer, unit)
    if answer is None:
        return Mark(None, f"{printable(text)!r} cannot be read as {_kind(question.answer, unit)}")
    if right(answer, question.answer, question.tolerance):
        return Mark(points)
    for slip in question.slips:
        # Who did not round a count wrote three digits of a fraction.
        fraction = isinstance(slip.answer, float) and not slip.answer.is_integer()
        if right(answer, slip.answer, question.tolerance or THREE_DIGITS * fraction):
            return Mark(round(points * slip.keeps, 6), slip.name)
    return Mark(0.0, "wrong")


def _kind(answer: Answer, unit: str) -> str:
    behind = f" with or without {unit!r} behind it" if unit else ""
    if isinstance(answer, np.ndarray):
        return f'{answer.size} numbers with ";" between them{behind}'
    return f"a number such as 3.2e14 or 3.2*10^14, without a comma{behind}"


def read(text: str, like: Answer, unit: str) -> Answer | None:
    """An answer of the kind of another one; None where the text is none.

    >>> read("3.2 x 10^3 B/s", 1.0, "B/s"), read("1; 2.5", np.zeros(2), ""), read("1,200", 1.0, "")
    (3200.0, array([1. , 2.5]), None)
    """
    if isinstance(like, str):
        return " ".join(text.strip("'\"").split())
    parts = [part.strip(" '\"[]()") for part in text.split(";")]
    if isinstance(like, list):
        # "none" is how an empty list is written on paper.
        return [] if [part.lower() for part in parts] == ["none"] else parts
    numbers = [_number(part, unit) for part in parts]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    if isinstance(like, np.ndarray):
        return np.array(known) if len(known) == like.size else None
    return known[0] if len(known) == 1 else None


def _number(text: str, unit: str) -> float | None:
    if unit and text.endswith(unit):
        text = text.removesuffix(unit).strip()
    plain = _TIMES.sub(r"e\1", text.replace("−", "-"), count=1)
    return float(plain) if _NUMBER.fullmatch(plain) and np.isfinite(float(plain)) else None


def table(exam: Exam, marked: Marked) -> str:
    """Marks as CSV: who, the total, and of each task the points and what was met."""
    file = io.StringIO()
    out = csv.writer(file, lineterminator="\n")
    tasks = [name for number in range(1, len(exam.tasks) + 1) for name in (f"task {number}", f"met in {number}")]
    out.writerow(["student", "total", "of", *tasks])
    for who in exam.papers:
        given = marked.marks.get(who, ())
        known = [one.points for one in given if one.points is not None]
        total = f"{sum(known):g}" if given and len(known) == len(given) else ""
        cells = [
            cell
            for one in given
            for cell in ("" if one.points is None else f"{one.points:g}", text_cell(printable(one.says, 200)))
        ]
        out.writerow([text_cell(who), total, f"{exam.points:g}", *cells])
    return file.getvalue()
