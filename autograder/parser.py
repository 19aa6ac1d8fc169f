"""Parser of the command line, from the modules of `autograder.commands`."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from textwrap import fill
from types import ModuleType

from .commands import COMMANDS, EARLIER_NAMES

PURPOSE = (
    "Work on the labs of Chip to Cluster (workspace, identify), run the course for a class (roster to hub-link), or "
    "write exercises and labs (doctor, new, generate-labs)."
)
WIDTH = 88
EXIT_CODES = """exit codes:
  0    done; for grade: everything was graded without errors
  1    done, but look at it; for grade: something was unreadable, graded with errors,
       or could not be entered in the gradebook; for export: a student needs your decision;
       for collect: a file has no known owner or cannot be read;
       for doctor and generate-labs: a complaint
  2    nothing done: the command, the course or the cluster cannot be used as it is
  3    refused: no sandbox can run here, and --unsandboxed was not given
  130  interrupted; the same command continues where it stopped
  141  the reader of the output stopped reading, as head does"""


def command_module(name: str) -> ModuleType:
    """Import the module of a command, such as ``"class-report"``."""
    return import_module(f"{__package__}.commands.{name.replace('-', '_')}")


def build_parser() -> ArgumentParser:
    """Build the parser of all commands; earlier names are accepted, and the list of commands leaves them out."""
    parser = ArgumentParser(
        prog="autograder",
        description=fill(PURPOSE, WIDTH),
        epilog=EXIT_CODES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    choose = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    earlier = {new: old for old, new in EARLIER_NAMES.items()}
    for name in COMMANDS:
        module = command_module(name)
        purpose = fill(f"{module.HELP[:1].upper()}{module.HELP[1:]}.", WIDTH)
        if name in earlier:
            purpose += f"\n\nEarlier versions called it `autograder {earlier[name]}`, which still works."
        command = choose.add_parser(
            name,
            help=module.HELP,
            description=purpose,
            epilog=EXIT_CODES,
            formatter_class=RawDescriptionHelpFormatter,
        )
        module.add_options(command)
        if name in earlier:
            choose.choices[earlier[name]] = command
    return parser


def parse(arguments: Sequence[str]) -> Namespace:
    """Parse the arguments; ``command`` is the command's present name."""
    parser = build_parser()
    name = arguments[0] if arguments else ""
    # argparse would list the earlier names as well.
    if name and not name.startswith("-") and name not in (*COMMANDS, *EARLIER_NAMES):
        near = get_close_matches(name, [*COMMANDS, *EARLIER_NAMES], n=1, cutoff=0.5)
        question = f", did you mean {EARLIER_NAMES.get(near[0], near[0])}?" if near else ""
        parser.error(f"no command is called {name!r}{question}; there are {', '.join(COMMANDS)}")
    options = parser.parse_args(arguments)
    options.command = EARLIER_NAMES.get(options.command, options.command)
    return options
