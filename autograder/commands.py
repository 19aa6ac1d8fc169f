"""What the instructor's commands do and print. Each takes the parsed options and returns an exit code."""

import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

from .grading.result import GRADED
from .grading.sanitize.terminal_text import shown
from .sandbox import Sandbox

MOST_LINES = 40

if find_spec("nbgrader") is None:  # on a learner's machine; better said at once
    raise ModuleNotFoundError("no module named 'nbgrader'", name="nbgrader")


def roster(options):
    """``autograder roster``."""
    from .grading.collect.roster import enter

    done = enter(options.root, options.file, options.id)
    print(f"{len(done.people)} students from {options.file}; their id is what stands under {done.column!r}.")
    print(f"New in the gradebook: {len(done.added)}. Changed: {_names(done.changed)}.")
    for note in done.notes:
        print(note)
    if done.gone:
        print(
            f"In the gradebook and not in the list, and left there: {_names(done.gone)}. "
            "`nbgrader db student remove ID` takes one away, with all marks."
        )
    if done.backup:
        print(f"The gradebook as it was is {done.backup}; copied into its place it undoes this.")
    return 0


def due(options):
    """``autograder due``."""
    from .grading.collect.due import set_due, set_own_due
    from .grading.gradebook.timestamps import written

    if options.student:
        return _due_of_one(options, set_own_due, written)
    before, now = set_due(options.root, options.lab, None if options.never else options.time)
    said = f"{options.lab} is due {written(now)}" if now else f"{options.lab} is never due"
    if before != now:
        back = (
            f"autograder due {options.lab} '{written(before)}'" if before else f"autograder due {options.lab} --never"
        )
        said += f"; it was {written(before) if before else 'never due'}, and `{back}` undoes this"
    print(f"{said}. It counts from the next `autograder grade {options.lab}`, also for what is graded already.")
    return 0


def _due_of_one(options, set_own_due, written):
    lab, who = options.lab, options.student
    before, now = set_own_due(options.root, lab, who, None if options.never else options.time)
    back = f"'{written(before)}'" if before else "--never"
    said = (
        f"{lab} is due {written(now)} for {shown(who)}" if now else f"{lab} is due for {shown(who)} when it is for all"
    )
    if before != now:
        said += f"; `autograder due {lab} {back} --student {shown(who)}` undoes this"
    print(f"{said}. It stands in autograder/work/dates/{lab}.csv, and counts from the next `autograder grade {lab}`.")
    return 0


def group(options):
    """``autograder group``."""
    from .grading.gradebook.groups import enter

    for line in (done := enter(options.root, options.lab, options.file)).sentences():
        print(shown(line, 2000))
    return 1 if done.doubts else 0


def collect(options):
    """``autograder collect``: what needs a look, and a last line for all; the table holds everybody."""
    from .grading.collect import collect as collecting
    from .grading.collect.filenames import Platform
    from .grading.collect.undo import undo
    from .grading.gradebook.timestamps import zone

    if options.undo:
        if options.downloads or options.worksheet or options.dry_run:
            raise ValueError("--undo takes the last collection back and needs nothing but the lab")
        print("\n".join(shown(line, 2000) for line in undo(options.root, options.lab)))
        return 0
    done = collecting.collect(
        options.root,
        options.lab,
        options.downloads,
        platform=Platform(options.platform) if options.platform else None,
        worksheet_file=options.worksheet,
        zone=zone(options.timezone) if options.timezone else None,
        dry_run=options.dry_run,
    )
    doubts = {row.handed_in_as for row in done.doubts}
    looks = sorted(
        (row for row in done.rows if row.handed_in_as and (row.what or row.late == "yes")),
        key=lambda row: (
            row.handed_in_as not in doubts,
            *(row.student not in group for group in (done.unreadable, done.replaced, done.late)),
        ),
    )
    for row in looks[:MOST_LINES]:
        whose = "?" if row.handed_in_as in doubts else row.student
        late = "late. " if row.late == "yes" else ""
        print(f"{shown(row.handed_in_as)} -> {shown(whose)}: {late}{shown(row.what, 400)}".rstrip())
    if len(looks) > MOST_LINES:
        print(f"… and {len(looks) - MOST_LINES} more; the table has them all")
    for note in done.notes:
        print(shown(note, 400))
    if done.nothing:
        print(f"Handed in nothing ({len(done.nothing)}): {_names(done.nothing)}")
    kinds = f"{done.new} submissions taken, {len(done.replaced)} of them in the place of earlier ones, {done.same} were there already"
    if options.dry_run:
        taken = sum(row.handed_in_as not in doubts for row in done.rows if row.handed_in_as)
        kinds = f"{taken} submissions would be taken or are there already; nothing was changed"
    print(
        f"{options.lab}, read as {done.platform}: {kinds}. Late: {len(done.late)}. Could not be read: "
        f"{len(done.unreadable)}. Need you: {len(done.doubts)}."
    )
    if done.undue:
        print(
            f"{options.lab} has no due date here, so late work costs nothing: set it with `autograder due {options.lab} TIME`."
        )
    if not options.dry_run:
        print(
            f"Who is who: {done.file}. Correct it under student, and give the command again. "
            f"`autograder collect {options.lab} --undo` takes this collection back."
        )
    return 0 if done.clean else 1


