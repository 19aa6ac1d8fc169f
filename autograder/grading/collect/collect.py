"""Take what a learning platform gives into the course."""

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path

from ...atomic_write import raising_disk_full
from ..gradebook.course import STEPS, Course, open_course
from ..gradebook.dates import Dates
from ..gradebook.marks import gradebook
from ..gradebook.timestamps import written
from ..intake.candidates import Unreadable
from ..intake.submission_reader import read as read_submission
from ..lab import Lab, load
from ..result_store import ResultStore
from ..sanitize.terminal_text import shown
from . import date_table, mapping_table, staging
from .due import due_dates
from .exchange import inbound
from .filenames import Arrival, Platform, arrivals, platform_of
from .mapping_table import NOBODY, Row
from .match_students import How, Roster
from .nested_zip import taken_out
from .roster import people
from .sources import File, is_notebook, is_zip, opened
from .withdraw_marks import forgotten
from .worksheet import worksheet

MOST_TOGETHER, MOST_FILES = 128 << 20, 500  # of one person


@dataclass
class Collected:
    """What a collection found and did.

    Attributes
    ----------
    platform : Platform
    rows : list of Row
        The table; first what needs a person.
    file : Path
        Where it stands.
    doubts : list of Row
        Those of which nobody knows whose they are, or which of them counts.
    late, unreadable, replaced, untold : list of str
        Students whose work is late, could not be read, took the place of earlier work; who handed in nothing.
    notes : list of str
        On the download as a whole, sentences.
    new, same : int
        How many submissions were put into the course, and how many were there already.
    undue : bool
        The platform calls work late, and here the lab has no due date, so that it costs nothing.
    """

    platform: Platform
    file: Path
    rows: list[Row] = field(default_factory=list)
    doubts: list[Row] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    nothing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    new: int = 0
    same: int = 0
    undue: bool = False

    @property
    def clean(self) -> bool:
        """Whether nobody has to look at it."""
        return not (self.doubts or self.unreadable or self.notes)


@raising_disk_full()
def collect(
    root: str | Path,
    lab: str,
    downloads: Iterable[Path] = (),
    *,
    platform: Platform | None = None,
    worksheet_file: Path | None = None,
    zone: tzinfo | None = None,
    dry_run: bool = False,
) -> Collected:
    """Take a download into the course.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
    downloads : list of Path
        Zips and folders; none for nbgrader's exchange.
    platform : Platform, optional
        Where they came from; by their names when left out.
    worksheet_file : Path, optional
        Moodle's grading worksheet.
    zone : tzinfo, optional
        Of the times in it.
    dry_run : bool
        Change nothing.

    Returns
    -------
    Collected

    Raises
    ------
    ValueError
        For a download or a table that cannot be used; nothing was done then.
    """
    trusted, course = load(root, lab), open_course(root)
    lines, notes = worksheet(worksheet_file, zone) if worksheet_file else ({}, [])
    with gradebook(course.directory) as book:
        roster = Roster(people(book), lines)
        due, extended = due_dates(book, lab)
    above, file = mapping_table.folder_of(course.root, lab), mapping_table.file_of(course.root, lab)
    strange: list[str] = []
    with ExitStack() as stack:
        stack.enter_context(ResultStore.of(course.root, lab).locked())
        downloads = [*downloads]
        if platform is Platform.EXCHANGE or not downloads:
            if downloads:
                raise ValueError(
                    "an exchange has a place of its own: leave the download out, or leave out --from exchange"
                )
            platform, found = Platform.EXCHANGE, inbound(course, lab)
        else:
            _refuse_own(course, downloads)
            source = opened(downloads, stack)
            platform = platform or platform_of(source.files)
            found, strange = arrivals(source.files, platform, lab)
            strange += source.passed_over
        for number, one in enumerate(found):
            # As a table keeps it; two that only spaces tell apart stay two.
            name = " ".join(one.key.split())
            one.key = name if all(name != each.key for each in found[:number]) else f"{name} ({number})"
        if not found:
            raise ValueError(f"nothing of it is a submission, read as {platform}; --from names another platform")
        if platform in (Platform.CANVAS, Platform.MOODLE) and not roster.people:
            raise ValueError(
                f"nobody is in the gradebook yet, so nobody knows whose these are: give `autograder roster FILE` the list of "
                f"students that {platform.title()} exports, then this command again"
            )
        done = Collected(platform, file, notes=[*notes, *strange])
        before, batches = mapping_table.read(file), staging.standing(above)
        # One that was stopped has none.
        tables = [one.folder / "who.csv" for one in batches if (one.folder / "who.csv").is_file()]
        hand = mapping_table.by_hand(before, mapping_table.read(tables[-1]) if tables else [])
        _check(hand, roster, file)
        dates = Dates(course.root, lab)
        whose = {one.key: _row(one, hand, roster, platform, lab, _own_due(dates, due)) for one in found}
        batch = None if dry_run else staging.new(above)
        rows, placed = _taken(found, whose, trusted, course, batch, done)
        if batch is not None:
            _taken_away(
                staging.holders(batches),
                {row.handed_in_as: row.student for row in rows},
                placed,
                course,
                lab,
                batch,
                done,
            )
        done.rows = _ordered(rows, before, roster, course, lab, done)
        done.undue = bool(done.late) and due is None
        if batch is not None:
            if platform is not Platform.EXCHANGE:
                kept = date_table.keep(
                    course, lab, [row for row in rows if row.student in placed], before, extended, batch
                )
                done.notes += kept
            mapping_table.write(file, done.rows)
            shutil.copy(file, batch.folder / "who.csv")
            batch.note()
    return done


