"""What processes use: memory, and time of processors."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Usage:
    """What all of them hold and have used together.

    Attributes
    ----------
    memory_bytes : int
        Close where it matters, too much where it does not: see `usage`. The kernel's own
        tables of what lies where are in it: one page of memory may need two of these.
    cpu_seconds : float
        Of those that live and of children that they have waited for. A process that
        ends unseen takes its seconds along.
    pids : tuple of int
        All of them.
    """

    memory_bytes: int
    cpu_seconds: float
    pids: tuple[int, ...] = ()


def descendants(root: int) -> list[psutil.Process]:
    """Every process below ``root``."""
    try:
        return psutil.Process(root).children(recursive=True)
    except psutil.Error:
        return []


def usage(processes: Iterable[psutil.Process], doubt_bytes: float = inf) -> Usage:
    """Measure these processes, of which some may have ended.

    Parameters
    ----------
    processes : iterable of psutil.Process
    doubt_bytes : float
        A child shares memory with its parent until one of them writes to it. Looking
        closely at who shares what takes long, so that is done only where all of it,
        counted once for each process, would be more than this.
    """
    parents, held, seconds, tables = {}, {}, 0.0, 0
    for process in processes:
        try:
            with process.oneshot():
                memory, times = process.memory_info(), process.cpu_times()
                parents[process.pid] = process.ppid()
        except psutil.Error:
            continue
        # macOS does not tell what is shared.
        held[process.pid] = memory.rss - getattr(memory, "shared", 0)
        tables += _tables(process.pid)
        seconds += times.user + times.system + times.children_user + times.children_system
    memory_bytes = sum(held.values())
    if memory_bytes > doubt_bytes:
        memory_bytes = sum(_part(pid, max(0, size - held.get(parents[pid], 0))) for pid, size in held.items())
    return Usage(memory_bytes + tables, seconds, tuple(held))


def _tables(pid: int) -> int:
    """The kernel's tables for a process's memory, in bytes; 0 where nobody tells."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    found = re.search(r"^VmPTE:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


def _part(pid: int, otherwise: int) -> int:
    """A process's part of the memory that it shares with others, in bytes; ``otherwise`` where nobody tells."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return otherwise
    parts = re.findall(r"^(?:Pss_Anon|SwapPss):\s+(\d+) kB", text, re.MULTILINE)
    return sum(map(int, parts)) << 10 if parts else otherwise
