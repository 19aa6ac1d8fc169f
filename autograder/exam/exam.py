"""An exam as it was drawn: what each student is asked, with the answers, in one file that marking reads again."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import chip2cluster
from chip2cluster import specs
from chip2cluster.exercise.answers import Answer, normalize

from .. import atomic_write
from ..exercises import exercise
from ..secret import exam_seed
from .drawing import Wish, chosen
from .eligibility import Asked, askable
from .question import NotAskable, Question, Slip, question

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
DIFFERENT = 12  # variants at least, in a class that is as large: a neighbour's paper is of no use
FILE = "exam.json"


@dataclass(frozen=True)
class Task:
    """One task of an exam, the same for all but for its numbers."""

    exercise: str
    title: str
    text: str
    unit: str
    points: float
    minutes: int
    difficulty: int


@dataclass(frozen=True)
class Exam:
    """An exam on paper. ``papers`` has each student's questions, in the order of ``tasks``; ``mark`` tells two secrets apart."""

    name: str
    wish: Wish
    slip: float
    tasks: tuple[Task, ...]
    papers: Mapping[str, tuple[Question, ...]]
    mark: str
    version: str = chip2cluster.__version__
    catalogue: str = ""
    left_out: Mapping[str, str] | None = None

    @property
    def points(self) -> float:
        return sum(task.points for task in self.tasks)

    @property
    def minutes(self) -> int:
        return sum(task.minutes for task in self.tasks)


def folder(root: str | Path, name: str) -> Path:
    """Where an exam lies: in the work folder, which is not published.

    Raises
    ------
    ValueError
        For a name that is no plain word.
    """
    if not NAME.fullmatch(name):
        raise ValueError(
            f"an exam's name has small letters, digits, - and _, such as final-2027, and at most 41 of them; got {name!r}"
        )
    return Path(root) / "autograder" / "work" / "exams" / name


def draw(name: str, wish: Wish, students: Sequence[str], slip: float = 0.5) -> Exam:
    """Draw an exam: its exercises, and numbers for each student.

    Parameters
    ----------
    name : str
        With another name, or another secret, it is another exam.
    wish : Wish
    students : sequence of str
    slip : float
        Share of the points that a slip of unit or factor keeps.

    Raises
    ------
    ValueError
        When nothing fits.
    """
    pool, left_out = askable(wish.topics)
    found: dict[str, dict[str, Question]] = {}

    def works(one: Asked) -> bool:
        try:
            found[one.exercise.id] = _questions(name, one.exercise.id, students, slip)
        except NotAskable as reason:
            left_out[one.exercise.id] = str(reason)
            return False
        return True

    taken = chosen(pool, wish, exam_seed(name, "exercises"), works)
    tasks = tuple(
        Task(
            one.exercise.id,
            one.exercise.title,
            one.text,
            one.exercise.unit,
            one.exercise.points,
            one.header.minutes,
            one.header.difficulty,
        )
        for one in taken
    )
    papers = {who: tuple(found[task.exercise][who] for task in tasks) for who in students}
    return Exam(name, wish, slip, tasks, papers, _mark(name), catalogue=specs.data_version(), left_out=left_out)


def with_more(exam: Exam, students: Sequence[str]) -> Exam:
    """The same exam with papers for further students; those that there are stay as they are.

    Raises
    ------
    ValueError
        Where the secret is not the one that the exam was drawn with.
    """
    if exam.mark != _mark(exam.name):
        raise ValueError(
            f"the exam {exam.name} was drawn with another secret: set CHIP2CLUSTER_SECRET to that one, or give this exam "
            "another name"
        )
    new = [who for who in students if who not in exam.papers]
    found = {task.exercise: _questions(exam.name, task.exercise, new, exam.slip) for task in exam.tasks}
    more = {who: tuple(found[task.exercise][who] for task in exam.tasks) for who in new}
    return replace(exam, papers={**exam.papers, **more})


def _questions(name: str, exercise_id: str, students: Sequence[str], slip: float) -> dict[str, Question]:
    known = exercise(exercise_id)
    made = {who: question(known, exam_seed(name, "numbers", exercise_id, who), slip) for who in students}
    different = len({json.dumps([dict(one.inputs), dict(one.own)]) for one in made.values()})
    if different < min(DIFFERENT, len(students) / 2):
        raise NotAskable(f"it has only {different} different sets of numbers")
    return made


def _mark(name: str) -> str:
    """Tells whether two exams come from one secret, and nothing else."""
    return f"{exam_seed(name, 'mark'):016x}"


def save(exam: Exam, file: Path) -> None:
    """Write an exam; the file holds the key to all papers."""
    data = asdict(exam)
    data["papers"] = {
        who: [
            {**asdict(one), "answer": _written(one.answer), "slips": [_slip(slip) for slip in one.slips]}
            for one in papers
        ]
        for who, papers in exam.papers.items()
    }
    atomic_write.write_text(file, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _slip(slip: Slip) -> dict[str, Any]:
    return {**asdict(slip), "answer": _written(slip.answer)}


def _written(answer: Answer) -> Any:
    return answer.tolist() if isinstance(answer, np.ndarray) else answer


def load(file: Path) -> Exam:
    """Read an exam.

    Raises
    ------
    ValueError
        Where there is none, or half of one.
    """
    if not file.is_file():
        known = sorted(one.parent.name for one in file.parent.parent.glob(f"*/{FILE}"))
        raise ValueError(
            f"no exam is called {file.parent.name!r}; there are {', '.join(known) or 'none'}. Draw it with "
            f"`autograder exam {file.parent.name} --students FILE`"
        )
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        papers = {who: tuple(map(_read, questions)) for who, questions in data["papers"].items()}
        wish = Wish(**{**data["wish"], "topics": tuple(data["wish"]["topics"])})
        tasks = tuple(Task(**task) for task in data["tasks"])
        return Exam(**{**data, "papers": papers, "wish": wish, "tasks": tasks})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file} is damaged: put a copy of yours in its place, or draw the exam again") from None


def _read(data: Mapping[str, Any]) -> Question:
    slips = tuple(Slip(**{**slip, "answer": normalize(slip["answer"])}) for slip in data["slips"])
    return Question(**{**data, "answer": normalize(data["answer"]), "slips": slips})