def _names(students, most=20):
    named = ", ".join(map(shown, students[:most])) or "nobody"
    return named + (f" and {len(students) - most} more" if len(students) > most else "")


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
    for sentence in run.changed:
        print(shown(sentence, 2000), file=sys.stderr)
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
    clean = all(one.what == Fate.WRITTEN for one in written)
    if options.zip:
        from .grading.reports.feedback_zip import pack

        target = options.to or f"{options.lab}-feedback-{options.zip}.zip"
        parcel = pack(options.root, options.lab, written, options.zip, target, force=options.force)
        print(f"written: {parcel.file}, with {len(parcel.sent)} of {len(written)} pages.")
        if parcel.left_out:
            names = ", ".join(map(shown, parcel.left_out))
            print(
                f"{options.zip.title()} gave no file of theirs that could be answered, so they are not in it "
                f"({len(parcel.left_out)}): {names}",
                file=sys.stderr,
            )
            clean = False
    elif options.to or options.force:
        raise ValueError("--to and --force are for the zip: say which with --zip canvas or --zip moodle")
    return 0 if clean else 1


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


def class_(options):
    """``autograder class``: what a class thinks, without names."""
    from .grading.class_report.class_report import overview, write

    found = overview(options.root, options.journals)
    print(found.text())
    if options.to:
        write(found, options.to)
        print(f"\nwritten: {options.to}")
    return 1 if found.said else 0


def hints(options):
    """``autograder hints``: how far help goes in graded labs."""
    from .exercise_headers import topic
    from .exercises import exercises
    from .help_policy import ALL, LEVELS, of_course, read, write

    file = of_course(options.root)
    said = {
        "off": "checks say right or wrong and on which input; no hints",
        "mistakes": "checks name the mistake; no hints",
        "1": "checks name the mistake; one hint",
        **{number: f"checks name the mistake; up to {number} hints" for number in ("2", "3")},
    }
    if options.level is None:
        if options.labs:
            raise ValueError(f"say how far help goes there: autograder hints LEVEL --labs {options.labs}")
        for name, level in read(file).items():
            print(f"{'all labs' if name == ALL else name}: {level} ({said[level]})")
        return 0
    if options.level not in LEVELS:
        raise ValueError(f"help goes as far as {', '.join(LEVELS)}; got {options.level!r}")
    topics = [name.strip() for name in options.labs.split(",")] if options.labs else []
    topics = [name.partition("_")[2] if name[:1].isdigit() else name for name in topics]
    known = dict.fromkeys(topic(name) for name, exercise in exercises().items() if exercise.graded)
    if unknown := [name for name in topics if name not in known]:
        raise ValueError(f"no lab is on {unknown[0]!r}; there are {', '.join(known)}")
    write({**read(file), **dict.fromkeys(topics, options.level)} if topics else {ALL: options.level}, file)
    where = ", ".join(topics) or "all labs"
    print(
        f"{where}: {said[options.level]}. `autograder labs` writes it into the labs, and `make bundle` takes it to "
        f"students; on a hub, install the course anew. It stands in {file}."
    )
    return 0


def question(options):
    """``autograder question``."""
    from .questions.command import run

    return run(options)


def demo(options):
    """``autograder demo``: a class that never was, in a folder of its own."""
    import subprocess
    import webbrowser

    from tqdm import tqdm

    from .demo.demo import tour

    to = (options.to or Path(f"demo-{options.lab}")).resolve()
    with tqdm(desc=options.lab, unit=" submissions", disable=None, file=sys.stderr, leave=False) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        made = tour(
            options.root, options.lab, to, options.submissions, unsandboxed=options.unsandboxed, progress=progress
        )
    width = max(len(one.student) for one in made.submissions)
    for one in made.submissions:
        row = made.run.rows[one.student]
        print(f"{shown(one.student):{width}}  {row['score']:6g} of {row['max_score']:g}  {row['status']:18}  {one.odd}")
    print(
        f"""
The report:      {made.report}
The class:       {made.class_}
Feedback:        {quote(str(made.feedback[-1])) if made.feedback else "none was written"}, and {max(0, len(made.feedback) - 1)} more
What is odd:     {to / "odd.csv"}
The gradebook:   {to / "autograder/work/gradebook.db"}
Formgrader:      cd {to} && jupyter lab        then Nbgrader > Formgrader; the essays wait in Manual Grading
All the rest:    autograder report {options.lab} --root {to}, and export, feedback, grade in the same way
Nothing of this is in your course; to be rid of it delete {to}."""
    )
    if options.open:
        webbrowser.open(made.report.as_uri())
        if made.feedback:
            webbrowser.open(made.feedback[0].as_uri())
        return subprocess.call([sys.executable, "-m", "jupyter", "lab", "--LabApp.default_url=/formgrader"], cwd=to)
    return 0


def selftest(options):
    """``autograder selftest``: what holds on this machine, a line each."""
    from .demo.selftest import findings

    failed = 0
    for one in findings(options.root, options.lab, options.unsandboxed):
        failed += not one.holds
        print(
            f"{'ok  ' if one.holds else 'FAIL'}  {one.says}" + (f"\n      {one.do}" if one.do and not one.holds else "")
        )
    print("This machine grades." if not failed else f"{failed} of these do not hold: see above.")
    return 1 if failed else 0


def exam(options):
    """``autograder exam``."""
    from .exam.command import run

    return run(options)


_ALL = (roster, due, group, collect, grade, feedback, export, report, class_, hints, question, demo, selftest, exam)
COMMANDS = {one.__name__.strip("_"): one for one in _ALL}
