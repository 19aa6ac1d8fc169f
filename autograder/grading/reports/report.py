"""Report on a lab's results for the instructor: scores, mistakes, and submissions that need attention."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN

from ...atomic_write import write_text
from ...checking.verdict import Verdict
from ...sandbox import SandboxType
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..gradebook.lateness import late_submissions
from ..gradebook.marks import Marks, format_points, load_marks
from ..lab import Lab, load
from ..result import UNREADABLE, Result
from ..result_store import ResultStore
from ..sanitize.terminal_text import printable
from .answer_cells import untouched_name, untouched_questions
from .feedback_page import TEMPLATES, lab_title
from .histogram import histogram
from .rating_chart import BoardView, board_views
from .similarity import IdenticalAnswers, SimilarPair, answer_texts, identical_answers, similar_pairs

MAX_SLOWEST = 5
SLOW_SECONDS = 5.0  # faster submissions are not listed
HINTS = (
    "Hints are counted by the outputs of hint() and check() in the notebook. Cleared outputs, deleted cells and hints read "
    "elsewhere are not counted, so a missing line does not prove that no hint was read."
)
ELSEWHERE = "Written answer outside its cell; formgrader shows its text in the answer cell"
UNTOUCHED = "0 points, left the written question untouched"
SIMILARITY = "Similarity is a reason to look, not proof: there are few good ways to write a short function."


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
        return "\n\n".join(parts)

    def html(self) -> str:
        """Return the report as one self-contained HTML page."""
        return TEMPLATES.get_template("report.html.j2").render(
            stamp="chip2cluster report",
            report=self,
            unsandboxed=SandboxType.UNSANDBOXED in self.sandboxes,
            histogram=histogram(list(self._comparable_scores[0]), self._comparable_scores[1]),
            similarity=SIMILARITY,
            headings={"elsewhere": ELSEWHERE, "untouched": UNTOUCHED},
            hints_note=f"{self._hint_readers} {HINTS}",
        )


def build_report(results: Iterable[Result], lab: Lab, marks: dict[str, Marks] | None = None) -> LabReport:
    """Build the report on the results of a lab.

    Parameters
    ----------
    results : iterable of Result
        Results, read once and one at a time.
    lab : Lab
    marks : dict, optional
        `Marks` of the gradebook by student; if omitted, only autograded points count.

    Returns
    -------
    LabReport

    Raises
    ------
    ValueError
        If there is no result.
    """
    marks = marks or {}
    scores: dict[str, float] = {}
    machine: dict[str, float] = {}
    written: dict[str, dict[str, str]] = {}
    rows: list[dict[str, Any]] = []
    hints: list[dict[str, int]] = []
    work, repaired, unreadable, waiting, outdated, sandboxes, catalogues = [], [], [], [], [], set(), set()
    elsewhere: list[str] = []
    untouched: list[str] = []
    failed: list[str] = []
    unmarked: list[str] = []
    for result in results:
        student = _name(result.student, scores)
        mark = marks.get(result.student)
        scores[student] = mark.score if mark else result.score
        machine[student] = _by_machine(result, lab, mark)
        catalogues.add(result.catalogue)
        if result.sandbox is not None:
            sandboxes.add(result.sandbox)
        # The grader's own failure says nothing about the answers.
        judged = {name: marked for name, marked in result.exercises.items() if not marked.get("fault", False)}
        rows += [{"student": student, "id": name, **marked} for name, marked in judged.items()]
        if result.fault and (mark is None or mark.waiting):
            failed.append(student)
            unmarked.append(student)
        hints.append(result.hints)
        work.append({"student": student, "seconds": round(result.seconds, 1)})
        if result.repairs:
            repaired.append(
                {"student": student, "repairs": len(result.repairs), "first": printable(result.repairs[0], 400)}
            )
        if result.status == UNREADABLE:
            unreadable.append(student)
            if mark is None or not mark.by_hand:
                unmarked.append(student)
        elif mark.waiting if mark else lab.by_hand:
            waiting.append(student)
        if mark and mark.outdated:
            outdated.append(student)
        if result.found:
            places = dict.fromkeys(printable(place) for found in result.found.values() for place in found)
            elsewhere.append(f"{student} ({', '.join(places)})")
        if cells := untouched_questions(result, lab, mark):
            untouched.append(untouched_name(student, cells, lab))
        written[student] = answer_texts(result, lab)
    if not scores:
        raise ValueError(f"nothing was graded yet of {lab.name}: run `autograder grade {lab.name}` first")
    table = pd.DataFrame(rows, columns=["student", "id", "score", "max_score", "verdict", "message", "mistake"])
    groups = identical_answers(written, lab)
    slow = pd.DataFrame(work).nlargest(MAX_SLOWEST, "seconds")
    return LabReport(
        lab=lab.name,
        title=lab_title(lab),
        # Totals of the gradebook include points by hand.
        max_score=lab.max_score + (sum(lab.by_hand.values()) if marks else 0.0),
        sandboxes=sorted(sandboxes),
        catalogues=sorted(filter(None, catalogues)),
        scores=pd.Series(scores, dtype=float),
        machine=pd.Series(machine, dtype=float),
        machine_max=lab.max_score,
        exercises=_exercises(table, lab),
        mistakes=_mistakes(table, lab),
        slowest=slow[slow.seconds >= SLOW_SECONDS],
        repaired=pd.DataFrame(repaired, columns=["student", "repairs", "first"]),
        unreadable=sorted(unreadable),
        failed=sorted(failed),
        unmarked=sorted({*unmarked}),
        waiting=sorted(waiting),
        outdated=sorted(outdated),
        elsewhere=sorted(elsewhere),
        untouched=sorted(untouched),
        pairs=[pair for pair in similar_pairs(written, lab) if not any(pair in group for group in groups)],
        same=groups,
        boards=board_views(rows, lab),
        hints=_hints(hints, lab),
        hint_readers=sum(any(read.values()) for read in hints),
    )


def _name(student: str, taken: Collection[str]) -> str:
    """Return a student's id as printable text, with a number if two ids would look the same."""
    name, number = printable(student), 1
    while name in taken:
        number += 1
        name = f"{printable(student)} ({number})"
    return name


