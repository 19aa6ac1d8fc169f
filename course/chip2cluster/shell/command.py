"""Command-line interface: parsing, dispatch to commands, and exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from shlex import split
from types import ModuleType
from typing import Any, NoReturn

from .. import _console
from . import completion
from .answer import Answer
from .output import OUTPUT, add_output, check_plot, formatted, write_plot
from .shared_options import UsageError, left_out
from .synonyms import nearest

UNUSABLE = 2
COMMANDS = (
    "plan", "size", "memory", "serve", "checkpoint", "cost", "mfu", "allreduce", "network", "kernel", "measure", "read", "list", "compare",
)  # fmt: skip
CODES = """exit codes:
  0    done
  1    done, but it does not fit, or a requirement is not met: the answer says why
  2    invalid usage: the message names the argument and the nearest valid value
  130  interrupted
  141  output pipe closed, as by head"""
QUANTITIES = """quantities have a unit, as in "400 Gb/s", "80 GB", "30 days", "700 W"; counts and dollars are
written as 15e12, 15T or 70B; fractions as 0.4 or 40%. Every answer lists its assumptions with their origin
(given, sheet, payload, measured, fitted, illustrative), and the chapter that explains each number."""


class _Parser(argparse.ArgumentParser):
    """Argument parser that raises UsageError, which a terminal shows and Python code can catch."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(message)


class _Version(argparse.Action):
    """Option that prints the versions of the package and of its catalog of chips."""

    def __init__(self, option_strings: Sequence[str], dest: str, **more: Any) -> None:
        """Take no value."""
        super().__init__(option_strings, dest, nargs=0, **more)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        """Print the versions and stop."""
        from .. import __version__, specs

        print(f"chip2cluster {__version__}, catalog of chips {specs.data_version()}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and print its answer.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments of the command line; None uses those of the process.

    Returns
    -------
    int
        Exit code: 0 done, 1 does not fit or a requirement is not met, 2 invalid usage.

    Notes
    -----
    Prints help with --help, with exit code 0.

    Examples
    --------
    >>> main(["plna"])
    2
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    # A terminal that cannot print µ prints a question mark.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        if given[:1] == ["completion"]:
            print(completion.script(given[1:], _parsers()[1]), flush=True)
            return 0
        options, command = _read(given)
        answer = _answer(options, command)
        print(formatted(answer, options))
        print(end="", flush=True)
        return answer.exit_code
    except SystemExit as stop:  # --help
        return int(stop.code or 0)
    except KeyboardInterrupt:
        print("\nchip2cluster: interrupted", file=sys.stderr)
        return _console.INTERRUPTED
    except BrokenPipeError as problem:
        if _console.nobody_reads():
            return _console.UNREAD
        print(f"chip2cluster: {problem}", file=sys.stderr)
        return UNUSABLE
    except (ValueError, OSError) as problem:
        print(
            f"chip2cluster{''.join(f' {name}' for name in given[:1] if name in COMMANDS)}: {problem}", file=sys.stderr
        )
        return UNUSABLE


def ask(line: str) -> Answer:
    """Run one command from Python and return its answer.

    Parameters
    ----------
    line : str
        Command line without the name of the program, such as ``'size --model "Llama 3 70B" --tokens 15e12 --deadline "30 days" --chip "H100 SXM"'``.

    Returns
    -------
    Answer
        Numbers and assumptions.

    Raises
    ------
    ValueError
        The question cannot be answered as asked; the message names the argument and the nearest valid value.

    Notes
    -----
    Source: the function named with each number.

    Examples
    --------
    >>> answer = ask('mfu --chip "H100 SXM" --chips 8 --parameters 7B --tokens-per-second 80e3')
    >>> round(answer["mfu"], 3), answer.met
    (0.424, True)
    >>> from chip2cluster.shell import UsageError
    >>> try:
    ...     ask("mfu --chip H100 --chips 8 --parameters 7B --tokens-per-second 80e3")
    ... except UsageError as problem:
    ...     print(problem)
    argument --chip: 'H100' fits H100 SXM, H100 PCIe, H100 64GB; say which
    """
    if not isinstance(line, str):
        raise TypeError(f"line must be text, got {line!r}")
    try:
        words = split(line)
    except ValueError as problem:
        raise UsageError(f"{line!r}: {problem}") from None
    try:
        return _answer(*_read(words))
    except SystemExit:
        raise UsageError(f"{line!r} requests help, which is only available in a terminal") from None


def _answer(options: argparse.Namespace, command: ModuleType) -> Answer:
    given = {
        name: value
        for name, value in vars(options).items()
        if name not in ("command", *OUTPUT) and value not in (None, False)
    }
    check_plot(options)
    try:
        answer = command.answer(options)
        answer = replace(answer, options=given, remarks=(*answer.remarks, *left_out(options)))
        write_plot(options, answer)
        return answer
    except UsageError:
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError) as problem:
        # A model rejected a combination of options.
        raise UsageError(str(problem)) from problem


def _read(given: list[str]) -> tuple[argparse.Namespace, ModuleType]:
    if given and not given[0].startswith("-") and given[0] not in COMMANDS:
        raise UsageError(
            f"no command is called {given[0]!r}{nearest(given[0], COMMANDS)}; there are {', '.join(COMMANDS)}"
        )
    if not given:
        raise UsageError(f"a command is missing: one of {', '.join(COMMANDS)}; --help says what each answers")
    # Only the parser of this command: those of the others would take longer than many an answer.
    parser, commands = _parsers(given[:1] if given[0] in COMMANDS else COMMANDS)
    known = completion.flags(commands[given[0]]) if given[0] in COMMANDS else []
    if known and "-h" not in given and "--help" not in given:
        # A wrong name often stands for a required option, which argparse would call missing.
        _refuse(
            [word for word in given[1:] if word[:2] == "--" != word and word.partition("=")[0] not in known],
            given[0],
            known,
        )
    options, rest = parser.parse_known_args(given)
    _refuse(rest, options.command, known)
    return options, _module(options.command)


def _refuse(words: list[str], command: str, known: list[str]) -> None:
    """Raise UsageError for the first word that belongs to no option."""
    if not words:
        return
    wrong = words[0].partition("=")[0]
    if wrong.startswith("-"):
        raise UsageError(f"no option is called {wrong!r}{nearest(wrong, known)}; {command} --help lists them")
    raise UsageError(f"{wrong!r} belongs to no option: quote values with spaces; {command} --help lists them")


def _parsers(names: Sequence[str] = COMMANDS) -> tuple[_Parser, dict[str, _Parser]]:
    form = argparse.RawDescriptionHelpFormatter
    purpose = "Answers practical questions about AI accelerators and their clusters."
    parser = _Parser(
        "chip2cluster",
        description=f"{purpose}\n\n{QUANTITIES}",
        epilog=f"also:\n  {completion.HELP}\n\n{CODES}",
        formatter_class=form,
    )
    parser.add_argument("--version", action=_Version, help="show the versions of the package and of its catalog")
    choose = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands = {}
    for name in names:
        module = _module(name)
        command = choose.add_parser(
            name,
            help=module.QUESTION,
            description=f"{module.QUESTION}\n\n{QUANTITIES}",
            epilog=f"for example:\n  chip2cluster {module.EXAMPLE}\n\n{CODES}",
            formatter_class=form,
            allow_abbrev=False,
        )
        module.options(command)
        add_output(command)
        commands[name] = command
    return parser, commands


def _module(name: str) -> ModuleType:
    return import_module(f"{__package__}.commands.{name}")
