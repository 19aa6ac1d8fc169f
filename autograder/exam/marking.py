"""Mark answers that were written on paper and typed into a table: right, a named mistake, or neither."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from chip2cluster.exercise.answers import Answer

from ..grading.sanitize.terminal_text import printable
from .answer_table import BLANK, read_answers
from .comparison import parse_digits, share_and_mistake
from .exam import Exam
from .question import PaperQuestion, is_right
from .transcription import find_slips
from .typed_number import parse_number

ENOUGH_ANSWERS = 4  # of a table; fewer can all be wrong by chance
THREE_DIGITS = 0.005  # largest relative error of rounding to three digits


@dataclass(frozen=True)
class AnswerMark:
    """Points of one answer, None if a person must look at it.

    ``says`` is the mistake, or what to look at; ``working`` is what was typed for the working.
    """

    points: float | None
    says: str = ""
    working: str = ""


@dataclass(frozen=True)
class ExamMarks:
    """Marks of an exam by student, and sentences about answers that need a person."""

    marks: Mapping[str, tuple[AnswerMark, ...]]
    sentences: list[str] = field(default_factory=list)


def mark_answers(exam: Exam, answers: Path) -> ExamMarks:
    """Mark a table of answers: a column ``student``, and one for each task, ``1``, ``2`` and so on.

    Raises
    ------
    ValueError
        If the table lacks a column, or names a student twice or one who has no paper; see `read_answers`.
    """
    table = list(read_answers(exam, answers))
    rows = {who: row for who, row, _ in table}
    workings = {who: working for who, _, working in table}
    # A row without any answer is as often an absent student as an empty paper.
    typed = {who: row for who, row in rows.items() if any(row) or any(workings[who])}
    words = [_known_words(exam, place) for place in range(len(exam.tasks))]
    marks = {
        who: tuple(
            mark_working(mark_answer(question, text, task.unit, task.points, known), working, question, task.points)
            for question, text, working, task, known in zip(
                exam.papers[who], row, workings[who], exam.tasks, words, strict=True
            )
        )
        for who, row in typed.items()
    }
    sentences = [
        f"{printable(who)}, task {number}: {one.says}"
        for who, given in marks.items()
        for number, one in enumerate(given, 1)
        if one.points is None
    ]

    @cache
    def parsed(text: str, unit: str, paper: str, place: int) -> Answer | None:
        return parse_answer(text, exam.papers[paper][place].answer, unit)

    def fits(who: str, place: int, text: str) -> bool:
        question = exam.papers[who][place]
        if question.comparison is not None:
            return parse_digits(text, question) == question.answer
        # Answers of one task have the same type on all papers; lists of numbers may differ in length.
        like = who if isinstance(question.answer, np.ndarray) else next(iter(exam.papers))
        answer = parsed(text, exam.tasks[place].unit, like, place)
        return answer is not None and is_right(answer, question.answer, question.tolerance)

    sentences += find_slips(exam, typed, fits)
    count = sum(text not in ("", *BLANK) for row in typed.values() for text in row)
    if count >= ENOUGH_ANSWERS and not any(one.points for given in marks.values() for one in given):
        sentences.append(f"none of the {count} answers earns a point: is this table of another exam than {exam.name}?")
    if missing := [who for who in exam.papers if who not in marks]:
        sentences.append(
            f"no answers of {', '.join(map(printable, missing))}: their marks stay empty; decide what that means. For a paper "
            "that was left blank, type - for each task"
        )
    return ExamMarks(marks, sentences)


def _known_words(exam: Exam, place: int) -> frozenset[str]:
    """Return the words that are an answer of a task, or a known mistake, on any paper."""
    answers = [
        answer
        for questions in exam.papers.values()
        for answer in (questions[place].answer, *(slip.answer for slip in questions[place].slips))
    ]
    return frozenset(
        word.casefold()
        for answer in answers
        if isinstance(answer, (str, list))
        for word in ([answer] if isinstance(answer, str) else answer)
    )


def mark_answer(
    question: PaperQuestion, text: str, unit: str, points: float, words: Collection[str] = ()
) -> AnswerMark:
    """Mark one answer as it was typed.

    Parameters
    ----------
    question : PaperQuestion
    text : str
        Typed answer; a dash stands for a task that was left blank.
    unit : str
        Unit of the task.
    points : float
        Points of a right answer.
    words : collection of str
        Words in lower case that can be an answer of this task. Another word may be misspelled, so a person must look at
        it; without any, every word is marked.
    """
    if not text or text in BLANK:
        return AnswerMark(0.0, "no answer")
    if question.comparison is not None:
        return _mark_comparison(question, text, points)
    answer = parse_answer(text, question.answer, unit)
    if answer is None:
        return AnswerMark(None, f"{printable(text)!r} cannot be read as {_kind(question.answer, unit)}")
    if is_right(answer, question.answer, question.tolerance):
        return AnswerMark(points)
    if unit == "%" and "%" not in text and _is_right_without_percent(text, question, 100):
        return AnswerMark(
            None, f"{printable(text)!r} is right as a fraction, and the task asks for %: decide whether it was meant"
        )
    if not unit and "%" in text and _is_right_without_percent(text, question):
        return AnswerMark(None, f"{printable(text)!r} is right without the sign %: decide whether it was meant")
    for slip in question.slips:
        # An answer whose count was not rounded has three digits of a fraction.
        fraction = isinstance(slip.answer, float) and not slip.answer.is_integer()
        if is_right(answer, slip.answer, question.tolerance or THREE_DIGITS * fraction):
            return AnswerMark(round(points * slip.keeps, 6), slip.name)
    typed_words = [answer] if isinstance(answer, str) else answer if isinstance(answer, list) else []
    if unknown := [word for word in typed_words if words and word.casefold() not in words]:
        return AnswerMark(
            None,
            f"{printable(unknown[0])!r} is none of {', '.join(sorted(words))}: correct how it was typed, or decide",
        )
    return AnswerMark(0.0, "wrong")


def _mark_comparison(question: PaperQuestion, text: str, points: float) -> AnswerMark:
    digits = parse_digits(text, question)
    if digits is None:
        return AnswerMark(
            None, f"{printable(text)!r} cannot be read as a number for each of A, B and C, such as 2; 0; 1"
        )
    share, mistake = share_and_mistake(digits, question)
    return AnswerMark(round(points * share, 6), mistake)


def mark_working(mark: AnswerMark, working: str, question: PaperQuestion, points: float) -> AnswerMark:
    """Add what the working shows to the mark of an answer: letters of steps, or the points that a person gives.

    Parameters
    ----------
    mark : AnswerMark
        Mark of the answer.
    working : str
        Letters of the key's steps, such as ``ab``: the better of the steps' points and the answer's counts. Or a number
        of points, which replaces the mark.
    question : PaperQuestion
    points : float
        Points of the task.
    """
    if not working or working in BLANK:
        return mark
    letters = [*re.sub(r"[\s,;+]", "", working).lower()]
    shares = dict(zip("abcdefgh", (step.share for step in question.steps), strict=False))
    if letters and all(letter in shares for letter in letters):
        earned = round(points * sum(shares[letter] for letter in {*letters}), 6)
        if mark.points is None:  # a person has read this answer and gave its steps
            return AnswerMark(earned, "steps of the working", working)
        better = mark.points if mark.points >= earned else earned
        return AnswerMark(better, mark.says if better == mark.points else "steps of the working", working)
    given = parse_number(working, "")
    if given is not None and "%" not in working and 0 <= given <= points:
        return AnswerMark(given, "points given by a person", working)
    known = f"letters of the steps {', '.join(shares)}, or " if shares else ""
    return AnswerMark(
        None, f"working {printable(working)!r} cannot be read: type {known}points from 0 to {points:g}", working
    )


def _is_right_without_percent(text: str, question: PaperQuestion, factor: float = 1.0) -> bool:
    plain = parse_answer(text.replace("%", ""), question.answer, "")
    if isinstance(plain, (float, np.ndarray)):
        plain = plain * factor
    return plain is not None and is_right(plain, question.answer, question.tolerance)


def _kind(answer: Answer, unit: str) -> str:
    behind = f", with or without a unit such as {unit!r} behind it" if unit else ""
    if isinstance(answer, np.ndarray):
        return f'{answer.size} numbers with ";" between them{behind}'
    return f"a number such as 3.2e14, 3.2*10^14 or 2.7{behind}; write 1,200 as 1200 or as 1.2"


def parse_answer(text: str, like: Answer, unit: str) -> Answer | None:
    """Parse an answer of the type of another one; return None if the text is not one.

    >>> parse_answer("3.2 x 10^3 B/s", 1.0, "B/s"), parse_answer("1; 2.5", np.zeros(2), ""), parse_answer("1,200", 1.0, "")
    (3200.0, array([1. , 2.5]), None)
    >>> parse_answer("2,7 ms", 1.0, "s"), parse_answer("74.7 %", 1.0, "")
    (0.0027, 0.747)
    """
    if isinstance(like, str):
        return " ".join(text.strip("'\"").split())
    parts = [part.strip(" '\"[]()") for part in text.split(";")]
    if isinstance(like, list):
        # "none" is how an empty list is written on paper.
        return [] if [part.lower() for part in parts] == ["none"] else parts
    numbers = [parse_number(part, one) for part, one in zip(parts, _units(unit, len(parts)), strict=True)]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    if isinstance(like, np.ndarray):
        return np.array(known) if len(known) == like.size else None
    return known[0] if len(known) == 1 else None


def _units(unit: str, count: int) -> list[str]:
    """Return the unit of each of several numbers: ``[s, bytes/s]`` names two."""
    several = unit.strip("[]()").split(", ")
    return several if len(several) == count else [unit] * count
