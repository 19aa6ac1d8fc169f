"""Timings of `chip2cluster.shell` in a process that has answered before; a terminal adds the start of Python."""

from chip2cluster.shell import ask
from chip2cluster.shell.command import COMMANDS, _module
from tests.bench.rows import call_row


def rows():
    """Return the rows of this module."""
    examples = {name: _module(name).EXAMPLE for name in COMMANDS}
    return [call_row(f"ask, {name}", lambda line=line: ask(line)) for name, line in examples.items()]
