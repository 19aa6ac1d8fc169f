"""Processes of one submission, seen from outside: which run, which are suspended, which are killed."""

import re
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import psutil

from .process_usage import descendants, measure_usage

DEADLINE = 5.0  # seconds to find all processes; after that they start new ones faster than they can be killed
ATTEMPTS = 5  # to find all snapshots
QUIET_SCANS = 2  # scans in a row that must find no new process


class SubmissionProcesses:
    """Processes below the warm interpreter that belong to one submission.

    The interpreter has started a helper, and the helper the supervisor. Everything below the supervisor belongs to the
    submission, whatever process group or session it is in: a process that loses its parent becomes a child of the
    supervisor.

    Parameters
    ----------
    interpreter : int
        Process of the warm interpreter.
    """

    def __init__(self, interpreter: int) -> None:
        self._interpreter = interpreter
        # Snapshots that were not queried yet, by their process number inside, and the one that is queried now.
        self._waiting: dict[int, psutil.Process] = {}
        self._active: psutil.Process | None = None

    def suspend_snapshots(self, numbers: Collection[int]) -> bool:
        """Suspend the snapshots until they are queried, and kill all other processes.

        Parameters
        ----------
        numbers : collection of int
            Process numbers of the snapshots inside the sandbox, as the submission has reported them. A submission that
            reports wrong ones keeps no more processes than there are queries.

        Returns
        -------
        bool
            False if the other processes start new ones faster than they can be killed.
        """
        for _ in range(ATTEMPTS):
            parents, level = self._submission_processes()
            numbered = {_number(process.pid, level): process for process in parents}
            self._waiting = {number: numbered[number] for number in numbers if number in numbered}
            # While a parent ends, its children may appear under neither the old nor the new one.
            if len(self._waiting) == len(set(numbers)):
                break
        for process in self._waiting.values():
            with suppress(psutil.Error):
                process.suspend()
        others = self._other_processes(parents)
        if len(others) > 1 or not {process.pid for process in others} <= {
            parents[one] for one in self._waiting.values()
        }:
            return self._kill_other_processes()
        # None, or the worker that ran the cells. A process that it starts in its last moment is found when time is
        # measured.
        for process in others:
            with suppress(psutil.Error):
                process.kill()
        return True

    def resume(self, number: int) -> None:
        """Resume one snapshot; no other process runs."""
        self._active = self._waiting.pop(number, None)
        if self._active is not None:
            with suppress(psutil.Error):
                self._active.resume()

    def cpu_seconds(self) -> float:
        """Return the CPU time of the active snapshot and its descendants; kill all other processes."""
        parents, _ = self._submission_processes()
        if self._other_processes(parents):
            self._kill_other_processes()
        return measure_usage(self._active_family(parents)).cpu_seconds

    def kill_active(self) -> None:
        """Kill the active snapshot and all its descendants."""
        self._active = None
        self._kill_other_processes()

    def kill_all(self) -> None:
        """Kill every process of the submission."""
        self._waiting.clear()
        self.kill_active()

    def _kill_other_processes(self) -> bool:
        """Kill all but the suspended snapshots and the active one's family; return False if that does not end."""
        until = time.monotonic() + DEADLINE
        seen: set[psutil.Process] = set()
        # A process that moves into a child and ends can be missed once.
        quiet = 0
        while quiet < QUIET_SCANS and time.monotonic() < until:
            new = self._other_processes(self._submission_processes()[0]) - seen
            quiet = 0 if new else quiet + 1
            # A suspended process starts no other one during the next scan.
            for process in new:
                with suppress(psutil.Error):
                    process.suspend()
            seen |= new
        for process in seen:
            with suppress(psutil.Error):
                process.kill()
        return quiet == QUIET_SCANS

    def _other_processes(self, parents: dict[psutil.Process, int]) -> set[psutil.Process]:
        return set(parents) - self._active_family(parents) - set(self._waiting.values())

    def _active_family(self, parents: dict[psutil.Process, int]) -> set[psutil.Process]:
        """Return the active snapshot and its descendants."""
        family = set(parents) & {self._active}
        while (
            more := {process for process, parent in parents.items() if any(parent == one.pid for one in family)}
            - family
        ):
            family |= more
        return family

    def _submission_processes(self) -> tuple[dict[psutil.Process, int], int]:
        """Return the submission's processes with their parents' numbers, and their depth in PID namespaces."""
        parents: dict[psutil.Process, int] = {}
        for process in descendants(self._interpreter):
            with suppress(psutil.Error):
                parents[process] = process.ppid()
        helpers = {process.pid for process, parent in parents.items() if parent == self._interpreter}
        supervisors = {process.pid for process, parent in parents.items() if parent in helpers}
        level = max((len(_numbers(supervisor)) for supervisor in supervisors), default=1) - 1
        own = {process: parent for process, parent in parents.items() if process.pid not in helpers | supervisors}
        return own, level


def _number(process: int, level: int) -> int:
    """Return the number of a process in the PID namespace at a depth; 0 if it has none there."""
    numbers = _numbers(process)
    return numbers[level] if level < len(numbers) else 0


def _numbers(process: int) -> list[int]:
    """Return the numbers of a process, from the outermost PID namespace inwards."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:  # ended, or not on Linux
        return [process]
    found = re.search(r"^NSpid:(.*)$", status, re.MULTILINE)
    return [int(number) for number in found[1].split()] if found else [process]
