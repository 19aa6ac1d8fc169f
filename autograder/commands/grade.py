"""``autograder grade``: grade the submissions of a lab."""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .common import DONE, MOST_LINES, NEEDS_ATTENTION, add_lab_and_root, progress_bar

if TYPE_CHECKING:
    from ..grading.runs.grading_run import GradingRun

HELP = "grade the submissions of a lab, and enter the marks in nbgrader's gradebook"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder grade``."""
    add_lab_and_root(parser)
    parser.add_argument(
        "--submitted", type=Path, metavar="DIR", help="folder of the submissions, as DIR/STUDENT/LAB/LAB.ipynb"
    )
    parser.add_argument("--student", metavar="ID", help="grade this student only")
    parser.add_argument("--jobs", type=int, metavar="N", help="number of processes (default: one per processor)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write a report as JSON")
    parser.add_argument(
        "--regrade", action="store_true", help="also grade unchanged submissions; marks entered by hand stay"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="grade on the Dask cluster with this scheduler")
    parser.add_argument(
        "--new-secret",
        action="store_true",
        help="grade although the course secret is not that of the last time: everything is graded again on other cases",
    )
    parser.add_argument(
        "--unsandboxed",
        action="store_true",
        help="grade even if no sandbox works here: only if you trust all of these students",
    )


def run(options: Namespace) -> int:
    """Grade, with a progress bar on stderr, and print a table on stdout."""
    from ..grading.runs.grading_run import write_report
    from ..grading.runs.pipeline import grade_lab

    with progress_bar(options.lab) as progress:
        graded = grade_lab(
            options.root,
            options.lab,
            submitted=options.submitted,
            student=options.student,
            jobs=options.jobs,
            regrade=options.regrade,
            unsandboxed=options.unsandboxed,
            scheduler=options.scheduler,
            new_secret=options.new_secret,
            progress=progress,
            announce=lambda sentence: print(sentence, file=sys.stderr, flush=True),
        )
    if options.json:
        write_report(graded, options.json)
    print(table(graded))
    for warning in _warnings(graded):
        print(warning, file=sys.stderr)
    return DONE if graded.clean else NEEDS_ATTENTION


def table(graded: "GradingRun") -> str:
    """Return a line for each student and a summary; in a large class, lines only for students who need a look."""
    from ..grading.result import GRADED
    from ..grading.sanitize.terminal_text import printable

    rows = graded.rows
    if len(rows) > MOST_LINES:
        rows = {student: row for student, row in rows.items() if _status(row) != GRADED or row["repairs"]}
    width = max((len(printable(student)) for student in rows), default=0)
    lines = []
    for student, row in list(rows.items())[:MOST_LINES]:
        repairs = f"  {printable(row['repairs'][0], 400)}" if row["repairs"] else ""
        more = f" (and {len(row['repairs']) - 1} more)" if len(row["repairs"]) > 1 else ""
        lines.append(
            f"{printable(student):{width}}  {row['score']:6g} of {row['max_score']:g}  {_status(row):18}{repairs}{more}".rstrip()
        )
    if len(rows) > MOST_LINES:
        lines.append(f"… and {len(rows) - MOST_LINES} more that need a look; --json has them all")
    counts = Counter(_status(row) for row in graded.rows.values())
    kinds = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in sorted(counts.items()))
    lines.append(
        f"{graded.lab}: {kinds}. {graded.graded} graded now, {graded.reused} unchanged. Sandbox: {graded.sandbox}."
    )
    if graded.repeated:
        lines.append(
            f"Graded once more, alone, because a time limit was hit: {graded.repeated}. The second marks count."
        )
    if graded.not_repeated:
        lines.append(
            f"The same was due to {graded.not_repeated} more, for which it took too long: grade them with --regrade --student "
            "ID on a machine with less to do."
        )
    return "\n".join(lines)


def _status(row: dict[str, Any]) -> str:
    """Return the status, or that the grader itself failed and the earlier marks stay."""
    return "kept" if row.get("kept") else str(row["status"])


def _warnings(graded: "GradingRun") -> list[str]:
    from ..grading.sanitize.terminal_text import printable
    from ..sandbox import SandboxType

    lines = [
        f"autograder: {printable(student)} is not in the gradebook yet: {printable(problem, 400)}"
        for student, problem in graded.failures.items()
    ]
    lines += graded.notices
    if graded.sandbox != SandboxType.BUBBLEWRAP:
        lines.append(
            "WARNING: graded UNSANDBOXED. The code of these submissions ran with your own rights: it could read and "
            "change your files, the gradebook included. Do not publish these marks for students you do not trust."
        )
    return lines