def _refuse_own(course: Course, downloads: list[Path]) -> None:
    own = [Path(course.root, getattr(course.directory, f"{step}_directory")).resolve() for step in STEPS]
    for download in downloads:
        if any(download.resolve().is_relative_to(folder) for folder in own):
            raise ValueError(f"{download} is a folder of the course itself; name what the platform gave you")


def _check(hand: dict[str, str], roster: Roster, file: Path) -> None:
    for key, student in hand.items():
        if roster.people and student != NOBODY and student not in roster.ids:
            raise ValueError(
                f"{file} gives {shown(key)} to {shown(student)}, whom the roster does not have; correct the table, or enter "
                "them with `autograder roster`"
            )


def _own_due(dates: Dates, due: datetime | None) -> Callable[[str], datetime | None]:
    def of(student: str) -> datetime | None:
        entry = dates.entries.get(student)
        return (entry and entry.due) or due

    return of


def _row(
    one: Arrival,
    hand: dict[str, str],
    roster: Roster,
    platform: Platform,
    lab: str,
    due: Callable[[str], datetime | None],
) -> Row:
    """The row of an arrival, with whose it is."""
    if line := roster.lines.get(one.number) if platform is Platform.MOODLE else None:
        one.late, one.received = line.late, line.received
    found = roster.find(one, platform, lab)
    student, how, why = found.student, found.how, found.why
    if one.key in hand:
        student, how, why = hand[one.key], How.HAND, ""
    after = one.received and (until := due(student)) and one.received > until
    if after and one.late is False:
        why = (
            f"{platform.title()} counts it as in time, and it came after the due date that holds here: if they have more "
            f"time, write it under due in autograder/work/dates/{lab}.csv."
        )
    if one.late is None and one.received and due(student):
        one.late = bool(after)
    if platform is Platform.EXCHANGE and roster.people and student not in roster.ids:
        one.notes.append("They are not on the roster.")
    late = "" if one.late is None else "yes" if one.late or after else "no"
    received = written(one.received) if one.received else ""
    what = " ".join([_sentence(why), *one.notes]).strip()
    return Row(one.key, student, how, late, received, one.answer_to, _named(one.files), what)


def _sentence(why: str) -> str:
    return f"{why[:1].upper()}{why[1:]}" if why else ""


def _named(files: list[File], most: int = 6) -> str:
    names = ["/".join(file.parts) for file in files]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _taken(
    found: list[Arrival], whose: dict[str, Row], lab: Lab, course: Course, batch: staging.Batch | None, done: Collected
) -> tuple[list[Row], set[str]]:
    """Put everything that is somebody's into its place."""
    rows: list[Row] = []
    placed: set[str] = set()
    of_student: defaultdict[str, list[Arrival]] = defaultdict(list)
    for one in found:
        of_student[whose[one.key].student].append(one)
    for one in found:
        row = whose[one.key]
        theirs = of_student[row.student]
        if row.student == NOBODY:
            rows.append(_with(row, "You said that this does not count."))
        elif not row.student:
            what = "Write whose it is under student, or a - where it is nobody's, and give the command again."
            rows.append(_with(row, what))
            done.doubts.append(rows[-1])
        elif len(theirs) > 1 and len({_digest(each, lab) for each in theirs}) > 1:
            others = ", ".join(each.key for each in theirs if each is not one)
            what = (
                f"{row.student} has more than one submission, this and {others}, and nothing says which counts; none was "
                "taken. Write a - under student for each that does not count, and give the command again."
            )
            rows.append(_with(row, what))
            done.doubts.append(rows[-1])
        elif one is not theirs[0]:
            rows.append(_with(row, f"The same as {theirs[0].key}."))
        else:
            # Read one after another: a class's work together is large.
            content, problems = _content(one, lab)
            rows.append(_placed(_with(row, *problems), content, lab, course, batch, done))
            placed.add(row.student)
            if row.late == "yes":
                done.late.append(row.student)
    return rows, placed


