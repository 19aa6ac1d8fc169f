"""Memory and CPU time of processes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path

import psutil


@dataclass(frozen=True)
class ProcessUsage:
    """Resources of several processes together.

    Attributes
    ----------
    memory_bytes : int
        Resident memory with the kernel's page tables (a page may need two of these), exact near the limit and an upper
        bound far below it, see `measure_usage`.
    cpu_seconds : float
        CPU time of the running processes and of children that they have waited for. A child that ends without being
        waited for takes its seconds along.
    pids : tuple of int
        Processes that were measured.
    """

    memory_bytes: int
    cpu_seconds: float
    pids: tuple[int, ...] = ()


def descendants(root: int) -> list[psutil.Process]:
    """Return every process below ``root``."""
    try:
        return psutil.Process(root).children(recursive=True)
    except psutil.Error:
        return []


def measure_usage(processes: Iterable[psutil.Process], exact_above: float = inf) -> ProcessUsage:
    """Measure processes, some of which may have ended.

    Parameters
    ----------
    processes : iterable of psutil.Process
    exact_above : float
        Memory in bytes above which shared pages are attributed exactly. A child shares memory with its parent until
        one of them writes to it, and finding out who shares what is slow.
    """
    parents, resident, seconds, tables = {}, {}, 0.0, 0
    for process in processes:
        try:
            with process.oneshot():
                memory, times = process.memory_info(), process.cpu_times()
                parents[process.pid] = process.ppid()
        except psutil.Error:
            continue
        # macOS does not report shared memory.
        resident[process.pid] = memory.rss - getattr(memory, "shared", 0)
        tables += _page_table_bytes(process.pid)
        seconds += times.user + times.system + times.children_user + times.children_system
    memory_bytes = sum(resident.values())
    if memory_bytes > exact_above:
        memory_bytes = sum(
            _proportional_bytes(pid, max(0, size - resident.get(parents[pid], 0))) for pid, size in resident.items()
        )
    return ProcessUsage(memory_bytes + tables, seconds, tuple(resident))


def _page_table_bytes(pid: int) -> int:
    """Return the size of the kernel's page tables for a process, in bytes; 0 if unknown."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    found = re.search(r"^VmPTE:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


def _proportional_bytes(pid: int, default: int) -> int:
    """Return a process's share of the memory that it shares with others, in bytes; ``default`` if unknown."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return default
    parts = re.findall(r"^(?:Pss_Anon|SwapPss):\s+(\d+) kB", text, re.MULTILINE)
    return sum(map(int, parts)) << 10 if parts else default
