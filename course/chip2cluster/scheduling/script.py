"""Reading a job script before Slurm does: what in it will not do what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .._validate import shortened
from .arrays import expand_array

WIDE = 100  # tasks of an array from which on it should say how many may run at once


class Slip(NamedTuple):
    """What is wrong in a script: the number of its line (0: the whole script), the rule, and why it matters."""

    line: int
    rule: str
    why: str


def lint_script(text: str) -> tuple[Slip, ...]:
    """What a batch script for Slurm says that it does not do.

    Parameters
    ----------
    text : str
        The script.

    Returns
    -------
    tuple of Slip
        In the order of their lines; empty where nothing was found, which is no proof.

    Raises
    ------
    ValueError
        The script does not begin with ``#!``, which ``sbatch`` rejects.

    Notes
    -----
    Looks at lines, and understands no shell: what a variable holds it does not know. Source: the ``sbatch`` and ``srun``
    manuals of Slurm 22.05, and *Signals* in the manual of bash; traps and ``SLURM_TMPDIR`` were tried on Slurm 22.05.8.

    Examples
    --------
    >>> script = '''#!/bin/bash
    ... #SBATCH --time=2:00:00 --signal=B:USR1@120
    ... trap 'python save.py' USR1
    ... srun python train.py
    ... '''
    >>> [(slip.line, slip.rule) for slip in lint_script(script)]
    [(3, 'deaf trap')]
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a script, got {shortened(text)}")
    if not text.startswith("#!"):
        raise ValueError(f"a batch script begins with #! and a shell, got {text.splitlines()[:1]}")
    script = _Script(text)
    return tuple(sorted({slip for rule in _RULES for slip in rule(script)}))


class _Script:
    """The lines of a script: options, and commands with their numbers; lines that go on with ``\\`` are one."""

    def __init__(self, text: str) -> None:
        self.options: list[tuple[int, str, str]] = []
        self.late: list[int] = []
        self.commands: list[tuple[int, str]] = []
        self.broken = [n for n, line in enumerate(text.splitlines(), 1) if re.search(r"\\[ \t]+$", line)]
        begun, held = 0, ""
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("#SBATCH"):
                if self.commands:
                    self.late.append(number)
                else:
                    self.options += [(number, *pair) for pair in _options(line)]
            elif held or (line.strip() and not line.lstrip().startswith("#")):
                begun = begun or number
                held += re.sub(r"\\$", " ", line)
                if not line.endswith("\\"):
                    self.commands.append((begun, held.strip()))
                    begun, held = 0, ""

    def option(self, *names: str) -> tuple[int, str] | None:
        """Line and value of an option, the last one where it is given twice."""
        return next(((line, value) for line, name, value in reversed(self.options) if name in names), None)

    def lines(self, pattern: str) -> list[tuple[int, str]]:
        """Commands in which a pattern occurs."""
        return [(number, command) for number, command in self.commands if re.search(pattern, command)]


def _options(line: str) -> Iterator[tuple[str, str]]:
    words = line.partition(" #")[0].split()[1:]
    for place, word in enumerate(words):
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            follows = words[place + 1] if place + 1 < len(words) and not words[place + 1].startswith("-") else ""
            yield name, value if equals else follows
        elif re.match(r"-[A-Za-z]", word):
            yield word[:2], word[2:] or (words[place + 1] if place + 1 < len(words) else "")


def _late_option(script: _Script) -> Iterator[Slip]:
    for line in script.late:
        yield Slip(
            line, "late option", "#SBATCH below the first command is a comment: sbatch has stopped reading options."
        )


def _broken_line(script: _Script) -> Iterator[Slip]:
    for line in script.broken:
        yield Slip(line, "blank behind \\", "The line does not go on: the backslash quotes the blank behind it.")


def _no_limit(script: _Script) -> Iterator[Slip]:
    found = script.option("--time", "-t")
    if not found:
        yield Slip(0, "no limit", "Without --time the job asks for all that the partition allows, and fits no hole.")
    elif re.fullmatch(r"\d+", found[1]):
        yield Slip(found[0], "minutes", f"--time={found[1]} is {found[1]} minutes; hours look like {found[1]}:00:00.")


def _deaf_trap(script: _Script) -> Iterator[Slip]:
    traps = script.lines(r"^trap\b.*\b(SIG)?(USR1|TERM)\b")
    runs = script.lines(r"^(srun|mpirun|python|torchrun)\b")
    waits = bool(script.lines(r"^wait\b"))
    for line, _ in traps:
        if any(not re.search(r"&\s*(\w+=\$!\s*)?$", command) or not waits for _, command in runs):
            yield Slip(
                line,
                "deaf trap",
                "bash runs a trap when the command in the foreground has ended: put & behind it, and wait.",
            )
            return


def _signal_unheard(script: _Script) -> Iterator[Slip]:
    found = script.option("--signal")
    if found and found[1].startswith("B:"):
        name = found[1][2:].partition("@")[0].removeprefix("SIG")
        if not script.lines(rf"^trap\b.*\b(SIG)?{name}\b"):
            yield Slip(
                found[0], "nobody listens", f"{name} goes to this shell alone (B:), which ends of it: there is no trap."
            )


def _no_folder(script: _Script) -> Iterator[Slip]:
    variable = script.lines(r"\$\{?SLURM_TMPDIR(?!:-)")
    for line, _ in variable:
        yield Slip(
            line,
            "no such folder",
            "Slurm does not set SLURM_TMPDIR; some sites do. Give it a default, a folder of the job on the node's drive.",
        )


def _stride(script: _Script) -> Iterator[Slip]:
    for line, _ in script.lines(r"SLURM_ARRAY_TASK_MAX"):
        yield Slip(
            line, "stride", "The largest number is no count: SLURM_ARRAY_TASK_COUNT is how many tasks there are."
        )


def _stampede(script: _Script) -> Iterator[Slip]:
    found = script.option("--array", "-a")
    if found:
        array = expand_array(found[1])
        if array.count > WIDE and array.limit is None:
            yield Slip(
                found[0], "stampede", f"{array.count:,} tasks may start at once; --array={found[1]}%20 lets twenty."
            )


def _pinned(script: _Script) -> Iterator[Slip]:
    found = script.option("--nodelist", "-w")
    if found:
        yield Slip(
            found[0],
            "pinned",
            "The job waits for these nodes, though others are free. Ask for a feature: --constraint.",
        )


def _launched_twice(script: _Script) -> Iterator[Slip]:
    for line, _ in script.lines(r"\bsrun\b.*\bmpirun\b"):
        yield Slip(line, "two launchers", "srun starts mpirun once a task, and each starts all ranks.")
    tasks = script.option("--ntasks-per-node")
    if tasks and tasks[1] != "1":
        for line, _ in script.lines(r"\bsrun\b.*\btorchrun\b"):
            yield Slip(
                line, "two launchers",
                f"srun starts torchrun {tasks[1]} times on each node, and each starts all ranks of the node. With torchrun: one task a node.",
            )  # fmt: skip


def _short_lived(script: _Script) -> Iterator[Slip]:
    for line, command in script.commands:
        if re.search(r"\bray start\b", command) and "--block" not in command:
            yield Slip(
                line,
                "ends with its step",
                "ray start returns, the step of srun is over, and Slurm ends what it left behind: --block, and & wait.",
            )


_RULES: tuple[Callable[[_Script], Iterator[Slip]], ...] = (
    _late_option, _broken_line, _no_limit, _deaf_trap, _signal_unheard, _no_folder, _stride, _stampede, _pinned,
    _launched_twice, _short_lived,
)  # fmt: skip
