"""Timings of `chip2cluster.shell`: an answer in a process that has asked before; a terminal adds the start of Python."""

from chip2cluster.shell import ask
from chip2cluster.shell.command import COMMANDS, _module


def rows():
    """(name, ours, bare NumPy or None, note) for `make bench`."""
    examples = {name: _module(name).EXAMPLE for name in COMMANDS}
    return [(f"shell.ask, {name}", lambda line=line: ask(line), None, "") for name, line in examples.items()]
