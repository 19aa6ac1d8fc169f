"""What the tests of the shell share: parts of its lines, its commands, and how one is typed."""

import shlex
import subprocess
import sys

from chip2cluster import shell
from chip2cluster.shell import command

H100 = '--chip "H100 SXM"'
LLAMA = '--model "Llama 3 70B"'
PLAN = f"plan {LLAMA} --tokens 15T {H100}"
MODULES = {name: command._module(name) for name in command.COMMANDS}


def run(*words, **more):
    """A process of its own."""
    return subprocess.run([sys.executable, "-m", "chip2cluster", *words], capture_output=True, text=True, **more)


def said(capsys, line):
    """Exit code, output and complaint of a command, in this process."""
    return shell.main(shlex.split(line)), *capsys.readouterr()
