"""Command lines as data: what the parsers of argparse accept."""

import argparse
import re
from unittest.mock import patch


class _Stopped(BaseException):
    """The parser was seen; nothing runs."""


def parser_of(main, arguments):
    """Return the parser that a program makes for its arguments, without running it."""
    seen = []

    def stop(self, *given, **named):
        seen.append(self)
        raise _Stopped

    with patch.object(argparse.ArgumentParser, "parse_known_args", stop):
        try:
            main(arguments)
        except _Stopped:
            return seen[0]
    raise AssertionError(f"{main} has read no arguments")


def commands(parser):
    """Return the exit codes and the arguments of each command of a parser."""
    (choose,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {
        "exit_codes": exit_codes(parser),
        "commands": {name: [_argument(one) for one in sub._actions] for name, sub in sorted(choose.choices.items())},
    }


def exit_codes(parser):
    """Return the exit codes that the help lists."""
    return [int(code) for code in re.findall(r"^  (\d+) ", parser.epilog, re.M)]


def _argument(action):
    described = {"dest": action.dest, "strings": list(action.option_strings)}
    if action.option_strings and action.required:
        described["required"] = True
    if action.nargs is not None:
        described["nargs"] = action.nargs
    if action.choices is not None:
        described["choices"] = list(action.choices)
    return described
