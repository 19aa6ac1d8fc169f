"""What a class's results say to its instructor: scores, misconceptions, what needs a person."""

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
from ..gradebook.marks import Marks, format_points, load_marks
from ..lab import Lab, load
from ..result import UNREADABLE, Result
from ..result_store import ResultStore
from ..sanitize.terminal_text import printable
from .board import BoardView, board_views
from .histogram import histogram
from .page import TEMPLATES, lab_title
from .similarity import IdenticalAnswers, SimilarPair, answer_texts, identical_answers, similar_pairs

SLOWEST = 5
SLOW = 5.0  # seconds; a submission below this is no news
HINTS = (
    "Counted is what a notebook still shows: the cards of hint() and check(). It knows nothing of outputs that were cleared, "
    "of cells that were deleted, of hints read on another page or over a shoulder; no line is no proof that none was read."
)
SIMILARITY = "Similarity is a reason to look, not proof: short functions have few good forms."


@dataclass
class LabReport:
    """The results of one lab, as tables.

    Attributes
    ----------
    lab, title : str
    sandboxes : list of SandboxType
        Where the submissions ran.
    catalogues : list of str
        Versions of the chips' figures that the results were graded with; one, unless somebody has to be graded again.
    scores : pandas.Series
        Total points by student: with hand marks and late penalties where the gradebook has them.
    max_score : float
    machine : pandas.Series
        Points by student of what the machine marks, changes by hand included.
    machine_max : float
    exercises : pandas.DataFrame
        One row an exercise: share right, share not begun, median points, points it is worth.
    mistakes : pandas.DataFrame
        One row a verdict or named mistake: exercise, how many met it, and who.
    slowest, repaired : pandas.DataFrame
    unreadable, waiting, outdated : list of str
        Students whose file was no notebook; students whom a person has still to mark; those of them whose
        work was changed after a person had marked it.
    pairs : list of Pair
        Answers that look alike although most do not.
    same : list of Same
        Written answers of several students in the same words.
    hints : pandas.DataFrame
        One row an exercise of which hints were read, as far as notebooks say so: by how many students, how many in all.
    hint_readers : int
        Students whose notebooks say that hints were read.
    boards : list of Shown
        Where answers stand among the best there could be, for exercises that have a board.
    absent : list of str
        Students of the gradebook who handed in nothing that was graded.
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

    @property
    def summary(self) -> str:
        """One line: how many, the median, the quartiles; of what the machine marks while a person has still to mark."""
        scores, worth = self._marked
        low, middle, high = scores.quantile([0.25, 0.5, 0.75])
        parts = [
            f"{len(scores)} submissions",
            f"{'by machine: ' if self.waiting else ''}median {format_points(middle)} of {format_points(worth)} points",
            f"middle half {format_points(low)} to {format_points(high)}",
        ]
        if self.waiting:
            parts.append(f"{len(self.waiting)} {'waits' if len(self.waiting) == 1 else 'wait'} for a person")
        return " · ".join(parts)

    @property
    def _marked(self) -> tuple[pd.Series, float]:
        """The points that can be compared, and the most of them: totals once nobody waits for a person."""
        return (self.machine, self.machine_max) if self.waiting else (self.scores, self.max_score)

    @property
    def _hint_readers(self) -> str:
        return f"{self.hint_readers} of {len(self.scores)} notebooks say that hints were read."

    def text(self) -> str:
        """The report for a terminal; no control character of a student's gets there."""
        parts = [f"{self.lab}: {self.title}", self.summary]
        if SandboxType.UNSANDBOXED in self.sandboxes:
            parts.append("UNSANDBOXED: some of these were graded without a sandbox.")
        if self.catalogues:
            parts.append(f"Catalogue of chips: {', '.join(self.catalogues)}")
        for heading, table in (
            ("Exercises", self.exercises),
            ("Mistakes", self.mistakes.drop(columns="students")),
            ("Hints read", self.hints),
            ("Slowest", self.slowest),
            ("Repaired", self.repaired),
        ):
            if len(table):
                parts.append(f"{heading}\n{table.to_string(index=False, float_format=format_points)}")
        if len(self.hints):
            parts.append(f"{self._hint_readers} {HINTS}")
        parts += [f"{board.title}: {board.count}" for board in self.boards]
        for heading, students in (
            ("Handed in nothing", self.absent),
            ("Unreadable", self.unreadable),
            ("Waiting for a person", self.waiting),
            ("Changed since a person marked it; the old mark counts until somebody looks again", self.outdated),
        ):
            if students:
                parts.append(f"{heading} ({len(students)}): {', '.join(students)}")
        if self.pairs or self.same:
            lines = [
                f"{one.exercise}: {len(one.students)} answers are the same text: {', '.join(one.students)}"
                for one in self.same
            ]
            lines += [f"{pair.exercise}: {pair.first} and {pair.second} ({pair.share:.0%})" for pair in self.pairs]
            parts.append("\n".join(["Alike", *lines, SIMILARITY]))
        return "\n\n".join(parts)

    def html(self) -> str:
        """The report as one page that stands alone."""
        return TEMPLATES.get_template("report.html.j2").render(
            stamp="chip2cluster report",
            report=self,
            unsandboxed=SandboxType.UNSANDBOXED in self.sandboxes,
            histogram=histogram(list(self._marked[0]), self._marked[1]),
            similarity=SIMILARITY,
            hints_note=f"{self._hint_readers} {HINTS}",
        )


