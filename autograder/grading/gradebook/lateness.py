"""Penalties for late work, from times that a student cannot choose."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..nbgrader_compat.queries import penalized_submissions
from ..nbgrader_compat.tools import AssignLatePenalties
from .course import NbgraderCourse
from .database import Gradebook
from .dates import Dates


class Late(AssignLatePenalties):
    """nbgrader's preprocessor for late penalties, with the time of submission from the table of dates.

    It runs where nbgrader itself grades; `autograder grade` and what shares its path call `update_penalties` instead.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Enter the time of the submission, then have nbgrader assign the penalty."""
        names, directory = resources["nbgrader"], self.parent.parent.coursedir
        lab, student = names["assignment"], names["student"]
        source = Path(directory.format_path(directory.submitted_directory, student, lab))
        with Gradebook(names["db_url"], directory.course_id) as book:
            Dates(directory.root, lab, parent=self).apply(book.find_submission(lab, student), student, source)
            book.db.commit()
        return super().preprocess(nb, resources)


@dataclass(frozen=True)
class LatenessSummary:
    """What an instructor should know of the dates of a lab.

    Attributes
    ----------
    undated : int
        Number of submissions, of a lab that is due, without a known time; they count as in time.
    strangers : list of str
        Students in the table of dates whom the gradebook does not know.
    """

    undated: int = 0
    strangers: list[str] = field(default_factory=list)


def update_penalties(course: NbgraderCourse, lab: str, book: Gradebook, policy: AssignLatePenalties) -> LatenessSummary:
    """Bring time, extension and penalty of every submission of a lab up to date with due date and policy.

    Parameters
    ----------
    course : NbgraderCourse
        The open course.
    lab : str
        Name of the lab.
    book : Gradebook
        The open gradebook; changes are committed.
    policy : AssignLatePenalties
        nbgrader's preprocessor, which has the configured ``plugin_class``.
    """
    dates, undated = Dates(course.root, lab, parent=course.app), 0
    plugin = policy.plugin_class(parent=policy)
    # Loading the notebooks of all submissions takes longer than finding those with a penalty.
    penalized = penalized_submissions(book)
    for submission in book.assignment_submissions(lab):
        student = submission.student_id
        dates.apply(submission, student, course.submission(lab, student))
        undated += submission.timestamp is None and submission.duedate is not None and not dates.in_time(student)
        if submission.total_seconds_late <= 0 and submission.id not in penalized:
            continue
        for notebook in submission.notebooks:
            notebook.late_submission_penalty = _penalty(submission, notebook, plugin)
    book.db.commit()
    known = {student.id for student in book.students}
    return LatenessSummary(undated, sorted(dates.entries.keys() - known))


def _penalty(submission: Any, notebook: Any, plugin: Any) -> float | None:
    """The plug-in's penalty, at least 0 and at most the score, as nbgrader bounds it."""
    late = submission.total_seconds_late
    if late <= 0:
        return None
    points: float | None = plugin.late_submission_penalty(submission.student_id, notebook.score, late)
    if points is None:
        return None
    return 0.0 if points < 0 else min(points, notebook.score)
