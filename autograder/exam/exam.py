"""Drawn exam: each student's questions and answers, in one file that marking reads."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

import chip2cluster
from chip2cluster import specs
from chip2cluster.exercise.paper_task import PaperTask

from ..exercises import exercise
from ..grading.collect.student_names import bare_number, normalize_name
from ..grading.sanitize.terminal_text import printable
from ..secret import exam_seed
from .comparison import draw_comparison
from .drawing import ExamRequest, choose_exercises
from .eligibility import ExamCandidate, missing_context, notebook_text, paper_candidates, paper_tasks
from .paper_question import draw_paper_question
from .question import PaperQuestion, UnsuitableExercise, draw_question

DIFFERENT = 12  # different sets of numbers at least, in a class of that size, so that copying does not help


@dataclass(frozen=True)
class ExamTask:
    """Task of an exam, the same for all students except for its numbers.

    ``steps`` has the name of each step of the working and its share of the points; ``words`` are the possible answers if
    the answer is a word; ``judgement`` is what the key says about a judgement in words. With ``compares`` the task shows
    three answers and asks what is wrong with two of them. Such a task, and one of an exam of an earlier version, has no
    steps, and the text of the exercise's notebook.
    """

    exercise: str
    title: str
    text: str
    unit: str
    points: float
    minutes: int
    difficulty: int
    steps: tuple[tuple[str, float], ...] = ()
    words: tuple[str, ...] = ()
    judges: bool = False
    judgement: str = ""
    compares: bool = False


@dataclass(frozen=True)
class Exam:
    """Exam on paper. ``papers`` has each student's questions in the order of ``tasks``; ``mark`` identifies the secret."""

    name: str
    wish: ExamRequest
    slip: float
    tasks: tuple[ExamTask, ...]
    papers: Mapping[str, tuple[PaperQuestion, ...]]
    mark: str
    version: str = chip2cluster.__version__
    catalogue: str = ""
    left_out: Mapping[str, str] | None = None
    retake_of: str = ""

    @property
    def points(self) -> float:
        """Points of all tasks."""
        return sum(task.points for task in self.tasks)

    @property
    def minutes(self) -> int:
        """Minutes of all tasks."""
        return sum(task.minutes for task in self.tasks)


def draw_exam(name: str, wish: ExamRequest, students: Sequence[str], slip: float = 0.5) -> Exam:
    """Draw an exam: its exercises, and numbers for each student.

    Parameters
    ----------
    name : str
        Name of the exam; another name, or another secret, gives another exam.
    wish : ExamRequest
    students : sequence of str
    slip : float
        Share of the points for an answer with a wrong unit or factor.

    Raises
    ------
    ValueError
        If no exercise fits, or fewer than requested can ask what is wrong with an answer.
    """
    pool, left_out = paper_candidates(wish.topics)
    found: dict[str, dict[str, PaperQuestion]] = {}

    def works(one: ExamCandidate) -> bool:
        try:
            found[one.exercise.id] = _questions(name, one.exercise.id, students, slip)
        except UnsuitableExercise as reason:
            left_out[one.exercise.id] = str(reason)
            return False
        return True

    taken = choose_exercises(pool, wish, exam_seed(name, "exercises"), works)
    compared = _comparisons(name, taken, wish.comparisons, students, slip)
    found |= compared
    tasks = tuple(_compared_task(one) if one.exercise.id in compared else _task(one) for one in taken)
    papers = {who: tuple(found[task.exercise][who] for task in tasks) for who in students}
    return Exam(
        name, wish, slip, tasks, papers, secret_checksum(name), catalogue=specs.data_version(), left_out=left_out
    )


def _task(one: ExamCandidate) -> ExamTask:
    assert one.paper is not None
    return ExamTask(
        one.exercise.id,
        one.paper.title,
        one.text,
        one.paper.unit,
        one.exercise.points,
        one.header.minutes,
        one.header.difficulty,
        tuple((step.name, step.share) for step in one.paper.steps),
        one.paper.words,
        one.paper.judges,
        one.paper.judgement,
    )


