"""What processes use: memory, and time of processors."""

from collections.abc import Iterable
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Usage:
    """What all of them hold and have used together.

    Attributes
    ----------
    memory_bytes : int
        What a process shares with its parent is counted once: sessions share the
        warm interpreter's memory, so of each process only what it holds beyond its
        parent counts, which is close as long as the parent lives.
    cpu_seconds : float
        Of those that live and of children that they have waited for. A process that
        ends unseen takes its seconds along.
    """

    memory_bytes: int
    cpu_seconds: float


def descendants(root: int) -> list[psutil.Process]:
    """Every process below ``root``."""
    try:
        return psutil.Process(root).children(recursive=True)
    except psutil.Error:
        return []


def usage(processes: Iterable[psutil.Process]) -> Usage:
    """Measure these processes, of which some may have ended."""
    parents, held, seconds = {}, {}, 0.0
    for process in processes:
        try:
            with process.oneshot():
                memory, times = process.memory_info(), process.cpu_times()
                parents[process.pid] = process.ppid()
        except psutil.Error:
            continue
        # macOS does not tell what is shared.
        held[process.pid] = memory.rss - getattr(memory, "shared", 0)
        seconds += times.user + times.system + times.children_user + times.children_system
    memory_bytes = sum(max(0, size - held.get(parents[pid], 0)) for pid, size in held.items())
    return Usage(memory_bytes, seconds)
