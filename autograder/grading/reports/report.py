"""What a class's results say to its instructor: scores, misconceptions, what needs a person."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ...box import Sandbox
from ...verdict import CORRECT, NOT_WRITTEN, Verdict
from ..gradebook.course import open_course
from ..gradebook.marks import Marks, gradebook, marks_of, points
from ..lab import Lab, load
from ..result import UNREADABLE, Result
from ..runs.files import replace
from ..runs.store import load_all
from . import safe
from .histogram import histogram
from .page import PAGES, title_of
from .similar import Pair, answers, similar

SLOWEST, NAMED = 5, 10
SLOW = 5.0  # seconds; a submission below this is no news
SIMILARITY = "Similarity is a reason to look, not proof: short functions have few good forms."


@dataclass
class Report:
    """The results of one lab, as tables.

    Attributes
    ----------
    lab, title : str
    sandboxes : list of Sandbox
        Where the submissions ran.
    catalogues : list of str
        Versions of the chips' figures that the results were graded with; one, unless somebody has to be graded again.
    scores : pandas.Series
        Total points by student: with hand marks and late penalties where the gradebook has them.
    max_score : float
    exercises : pandas.DataFrame
        One row an exercise: share right, share not begun, median points, points it is worth.
    mistakes : pandas.DataFrame
        One row a verdict or named mistake: exercise, how many met it, and who.
    slowest, repaired : pandas.DataFrame
    unreadable, waiting : list of str
        Students whose file was no notebook; students whom a person has still to mark.
    pairs : list of Pair
        Answers that look alike although most do not.
    """

    lab: str
    title: str
    max_score: float
    sandboxes: list[Sandbox]
    catalogues: list[str]
    scores: pd.Series
    exercises: pd.DataFrame
    mistakes: pd.DataFrame
    slowest: pd.DataFrame
    repaired: pd.DataFrame
    unreadable: list[str]
    waiting: list[str]
    pairs: list[Pair]

    @property
    def summary(self) -> str:
        """One line: how many, the median, the quartiles."""
        low, middle, high = self.scores.quantile([0.25, 0.5, 0.75])
        return (
            f"{len(self.scores)} submissions · median {points(middle)} of {points(self.max_score)} points · "
            f"middle half {points(low)} to {points(high)}"
        )

    def text(self) -> str:
        """The report for a terminal; no control character of a student's gets there."""
        parts = [f"{self.lab}: {self.title}", self.summary]
        if Sandbox.UNSANDBOXED in self.sandboxes:
            parts.append("UNSANDBOXED: some of these were graded without a sandbox.")
        if self.catalogues:
            parts.append(f"Catalogue of chips: {', '.join(self.catalogues)}")
        for heading, table in (
            ("Exercises", self.exercises),
            ("Mistakes", self.mistakes.drop(columns="students")),
            ("Slowest", self.slowest),
            ("Repaired", self.repaired),
        ):
            if len(table):
                parts.append(f"{heading}\n{table.to_string(index=False, float_format=points)}")
        for heading, students in (("Unreadable", self.unreadable), ("Waiting for a person", self.waiting)):
            if students:
                more = f" and {len(students) - NAMED} more" if len(students) > NAMED else ""
                parts.append(f"{heading}: {', '.join(students[:NAMED])}{more}")
        if self.pairs:
            lines = [f"{pair.exercise}: {pair.first} and {pair.second} ({pair.share:.0%})" for pair in self.pairs]
            parts.append("\n".join(["Alike", *lines, SIMILARITY]))
        return "\n\n".join(parts)

    def html(self) -> str:
        """The report as one page that stands alone."""
        return PAGES.get_template("report.html.j2").render(
            stamp="chip2cluster report",
            report=self,
            unsandboxed=Sandbox.UNSANDBOXED in self.sandboxes,
            histogram=histogram(list(self.scores), self.max_score),
            similarity=SIMILARITY,
        )


