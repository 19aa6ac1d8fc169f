"""Penalties for late work, from times that a student cannot choose."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from ..nbgrader_compat.queries import penalized_submissions, submission_times
from ..nbgrader_compat.tools import AssignLatePenalties
from .course import NbgraderCourse
from .database import Gradebook, MissingEntry
from .dates import Dates
from .late_policy import LatePolicy, format_duration, load_lab_dates, save_lab_dates, spend_late_days
from .marks import format_points
from .unknown_students import find_unknown, known_students, may_be_meant


class AssignCoursePenalties(AssignLatePenalties):
    """nbgrader's preprocessor for late penalties, with the time of submission from the table of dates.

    The policy of ``autograder late`` takes precedence over ``plugin_class``. This method runs where nbgrader itself grades;
    `autograder grade` and what shares its path call `update_penalties` instead.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Enter the time of the submission, then assign the penalty."""
        names, directory = resources["nbgrader"], self.parent.parent.coursedir
        lab, student = names["assignment"], names["student"]
        source = Path(directory.format_path(directory.submitted_directory, student, lab))
        with Gradebook(names["db_url"], directory.course_id) as book:
            submission = book.find_submission(lab, student)
            Dates(directory.root, lab, parent=self).apply(submission, student, source)
            book.db.commit()
            if policy := load_lab_dates(directory.root, lab).policy:
                days = count_late_days(directory.root, book).get(lab, {})
                _charge(submission, policy, days.get(student, LateDays()))
                book.db.commit()
                return nb, resources
        return super().preprocess(nb, resources)


# The name that configurations of earlier versions import.
Late = AssignCoursePenalties


@dataclass(frozen=True)
class LateDays:
    """Days of one late submission: begun after the due date, paid with late days, and late days left afterwards."""

    days: int = 0
    used: int = 0
    left: int = 0

    @property
    def charged(self) -> int:
        """Days that cost points."""
        return self.days - self.used


@dataclass(frozen=True)
class LateSubmission:
    """One late submission, for reports.

    Attributes
    ----------
    student : str
        Id of the student.
    late : timedelta
        Time between the due date, with an extension, and the submission.
    points_lost : float
        Late penalty in the gradebook.
    days : LateDays or None
        Count of late days by the policy of ``autograder late``; None if the lab has no such policy.
    """

    student: str
    late: timedelta
    points_lost: float
    days: LateDays | None = None

    def row(self) -> dict[str, Any]:
        """Return the row of a table: student, time, points lost, and late days where the lab has some."""
        row = {"student": self.student, "late by": format_duration(self.late), "points lost": self.points_lost}
        if self.days is None:
            return row
        return row | {"days": self.days.days, "late days used": self.days.used, "late days left": self.days.left}

    def sentence(self) -> str:
        """Return the row in words."""
        text = f"{self.student}: {format_duration(self.late)} late, {format_points(self.points_lost)} points lost"
        if self.days is None:
            return text
        return f"{text}, {self.days.used} late days used, {self.days.left} left"


@dataclass(frozen=True)
class LatenessSummary:
    """What an instructor should know of the dates of a lab.

    Attributes
    ----------
    undated : int
        Number of submissions, of a lab that is due, without a known time; they count as in time.
    waiting : list of str
        Late students whose penalty was left as it was, because a row of an unknown student may be about them.
    other_labs : dict of str to list of str
        Students by later lab whose penalty there has changed, because they have more or fewer late days left.
    """

    undated: int = 0
    waiting: list[str] = field(default_factory=list)
    other_labs: dict[str, list[str]] = field(default_factory=dict)


def update_penalties(
    course: NbgraderCourse,
    lab: str,
    book: Gradebook,
    plugin_policy: AssignLatePenalties | None,
    kept: Collection[str] = (),
) -> LatenessSummary:
    """Bring time, extension and penalty of every submission of a lab up to date with due date and policy.

    Parameters
    ----------
    course : NbgraderCourse
        The open course.
    lab : str
        Name of the lab.
    book : Gradebook
        The open gradebook; changes are committed.
    plugin_policy : AssignLatePenalties or None
        nbgrader's preprocessor, which has the configured ``plugin_class``; None if the course does not list it. The
        policy of ``autograder late`` takes precedence.
    kept : collection of str, optional
        Students whose marks are those of an earlier submission, because the grader failed on the last one: they keep
        the time of the earlier one, too.
    """
    dates, undated = Dates(course.root, lab, parent=course.app), 0
    settings = load_lab_dates(course.root, lab)
    plugin = plugin_policy.plugin_class(parent=plugin_policy) if plugin_policy and not settings.policy else None
    # Loading the notebooks of all submissions takes longer than finding those with a penalty.
    penalized = penalized_submissions(book)
    late, waiting = [], []
    unknown = find_unknown(dates, known_students(course, lab, book))
    for submission in book.assignment_submissions(lab):
        student = submission.student_id
        dates.apply(submission, student, course.submission(lab, student), keep_time=student in kept)
        undated += submission.timestamp is None and submission.duedate is not None and not dates.in_time(student)
        if submission.total_seconds_late > 0 and may_be_meant(student, dates, unknown):
            waiting.append(student)
        elif submission.total_seconds_late > 0 or submission.id in penalized:
            late.append(submission)
    if settings.policy and settings.policy.late_days and not settings.first_due:
        save_lab_dates(course.root, lab, replace(settings, first_due=book.find_assignment(lab).duedate))
    book.db.flush()
    counted = count_late_days(course.root, book)
    if settings.policy:
        for submission in late:
            _charge(submission, settings.policy, counted.get(lab, {}).get(submission.student_id, LateDays()))
    elif plugin:
        for submission in late:
            for notebook in submission.notebooks:
                notebook.late_submission_penalty = _penalty(submission, notebook, plugin)
    other_labs = dict(_update_other_labs(course.root, lab, book, counted))
    book.db.commit()
    return LatenessSummary(undated, sorted(waiting), other_labs)


def count_late_days(root: str | Path, book: Gradebook) -> dict[str, dict[str, LateDays]]:
    """Count the late days of all students, in order of the labs' due dates.

    Parameters
    ----------
    root : path
        The course folder.
    book : Gradebook
        The open gradebook.

    Returns
    -------
    dict
        `LateDays` by lab, for labs with a policy of ``autograder late``, and by student, for late submissions.
    """
    labs = []
    for assignment in book.assignments:
        settings = load_lab_dates(root, assignment.name)
        if settings.policy and assignment.duedate:
            labs.append(
                (settings.first_due or assignment.duedate, assignment.name, assignment.duedate, settings.policy)
            )
    days: dict[str, dict[str, int]] = {}
    labs.sort(key=lambda one: one[:2])
    for _, name, due, policy in labs:
        days[name] = {
            student: policy.days_late(received, due + (extension or timedelta()))
            for student, received, extension, _ in submission_times(book, name)
            if received
        }
    counted: dict[str, dict[str, LateDays]] = {name: {} for name in days}
    for student in {student for of_lab in days.values() for student, late in of_lab.items() if late}:
        needed = [(policy.late_days, days[name].get(student, 0)) for _, name, _, policy in labs]
        for (_, name, *_), (_, late), (used, left) in zip(labs, needed, spend_late_days(needed), strict=True):
            counted[name][student] = LateDays(late, used, left)
    return counted


def late_submissions(root: str | Path, lab: str, book: Gradebook) -> list[LateSubmission]:
    """List the late submissions of a lab with what they cost, as of the last ``autograder grade``."""
    try:
        due = book.find_assignment(lab).duedate
    except MissingEntry:
        return []
    if due is None:
        return []
    counted = count_late_days(root, book).get(lab)
    return sorted(
        (
            LateSubmission(
                student, late, float(penalty or 0), None if counted is None else counted.get(student, LateDays())
            )
            for student, received, extension, penalty in submission_times(book, lab)
            if received and (late := received - due - (extension or timedelta())) > timedelta()
        ),
        key=lambda one: one.student,
    )


def _update_other_labs(
    root: Path, lab: str, book: Gradebook, counted: dict[str, dict[str, LateDays]]
) -> Iterator[tuple[str, list[str]]]:
    """Bring penalties of other labs with late days up to date; yield lab and students whose penalty changed."""
    for other, students in counted.items():
        policy = load_lab_dates(root, other).policy
        if other == lab or policy is None or not policy.late_days:
            continue
        changed = []
        for submission in book.assignment_submissions(other):
            days = students.get(submission.student_id)
            if days and days.days and _charge(submission, policy, days):
                changed.append(submission.student_id)
        if changed:
            yield other, sorted(changed)


def _charge(submission: Any, policy: LatePolicy, days: LateDays) -> bool:
    """Enter the penalty of a submission by the policy of ``autograder late``; return whether it changed."""
    changed = False
    for notebook in submission.notebooks:
        before = notebook.late_submission_penalty or 0.0
        penalty = policy.penalty(notebook.score, days.charged)
        notebook.late_submission_penalty = penalty or None
        changed |= abs(penalty - before) > 1e-9
    return changed


def _penalty(submission: Any, notebook: Any, plugin: Any) -> float | None:
    """The plug-in's penalty, at least 0 and at most the score, as nbgrader bounds it."""
    late = submission.total_seconds_late
    if late <= 0:
        return None
    points: float | None = plugin.late_submission_penalty(submission.student_id, notebook.score, late)
    if points is None:
        return None
    return 0.0 if points < 0 else min(points, notebook.score)
