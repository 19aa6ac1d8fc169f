"""``autograder help-policy``: limit hints and named mistakes in graded labs."""

from argparse import ArgumentParser, Namespace

from .common import DONE, add_root

HELP = "set how much help checks give in graded labs (hints, named mistakes), or print the setting"

_MEANINGS = {
    "off": "checks say right or wrong and on which input; no hints",
    "mistakes": "checks name the mistake; no hints",
    "1": "checks name the mistake; one hint",
    **{number: f"checks name the mistake; up to {number} hints" for number in ("2", "3")},
}


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder help-policy``."""
    parser.add_argument(
        "level",
        nargs="?",
        metavar="LEVEL",
        help="off; mistakes (names mistakes, no hints); or the most hints per task: 1, 2 or 3",
    )
    parser.add_argument(
        "--labs", metavar="A,B", help="set it for these labs only, such as 03_roofline,07_collectives (default: all)"
    )
    add_root(parser)


def run(options: Namespace) -> int:
    """Set the level, or print the levels that are set."""
    from ..exercise_headers import topic
    from ..exercises import exercises
    from ..help_policy import ALL, LEVELS, policy_file, read_levels, write_levels

    file = policy_file(options.root)
    if options.level is None:
        if options.labs:
            raise ValueError(f"give a level: autograder help-policy LEVEL --labs {options.labs}")
        for name, level in read_levels(file).items():
            print(f"{'all labs' if name == ALL else name}: {level} ({_MEANINGS[level]})")
        return DONE
    if options.level not in LEVELS:
        raise ValueError(f"the levels are {', '.join(LEVELS)}; got {options.level!r}")
    topics = [name.strip() for name in options.labs.split(",")] if options.labs else []
    topics = [name.partition("_")[2] if name[:1].isdigit() else name for name in topics]
    known = dict.fromkeys(topic(name) for name, exercise in exercises().items() if exercise.graded)
    if unknown := [name for name in topics if name not in known]:
        raise ValueError(f"no lab is on {unknown[0]!r}; there are {', '.join(known)}")
    write_levels(
        {**read_levels(file), **dict.fromkeys(topics, options.level)} if topics else {ALL: options.level}, file
    )
    where = ", ".join(topics) or "all labs"
    print(
        f"{where}: {_MEANINGS[options.level]}. `autograder generate-labs` writes it into the labs, and `make bundle` takes "
        f"it to students; on a hub, install the course anew. It is stored in {file}."
    )
    return DONE
