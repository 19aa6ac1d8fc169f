"""Linter for Slurm batch scripts: lines that do not do what they seem to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .._validate import shortened
from .arrays import expand_array

WIDE = 100  # tasks of an array above which it should have a limit of running tasks


class LintFinding(NamedTuple):
    """Finding of the linter: line number (0: the whole script), rule, and explanation."""

    line: int
    rule: str
    why: str


def lint_script(text: str) -> tuple[LintFinding, ...]:
    r"""Lint a Slurm batch script for common mistakes.

    Parameters
    ----------
    text : str
        Content of the script.

    Returns
    -------
    tuple of LintFinding
        Findings in order of lines; an empty tuple does not prove that the script is correct.

    Raises
    ------
    ValueError
        The script does not begin with ``#!``, which ``sbatch`` rejects.

    Notes
    -----
    Checks lines only and does not interpret the shell, so values of variables are unknown. Source: the ``sbatch`` and
    ``srun`` manuals of Slurm 22.05, and *Signals* in the manual of bash; traps, ``SLURM_TMPDIR`` and the cores of a
    step were tested on Slurm 22.05.8.

    Examples
    --------
    >>> script = '''#!/bin/bash
    ... #SBATCH --time=2:00:00 --signal=B:USR1@120
    ... trap 'python save.py' USR1
    ... srun python train.py
    ... '''
    >>> [(finding.line, finding.rule) for finding in lint_script(script)]
    [(3, 'delayed trap')]
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a script, got {shortened(text)}")
    if not text.startswith("#!"):
        raise ValueError(f"a batch script must begin with #! and a shell, got {text.splitlines()[:1]}")
    script = _Script(text)
    return tuple(sorted({finding for rule in _RULES for finding in rule(script)}))


class _Script:
    r"""Parsed script: options, and commands with their line numbers; lines continued with ``\`` are joined."""

    def __init__(self, text: str) -> None:
        self.options: list[tuple[int, str, str]] = []
        self.late: list[int] = []
        self.commands: list[tuple[int, str]] = []
        self.commented = [
            n for n, line in enumerate(text.splitlines(), 1) if re.match(r"\s*#\s+SBATCH\b|\s+#SBATCH\b", line)
        ]
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
        """Return line and value of an option, the last one if it is repeated."""
        return next(((line, value) for line, name, value in reversed(self.options) if name in names), None)

    def lines(self, pattern: str) -> list[tuple[int, str]]:
        """Return the commands that match a pattern."""
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


def _late_option(script: _Script) -> Iterator[LintFinding]:
    for line in script.late:
        yield LintFinding(
            line,
            "late option",
            "#SBATCH after the first command is a comment, because sbatch stops reading options there.",
        )


def _commented_option(script: _Script) -> Iterator[LintFinding]:
    for line in script.commented:
        yield LintFinding(
            line,
            "commented option",
            "sbatch ignores this line as a comment, because an option line begins with #SBATCH, without a space.",
        )


def _broken_line(script: _Script) -> Iterator[LintFinding]:
    for line in script.broken:
        yield LintFinding(
            line, "space after \\", "The line does not continue, because the backslash escapes the space after it."
        )


def _no_limit(script: _Script) -> Iterator[LintFinding]:
    found = script.option("--time", "-t")
    if not found:
        yield LintFinding(
            0, "no limit", "Without --time the job requests the maximum of the partition, and fits no backfill window."
        )
    elif re.fullmatch(r"\d+", found[1]):
        yield LintFinding(
            found[0], "minutes", f"--time={found[1]} is {found[1]} minutes; hours look like {found[1]}:00:00."
        )


def _delayed_trap(script: _Script) -> Iterator[LintFinding]:
    traps = script.lines(r"^trap\b.*\b(SIG)?(USR1|TERM)\b")
    runs = script.lines(r"^(srun|mpirun|python|torchrun)\b")
    waits = bool(script.lines(r"^wait\b"))
    for line, _ in traps:
        if any(not re.search(r"&\s*(\w+=\$!\s*)?$", command) or not waits for _, command in runs):
            yield LintFinding(
                line,
                "delayed trap",
                "bash runs a trap only after the foreground command ends: run it in the background with & and wait.",
            )
            return


