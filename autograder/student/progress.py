"""The learner's progress: one page, or the whole course, and how well the predictions were calibrated."""

from dataclasses import dataclass
from enum import StrEnum
from html import escape

from chip2cluster import journal

from .. import course_pages
from ..exercise_headers import all_headers, topic
from ..exercises import exercises
from . import current_page
from .exercise_lookup import Unclear
from .progress_view import page_html, page_lines, whole_html, whole_lines

WHOLE = "all"


class State(StrEnum):
    """Where a learner stands with an exercise; one that was tried in vain has its last verdict in this place."""

    OPEN = "open"
    SOLVED = "solved"
    AFTER_SOLUTION = "solved after the solution"


@dataclass(frozen=True)
class Progress:
    """A snapshot of the record: ``exercises`` and ``predictions`` of the whole course as lists of rows (dicts).

    ``page`` is the topic of the chapter that is shown, empty where the whole course is; ``shared`` says what was written
    for others.
    """

    exercises: list
    predictions: list
    place: str
    page: str = ""
    shared: str = ""

    @property
    def summary(self):
        """The whole in two sentences."""
        solved = sum(row["solved"] for row in self.exercises)
        from chip2cluster.predict import summary  # brings the widgets along, which a check does not need

        orders = [row["orders"] for row in self.predictions if row["orders"] is not None]
        return f"{solved} of {len(self.exercises)} exercises solved. {summary(orders)}"

    def __repr__(self):
        lines = page_lines(self) if self.page else whole_lines(self)
        return "\n".join([*lines, self.shared] if self.shared else lines)

    def _repr_html_(self):
        shown = page_html(self) if self.page else whole_html(self)
        return f"{shown}<p>{escape(self.shared)}</p>" if self.shared else shown


def progress(page=None, *, export_to=None, import_from=None, share_to=None):
    """Show what you have solved and how good your predictions were.

    Parameters
    ----------
    page : str or int, optional
        A chapter, by its topic or number: ``"roofline"`` or ``3``. ``"all"`` shows the whole
        course. Left out: the page that you work on, and where nobody can tell the whole course.
    export_to : path, optional
        Write your record to this file first; an existing file is never overwritten.
    import_from : path, optional
        Merge a record exported elsewhere first; nothing of either is lost.
    share_to : path, optional
        Write what your class may learn of it to this file, such as ``"journal.json"``: your guesses, and
        of exercises attempts, hints and named mistakes, with the days. No name, no notes, no code. Handing
        it in is up to you.

    Returns
    -------
    Progress

    Raises
    ------
    TypeError
        For a page that does not exist; the message names those that do.
    """
    from chip2cluster import predict  # brings the widgets along, which a check does not need

    shown = _topic(page)
    if import_from is not None:
        journal.import_from(import_from)
    if export_to is not None:
        journal.export_to(export_to)
    shared = "" if share_to is None else str(journal.share(share_to))
    record = journal.read()
    rows = [_row(exercise, record["exercises"].get(exercise.id)) for exercise in exercises().values()]
    made = {forecast.question: forecast for forecast in predict.calibration()}
    asked = [question for question in predict.QUESTIONS if question.id in made or shown == topic(question.id)]
    guesses = [_guess(question, made.get(question.id)) for question in asked]
    return Progress(rows, guesses, str(journal.path()), shown, shared)


def _topic(page):
    """The topic that is meant; empty for the whole course."""
    topics = {course_pages.topic(chapter): course_pages.number(chapter) for chapter in course_pages.chapters()}
    if page is None:
        page = topic(current_page.place()) if current_page.place() else WHOLE
        return page if page in topics else ""
    if page == WHOLE:
        return ""
    wanted = str(page).removesuffix(".ipynb").removeprefix("lab_").lower()
    for name, number in topics.items():
        if wanted in (name, str(number), f"{number:02}", f"{number:02}_{name}"):
            return name
    if not topics and wanted in {topic(name) for name in exercises()}:  # a package without its pages
        return wanted
    raise Unclear(f'no chapter is called {page!r}; there are {", ".join(topics)}, and "{WHOLE}" for all of them')


def _row(exercise, entry):
    entry = entry or {"attempts": 0, "hints": 0, "solved": False, "revealed": False}
    if entry["solved"]:
        state = State.AFTER_SOLUTION if entry.get("solved_after_reveal") else State.SOLVED
    else:
        state = entry.get("verdict", State.OPEN) if entry["attempts"] else State.OPEN
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
