"""What a class thinks, put together: guesses, mistakes by week, items, and what to say tomorrow. Nobody's name is in it."""

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
from ..collect.due import due_dates
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..lab import Lab, load
from ..reports.page import TEMPLATES
from ..result import UNREADABLE
from ..result_store import ResultStore
from . import guesses, items, journals, mistakes, trend
from .guesses import QuestionGuesses
from .items import Discrimination, ItemAnalysis
from .mistakes import MistakeCount

OFF = 3.0  # the middle guess of a class, from which on it is worth a word
SHARE = 0.1  # of those who tried: a mistake that fewer met is not the class's
SAYINGS = 3  # of each kind


@dataclass(frozen=True)
class ClassReport:
    """What a class thinks.

    Attributes
    ----------
    learners : int
        Journals that were handed in.
    submissions : dict of str to int
        Of each lab that was graded.
    guesses : list of Guessed
        Questions that at least five learners answered, in the order of the course.
    curves : dict
        Shares of guesses within `guesses.FACTORS`.
    mistakes : list of Met
        By week, those that at least five students met.
    items : list of Item
    said : list of str
        What of the journals could not be read, by the names of files: for the instructor's eyes alone, on no page.
    """

    learners: int
    submissions: dict[str, int]
    guesses: list[QuestionGuesses]
    curves: dict[str, list[float]]
    mistakes: list[MistakeCount]
    items: list[ItemAnalysis]
    said: list[str]

    @property
    def summary(self) -> str:
        labs = ", ".join(f"{lab}: {count}" for lab, count in self.submissions.items()) or "none"
        return f"{self.learners} journals handed in. Submissions by lab: {labs}."

    @property
    def tomorrow(self) -> list[str]:
        """What is worth a word in class: of the last week with mistakes, the guesses far off, the tasks that tell nothing."""
        weeks = [one.week for one in self.mistakes if one.week]
        late = [one for one in self.mistakes if one.week == (max(weeks) if weeks else None) and one.share >= SHARE]
        late = sorted(late, key=lambda one: -one.share)[:SAYINGS]
        found = [
            f"{one.students} of {one.of} met “{one.mistake}” in {one.title}{_page(one.exercise)}: {one.message}"
            for one in late
        ]
        last = self.guesses[-1].topic if self.guesses else ""
        far = sorted(
            (one for one in self.guesses if one.topic == last and one.factor >= OFF), key=lambda one: -one.factor
        )
        for one in far[:SAYINGS]:
            way = "too high" if one.too_high >= 0.5 else "too low"
            share = max(one.too_high, 1 - one.too_high)
            found.append(
                f"The middle guess was off by a factor of {one.factor:.2g}, {_percent(share)} were {way}{_page(one.question)}: {one.text} {one.why}"
            )
        blind = [task for task in self.items if task.separation is Discrimination.NO][:SAYINGS]
        return found + [
            f"{task.title} ({task.lab}) does not tell who has understood the rest: look at what it asks, and at its answer."
            for task in blind
        ]

    def text(self) -> str:
        """For a terminal."""
        parts = [self.summary, "\n".join(self.said)] if self.said else [self.summary]
        for heading, table in (
            ("Guesses", self._guesses()),
            ("Mistakes by week (five students and more)", self._mistakes()),
            ("Tasks", self._items()),
        ):
            if len(table):
                parts.append(f"{heading}\n{table.to_string(index=False)}")
        sayings = "\n".join(f"- {one}" for one in self.tomorrow)
        return "\n\n".join([*parts, f"What to say tomorrow\n{sayings or 'Nothing that the numbers bear.'}"])

    def html(self) -> str:
        """As one page that stands alone."""
        return TEMPLATES.get_template("class.html.j2").render(
            stamp="chip2cluster class",
            overview=self,
            picture=trend.draw_curves(self.curves) if self.curves else None,
            tables={"guesses": self._guesses(), "mistakes": self._mistakes(), "items": self._items()},
            fewest=items.FEWEST,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data, for a notebook of one's own."""
        shown = {name: value for name, value in asdict(self).items() if name != "said"}
        for one in shown["guesses"]:
            del one["ratios"]  # what single learners guessed
        for one in shown["items"]:
            one |= dict.fromkeys([name for name in ("correlation", "low", "high") if one[name] != one[name]])  # no nan
        return {**shown, "factors": list(guesses.FACTORS), "tomorrow": self.tomorrow}

    def _guesses(self) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "question": one.question, "learners": one.learners, "middle guess off by": f"×{one.factor:.2g}",
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
                "with the rest": "–" if one.correlation != one.correlation else f"{one.correlation:.2f} ({one.low:.2f} to {one.high:.2f})",
                "it": one.separation.value,
            }
            for one in self.items
        )  # fmt: skip


