"""How much memory a process and everything below it holds."""

import os
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident(root):
    """Resident bytes of the processes below ``root``, memory that they share counted once; 0 where it cannot be known.

    Sessions share the warm interpreter's pages, so only anonymous pages that a
    process does not share with its parent would be exact; resident minus shared
    file pages, less the parent's, is close from above.
    """
    children = {}
    sizes = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            _, size, shared, *_ = (folder / "statm").read_text().split()
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(folder.name))
        sizes[int(folder.name)] = (int(size) - int(shared)) * PAGE
    total, queue = 0, [(child, 0) for child in children.get(root, ())]
    while queue:
        pid, inherited = queue.pop()
        total += max(0, sizes[pid] - inherited)
        queue += [(child, sizes[pid]) for child in children.get(pid, ())]
    return total
