"""Penalties for late work, on times that a student cannot choose."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties

from .course import Course
from .dates import Dates


class Late(AssignLatePenalties):
    """nbgrader's step, after the time of the submission was put right; one run of ours calls `settle` in its place."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        names, directory = resources["nbgrader"], self.parent.parent.coursedir
        lab, student = names["assignment"], names["student"]
        source = Path(directory.format_path(directory.submitted_directory, student, lab))
        with Gradebook(names["db_url"], directory.course_id) as book:
            Dates(directory.root, lab, parent=self).enter(book.find_submission(lab, student), student, source)
            book.db.commit()
        return super().preprocess(nb, resources)


@dataclass(frozen=True)
class Settled:
    """What an instructor should know of the dates.

    Attributes
    ----------
    undated : int
        How many submissions of a lab that is due have no time, and so count as in time.
    strangers : list of str
        Whom the table of dates names and the gradebook does not know.
    """

    undated: int = 0
    strangers: list[str] = field(default_factory=list)


def settle(course: Course, lab: str, book: Gradebook, step: AssignLatePenalties) -> Settled:
    """Bring time, extension and penalty of every submission of a lab up to date, as due date and policy are now.

    Parameters
    ----------
    course : Course
    lab : str
    book : Gradebook
        Open; what is changed is committed.
    step : AssignLatePenalties
        Has the policy.

    Returns
    -------
    Settled
    """
    dates, undated = Dates(course.root, lab, parent=course.app), 0
    step.init_plugin()
    # To load the notebooks of all takes longer than to find whose matter.
    has_one = SubmittedNotebook.late_submission_penalty.isnot(None)
    penalised = {found for (found,) in book.db.query(SubmittedNotebook.assignment_id).filter(has_one)}
    for submission in book.assignment_submissions(lab):
        student = submission.student_id
        dates.enter(submission, student, course.submission(lab, student))
        undated += submission.timestamp is None and submission.duedate is not None and not dates.in_time(student)
        if submission.total_seconds_late <= 0 and submission.id not in penalised:
            continue
        for notebook in submission.notebooks:
            notebook.late_submission_penalty = _penalty(submission, notebook, step)
    book.db.commit()
    known = {student.id for student in book.students}
    return Settled(undated, sorted(dates.entries.keys() - known))


def _penalty(submission: SubmittedAssignment, notebook: Any, step: AssignLatePenalties) -> float | None:
    late = submission.total_seconds_late
    if late <= 0:
        return None
    points = step.plugin_inst.late_submission_penalty(submission.student_id, notebook.score, late)
    return None if points is None else step._check_late_penalty(notebook, points)
