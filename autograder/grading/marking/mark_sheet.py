"""Chosen lines of each answer to one question, in ``autograder/work/rubrics/LAB/QUESTION.json``.

Points and comments that count are in nbgrader's gradebook; this file says which lines they come from. Every change is kept
in ``history``, and drafts are kept until the points are given.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ...atomic_write import write_text
from ..result_store import file_name
from .rubric import Rubric

FORMAT = 1
LOCK_SECONDS = 20.0


@dataclass(frozen=True)
class RubricMark:
    """Lines, comment and points that a marker gave to one answer; ``at`` is a time in ISO 8601, UTC."""

    lines: tuple[str, ...]
    comment: str
    points: float
    marker: str
    at: str

    @property
    def decision(self) -> tuple[frozenset[str], str]:
        """What two markers must agree on for their files to be merged."""
        return frozenset(self.lines), self.comment.strip()


@dataclass(frozen=True)
class Change:
    """Entry of the history.

    Attributes
    ----------
    kind : str
        "give", "undo", "re-score" or "merge".
    before, after : RubricMark or None
        Mark of the answer before and after.
    entry : list or None
        Points, comment and whether a mark was requested, as they were in the gradebook before.
    """

    kind: str
    student: str
    marker: str
    at: str
    before: RubricMark | None
    after: RubricMark | None
    entry: list[Any] | None = None


@dataclass
class MarkSheet:
    """Marks of one question.

    Attributes
    ----------
    order : list of str
        Students in the order of the marking page; late submissions come last, so that shares stay as they are.
    lines : dict
        Points, cap, version and text of each line, by id, as the marks were given.
    marks : dict
        Marks that count, by student.
    second : dict
        Marks of further markers in the double-marked sample, by student and marker.
    drafts : dict
        Lines and comment not given yet, by marker and student.
    snippets : list of str
        Comments that markers kept for other answers.
    sample : int
        Number of answers, from the start of the order, that every marker marks.
    """

    lab: str
    question: str
    order: list[str] = field(default_factory=list)
    lines: dict[str, dict[str, Any]] = field(default_factory=dict)
    marks: dict[str, RubricMark] = field(default_factory=dict)
    second: dict[str, dict[str, RubricMark]] = field(default_factory=dict)
    drafts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    snippets: list[str] = field(default_factory=list)
    sample: int = 0
    history: list[Change] = field(default_factory=list)

    def enter(self, students: Iterable[str]) -> None:
        """Append the students that the order lacks, shuffled by a checksum that says nothing about a name."""
        new = set(students) - set(self.order)
        self.order += sorted(new, key=lambda student: _shuffle(self.lab, self.question, student))

    def share(self, part: int, parts: int) -> list[str]:
        """Return the students of one share, ``part`` of ``parts`` counted from 1; the sample belongs to every share."""
        return self.order[: self.sample] + self.order[self.sample :][part - 1 :: parts]

    def mark_of(self, student: str, marker: str) -> RubricMark | None:
        """Return what a marker gave, or in an answer that is not double-marked what anybody gave."""
        mark = self.marks.get(student)
        if mark is None or mark.marker == marker or not self.in_sample(student):
            return mark
        return self.second.get(student, {}).get(marker)

    def in_sample(self, student: str) -> bool:
        """Return whether every marker marks this student's answer."""
        return student in self.order[: self.sample]

    def put(self, mark: RubricMark | None, student: str, marker: str) -> bool:
        """Enter or, with None, remove a marker's mark; return whether it is the one that counts."""
        mine = self.second.get(student, {})
        counted = self.marks.get(student)
        if counted is not None and counted.marker != marker and self.in_sample(student):
            if mark is None:
                mine.pop(marker, None)
            else:
                self.second.setdefault(student, {})[marker] = mark
            return False
        if mark is None:
            self.marks.pop(student, None)
        else:
            self.marks[student] = mark
        return True

    def last_given(self, marker: str) -> Change | None:
        """Return the last mark that a marker gave and has not taken back; None after a re-score."""
        undone = 0
        for change in reversed(self.history):
            if change.kind == "re-score":
                return None
            if change.marker != marker:
                continue
            if change.kind == "undo":
                undone += 1
            elif change.kind == "give":
                if not undone:
                    return change
                undone -= 1
        return None

    def remember_rubric(self, rubric: Rubric) -> None:
        """Store the lines with which the marks were given."""
        self.lines = {line.id: asdict(line) for line in rubric.lines}

    def to_json(self) -> str:
        """Return the text of the file."""
        data = asdict(self) | {"format": FORMAT}
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def now() -> str:
    """Return the present time in UTC, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def sheet_file(root: str | Path, lab: str, question: str) -> Path:
    """Return the path of a question's marks, existing or not."""
    return Path(root) / "autograder" / "work" / "rubrics" / lab / f"{file_name(question)}.json"


def load_sheet(file: Path, lab: str, question: str) -> MarkSheet:
    """Load the marks of a question; an empty sheet if there is no file yet.

    Raises
    ------
    ValueError
        If the file belongs to another question or cannot be read; it stays as it is.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return MarkSheet(lab, question)
    try:
        data = json.loads(text)
        if data.pop("format") != FORMAT:
            raise ValueError("another version of the course wrote it")
        sheet = MarkSheet(**data)
        sheet.marks = {student: _mark(mark) for student, mark in data["marks"].items()}
        sheet.second = {
            student: {marker: _mark(mark) for marker, mark in marks.items()}
            for student, marks in data["second"].items()
        }
        changes = (Change(**change) for change in data["history"])
        sheet.history = [
            Change(
                one.kind,
                one.student,
                one.marker,
                one.at,
                _mark_or_none(one.before),
                _mark_or_none(one.after),
                one.entry,
            )
            for one in changes
        ]
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise ValueError(f"{file} cannot be read as marks ({problem}): move it aside, or repair it") from None
    if (sheet.lab, sheet.question) != (lab, question):
        raise ValueError(f"{file} holds marks of {sheet.lab}, {sheet.question}, not of {lab}, {question}")
    return sheet


@contextmanager
def open_sheet(file: Path, lab: str, question: str) -> Iterator[MarkSheet]:
    """Lock, load and yield the marks of a question, and store them if the block ends without an error.

    Raises
    ------
    ValueError
        If another program keeps them locked.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(file.with_name(f".{file.name}.lock")).acquire(timeout=LOCK_SECONDS)
    except Timeout:
        raise ValueError(f"another program is writing to {file}: try again when it is done") from None
    with lock:
        sheet = load_sheet(file, lab, question)
        before = sheet.to_json()
        yield sheet
        if (text := sheet.to_json()) != before or not file.exists():
            write_text(file, text)


def _mark(data: dict[str, Any]) -> RubricMark:
    return RubricMark(**(data | {"lines": tuple(data["lines"])}))


def _mark_or_none(data: Any) -> RubricMark | None:
    return None if data is None else _mark(data)


def _shuffle(lab: str, question: str, student: str) -> str:
    return hashlib.sha256(f"{lab}\0{question}\0{student}".encode()).hexdigest()
