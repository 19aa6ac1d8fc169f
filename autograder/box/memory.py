"""The processes below one, and how much memory they hold. Linux; elsewhere nothing is found."""

import os
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def descendants(root):
    """Return ``{pid: (parent, anonymous bytes)}`` of every process below ``root``."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            _, size, shared, *_ = (folder / "statm").read_text().split()
        except (OSError, ValueError, IndexError):
            continue
        found[int(folder.name)] = parent, (int(size) - int(shared)) * PAGE
    below, queue = {}, [root]
    while queue:
        at = queue.pop()
        for pid, (parent, held) in found.items():
            if parent == at:
                below[pid] = parent, held
                queue.append(pid)
    return below


def resident(root):
    """Bytes held below ``root``, what a process shares with its parent counted once.

    Sessions share the warm interpreter's memory: of each process only what it holds
    beyond its parent counts, which is close as long as the parent lives.
    """
    below = descendants(root)
    return sum(max(0, held - below.get(parent, (0, 0))[1]) for parent, held in below.values())
