"""``autograder doctor``: prove that exercises and labs are complete and grade as they say."""

import os
from argparse import ArgumentParser, Namespace
from itertools import chain
from pathlib import Path

from .common import DONE, NEEDS_ATTENTION, ROOT, add_root

HELP = "check that no part is unfinished, and prove that every exercise and lab grades as it says"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder doctor``."""
    parser.add_argument(
        "topics",
        nargs="*",
        metavar="TOPIC",
        help="topics of chapters, such as roofline, or ids of single exercises, such as lab.roofline.efficiency "
        "(default: all)",
    )
    add_root(parser)


def run(options: Namespace) -> int:
    """Print complaints, or what was proved."""
    from ..doctor import DRAWS, examine
    from ..doctor.content_lint import content_problems, unfilled_own_labs
    from ..doctor.paper_lint import paper_problems
    from ..exercises import also_in, own_exercise_ids, topics
    from ..exercises import exercises as all_exercises
    from ..grading.lab import load
    from ..grading.lab_doctor import examine_lab, wrong_points
    from ..grading.partial_credit import load_credit
    from ..sandbox import Sandbox

    root, elsewhere = options.root, options.root.resolve() != ROOT
    also_in(root)
    topics()  # files that cannot be read are reported first
    if missing := unfilled_own_labs(root) + ([] if elsewhere else content_problems()):
        print("\n".join(missing))
        return NEEDS_ATTENTION
    known = {topic.removesuffix("_lab") for topic in topics()}
    single = {name: one for name, one in all_exercises().items() if name in options.topics}
    if unknown := [topic for topic in options.topics if topic not in known | single.keys()]:
        raise ValueError(
            f"no chapter is on {unknown[0]!r}, and no exercise has this id; there are chapters on "
            f"{', '.join(sorted(known))}"
        )
    # In an instructor's own folder, the instructor's own exercises.
    own_topics = {
        topic.removesuffix("_lab")
        for topic, members in topics().items()
        if {one.id for one in members} & own_exercise_ids()
    }
    wanted = set(options.topics) - single.keys() if options.topics else own_topics if elsewhere else known
    members = [exercises for topic, exercises in topics().items() if topic.removesuffix("_lab") in wanted]
    exercises = list(chain.from_iterable(members))
    exercises += [one for one in single.values() if one not in exercises]
    folders = [folder.name for folder in sorted((root / "solutions").glob("[!.]*/"))]
    labs = [name for name in folders if name.partition("_")[2] in wanted]
    # An instructor's own labs are examined unless topics are given.
    own = [] if options.topics else [name for name in folders if name.partition("_")[2] not in known]
    load_credit(root)  # decisions about unknown mistakes are refused
    # The lab of a single task, where no topic asks for the whole lab.
    only = {name: "" for name in (*labs, *own)}
    for task in single:
        for name in [name for name in folders if name not in only and task in _tasks(root, name)]:
            only[name] = task
    complaints = [complaint for exercise in exercises for complaint in examine(exercise)]
    complaints += paper_problems([exercise.id for exercise in exercises])
    if not hasattr(os, "fork"):
        print(
            "Labs are examined on Linux and macOS only, where their code can run in a process of its own; here they were not."
        )
        only = {}
    for name, task in only.items():
        try:
            lab = load(root, name)
        except ValueError as problem:
            complaints.append(str(problem))
            continue
        complaints += wrong_points(root, lab) if name in labs else []
        # The course's own answers need no sandbox, and some machines have none.
        with Sandbox(lab, sandbox="unsandboxed") as sandbox:
            complaints += examine_lab(root, lab, sandbox, task)
    if complaints:
        print("\n".join(complaints))
        return NEEDS_ATTENTION
    named = sum(len(exercise.messages) for exercise in exercises)
    coincide = sum(bool(mistake.coincides) for exercise in exercises for mistake in exercise.mistakes)
    print(
        f"All {_count(len(exercises), 'exercise')} and {_count(len(only), 'lab')} grade as they say; {named} "
        f"named mistakes are recognized on the visible inputs and on {DRAWS} hidden draws, {coincide} of them under another "
        "name if both give the same answer."
    )
    return DONE


def _tasks(root: Path, name: str) -> set[str]:
    """Return the ids of the exercises that a lab awards; none if it cannot be read, which another run reports."""
    from ..grading.lab import load

    try:
        return {task.exercise for task in load(root, name).tasks}
    except ValueError:
        return set()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