def _compared_task(one: ExamCandidate) -> ExamTask:
    """Return a task that shows three answers: its text and unit are the notebook's."""
    return ExamTask(
        one.exercise.id,
        one.exercise.title,
        notebook_text(one.exercise),
        one.exercise.unit,
        one.exercise.points,
        one.header.minutes,
        one.header.difficulty,
        compares=True,
    )


def paper_task(exercise_id: str) -> PaperTask:
    """Return an exercise's task on paper; raise `ValueError` if it has none."""
    if (task := paper_tasks().get(exercise_id)) is None:
        raise ValueError(f"{exercise_id} has no text for paper in this version: use the version that drew the exam")
    return task


def add_students(exam: Exam, students: Sequence[str]) -> Exam:
    """Return the exam with papers for more students; the existing papers stay.

    Raises
    ------
    ValueError
        If the exam was drawn with another secret, or an id differs from that of a paper only by what typing changes.
    """
    if exam.mark != secret_checksum(exam.name):
        raise ValueError(
            f"the exam {exam.name} was drawn with another secret: set CHIP2CLUSTER_SECRET to that one, or give this exam "
            "another name"
        )
    new = [who for who in students if who not in exam.papers]
    _refuse_twins(new, exam)
    found = {
        task.exercise: _questions(
            exam.name,
            task.exercise,
            new,
            exam.slip,
            compares=task.compares,
            in_notebook_words=not task.steps,
        )
        for task in exam.tasks
    }
    more = {who: tuple(found[task.exercise][who] for task in exam.tasks) for who in new}
    return replace(exam, papers={**exam.papers, **more})


def _refuse_twins(new: Sequence[str], exam: Exam) -> None:
    """Refuse a second paper for one person: marking could not say which one a typed id means."""
    for form, difference in (
        (normalize_name, "capital letters or how accents are stored"),
        (bare_number, "zeros that a spreadsheet drops"),
    ):
        papers = {form(who): who for who in exam.papers}
        for who in new:
            if form(who) and (twin := papers.get(form(who))):
                raise ValueError(
                    f"{printable(who)} and {printable(twin)}, who has a paper of {exam.name}, differ only in {difference}: "
                    "write the id as on the paper"
                )


def _comparisons(
    name: str, taken: Sequence[ExamCandidate], count: int, students: Sequence[str], slip: float
) -> dict[str, dict[str, PaperQuestion]]:
    """Return the papers' questions for ``count`` of the exercises, which ask what is wrong with an answer.

    A task that judges stays as it is, so that each paper has one.
    """
    known = [one.exercise for one in taken if not one.judges and not missing_context(notebook_text(one.exercise))]
    found: dict[str, dict[str, PaperQuestion]] = {}
    for place in np.random.default_rng(exam_seed(name, "comparisons")).permutation(len(known)):
        if len(found) == count:
            break
        with suppress(UnsuitableExercise):
            one = known[int(place)].id
            found[one] = _questions(name, one, students, slip, compares=True)
    if len(found) < count:
        raise ValueError(
            f"{len(found)} of the {len(taken)} exercises that were drawn can ask what is wrong with an answer: "
            f"give --wrong-answers {len(found)}, more --minutes or more --topics"
        )
    return found


def _questions(
    name: str,
    exercise_id: str,
    students: Sequence[str],
    slip: float,
    *,
    compares: bool = False,
    in_notebook_words: bool = False,
) -> dict[str, PaperQuestion]:
    known = exercise(exercise_id)
    seeds = {who: exam_seed(name, "numbers", exercise_id, who) for who in students}
    if compares or in_notebook_words:
        draw = draw_comparison if compares else draw_question
        made = {who: draw(known, seed, slip) for who, seed in seeds.items()}
    else:
        task = paper_task(exercise_id)
        made = {who: draw_paper_question(task, known, seed, slip) for who, seed in seeds.items()}
    different = len({json.dumps([dict(one.inputs), dict(one.own)]) for one in made.values()})
    if different < min(DIFFERENT, len(students) / 2):
        raise UnsuitableExercise(f"it has only {different} different sets of numbers")
    return made


def secret_checksum(name: str) -> str:
    """Return a checksum of the secret: it shows whether two exams come from the same one, and nothing else."""
    return f"{exam_seed(name, 'mark'):016x}"
