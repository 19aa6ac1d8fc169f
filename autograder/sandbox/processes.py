"""The processes of one submission, seen from outside: which may run, which wait, which are ended."""

import re
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import psutil

from .process_usage import descendants, usage

REST = 5.0  # seconds in which all are met, or else they start new ones faster than they can be ended
LOOKS = 5  # for a copy that is not met
QUIET = 2  # looks at which nobody new is met


class Processes:
    """What runs below a box's warm interpreter for one submission.

    The interpreter has started a helper and that one the keeper. Everything below the
    keeper is the submission's, in whatever group or session of its own: who loses the
    parent becomes a child of the keeper.

    Parameters
    ----------
    warm : int
        The warm interpreter's process.
    """

    def __init__(self, warm: int) -> None:
        self._warm = warm
        # The copies that have not been asked, by the number that they have inside, and the one that is asked now.
        self._waiting: dict[int, psutil.Process] = {}
        self._asked: psutil.Process | None = None

    def keep(self, copies: Collection[int]) -> bool:
        """Stop these until they are asked, and end all others.

        Parameters
        ----------
        copies : collection of int
            Their numbers inside, as the submission has told them: whoever tells the
            wrong ones keeps no more than there are questions.

        Returns
        -------
        bool
            False when the others start new ones faster than they can be ended.
        """
        for _ in range(LOOKS):
            parents, level = self._own()
            numbered = {_number(process.pid, level): process for process in parents}
            self._waiting = {number: numbered[number] for number in copies if number in numbered}
            # While a parent ends, its children may be met under neither the old nor the new one.
            if len(self._waiting) == len(set(copies)):
                break
        for process in self._waiting.values():
            with suppress(psutil.Error):
                process.suspend()
        strangers = self._strangers(parents)
        if len(strangers) > 1 or not {process.pid for process in strangers} <= {
            parents[c] for c in self._waiting.values()
        }:
            return self._end_strangers()
        # None, or the one that ran the cells. What that one starts in its last moment is met when time is measured.
        for process in strangers:
            with suppress(psutil.Error):
                process.kill()
        return True

    def ask(self, copy: int) -> None:
        """Let this copy go on; no other runs."""
        self._asked = self._waiting.pop(copy, None)
        if self._asked is not None:
            with suppress(psutil.Error):
                self._asked.resume()

    def seconds(self) -> float:
        """Time of processors that the copy that is asked has used with all that it has started; strangers are ended."""
        parents, _ = self._own()
        if self._strangers(parents):
            self._end_strangers()
        return usage(self._family(parents)).cpu_seconds

    def end(self) -> None:
        """End the copy that was asked, and all that it has started."""
        self._asked = None
        self._end_strangers()

    def close(self) -> None:
        """End them all."""
        self._waiting.clear()
        self.end()

    def _end_strangers(self) -> bool:
        """End all but the copies that wait and the family of the one that is asked; False where that has no end."""
        until = time.monotonic() + REST
        met: set[psutil.Process] = set()
        # Who moves into a child and ends can be missed once.
        quiet = 0
        while quiet < QUIET and time.monotonic() < until:
            new = self._strangers(self._own()[0]) - met
            quiet = 0 if new else quiet + 1
            # Who is stopped starts no other while the rest is looked for.
            for process in new:
                with suppress(psutil.Error):
                    process.suspend()
            met |= new
        for process in met:
            with suppress(psutil.Error):
                process.kill()
        return quiet == QUIET

    def _strangers(self, parents: dict[psutil.Process, int]) -> set[psutil.Process]:
        return set(parents) - self._family(parents) - set(self._waiting.values())

    def _family(self, parents: dict[psutil.Process, int]) -> set[psutil.Process]:
        """The copy that is asked and what it has started."""
        family = set(parents) & {self._asked}
        while (
            more := {process for process, parent in parents.items() if any(parent == one.pid for one in family)}
            - family
        ):
            family |= more
        return family

    def _own(self) -> tuple[dict[psutil.Process, int], int]:
        """The submission's processes with their parents' numbers, and how deep in namespaces they are."""
        parents: dict[psutil.Process, int] = {}
        for process in descendants(self._warm):
            with suppress(psutil.Error):
                parents[process] = process.ppid()
        helpers = {process.pid for process, parent in parents.items() if parent == self._warm}
        keepers = {process.pid for process, parent in parents.items() if parent in helpers}
        level = max((len(_numbers(keeper)) for keeper in keepers), default=1) - 1
        return {process: parent for process, parent in parents.items() if process.pid not in helpers | keepers}, level


def _number(process: int, level: int) -> int:
    """The number that a process has in the namespace so deep; 0 where it has none."""
    numbers = _numbers(process)
    return numbers[level] if level < len(numbers) else 0


def _numbers(process: int) -> list[int]:
    """A process's numbers, from the outermost namespace inwards."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:  # gone, or no Linux
        return [process]
    found = re.search(r"^NSpid:(.*)$", status, re.MULTILINE)
    return [int(number) for number in found[1].split()] if found else [process]
