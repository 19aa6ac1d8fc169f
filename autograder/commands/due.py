"""``autograder due``: set the due date of a lab, for the class or for one student."""

from argparse import ArgumentParser, Namespace

from .common import DONE, add_lab_and_root

HELP = "set when a lab is due, in any time zone"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder due``."""
    add_lab_and_root(parser)
    when = parser.add_mutually_exclusive_group(required=True)
    when.add_argument("time", nargs="?", metavar="TIME", help="such as '2027-01-31 23:59 Europe/Berlin'")
    when.add_argument("--never", action="store_true", help="remove the due date")
    parser.add_argument(
        "--student", metavar="ID", help="set it for this student only; --never returns to the date of the class"
    )


def run(options: Namespace) -> int:
    """Set the date, and print the command that undoes this."""
    return _set_for_student(options) if options.student else _set_for_class(options)


def _set_for_class(options: Namespace) -> int:
    from ..grading.collect.due import set_due
    from ..grading.gradebook.timestamps import format_time

    before, now = set_due(options.root, options.lab, None if options.never else options.time)
    said = f"{options.lab} is due {format_time(now)}" if now else f"{options.lab} is never due"
    if before != now:
        back = f"'{format_time(before)}'" if before else "--never"
        said += f"; it was {format_time(before) if before else 'never due'}, and `autograder due {options.lab} {back}` undoes this"
    print(f"{said}. It counts from the next `autograder grade {options.lab}`, also for what is graded already.")
    return DONE


def _set_for_student(options: Namespace) -> int:
    from ..grading.collect.due import set_student_due
    from ..grading.gradebook.timestamps import format_time
    from ..grading.sanitize.terminal_text import printable

    lab, student = options.lab, printable(options.student)
    before, now = set_student_due(options.root, lab, options.student, None if options.never else options.time)
    said = f"{lab} is due {format_time(now)} for {student}" if now else f"{lab} is due for {student} when it is for all"
    if before != now:
        back = f"'{format_time(before)}'" if before else "--never"
        said += f"; `autograder due {lab} {back} --student {student}` undoes this"
    print(
        f"{said}. It is stored in autograder/work/dates/{lab}.csv, and counts from the next `autograder grade {lab}`."
    )
    return DONE