def _digest(one: Arrival, lab: Lab) -> str:
    checksum = hashlib.sha256()
    for parts, data in sorted(_content(one, lab)[0].items()):
        checksum.update(f"{parts!a} {len(data)}\n".encode() + data)
    return checksum.hexdigest()


def _with(row: Row, *sentences: str) -> Row:
    return Row(**{**row.__dict__, "what": " ".join(filter(None, [row.what, *sentences]))})


def _content(one: Arrival, lab: Lab) -> tuple[dict[tuple[str, ...], bytes], list[str]]:
    """The files of an arrival, each under a name of its own, and what could not be taken."""
    files: dict[tuple[str, ...], bytes] = {}
    problems, together = [], 0
    has_notebook = any(is_notebook(file.name) for file in one.files)
    for file in one.files:
        if len(files) == MOST_FILES:
            problems.append(f"It has more than {MOST_FILES} files; the others were left out.")
            break
        try:
            data, name = file.read(), file.name
            if is_zip(name) and not has_notebook:
                name, data, told = taken_out(name, data)
                problems += told
        except Unreadable as problem:
            problems.append(str(problem))
            continue
        if (together := together + len(data)) > MOST_TOGETHER:
            problems.append(
                f"It has more than {MOST_TOGETHER >> 20} MiB; {file.name} and what comes after was left out."
            )
            break
        parts = (*file.parts[:-1], name)
        while parts in files or any(parts[:depth] in files for depth in range(1, len(parts))):
            parts = (f"again-{parts[0]}", *parts[1:])
        files[parts] = data
    return files, problems


def _placed(
    row: Row,
    files: dict[tuple[str, ...], bytes],
    lab: Lab,
    course: Course,
    batch: staging.Batch | None,
    done: Collected,
) -> Row:
    target = course.submission(lab.name, row.student)
    if batch is None:
        return row
    try:
        became = batch.put(row.student, row.handed_in_as, target, files)
    except OSError as problem:
        done.doubts.append(row)
        return _with(row, f"It could not be put into its place: {shown(problem, 200)}.")
    done.new += became != "same"
    done.same += became == "same"
    if became == "replaced":
        done.replaced.append(row.student)
        before = batch.folder / "before"
        row = _with(row, f"It took the place of earlier work, which is in {before.relative_to(course.root)}.")
    found = read_submission(target, lab.notebook, lab.released)
    if found.notebook is None:
        done.unreadable.append(row.student)
    return _with(row, found.problem, *found.notes)


def _taken_away(
    holders: dict[str, str],
    now: dict[str, str],
    placed: set[str],
    course: Course,
    lab: str,
    batch: staging.Batch,
    done: Collected,
) -> None:
    """Take work away from whoever had it by a mistake that the table now corrects."""
    taken: list[str] = []
    for student, key in holders.items():
        other = now.get(key, "")
        wrong = other not in ("", student) and student not in placed
        if wrong and batch.aside(student, course.submission(lab, student)):
            taken.append(student)
            done.notes.append(
                f"{key} is not {student}'s any more: what {student} had was moved to "
                f"{(batch.folder / 'before').relative_to(course.root)}."
            )
    done.notes += forgotten(course, lab, taken, batch.folder / "forgotten")


def _ordered(
    rows: list[Row], before: list[Row], roster: Roster, course: Course, lab: str, done: Collected
) -> list[Row]:
    """All rows: those of this download, those of earlier ones, and who handed in nothing."""
    keys = {row.handed_in_as for row in rows}
    rows = rows + [row for row in before if row.handed_in_as and row.handed_in_as not in keys]
    known = {row.student for row in rows}
    for student in roster.ids:
        if student in known:
            continue
        there = course.submission(lab, student).exists()
        what = "Handed in otherwise." if there else "Handed in nothing."
        if not there:
            done.nothing.append(student)
        rows.append(Row("", student, what=what))
    doubtful = {row.handed_in_as for row in done.doubts}
    return sorted(
        rows, key=lambda row: (row.handed_in_as not in doubtful or not row.handed_in_as, row.student, row.handed_in_as)
    )
