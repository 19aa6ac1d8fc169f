"""Retake of an exam: its tasks with other numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import chip2cluster
from chip2cluster import specs

from ..exercises import exercise
from ..secret import exam_seed
from .comparison import draw_comparison
from .exam import Exam, ExamTask, paper_task, secret_checksum
from .paper_question import draw_paper_question
from .question import PaperQuestion, UnsuitableExercise

ATTEMPTS = 20  # draws until a student's numbers differ from those of the exam


def draw_retake(name: str, before: Exam, students: Sequence[str]) -> Exam:
    """Draw an exam with the tasks of an earlier one and other numbers.

    Parameters
    ----------
    name : str
        Name of the new exam.
    before : Exam
    students : sequence of str

    Raises
    ------
    ValueError
        If the earlier exam has texts of notebooks, as drawn by an earlier version.
    """
    if old := [task.exercise for task in before.tasks if not task.steps and not task.compares]:
        raise ValueError(
            f"{before.name} was drawn by an earlier version, with {old[0]} in its notebook's words: draw a new exam"
        )
    papers = {}
    for who in students:
        earlier = before.papers.get(who, ())
        taken = {one.exercise: {**one.inputs, **one.own} for one in earlier}
        papers[who] = tuple(_other_question(name, task, who, before.slip, taken) for task in before.tasks)
    return replace(
        before,
        name=name,
        papers=papers,
        mark=secret_checksum(name),
        version=chip2cluster.__version__,
        catalogue=specs.data_version(),
        retake_of=before.name,
    )


def _other_question(
    name: str, task: ExamTask, student: str, slip: float, taken: Mapping[str, Mapping[str, str]]
) -> PaperQuestion:
    """Return a student's question with other numbers than those taken."""
    known = exercise(task.exercise)
    for attempt in range(ATTEMPTS):
        again = (f"attempt {attempt}",) if attempt else ()
        seed = exam_seed(name, "numbers", task.exercise, student, *again)
        if task.compares:
            drawn = draw_comparison(known, seed, slip)
        else:
            drawn = draw_paper_question(paper_task(task.exercise), known, seed, slip)
        if {**drawn.inputs, **drawn.own} != taken.get(task.exercise):
            return drawn
    raise UnsuitableExercise(f"{task.exercise} has too few different numbers for a retake")