def _by_machine(result: Result, lab: Lab, marks: Marks | None) -> float:
    """Return the points of autograded tasks, including changes by hand."""
    cells = marks.cells if marks else {}
    return sum(
        cells[task.cell].score if task.cell in cells else result.exercises.get(task.exercise, {"score": 0.0})["score"]
        for task in lab.tasks
    )


def report_on_lab(root: str | Path, lab: str) -> LabReport:
    """Build the report from a lab's stored results and its gradebook."""
    with open_gradebook(open_course(root).directory) as book:
        marks = load_marks(book, lab)
        everyone = [] if book is None else [one.id for one in book.students]
        late = [] if book is None else late_submissions(root, lab, book)
    seen = set()

    def results() -> Iterator[Result]:
        for result in ResultStore.of(root, lab):
            seen.add(result.student)
            yield result

    lab_report = build_report(results(), load(root, lab), marks)
    lab_report.absent = [printable(student) for student in sorted({*everyone} - seen)]
    lab_report.late = pd.DataFrame([one.row() | {"student": printable(one.student)} for one in late])
    return lab_report


def write_report(report: LabReport, file: str | Path) -> None:
    """Write a report as a self-contained HTML page; an existing file is replaced."""
    write_text(Path(file), report.html())


def _hints(read: list[dict[str, int]], lab: Lab) -> pd.DataFrame:
    """Return a table of the exercises with hints read, in the order of the lab."""
    counts = [(task.title, [one[task.exercise] for one in read if one.get(task.exercise)]) for task in lab.tasks]
    rows = [{"exercise": title, "students": len(found), "hints": sum(found)} for title, found in counts if found]
    return pd.DataFrame(rows, columns=["exercise", "students", "hints"])


def _exercises(table: pd.DataFrame, lab: Lab) -> pd.DataFrame:
    rows = []
    for task in lab.tasks:
        of_task = table[table.id == task.exercise]
        rows.append(
            {
                "exercise": task.title,
                "correct": f"{(of_task.verdict == CORRECT).mean():.0%}" if len(of_task) else "–",
                "not started": f"{(of_task.verdict == NOT_WRITTEN).mean():.0%}" if len(of_task) else "–",
                "median": of_task.score.median() if len(of_task) else float("nan"),
                "of": task.points,
            }
        )
    return pd.DataFrame(rows)


def _mistakes(table: pd.DataFrame, lab: Lab) -> pd.DataFrame:
    """Return a table of verdicts other than correct, with their named mistakes; the most frequent first."""
    students, titles = defaultdict(list), {task.exercise: task.title for task in lab.tasks}
    for row in table.itertuples():
        if row.verdict not in (CORRECT, NOT_WRITTEN):
            heading = Verdict(row.id, "", row.verdict, "", 0, 0, mistake=row.mistake).heading
            students[row.id, heading].append(row.student)
    rows = [
        {"exercise": titles.get(name, name), "mistake": heading, "count": len(names), "students": sorted(names)}
        for (name, heading), names in sorted(students.items(), key=lambda item: -len(item[1]))
    ]
    return pd.DataFrame(rows, columns=["exercise", "mistake", "count", "students"])
