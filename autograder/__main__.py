"""The command line: ``autograder start`` for students, ``grade`` and its kin for instructors, the rest for authors."""

import gc
import os
import sys
from itertools import chain

from chip2cluster._console import INTERRUPTED, UNREAD, nobody_reads

from . import interrupt
from .parser import ROOT, parser

# Exit codes.
DONE, NOT_ALL, UNUSABLE, REFUSED = 0, 1, 2, 3


def main(arguments=None):
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        with interrupt.kept():
            code = _run(options)
        print(end="", flush=True)
        return code
    except KeyboardInterrupt:
        print("\nautograder: stopped; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, RuntimeError) as problem:
        if isinstance(problem, BrokenPipeError) and nobody_reads():
            return UNREAD
        from .grading.sanitize.terminal_text import shown_lines

        print(f"autograder: {shown_lines(problem)}", file=sys.stderr)
        # The box is imported only by commands that grade.
        box = sys.modules.get("autograder.sandbox")
        return REFUSED if box and isinstance(problem, box.SandboxUnavailable) else UNUSABLE


def _run(options):
    """Run one of the commands below, or one of an instructor's, which is imported now: nbgrader takes seconds."""
    if options.command in HERE:
        return HERE[options.command](options)
    try:
        from . import commands
    except ModuleNotFoundError as missing:
        raise ValueError(
            f'{missing.name} is not installed: instructors install the course with `pip install "chip2cluster[grading]"`'
        ) from None
    # nbgrader's modules are half a million objects, none of them garbage: not looked through while they come,
    # nor when the process ends.
    gc.set_threshold(100_000, 20, 100)
    try:
        return commands.COMMANDS[options.command](options)
    finally:
        gc.freeze()


def _start(options):
    from .workspace import Course, State, course_folder, reset, start, update
    from .workspace.messages import lines

    root = (options.source or course_folder()).resolve()
    if not (root / "course").is_dir():
        raise ValueError(f"{root} holds no course/; --from names the folder in which course/ and labs/ are")
    course = Course(root, (options.to or root).resolve())
    if options.reset:
        done = reset(course, course.chosen(options.reset + options.pages))
    elif options.update is not None:
        names = options.update + options.pages
        done = update(course, course.chosen(names) if names else None)
    else:
        done = start(course, course.chosen(options.pages, with_labs=True) if options.pages else None)
    print("\n".join(lines(course, done)))
    return NOT_ALL if any(one.state is State.UNREADABLE for one in done) else DONE


def _me(options):
    from .student.membership import enter

    print(f"The numbers of your own in this folder are those of {enter(options.name, change=options.change)}.")
    return DONE


def _link(options):
    from .hub_link import link

    print(link(options.hub, options.repository, options.branch, options.page))
    return DONE


def _doctor(options):
    from .doctor.content_lint import gaps, unfilled_own
    from .doctor import DRAWS, examine
    from .exercises import also_in, owned, topics
    from .grading.lab import load
    from .grading.lab_doctor import examine_lab
    from .grading.points_check import wrong_points
    from .sandbox import Box

    root, elsewhere = options.root, options.root.resolve() != ROOT
    also_in(root)
    topics()  # what cannot be read is said first
    if missing := unfilled_own(root) + ([] if elsewhere else gaps()):
        print("\n".join(missing))
        return NOT_ALL
    known = {topic.removesuffix("_lab") for topic in topics()}
    if unknown := [topic for topic in options.topics if topic not in known]:
        raise ValueError(f"no chapter is on {unknown[0]!r}; there are {', '.join(sorted(known))}")
    # In a folder of an instructor's own, what is theirs.
    theirs = {
        topic.removesuffix("_lab") for topic, members in topics().items() if {one.id for one in members} & owned()
    }
    wanted = options.topics or (theirs if elsewhere else known)
    members = [exercises for topic, exercises in topics().items() if topic.removesuffix("_lab") in wanted]
    exercises = list(chain.from_iterable(members))
    folders = [folder.name for folder in sorted((root / "solutions").glob("[!.]*/"))]
    labs = [name for name in folders if name.partition("_")[2] in wanted]
    # An instructor's own are examined where nobody asks for a topic.
    own = [] if options.topics else [name for name in folders if name.partition("_")[2] not in known]
    complaints = [complaint for exercise in exercises for complaint in examine(exercise)]
    if not hasattr(os, "fork"):
        print("Labs are examined on Linux and macOS, where their code can run apart; here they were not.")
        labs, own = [], []
    for name in [*labs, *own]:
        try:
            lab = load(root, name)
        except ValueError as problem:
            complaints.append(str(problem))
            continue
        complaints += wrong_points(root, lab) if name in labs else []
        # The project's own texts: where there is no sandbox they need none.
        with Box(lab, sandbox="unsandboxed") as box:
            complaints += examine_lab(root, lab, box)
    if complaints:
        print("\n".join(complaints))
        return NOT_ALL
    mistakes = [mistake for exercise in exercises for mistake in exercise.mistakes]
    coincide = sum(bool(mistake.coincides) for mistake in mistakes)
    print(
        f"All {len(exercises)} exercise{'s' * (len(exercises) != 1)} and {len(labs + own)} lab{'s' * (len(labs + own) != 1)} mark as they say; {len(mistakes)} named "
        f"mistakes are told on the visible inputs and on {DRAWS} hidden draws, {coincide} of them under another's name where "
        "both give the same."
    )
    return DONE


def _new(options):
    from .scaffold import KINDS

    for file, state in KINDS[options.kind](options.root, options.name):
        print(f"{state:5} {file.relative_to(options.root)}")
    return DONE


def _labs(options):
    from .grading.gradebook.regenerate import regenerate

    return regenerate(options.root, options.labs, check=options.check)


HERE = {"start": _start, "me": _me, "link": _link, "doctor": _doctor, "new": _new, "labs": _labs}


if __name__ == "__main__":
    sys.exit(main())
