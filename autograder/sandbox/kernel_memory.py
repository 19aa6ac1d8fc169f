"""Memory of a box that counting what its processes hold does not find: in sockets, in terminals, shared without a file."""

import os
from collections.abc import Iterable
from pathlib import Path

from .inside.filters import LARGEST_SHARED

BUFFER = Path("/proc/sys/net/core/wmem_default")
TERMINAL = 192 << 10  # bytes that a pair of a terminal takes
FREE = 64 << 20  # bytes by which all shared memory of the machine may grow before anybody looks whose it is


class Unheld:
    """What has come to lie in a box since this was made."""

    def __init__(self) -> None:
        self._before = _machine_shared()

    def most(self, inside: Iterable[int]) -> int:
        """The most that it can be, in bytes; 0 where the system tells nothing.

        Parameters
        ----------
        inside : process ids
            All of the box.

        Notes
        -----
        The filter leaves a box streams between processes alone, and shared memory in small
        pieces; each is counted as if it were full. Other memory of this kind has limits of
        its own: folders in memory have a size, a user's pipes share 64 MiB.
        """
        inside = list(inside)
        pieces = 0
        if _machine_shared() > self._before + FREE:
            pieces = len(set().union(*map(_pieces, inside)))
        # All of a box have one network and one folder of devices; the first of them has started the others.
        return sum(_in_sockets(pid) + _in_terminals(pid) for pid in inside[:1]) + pieces * LARGEST_SHARED


def _in_sockets(pid: int) -> int:
    """Connections that nobody has taken count too, though no process has them open and the writer may be gone."""
    try:
        sockets = Path(f"/proc/{pid}/net/unix").read_bytes().count(b"\n") - 1  # but for the head line
        return sockets * int(BUFFER.read_text()) * 3 // 2  # the kernel overdraws each by at most half
    except OSError:
        return 0


def _in_terminals(pid: int) -> int:
    try:
        return TERMINAL * len(os.listdir(f"/proc/{pid}/root/dev/pts"))
    except OSError:
        return 0


def _pieces(pid: int) -> set[bytes]:
    """The inode of each piece of shared memory that a process has mapped, were it but one page of it."""
    try:
        lines = Path(f"/proc/{pid}/maps").read_bytes().splitlines()
    except OSError:
        return set()
    return {line.split()[4] for line in lines if line.endswith(b" /dev/zero (deleted)")}


def _machine_shared() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Shmem:"))
    except (OSError, StopIteration):
        return 0