def build_report(results: Iterable[Result], lab: Lab, marks: dict[str, Marks] | None = None) -> LabReport:
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
    machine: dict[str, float] = {}
    written: dict[str, dict[str, str]] = {}
    rows: list[dict[str, Any]] = []
    hints: list[dict[str, int]] = []
    work, repaired, unreadable, waiting, outdated, sandboxes, catalogues = [], [], [], [], [], set(), set()
    for result in results:
        who = _name(result.student, scores)
        mark = marks.get(result.student)
        scores[who] = mark.score if mark else result.score
        machine[who] = _by_machine(result, lab, mark)
        catalogues.add(result.catalogue)
        if result.sandbox is not None:
            sandboxes.add(result.sandbox)
        rows += [{"student": who, "id": name, **marked} for name, marked in result.exercises.items()]
        hints.append(result.hints)
        work.append({"student": who, "seconds": round(result.seconds, 1)})
        if result.repairs:
            repaired.append(
                {"student": who, "repairs": len(result.repairs), "first": printable(result.repairs[0], 400)}
            )
        if result.status == UNREADABLE:
            unreadable.append(who)
        elif mark.waiting if mark else lab.by_hand:
            waiting.append(who)
        if mark and mark.outdated:
            outdated.append(who)
        written[who] = answer_texts(result, lab)
    if not scores:
        raise ValueError(f"nothing was graded yet of {lab.name}: run `autograder grade {lab.name}` first")
    table = pd.DataFrame(rows, columns=["student", "id", "score", "max_score", "verdict", "message", "mistake"])
    groups = identical_answers(written, lab)
    slow = pd.DataFrame(work).nlargest(SLOWEST, "seconds")
    return LabReport(
        lab=lab.name,
        title=lab_title(lab),
        # Points by hand count as soon as any total holds them.
        max_score=lab.max_score + (sum(lab.by_hand.values()) if marks else 0.0),
        sandboxes=sorted(sandboxes),
        catalogues=sorted(filter(None, catalogues)),
        scores=pd.Series(scores, dtype=float),
        machine=pd.Series(machine, dtype=float),
        machine_max=lab.max_score,
        exercises=_exercises(table, lab),
        mistakes=_mistakes(table, lab),
        slowest=slow[slow.seconds >= SLOW],
        repaired=pd.DataFrame(repaired, columns=["student", "repairs", "first"]),
        unreadable=sorted(unreadable),
        waiting=sorted(waiting),
        outdated=sorted(outdated),
        pairs=[pair for pair in similar_pairs(written, lab) if not any(pair in group for group in groups)],
        same=groups,
        boards=board_views(rows, lab),
        hints=_hints(hints, lab),
        hint_readers=sum(any(read.values()) for read in hints),
    )


def _name(student: str, taken: Collection[str]) -> str:
    """A student's id, fit for a terminal; two that look the same there stay two."""
    name, number = printable(student), 1
    while name in taken:
        number += 1
        name = f"{printable(student)} ({number})"
    return name


def _by_machine(result: Result, lab: Lab, marks: Marks | None) -> float:
    """Points of the tasks that the machine marks; what a person changed there counts."""
    cells = marks.cells if marks else {}
    return sum(
        cells[task.cell].score if task.cell in cells else result.exercises.get(task.exercise, {"score": 0.0})["score"]
        for task in lab.tasks
    )


def report_on_lab(root: str | Path, lab: str) -> LabReport:
    """Read a lab's stored results and its gradebook, and sum them up."""
    with open_gradebook(open_course(root).directory) as book:
        marks = load_marks(book, lab)
        everybody = [] if book is None else [one.id for one in book.students]
    seen = set()

    def results() -> Iterator[Result]:
        for result in ResultStore.of(root, lab):
            seen.add(result.student)
            yield result

    made = build_report(results(), load(root, lab), marks)
    made.absent = [printable(student) for student in sorted({*everybody} - seen)]
    return made


def write_report(made: LabReport, file: str | Path) -> None:
    """Write a `LabReport` as a page that stands alone; it is made anew each time."""
    write_text(Path(file), made.html())


def _hints(read: list[dict[str, int]], lab: Lab) -> pd.DataFrame:
    """Exercises of which hints were read, in the order of the lab."""
    counts = [(task.title, [one[task.exercise] for one in read if one.get(task.exercise)]) for task in lab.tasks]
    rows = [{"exercise": title, "read by": len(found), "hints": sum(found)} for title, found in counts if found]
    return pd.DataFrame(rows, columns=["exercise", "read by", "hints"])


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