def report(results: Iterable[Result], lab: Lab, marks: dict[str, Marks] | None = None) -> Report:
    """Sum up the results of a lab.

    Parameters
    ----------
    results : iterable of Result
        Read once, one at a time.
    lab : Lab
    marks : dict, optional
        `Marks` by student from the gradebook; without it only machine points count.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        When there is no result.
    """
    marks = marks or {}
    scores: dict[str, float] = {}
    written: dict[str, dict[str, str]] = {}
    rows: list[dict[str, Any]] = []
    work, repaired, unreadable, waiting, sandboxes, catalogues = [], [], [], [], set(), set()
    for result in results:
        who = safe.clean(result.student)
        mark = marks.get(result.student)
        scores[who] = mark.score if mark else result.score
        catalogues.add(result.catalogue)
        if result.sandbox is not None:
            sandboxes.add(result.sandbox)
        rows += [{"student": who, "id": name, **marked} for name, marked in result.exercises.items()]
        work.append({"student": who, "seconds": round(result.seconds, 1)})
        if result.repairs:
            repaired.append({"student": who, "repairs": len(result.repairs), "first": safe.clean(result.repairs[0])})
        if result.status == UNREADABLE:
            unreadable.append(who)
        elif lab.by_hand and (mark is None or mark.waiting):
            waiting.append(who)
        written[who] = answers(result, lab)
    if not scores:
        raise ValueError(f"nothing was graded yet of {lab.name}: run `autograder grade {lab.name}` first")
    table = pd.DataFrame(rows, columns=["student", "id", "score", "max_score", "verdict", "message", "mistake"])
    slow = pd.DataFrame(work).nlargest(SLOWEST, "seconds")
    return Report(
        lab=lab.name,
        title=title_of(lab),
        # Points by hand count as soon as any total holds them.
        max_score=lab.max_score + (sum(lab.by_hand.values()) if marks else 0.0),
        sandboxes=sorted(sandboxes),
        catalogues=sorted(filter(None, catalogues)),
        scores=pd.Series(scores, dtype=float),
        exercises=_exercises(table, lab),
        mistakes=_mistakes(table, lab),
        slowest=slow[slow.seconds >= SLOW],
        repaired=pd.DataFrame(repaired, columns=["student", "repairs", "first"]),
        unreadable=sorted(unreadable),
        waiting=sorted(waiting),
        pairs=similar(written, lab),
    )


def report_on(root: str | Path, lab: str) -> Report:
    """Read a lab's stored results and its gradebook, and sum them up."""
    with gradebook(open_course(root).directory) as book:
        marks = marks_of(book, lab)
    return report(load_all(root, lab), load(root, lab), marks)


def write_report(made: Report, file: str | Path) -> None:
    """Write a `Report` as a page that stands alone; it is made anew each time."""
    replace(Path(file), made.html())


def _exercises(table: pd.DataFrame, lab: Lab) -> pd.DataFrame:
    rows = []
    for task in lab.tasks:
        of_task = table[table.id == task.exercise]
        rows.append(
            {
                "exercise": task.title,
                "right": f"{(of_task.verdict == CORRECT).mean():.0%}" if len(of_task) else "–",
                "not begun": f"{(of_task.verdict == NOT_WRITTEN).mean():.0%}" if len(of_task) else "–",
                "median": of_task.score.median() if len(of_task) else float("nan"),
                "of": task.points,
            }
        )
    return pd.DataFrame(rows)


def _mistakes(table: pd.DataFrame, lab: Lab) -> pd.DataFrame:
    """Verdicts other than right, with their named mistakes; the most frequent first."""
    met, titles = defaultdict(list), {task.exercise: task.title for task in lab.tasks}
    for row in table.itertuples():
        if row.verdict not in (CORRECT, NOT_WRITTEN):
            heading = Verdict(row.id, "", row.verdict, "", 0, 0, mistake=row.mistake).heading
            met[row.id, heading].append(row.student)
    rows = [
        {"exercise": titles.get(name, name), "mistake": heading, "met by": len(who), "students": sorted(who)}
        for (name, heading), who in sorted(met.items(), key=lambda item: -len(item[1]))
    ]
    return pd.DataFrame(rows, columns=["exercise", "mistake", "met by", "students"])
