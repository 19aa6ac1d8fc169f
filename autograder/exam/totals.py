"""Table of the marks of an exam, and the means of its tasks and totals."""

import csv
import io

from ..grading.sanitize.terminal_text import printable
from ..grading.spreadsheet import text_cell
from .exam import Exam
from .marking import ExamMarks


def marks_table(exam: Exam, marked: ExamMarks) -> str:
    """Return marks as CSV: student, total, and for each task the points and the mistake; at the end, what workings show."""
    file = io.StringIO()
    out = csv.writer(file, lineterminator="\n")
    numbers = range(1, len(exam.tasks) + 1)
    with_working = any(one.working for given in marked.marks.values() for one in given)
    tasks = [name for number in numbers for name in (f"task {number}", f"met in {number}")]
    out.writerow(["student", "total", "of", *tasks, *(f"{number} working" for number in numbers if with_working)])
    for who in exam.papers:
        given = marked.marks.get(who, ())
        known = [one.points for one in given if one.points is not None]
        total = f"{sum(known):g}" if given and len(known) == len(given) else ""
        cells = [
            cell
            for one in given
            for cell in ("" if one.points is None else f"{one.points:g}", text_cell(printable(one.says, 200)))
        ]
        workings = [text_cell(one.working) for one in given if with_working]
        out.writerow([text_cell(who), total, f"{exam.points:g}", *cells, *workings])
    return file.getvalue()


def totals_summary(exam: Exam, marked: ExamMarks) -> str:
    """Return the mean of each task and of the totals, over the papers whose marks are complete."""
    complete = [given for given in marked.marks.values() if all(one.points is not None for one in given)]
    if not complete:
        return "no paper has all its marks yet"
    lines = []
    for place, task in enumerate(exam.tasks):
        points = [given[place].points or 0.0 for given in complete]
        right = sum(point == task.points for point in points)
        lines.append(
            f"task {place + 1}: {sum(points) / len(points):.2f} of {task.points:g}, {right} of {len(points)} in full  {task.title}"
        )
    totals = sorted(sum(one.points or 0.0 for one in given) for given in complete)
    lines.append(
        f"total: {sum(totals) / len(totals):.2f} of {exam.points:g}, from {totals[0]:g} to {totals[-1]:g}; "
        f"{len(complete)} of {len(exam.papers)} papers have all their marks"
    )
    return "\n".join(lines)
