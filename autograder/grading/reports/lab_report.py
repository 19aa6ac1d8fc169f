"""Results of one lab as tables, with their forms as text and as HTML."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pandas as pd

from ...sandbox import SandboxType
from ..gradebook.marks import format_points
from ..marking.likeness import MODEL, Likeness
from ..sanitize.terminal_text import printable
from .feedback_page import TEMPLATES
from .histogram import histogram
from .rating_chart import BoardView
from .similarity import IdenticalAnswers, SimilarPair

HINTS = (
    "Hints are counted by the outputs of hint() and check() in the notebook. Cleared outputs, deleted cells and hints read "
    "elsewhere are not counted, so a missing line does not prove that no hint was read."
)
ELSEWHERE = "Written answer outside its cell; formgrader shows its text in the answer cell"
UNTOUCHED = "0 points, left the written question untouched"
SIMILARITY = "Similarity is a reason to look, not proof: there are few good ways to write a short function."
ALIKE = (
    "Words in runs of at least 6 that both texts have; the question, given tables and a student's own output are not counted. "
    "It is a reason to look, and changes no mark."
)


@dataclass(frozen=True)
class AlikeAnswers:
    """Written answers to one question that share much with another or with the model answer, and how many more pairs do."""

    question: str
    pairs: list[Likeness]
    more: int

    def rows(self) -> Iterator[tuple[str, str, int, int, str, str]]:
        """Yield student, other text, percent of the student's words, words of the longest passage, and it in both texts."""
        for one in self.pairs:
            other = printable(one.other) if one.other != MODEL else "the model answer"
            yield printable(one.student), other, round(100 * one.share), one.longest, one.here, one.there

    @property
    def rest(self) -> str:
        """Sentence on pairs that are not listed; empty if all are."""
        return f"{self.more} more pairs are alike." if self.more else ""


