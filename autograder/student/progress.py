"""Progress of the learner in a chapter or the whole course, and the calibration of the predictions."""

from dataclasses import dataclass
from enum import StrEnum
from html import escape

from chip2cluster import journal

from .. import course_pages
from ..exercise_headers import all_headers, topic
from ..exercises import exercises
from . import current_page
from .exercise_lookup import UnclearExercise
from .progress_view import page_html, page_lines, whole_html, whole_lines
from .review import review
from .review_view import NAME
from .written_questions import untouched_sentence

WHOLE = "all"


class ExerciseState(StrEnum):
    """State of an exercise; one that was tried and is not solved shows its last verdict instead."""

    OPEN = "open"
    SOLVED = "solved"
    AFTER_SOLUTION = "solved after the solution"


@dataclass(frozen=True)
class Progress:
    """Snapshot of the learner's record.

    Attributes
    ----------
    exercises, predictions : list of dict
        Rows of the whole course.
    place : str
        Path of the record.
    page : str
        Topic of the chapter that is shown; empty for the whole course.
    shared : str
        Sentence about what was written for the class.
    written : str
        Sentence about untouched written questions of the lab that is shown.
    """

    exercises: list
    predictions: list
    place: str
    page: str = ""
    shared: str = ""
    written: str = ""

    @property
    def summary(self):
        """Progress in the whole course, in two sentences."""
        solved = sum(row["solved"] for row in self.exercises)
        from chip2cluster.predict import summary  # brings the widgets along, which a check does not need

        orders = [row["orders"] for row in self.predictions if row["orders"] is not None]
        return f"{solved} of {len(self.exercises)} exercises solved. {summary(orders)}"

    def __repr__(self):
        """Return the progress as text."""
        lines = page_lines(self) if self.page else whole_lines(self)
        return "\n".join([*lines, self.shared] if self.shared else lines)

    def _repr_html_(self):
        shown = page_html(self) if self.page else whole_html(self)
        return f"{shown}<p>{escape(self.shared)}</p>" if self.shared else shown


def progress(page=None, *, export_to=None, import_from=None, share_to=None, day=None, recalled=None):
    """Show what you have solved and how good your predictions were, or what to review today.

    Parameters
    ----------
    page : str or int, optional
        Topic or number of a chapter, ``"roofline"`` or ``3``. ``"all"`` shows the whole course, ``"review"`` up to three
        exercises or predictions that come back today. By default the notebook that you work on, or the whole course if
        that is unknown.
    export_to : path, optional
        File to write your record to; an existing file is never overwritten.
    import_from : path, optional
        File with an exported record to merge into yours first; nothing of either is lost.
    share_to : path, optional
        File for the part of the record that you share with your class, such as ``"journal.json"``: your guesses, and the
        attempts, hints and named mistakes of exercises, with the days. No name, no notes, no code. Handing it in is up
        to you.
    day : str, optional
        Day of the review, such as ``"2026-11-12"``; today by default.
    recalled : dict, optional
        Values that you recall for predictions of the review, ``{"roofline.ops_per_byte": 295}``.

    Returns
    -------
    Progress or Review

    Raises
    ------
    TypeError
        If no chapter fits ``page``; the message names the existing ones.
    ValueError
        If ``recalled`` names something that is not a prediction of the review.
    """
    from chip2cluster import predict  # brings the widgets along, which a check does not need

    shown = "" if page == NAME else _topic(page)
    if import_from is not None:
        journal.import_from(import_from)
    if export_to is not None:
        journal.export_to(export_to)
    shared = "" if share_to is None else str(journal.share(share_to))
    if page == NAME:
        return review(day, recalled)
    record = journal.read()
    rows = [_row(exercise, record["exercises"].get(exercise.id)) for exercise in exercises().values()]
    made = {forecast.question: forecast for forecast in predict.calibration()}
    asked = [question for question in predict.QUESTIONS if question.id in made or shown == topic(question.id)]
    guesses = [_guess(question, made.get(question.id)) for question in asked]
    return Progress(rows, guesses, str(journal.path()), shown, shared, untouched_sentence(shown) if shown else "")


def _topic(page):
    """Return the topic that is meant; empty for the whole course."""
    topics = {course_pages.topic(chapter): course_pages.number(chapter) for chapter in course_pages.chapters()}
    if page is None:
        page = topic(current_page.page_prefix()) if current_page.page_prefix() else WHOLE
        return page if page in topics else ""
    if page == WHOLE:
        return ""
    wanted = str(page).removesuffix(".ipynb").removeprefix("lab_").lower()
    for name, number in topics.items():
        if wanted in (name, str(number), f"{number:02}", f"{number:02}_{name}"):
            return name
    if not topics and wanted in {topic(name) for name in exercises()}:  # a package without its pages
        return wanted
    raise UnclearExercise(
        f'no chapter is called {page!r}; there are {", ".join(topics)}, "{WHOLE}" for all of them, and "{NAME}" for what is due today'
    )


def _row(exercise, entry):
    entry = entry or {"attempts": 0, "hints": 0, "solved": False, "revealed": False}
    if entry["solved"]:
        state = ExerciseState.AFTER_SOLUTION if entry.get("solved_after_reveal") else ExerciseState.SOLVED
    else:
        state = entry.get("verdict", ExerciseState.OPEN) if entry["attempts"] else ExerciseState.OPEN
    header = all_headers().get(exercise.id)
    return {
        "exercise": exercise.id,
        "title": header.title if header else exercise.title,
        "number": header.number if header else None,
        "minutes": header.minutes if header else None,
        "short": bool(header and header.short),
        "state": state,
        "solved": bool(entry["solved"]),
        "attempts": entry["attempts"],
        "hints": entry["hints"],
    }


def _guess(question, forecast):
    return {
        "question": question.id,
        "text": question.text,
        "guess": forecast.guess if forecast else None,
        "value": forecast.truth if forecast else None,
        "unit": question.unit,
        "orders": forecast.orders if forecast else None,
    }
