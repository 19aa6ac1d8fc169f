"""Memory of a sandbox that no process holds: in sockets, in terminals, and shared without a file."""

import os
from collections.abc import Iterable
from pathlib import Path

from .inside.filters import LARGEST_SHARED

BUFFER = Path("/proc/sys/net/core/wmem_default")
TERMINAL = 192 << 10  # bytes that a pseudo-terminal takes
FREE = 64 << 20  # growth of the machine's shared memory, in bytes, below which its owners are not looked for


class KernelMemory:
    """Upper bound on the kernel memory that a sandbox has taken since this object was created."""

    def __init__(self) -> None:
        self._before = _machine_shared()

    def upper_bound(self, pids: Iterable[int]) -> int:
        """Return the upper bound in bytes; 0 if the system tells nothing.

        Parameters
        ----------
        pids : iterable of int
            All processes of the sandbox; the first one has started the others.

        Notes
        -----
        The system-call filter leaves a submission stream sockets and small segments of shared memory; each is counted
        as if it were full. Other memory of this kind has limits of its own: tmpfs folders have a size, and all pipes of
        a user share 64 MiB.
        """
        pids = list(pids)
        segments = 0
        if _machine_shared() > self._before + FREE:
            segments = len(set().union(*map(_shared_segments, pids)))
        # All processes of a sandbox share one network namespace, so the first one stands for all. A submission may have
        # its own folder of terminals, which an ordinary account cannot see; the number of terminals there is limited.
        sockets = sum(map(_socket_bytes, pids[:1]))
        return sockets + max(map(_terminal_bytes, pids), default=0) + segments * LARGEST_SHARED


def _socket_bytes(pid: int) -> int:
    """Count pending connections too: no process has them open, and the writer may have ended."""
    try:
        sockets = Path(f"/proc/{pid}/net/unix").read_bytes().count(b"\n") - 1  # less the header line
        return sockets * int(BUFFER.read_text()) * 3 // 2  # the kernel exceeds each limit by at most half
    except OSError:
        return 0


def _terminal_bytes(pid: int) -> int:
    try:
        return TERMINAL * len(os.listdir(f"/proc/{pid}/root/dev/pts"))
    except OSError:
        return 0


def _shared_segments(pid: int) -> set[bytes]:
    """Return the inode of each shared memory segment of which a process has mapped at least one page."""
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
