"""Report on a class without names: guesses, mistakes by week, item analysis, and suggestions for the next lecture."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from chip2cluster._pages import chapters, in_order
from chip2cluster.exercise.verdict_codes import NOT_WRITTEN
from chip2cluster.predict.questions import QUESTIONS

from ...atomic_write import write_text
from ...exercise_headers import topic
from ...exercises import exercises
from ..collect.due_dates import due_dates
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..lab import Lab, load
from ..reports.feedback_page import TEMPLATES
from ..result import UNREADABLE
from ..result_store import ResultStore
from . import guesses, items, journals, mistakes, trend
from .guesses import QuestionGuesses
from .items import Discrimination, ItemAnalysis
from .mistakes import MistakeCount

MIN_FACTOR = 3.0  # error factor of the median guess that deserves a comment
MIN_SHARE = 0.1  # of the students who tried an exercise, for a mistake that deserves a comment
MAX_COMMENTS = 3  # of each kind


@dataclass(frozen=True)
class ClassReport:
    """Report on a class.

    Attributes
    ----------
    learners : int
        Number of journals that were handed in.
    submissions : dict of str to int
        Number of submissions of each graded lab.
    guesses : list of QuestionGuesses
        Guesses of the questions that at least five learners answered, in the order of the course.
    curves : dict
        Shares of guesses within `guesses.FACTORS`, by the name of the line.
    mistakes : list of MistakeCount
        Mistakes of at least five students, by week.
    items : list of ItemAnalysis
        Analyses of the tasks of graded labs.
    left_out : dict of str to int
        Number of submissions, by lab, with a task on which the grader itself failed; the task is left out for them.
    problems : list of str
        Sentences about files that could not be read; shown only to the instructor, not in the HTML page.
    """

    learners: int
    submissions: dict[str, int]
    guesses: list[QuestionGuesses]
    curves: dict[str, list[float]]
    mistakes: list[MistakeCount]
    items: list[ItemAnalysis]
    left_out: dict[str, int]
    problems: list[str]

    @property
    def summary(self) -> str:
        """Number of journals, and of submissions by lab."""
        labs = ", ".join(f"{lab}: {count}" for lab, count in self.submissions.items()) or "none"
        return f"{self.learners} journals handed in. Submissions by lab: {labs}."

    @property
    def left_out_notes(self) -> list[str]:
        """Sentences about tasks that are left out because the grader itself failed on them."""
        return [
            f"{lab}: the grader itself failed on tasks of {count} submission{'s' * (count > 1)}, and those are left out here. "
            f"`autograder grade {lab}` tries again."
            for lab, count in self.left_out.items()
        ]

    @property
    def tomorrow(self) -> list[str]:
        """Suggestions for the next lecture: mistakes of the last week, guesses far off, and tasks without discrimination."""
        weeks = [one.week for one in self.mistakes if one.week]
        late = [one for one in self.mistakes if one.week == (max(weeks) if weeks else None) and one.share >= MIN_SHARE]
        late = sorted(late, key=lambda one: -one.share)[:MAX_COMMENTS]
        found = [
            f"{one.students} of {one.of} made the mistake “{one.mistake}” in {one.title}{_notebook(one.exercise)}: {one.message}"
            for one in late
        ]
        last = self.guesses[-1].topic if self.guesses else ""
        far = sorted(
            (one for one in self.guesses if one.topic == last and one.factor >= MIN_FACTOR), key=lambda one: -one.factor
        )
        for one in far[:MAX_COMMENTS]:
            way = "too high" if one.too_high >= 0.5 else "too low"
            share = max(one.too_high, 1 - one.too_high)
            found.append(
                f"The median guess was off by a factor of {one.factor:.2g}, {_percent(share)} were {way}{_notebook(one.question)}: {one.text} {one.why}"
            )
        weak = [task for task in self.items if task.separation is Discrimination.NO][:MAX_COMMENTS]
        return found + [
            f"{task.title} ({task.lab}) does not discriminate between stronger and weaker students: check the task and its answer."
            for task in weak
        ]

    def text(self) -> str:
        """Return the report for a terminal."""
        notes = [*self.left_out_notes, *self.problems]
        parts = [self.summary, "\n".join(notes)] if notes else [self.summary]
        for heading, table in (
            ("Guesses", self._guesses()),
            ("Mistakes by week (of at least five students)", self._mistakes()),
            ("Tasks", self._items()),
        ):
            if len(table):
                parts.append(f"{heading}\n{table.to_string(index=False)}")
        comments = "\n".join(f"- {one}" for one in self.tomorrow)
        return "\n\n".join([*parts, f"For the next lecture\n{comments or 'No suggestions from these numbers.'}"])

    def html(self) -> str:
        """Return the report as one self-contained HTML page."""
        return TEMPLATES.get_template("class.html.j2").render(
            stamp="chip2cluster class",
            report=self,
            picture=trend.draw_curves(self.curves) if self.curves else None,
            tables={"guesses": self._guesses(), "mistakes": self._mistakes(), "items": self._items()},
            min_students=items.MIN_STUDENTS,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        data = {name: value for name, value in asdict(self).items() if name != "problems"}
        for one in data["guesses"]:
            del one["ratios"]  # guesses of single learners
        for one in data["items"]:
            one |= dict.fromkeys([name for name in ("correlation", "low", "high") if one[name] != one[name]])  # no nan
        return {**data, "factors": list(guesses.FACTORS), "tomorrow": self.tomorrow}

    def _guesses(self) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "question": one.question, "learners": one.learners, "median guess off by": f"×{one.factor:.2g}",
                "within ×2": _percent(one.within_two), "too high": _percent(one.too_high),
            }
            for one in self.guesses
        )  # fmt: skip

    def _mistakes(self) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "week of": one.week.isoformat() if one.week else "no date", "in": "graded" if one.graded else "checks",
                "exercise": one.title, "mistake": one.mistake, "students": f"{one.students} of {one.of}",
            }
            for one in self.mistakes
        )  # fmt: skip

    def _items(self) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "lab": one.lab, "task": one.title, "students": one.students, "points reached": _percent(one.reached),
                "correlation with the rest": "–" if one.correlation != one.correlation else f"{one.correlation:.2f} ({one.low:.2f} to {one.high:.2f})",
                "discrimination": one.separation.value,
            }
            for one in self.items
        )  # fmt: skip


def _notebook(name: str) -> str:
    """Return the notebook of an exercise or a question in parentheses, or "" if no chapter has it."""
    file = chapters().get(topic(name))
    return f" (notebook {file.name})" if file else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def build_class_report(root: str | Path, downloads: Iterable[Path] = ()) -> ClassReport:
    """Build the report from the graded labs of a course and from journals.

    Parameters
    ----------
    root : path
        The course folder.
    downloads : iterable of Path
        Zip files and folders with journals; see `journals.read_journals`.

    Raises
    ------
    ValueError
        If there is neither a graded lab nor a journal.
    """
    read, problems = journals.read_journals(downloads)
    known = exercises()
    met = mistakes.mistakes_in_journals(read, known)
    analysed: list[ItemAnalysis] = []
    counted: dict[str, int] = {}
    left_out: dict[str, int] = {}
    for lab in _graded_labs(root, problems):
        scores, rows, tried, faults = _results(root, lab)
        if len(scores) < guesses.MIN_LEARNERS:
            continue
        counted[lab.name] = len(scores)
        if faults:
            left_out[lab.name] = faults
        met += mistakes.mistakes_in_grading(rows, tried, _week(root, lab.name), known)
        analysed += items.analyze_items(lab.name, scores, {task.exercise: task.title for task in lab.tasks})
    if not read and not counted:
        raise ValueError(
            "there is nothing to report: grade a lab of at least five students, or name a download with journals, "
            "`--journals DOWNLOAD.zip`" + "".join(f"; {one}" for one in problems[:3])
        )
    found = guesses.question_guesses(read, QUESTIONS)
    curves = guesses.curves(found, in_order({one.topic for one in found}))
    met.sort(key=lambda one: (one.week or date.min, -one.students))
    return ClassReport(len(read), counted, found, curves, met, analysed, left_out, problems)


def write_class_report(report: ClassReport, file: str | Path) -> None:
    """Write the report as an HTML page, or as JSON if the name ends in ``.json``; an existing file is replaced."""
    as_json = Path(file).suffix == ".json"
    write_text(Path(file), json.dumps(report.to_json(), indent=1, default=str) if as_json else report.html())


def _graded_labs(root: str | Path, problems: list[str]) -> Iterator[Lab]:
    """Yield the labs with results; add a sentence to ``problems`` for each that the course no longer has."""
    folder = ResultStore.of(root, "").folder
    for name in sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else ():
        try:
            yield load(root, name)
        except ValueError as problem:
            problems.append(f"{name} was left out: {problem}")


def _results(root: str | Path, lab: Lab) -> tuple[pd.DataFrame, list[tuple[str, str]], Counter[str], int]:
    """Return shares of points by student and task, (exercise, mistake) pairs, tries by exercise, and failures.

    The grader's own failure on a task is not a mark: the share is nan, and the number of such submissions is returned.
    """
    shares: list[dict[str, float]] = []
    rows: list[tuple[str, str]] = []
    tried: Counter[str] = Counter()
    faults = 0
    for result in ResultStore.of(root, lab.name):
        if result.status == UNREADABLE:
            continue
        faults += result.fault
        marked = {
            task.exercise: result.exercises[task.exercise]
            for task in lab.tasks
            if task.exercise in result.exercises and not result.exercises[task.exercise].get("fault", False)
        }
        shares.append({name: one["score"] / one["max_score"] for name, one in marked.items() if one["max_score"]})
        tried.update(name for name, one in marked.items() if one["verdict"] != NOT_WRITTEN)
        rows += [(name, one["mistake"]) for name, one in marked.items() if one["mistake"]]
    return pd.DataFrame(shares, columns=[task.exercise for task in lab.tasks], dtype=float), rows, tried, faults


def _week(root: str | Path, lab: str) -> date | None:
    with open_gradebook(open_course(root).directory) as book:
        due, _ = due_dates(book, lab)
    return mistakes.monday(due.date()) if due else None