@dataclass
class LabReport:
    """Results of one lab, as tables.

    Attributes
    ----------
    lab, title : str
    sandboxes : list of SandboxType
        Kinds of sandboxes in which the submissions ran.
    catalogues : list of str
        Versions of the accelerator data of the results; more than one if submissions must be graded again.
    scores : pandas.Series
        Total points by student, with hand marks and late penalties of the gradebook.
    max_score : float
    machine : pandas.Series
        Points of autograded cells by student, including changes by hand.
    machine_max : float
    exercises : pandas.DataFrame
        One row for each exercise: shares correct and not started, median points, maximum points.
    mistakes : pandas.DataFrame
        One row for each verdict or named mistake of an exercise: number of students, and their ids.
    slowest, repaired : pandas.DataFrame
    unreadable : list of str
        Students whose file was not a notebook.
    failed : list of str
        Students on whose work the grader itself failed, unless a person has given the points.
    unmarked : list of str
        Students without a mark, because the grader failed or the file could not be read; no statistics count them.
    waiting : list of str
        Students not yet marked by hand.
    outdated : list of str
        Students who changed their work after it was marked by hand.
    elsewhere : list of str
        Students whose written answer stood outside its cell, each with the places.
    untouched : list of str
        Students who left the written question as released and have 0 points for it.
    pairs : list of SimilarPair
        Pairs of unusually similar answers.
    same : list of IdenticalAnswers
        Written answers of several students in the same words.
    alike : list of AlikeAnswers
        Written answers that share long passages with another or with the model answer, by question.
    hints : pandas.DataFrame
        One row for each exercise with hints read according to notebooks: number of students, number of hints.
    hint_readers : int
        Number of students whose notebooks say that hints were read.
    boards : list of BoardView
        Pictures of the distance between answers and the best possible ones.
    absent : list of str
        Students of the gradebook without a graded submission.
    late : pandas.DataFrame
        One row for each late submission: time, points lost, late days used and left.
    """

    lab: str
    title: str
    max_score: float
    machine: pd.Series
    machine_max: float
    sandboxes: list[SandboxType]
    catalogues: list[str]
    scores: pd.Series
    exercises: pd.DataFrame
    mistakes: pd.DataFrame
    slowest: pd.DataFrame
    repaired: pd.DataFrame
    unreadable: list[str]
    waiting: list[str]
    outdated: list[str]
    pairs: list[SimilarPair]
    same: list[IdenticalAnswers]
    boards: list[BoardView]
    hints: pd.DataFrame
    hint_readers: int
    alike: list[AlikeAnswers] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    late: pd.DataFrame = field(default_factory=pd.DataFrame)
    failed: list[str] = field(default_factory=list)
    unmarked: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """One line: number of submissions, median and quartiles; of autograded points until all is marked by hand."""
        scores, worth = self._comparable_scores
        parts = [f"{len(self.scores)} submissions"]
        if len(scores):
            low, middle, high = scores.quantile([0.25, 0.5, 0.75])
            parts += [
                f"{'autograded: ' if self.waiting else ''}median {format_points(middle)} of {format_points(worth)} points",
                f"middle half {format_points(low)} to {format_points(high)}",
            ]
        if self.unmarked:
            parts.append(f"{len(self.unmarked)} without a mark and not counted")
        if self.waiting:
            parts.append(f"{len(self.waiting)} not yet marked by hand")
        return " · ".join(parts)

    @property
    def _comparable_scores(self) -> tuple[pd.Series, float]:
        """Points to compare and their maximum: totals, or autograded points until all is marked by hand."""
        scores, worth = (self.machine, self.machine_max) if self.waiting else (self.scores, self.max_score)
        return scores.drop(self.unmarked), worth

    @property
    def _hint_readers(self) -> str:
        return f"{self.hint_readers} of {len(self.scores)} notebooks say that hints were read."

    def text(self) -> str:
        """Return the report for a terminal, without control characters from students."""
        parts = [f"{self.lab}: {self.title}", self.summary]
        if SandboxType.UNSANDBOXED in self.sandboxes:
            parts.append("UNSANDBOXED: some submissions were graded without a sandbox.")
        if self.catalogues:
            parts.append(f"Catalogue of chips: {', '.join(self.catalogues)}")
        for heading, table in (
            ("Exercises", self.exercises),
            ("Mistakes", self.mistakes.drop(columns="students").rename(columns={"count": "students"})),
            ("Hints read", self.hints),
            ("Late", self.late),
            ("Slowest", self.slowest),
            ("Repaired", self.repaired),
        ):
            if len(table):
                parts.append(f"{heading}\n{table.to_string(index=False, float_format=format_points)}")
        if len(self.hints):
            parts.append(f"{self._hint_readers} {HINTS}")
        parts += [f"{board.title}: {board.count}" for board in self.boards]
        for heading, students in (
            ("No submission", self.absent),
            ("Unreadable", self.unreadable),
            ("The grader itself failed; grade again or mark by hand", self.failed),
            ("Not yet marked by hand", self.waiting),
            ("Changed since it was marked by hand; the old mark counts until it is marked again", self.outdated),
            (ELSEWHERE, self.elsewhere),
            (UNTOUCHED, self.untouched),
        ):
            if students:
                parts.append(f"{heading} ({len(students)}): {', '.join(students)}")
        if self.pairs or self.same:
            lines = [
                f"{one.exercise}: {len(one.students)} identical answers: {', '.join(one.students)}" for one in self.same
            ]
            lines += [f"{pair.exercise}: {pair.first} and {pair.second} ({pair.share:.0%})" for pair in self.pairs]
            parts.append("\n".join(["Similar answers", *lines, SIMILARITY]))
        for found in self.alike:
            lines = [
                f"{student} and {other}: {share} % of the words of {student}, longest passage {longest} words"
                for student, other, share, longest, *_ in found.rows()
            ]
            parts.append("\n".join([f"Alike answers to {found.question}", *lines, *filter(None, [found.rest]), ALIKE]))
        return "\n\n".join(parts)

    def html(self) -> str:
        """Return the report as one self-contained HTML page."""
        return TEMPLATES.get_template("report.html.j2").render(
            stamp="chip2cluster report",
            report=self,
            unsandboxed=SandboxType.UNSANDBOXED in self.sandboxes,
            histogram=histogram(list(self._comparable_scores[0]), self._comparable_scores[1]),
            similarity=SIMILARITY,
            alike_note=ALIKE,
            headings={"elsewhere": ELSEWHERE, "untouched": UNTOUCHED},
            hints_note=f"{self._hint_readers} {HINTS}",
        )