def _missing_trap(script: _Script) -> Iterator[LintFinding]:
    found = script.option("--signal")
    if found and found[1].startswith("B:"):
        name = found[1][2:].partition("@")[0].removeprefix("SIG")
        if not script.lines(rf"^trap\b.*\b(SIG)?{name}\b"):
            yield LintFinding(
                found[0],
                "missing trap",
                f"{name} goes only to this shell (B:) and terminates it, because there is no trap.",
            )


def _unset_tmpdir(script: _Script) -> Iterator[LintFinding]:
    variable = script.lines(r"\$\{?SLURM_TMPDIR(?!:-)")
    for line, _ in variable:
        yield LintFinding(
            line,
            "unset SLURM_TMPDIR",
            "Slurm does not set SLURM_TMPDIR; some sites do. Give it a default: a folder of the job on the node-local disk.",
        )


def _task_count(script: _Script) -> Iterator[LintFinding]:
    for line, _ in script.lines(r"SLURM_ARRAY_TASK_MAX"):
        yield LintFinding(line, "task count", "The largest task number is not the count: use SLURM_ARRAY_TASK_COUNT.")


def _no_array_limit(script: _Script) -> Iterator[LintFinding]:
    found = script.option("--array", "-a")
    if found:
        array = expand_array(found[1])
        if array.count > WIDE and array.limit is None:
            yield LintFinding(
                found[0],
                "no array limit",
                f"{array.count:,} tasks may start at once; --array={found[1]}%20 limits them to twenty.",
            )


def _fixed_nodes(script: _Script) -> Iterator[LintFinding]:
    found = script.option("--nodelist", "-w")
    if found:
        yield LintFinding(
            found[0],
            "fixed nodes",
            "The job waits for these nodes even if others are free. Request a feature: --constraint.",
        )


def _two_launchers(script: _Script) -> Iterator[LintFinding]:
    for line, _ in script.lines(r"\bsrun\b.*\bmpirun\b"):
        yield LintFinding(line, "two launchers", "srun starts mpirun once per task, and each starts all ranks.")
    tasks = script.option("--ntasks-per-node")
    if tasks and tasks[1] != "1":
        for line, _ in script.lines(r"\bsrun\b.*\btorchrun\b"):
            yield LintFinding(
                line, "two launchers",
                f"srun starts torchrun {tasks[1]} times on each node, and each starts all ranks of the node. Use one task per node with torchrun.",
            )  # fmt: skip


def _step_ends_early(script: _Script) -> Iterator[LintFinding]:
    for line, command in script.commands:
        if re.search(r"\bray start\b", command) and "--block" not in command:
            yield LintFinding(
                line,
                "step ends early",
                "ray start returns, the job step ends, and Slurm kills the processes left behind: use --block, & and wait.",
            )


def _one_core(script: _Script) -> Iterator[LintFinding]:
    cores = script.option("--cpus-per-task", "-c")
    if not cores or cores[1] == "1" or script.lines(r"\bSRUN_CPUS_PER_TASK="):
        return
    for line, _ in script.lines(r"^srun\b(?!.*\s(--cpus-per-task\b|-c\s*\d))"):
        yield LintFinding(
            line,
            "cores not inherited",
            "Since Slurm 22.05 srun does not take --cpus-per-task from sbatch: repeat it, or export SRUN_CPUS_PER_TASK.",
        )


_RULES: tuple[Callable[[_Script], Iterator[LintFinding]], ...] = (
    _late_option, _commented_option, _broken_line, _no_limit, _delayed_trap, _missing_trap, _unset_tmpdir, _task_count, _no_array_limit, _fixed_nodes,
    _two_launchers, _step_ends_early, _one_core,
)  # fmt: skip
