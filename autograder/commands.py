"""What the instructor's commands do and print. Each takes the parsed options and returns an exit code."""

import sys
from collections import Counter
from importlib.util import find_spec

from .box import Sandbox
from .grading.result import GRADED
from .grading.shown import shown

MOST_LINES = 40

if find_spec("nbgrader") is None:  # on a learner's machine; better said at once
    raise ModuleNotFoundError("no module named 'nbgrader'", name="nbgrader")


def grade(options):
    """``autograder grade``: a progress bar on stderr, a table on stdout."""
    from tqdm import tqdm

    from .grading.runs.pipeline import grade_lab, write_report

    # disable=None: no bar where nobody watches.
    with tqdm(desc=options.lab, unit=" submissions", disable=None, file=sys.stderr, leave=False) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        run = grade_lab(
            options.root,
            options.lab,
            submitted=options.submitted,
            student=options.student,
            jobs=options.jobs,
            regrade=options.regrade,
            unsandboxed=options.unsandboxed,
            scheduler=options.scheduler,
            progress=progress,
        )
    if options.json:
        write_report(run, options.json)
    print(_table(run))
    for student, problem in run.failures.items():
        print(f"autograder: {shown(student)} is not in the gradebook yet: {shown(problem, 400)}", file=sys.stderr)
    if run.strangers:
        names = ", ".join(shown(student) for student in run.strangers)
        print(f"autograder/work/dates/{run.lab}.csv names students whom nobody knows: {names}", file=sys.stderr)
    if run.undated:
        print(
            f"{run.lab} has a due date, but for {run.undated} of its submissions nobody wrote down when they came, so they "
            f"count as in time. Put the times into autograder/work/dates/{run.lab}.csv (student,received,due), or see "
            "INSTRUCTORS.md on timestamp.txt.",
            file=sys.stderr,
        )
    if run.sandbox != Sandbox.BUBBLEWRAP:
        print(
            "WARNING: graded UNSANDBOXED. The code of these submissions ran with your own rights: it could read and "
            "change your files, the gradebook included. Do not publish these marks for students you do not trust.",
            file=sys.stderr,
        )
    return 0 if run.clean else 1


def _table(run):
    """One line a student, or in a large class one for each who needs a look, and a last line for all."""
    rows = run.rows
    if len(rows) > MOST_LINES:
        rows = {student: row for student, row in rows.items() if row["status"] != GRADED or row["repairs"]}
    width = max((len(shown(student)) for student in rows), default=0)
    lines = []
    for student, row in list(rows.items())[:MOST_LINES]:
        repairs = f"  {shown(row['repairs'][0], 400)}" if row["repairs"] else ""
        more = f" (and {len(row['repairs']) - 1} more)" if len(row["repairs"]) > 1 else ""
        lines.append(
            f"{shown(student):{width}}  {row['score']:6g} of {row['max_score']:g}  {row['status']:18}{repairs}{more}".rstrip()
        )
    if len(rows) > MOST_LINES:
        lines.append(f"… and {len(rows) - MOST_LINES} more that need a look; --json has them all")
    counts = Counter(row["status"] for row in run.rows.values())
    kinds = ", ".join(f"{number} {status.replace('_', ' ')}" for status, number in sorted(counts.items()))
    lines.append(f"{run.lab}: {kinds}. {run.graded} graded now, {run.reused} unchanged. Sandbox: {run.sandbox}.")
    if run.again:
        lines.append(
            f"Graded once more, alone, since the clock had ended something: {run.again}. The second marks count."
        )
    if run.unasked:
        lines.append(
            f"The same was due to {run.unasked} more, for which it took too long: grade them with --regrade --student ID "
            "on a machine with less to do."
        )
    return "\n".join(lines)


def feedback(options):
    """``autograder feedback``."""
    from .grading.reports.feedback import Fate, feedback

    written = feedback(options.root, options.lab, options.student)
    for one in written:
        if one.what != Fate.WRITTEN:
            print(f"{one.what}: {shown(one.student)} ({shown(one.file, 400)})")
    print(f"{options.lab}: {sum(one.what == Fate.WRITTEN for one in written)} of {len(written)} pages written.")
    return 0 if all(one.what == Fate.WRITTEN for one in written) else 1


def export(options):
    """``autograder export``."""
    from .grading.reports.export import export

    target = options.to or f"{options.lab}-{options.format}.csv"
    exported = export(options.root, options.lab, options.format, target, force=options.force)
    print(f"written: {exported.file}")
    sentences = [shown(sentence, len(sentence)) for sentence in exported.sentences()]
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return 1 if sentences else 0


def report(options):
    """``autograder report``."""
    from .grading.reports.report import report_on, write_report

    found = report_on(options.root, options.lab)
    print(found.text())
    if options.html:
        write_report(found, options.html)
        print(f"\nwritten: {options.html}")
    return 0


def exam(options):
    """``autograder exam``."""
    from .exam.command import run

    return run(options)
