"""Report on a lab's results for the instructor: scores, mistakes, and submissions that need attention."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN

from ...atomic_write import write_text
from ...checking.verdict import Verdict
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..gradebook.lateness import late_submissions
from ..gradebook.marks import Marks, load_marks
from ..lab import Lab, load
from ..marking.likeness import AnswerTexts, ClassLikeness
from ..marking.rubric import model_answer
from ..result import UNREADABLE, Result
from ..result_store import ResultStore
from ..sanitize.terminal_text import printable
from .answer_cells import untouched_name, untouched_questions
from .feedback_page import lab_title
from .lab_report import AlikeAnswers, LabReport
from .rating_chart import board_views
from .similarity import IdenticalAnswers, answer_texts, identical_answers, similar_pairs

MAX_SLOWEST = 5
SLOW_SECONDS = 5.0  # faster submissions are not listed


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
        # Written answers are compared by what they share word for word, as on the marking page.
        pairs=[pair for pair in similar_pairs(written, lab) if pair.exercise not in lab.by_hand],
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
    loaded = load(root, lab)
    texts = {question: AnswerTexts(loaded, question) for question in loaded.by_hand}

    def results() -> Iterator[Result]:
        for result in ResultStore.of(root, lab):
            seen.add(result.student)
            for answers in texts.values():
                answers.add(result)
            yield result

    lab_report = build_report(results(), loaded, marks)
    lab_report.alike = [
        found
        for question, answers in texts.items()
        if (found := _alike(question, answers.likeness(model_answer(root, lab, question)), lab_report.same)).pairs
    ]
    lab_report.absent = [printable(student) for student in sorted({*everyone} - seen)]
    lab_report.late = pd.DataFrame([one.row() | {"student": printable(one.student)} for one in late])
    return lab_report


def _alike(question: str, likeness: ClassLikeness, same: list[IdenticalAnswers]) -> AlikeAnswers:
    """Return the alike answers to a question, without those in a group of identical ones."""
    pairs, more = likeness.pairs()
    groups = [set(group.students) for group in same if group.exercise == question]
    kept = [one for one in pairs if not any({one.student, one.other} <= group for group in groups)]
    return AlikeAnswers(question, kept, more)


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
