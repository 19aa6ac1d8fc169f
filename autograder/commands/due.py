"""``autograder due``: set the due date of a lab, for the class or for one student."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .common import DONE, NEEDS_ATTENTION, add_lab_and_root, joined_names, print_lines

if TYPE_CHECKING:
    from ..grading.collect.due_dates import LateWork

HELP = "set when a lab is due, in any time zone"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder due``."""
    add_lab_and_root(parser)
    when = parser.add_mutually_exclusive_group(required=True)
    when.add_argument("time", nargs="?", metavar="TIME", help="such as '2027-01-31 23:59 Europe/Berlin'")
    when.add_argument("--never", action="store_true", help="remove the due date")
    when.add_argument(
        "--in-time",
        action="store_true",
        help="with --student: this work, which the platform called late and of which no time is known, was in time",
    )
    parser.add_argument(
        "--student",
        metavar="ID",
        action="append",
        default=[],
        help="set it for this student only, and can be repeated; --never returns to the date of the class",
    )


def run(options: Namespace) -> int:
    """Set the date, and print the command that undoes this and who is still late."""
    from ..grading.collect.due_dates import declare_in_time, late_work
    from ..grading.lab import load
    from ..grading.sanitize.terminal_text import printable

    load(options.root, options.lab)  # an unknown lab is reported before a course that cannot be read
    if options.in_time:
        if not options.student:
            raise ValueError("--in-time needs --student ID")
        for student in options.student:
            declare_in_time(options.root, options.lab, student)
            print(
                f"{printable(student)} was in time in {options.lab}. It counts from the next `autograder grade {options.lab}`."
            )
        return DONE
    before = late_work(options.root, options.lab)
    students: list[str] = []
    if options.student:
        students = _set_for_students(options)
    else:
        _set_for_class(options)
    late = late_work(options.root, options.lab)
    print_lines(_changes(before, late, options.lab, students), 400)
    doubts = [*_doubts(options, students)]
    print_lines(doubts, 400)
    undecided = [one for one in late if one.received is None]
    own = [one for one in late if one.student in students and not options.never]
    return NEEDS_ATTENTION if undecided or own or doubts else DONE


def _set_for_class(options: Namespace) -> None:
    from ..grading.collect.due_dates import set_due
    from ..grading.gradebook.timestamps import format_time

    before, now = set_due(options.root, options.lab, None if options.never else options.time)
    said = f"{options.lab} is due {format_time(now)}" if now else f"{options.lab} is never due"
    if before != now:
        back = f"'{format_time(before)}'" if before else "--never"
        said += f"; it was {format_time(before) if before else 'never due'}, and `autograder due {options.lab} {back}` undoes this"
    print(f"{said}. It counts from the next `autograder grade {options.lab}`, also for what is graded already.")


def _set_for_students(options: Namespace) -> list[str]:
    """Set the date for some students, print the commands that undo it, and return their ids."""
    from ..grading.collect.due_dates import set_student_due
    from ..grading.gradebook.timestamps import format_time
    from ..grading.sanitize.terminal_text import printable

    lab = options.lab
    changed = set_student_due(options.root, lab, options.student, None if options.never else options.time)
    for student, before, now in changed:
        name = printable(student)
        said = f"{lab} is due {format_time(now)} for {name}" if now else f"{lab} is due for {name} when it is for all"
        if before != now:
            back = f"'{format_time(before)}'" if before else "--never"
            said += f"; `autograder due {lab} {back} --student {name}` undoes this"
        print(f"{said}.")
    print(f"Stored in autograder/work/dates/{lab}.csv; it counts from the next `autograder grade {lab}`.")
    return [student for student, _, _ in changed]


def _doubts(options: Namespace, students: list[str]) -> Iterator[str]:
    """Yield who, of the students or of all, has less time than the class, or more than a member of the same group."""
    from ..grading.collect.due_dates import earlier_dates
    from ..grading.gradebook.timestamps import format_time

    lab = options.lab
    for student, (own, general) in earlier_dates(options.root, lab).items():
        if not students or student in students:
            yield (
                f"Less time than the class: {student}, whose own date is {format_time(own)} and that of the class "
                f"{format_time(general)}. If that is not meant: `autograder due {lab} --never --student {student}`."
            )
    yield from group_doubts(options.root, lab, students)
    yield from unknown_student_doubts(options.root, lab)


def unknown_student_doubts(root: Path, lab: str) -> Iterator[str]:
    """Yield a sentence for each row of the table of dates whose student nobody knows."""
    from ..grading.gradebook.unknown_students import unknown_in_course

    for one in unknown_in_course(root, lab):
        yield one.sentence(lab)


def group_doubts(root: Path, lab: str, students: Sequence[str] = ()) -> Iterator[str]:
    """Yield who, of the students or of all, has more time than another member of the same group."""
    from ..grading.collect.due_dates import mates_with_less_time

    for student, mates in mates_with_less_time(root, lab).items():
        if not students or student in students or set(mates) & set(students):
            each = " ".join(f"--student {mate}" for mate in mates)
            yield (
                f"{student} has more time than {joined_names(mates)} of the same group, and the date of the member who submits "
                f"counts for all. For the others too: `autograder due {lab} TIME {each}`."
            )


def _changes(before: list["LateWork"], late: list["LateWork"], lab: str, students: list[str]) -> Iterator[str]:
    """Yield who is no longer late, and who of the students, or of all, still is, why, and what to type if that is wrong."""
    from ..grading.gradebook.late_policy import format_duration
    from ..grading.gradebook.timestamps import format_time

    names = {one.student for one in late}
    if moved := sorted({one.student for one in before} - names):
        yield f"No longer late ({len(moved)}): {joined_names(moved)}."
    for one in late:
        if students and one.student not in students:
            continue
        if one.received:
            yield (
                f"Late: {one.student}, by {format_duration(one.received - one.due)}: the work came {format_time(one.received)}, and "
                f"it was due {format_time(one.due)}. More time: `autograder due {lab} TIME --student {one.student}`."
            )
        else:
            known = (
                f"was collected {format_time(one.collected)}, after"
                if one.collected
                else "came at an unknown time; it was"
            )
            yield (
                f"Late: {one.student}, by the platform's word alone. The platform gave no time, and the work {known} "
                f"{'the due date ' if one.collected else 'due '}{format_time(one.due)}. If it was in time: "
                f"`autograder due {lab} --in-time --student {one.student}`."
            )
