"""``autograder late``: set what late work costs."""

from argparse import ArgumentParser, Namespace

from .common import DONE, NEEDS_ATTENTION, add_root, print_lines
from .due import unknown_student_doubts

HELP = "set what late work costs: percent per day, grace period, late days"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder late``."""
    parser.add_argument("labs", nargs="+", metavar="LAB", help="names of labs, such as 03_roofline")
    parser.add_argument("--per-day", metavar="PERCENT", help="share of the points for each day begun, such as 10%%")
    parser.add_argument("--grace", metavar="TIME", help="time after the due date that costs nothing, such as 15min")
    parser.add_argument(
        "--late-days",
        type=int,
        metavar="N",
        help="days that a student may be late at no cost, in all labs with late days together",
    )
    parser.add_argument(
        "--remove", action="store_true", help="remove the policy; that of nbgrader_config.py applies again"
    )
    add_root(parser)


def run(options: Namespace) -> int:
    """Set, show or remove the policy of each lab."""
    from ..grading.collect.late_policy_changes import change_policy, policy_sentence, remove_policy
    from ..grading.gradebook.late_policy import parse_duration, parse_percent

    changes = {
        "per_day": None if options.per_day is None else parse_percent(options.per_day),
        "grace_seconds": None if options.grace is None else parse_duration(options.grace).total_seconds(),
        "late_days": options.late_days,
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    if options.remove and changes:
        raise ValueError("--remove removes the whole policy: leave the other options out")
    for lab in options.labs:
        policy_sentence(options.root, lab)  # refuses an unknown lab before any is changed
    for lab in options.labs:
        if options.remove:
            remove_policy(options.root, lab)
        elif changes:
            change_policy(options.root, lab, **changes)
        print(policy_sentence(options.root, lab))
    if options.remove or changes:
        print("It counts from the next `autograder grade`, also for what is graded already.")
    doubts = [sentence for lab in options.labs for sentence in unknown_student_doubts(options.root, lab)]
    print_lines(doubts)
    return NEEDS_ATTENTION if doubts else DONE
