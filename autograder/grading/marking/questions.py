"""Written questions of a course, and which of them wait for marks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..gradebook.course import NbgraderCourse
from ..gradebook.database import open_gradebook
from ..gradebook.marks import Marks, load_marks
from ..lab import Lab, load


@dataclass(frozen=True)
class WrittenQuestion:
    """Written question of a graded lab; ``waiting`` answers of ``submitted`` wait for a mark."""

    lab: str
    question: str
    submitted: int
    waiting: int


def choose_question(lab: Lab, question: str, marks: Mapping[str, Marks]) -> str:
    """Return the question to mark: the given one, else the first that waits for marks.

    Raises
    ------
    ValueError
        If the lab has no such question.
    """
    names = ", ".join(lab.by_hand)
    if not lab.by_hand:
        raise ValueError(f"{lab.name} has no question that a person marks")
    if question and question not in lab.by_hand:
        raise ValueError(f"{lab.name} has no written question {question!r}; there are {names}")
    return question or max(lab.by_hand, key=lambda name: (_waiting(name, marks) > 0, -list(lab.by_hand).index(name)))


def written_questions(course: NbgraderCourse) -> Iterator[WrittenQuestion]:
    """Yield the written questions of all labs that students have submitted; a lab that cannot be graded is left out."""
    labs = sorted(folder.name for folder in Path(course.root, "labs").glob("*/"))
    with open_gradebook(course.directory) as book:
        counted = {lab: marks for lab in labs if book is not None and (marks := load_marks(book, lab))}
    for name, marks in counted.items():
        try:
            lab = load(course.root, name)
        except ValueError:
            continue
        for question in lab.by_hand:
            submitted = sum(question in one.cells for one in marks.values())
            yield WrittenQuestion(name, question, submitted, _waiting(question, marks))


def _waiting(question: str, marks: Mapping[str, Marks]) -> int:
    return sum(question in one.cells and one.cells[question].waiting for one in marks.values())