def _page(name: str) -> str:
    """Where an exercise or a question stands, as an aside; nothing where no page of the course has it."""
    file = chapters().get(topic(name))
    return f" (page {file.name})" if file else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def build_class_report(root: str | Path, downloads: Iterable[Path] = ()) -> ClassReport:
    """Read what was graded in a course and the journals of a download, and sum them up.

    Parameters
    ----------
    root : path
    downloads : iterable of Path
        Zips and folders with journals; see `journals.read_journals`.

    Raises
    ------
    ValueError
        When there is neither a graded lab nor a journal.
    """
    read, said = journals.read_journals(downloads)
    known = exercises()
    met, analysed, counted = mistakes.mistakes_in_journals(read, known), [], {}
    for lab in _graded(root, said):
        scores, rows, tried = _results(root, lab)
        if len(scores) < guesses.FEWEST:
            continue
        counted[lab.name] = len(scores)
        met += mistakes.mistakes_in_grading(rows, tried, _week(root, lab.name), known)
        analysed += items.analyze_items(lab.name, scores, {task.exercise: task.title for task in lab.tasks})
    if not read and not counted:
        raise ValueError(
            "there is nothing to sum up: grade a lab of five students and more, or name a download with journals, "
            "`--journals DOWNLOAD.zip`" + "".join(f"; {one}" for one in said[:3])
        )
    found = guesses.question_guesses(read, QUESTIONS)
    curves = guesses.curves(found, in_order({one.topic for one in found}))
    met.sort(key=lambda one: (one.week or date.min, -one.students))
    return ClassReport(len(read), counted, found, curves, met, analysed, said)


def write_class_report(made: ClassReport, file: str | Path) -> None:
    """Write it as a page, or as JSON where the file is called so; it is made anew each time."""
    as_json = Path(file).suffix == ".json"
    write_text(Path(file), json.dumps(made.to_json(), indent=1, default=str) if as_json else made.html())


def _graded(root: str | Path, said: list[str]) -> Iterator[Lab]:
    """The labs that have results; ``said`` gets a sentence for each that the course no longer has."""
    folder = ResultStore.of(root, "").folder
    for name in sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else ():
        try:
            yield load(root, name)
        except ValueError as problem:
            said.append(f"{name} was left out: {problem}")


def _results(root: str | Path, lab: Lab) -> tuple[pd.DataFrame, list[tuple[str, str]], Counter[str]]:
    """Share of the points by task, a row a student; exercise and mistake of each that was named; who tried what."""
    shares: list[dict[str, float]] = []
    rows: list[tuple[str, str]] = []
    tried: Counter[str] = Counter()
    for result in ResultStore.of(root, lab.name):
        if result.status == UNREADABLE:
            continue  # it says nothing of any task
        marked = {
            task.exercise: result.exercises[task.exercise] for task in lab.tasks if task.exercise in result.exercises
        }
        shares.append({name: one["score"] / one["max_score"] for name, one in marked.items() if one["max_score"]})
        tried.update(name for name, one in marked.items() if one["verdict"] != NOT_WRITTEN)
        rows += [(name, one["mistake"]) for name, one in marked.items() if one["mistake"]]
    return pd.DataFrame(shares).dropna(axis="columns", how="all").fillna(0.0), rows, tried


def _week(root: str | Path, lab: str) -> date | None:
    with open_gradebook(open_course(root).directory) as book:
        due, _ = due_dates(book, lab)
    return mistakes.monday(due.date()) if due else None
