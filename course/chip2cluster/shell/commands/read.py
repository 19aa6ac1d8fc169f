"""``read``: what the output of a tool says, and whether it is as it should be."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..answer import Answer
from ..captures import TOOLS, Context, read_capture
from ..option_types import one_of, quantity
from ..shared_options import UsageError, option_errors

QUESTION = "What does this output of a tool say, and is it as it should be?"
EXAMPLE = "read --example nccl-tests"
MOST_BYTES = 512 * 2**20
_NAMES = tuple(tool.name for tool in TOOLS)


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="captured output, or - for the standard input")
    parser.add_argument(
        "--tool", type=one_of(_NAMES), metavar="NAME", help=f"the tool (default: recognized): {', '.join(_NAMES)}"
    )
    parser.add_argument(
        "--example", type=one_of(tuple(tool.name for tool in TOOLS if tool.example)), metavar="NAME",
        help="read a short built-in output of this tool instead of a file",
    )  # fmt: skip
    parser.add_argument("--chip", metavar="NAME", help="chip of the run, for expected times of collectives")
    parser.add_argument(
        "--rate", type=quantity("B/s"), metavar="RATE", help='rate of the link, one direction, such as "400 Gb/s"'
    )


def answer(options: Namespace) -> Answer:
    """Read the capture."""
    text = _text(options)
    chip = None
    if options.chip is not None:
        from ... import specs

        with option_errors("--chip"):
            chip = specs.accelerator(options.chip).name
    tool, finding = read_capture(text, Context(chip=chip, rate=options.rate), options.tool)
    for name in ("chip", "rate"):
        if getattr(options, name) is not None and name not in tool.uses:
            users = ", ".join(one.name for one in TOOLS if name in one.uses)
            raise UsageError(f"argument --{name}: only {users} can use it, and this is the output of {tool.name}")
    return Answer(
        command="read",
        question=f"{QUESTION} ({tool.name})",
        numbers=finding.numbers,
        problems=finding.problems,
        remarks=finding.remarks,
    )


def _text(options: Namespace) -> str:
    if (options.file is None) == (options.example is None):
        raise UsageError("name a FILE (or - for the standard input), or an --example")
    if options.example is not None:
        return next(tool.example for tool in TOOLS if tool.name == options.example)
    if options.file == "-":
        return sys.stdin.read()
    path = Path(options.file)
    if path.is_dir():
        raise UsageError(f"{options.file} is a folder: name the file with the captured output")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{options.file} has more than 512 MiB: pass the lines of one run")
        data = path.read_bytes()
    except OSError as problem:
        raise UsageError(f"{options.file} cannot be read: {problem.strerror}") from None
    if data[:2] == b"\x1f\x8b":
        raise UsageError(f"{options.file} is compressed: unpack it first, as in `gunzip -c FILE | chip2cluster read -`")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"  # PowerShell writes UTF-16
    return data.decode(encoding, errors="replace")
