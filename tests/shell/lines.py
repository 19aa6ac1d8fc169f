"""Helpers of the shell tests: common options, list of commands, and ways to run one."""

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
    """Run a command in a child process."""
    return subprocess.run([sys.executable, "-m", "chip2cluster", *words], capture_output=True, text=True, **more)


def said(capsys, line):
    """Run a command in this process; return exit code, stdout and stderr."""
    return shell.main(shlex.split(line)), *capsys.readouterr()
