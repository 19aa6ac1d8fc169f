"""Control group (cgroup v2) around a sandbox, if this account may create one.

The grader's own measurements stop a submission that uses too much. A control group also counts memory that no process
holds, has no gap between two measurements, and shares the processors fairly between sandboxes however many processes
each has.
"""

import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path

from .limits import Limits

NAME = "chip2cluster-{pid}-{number}"
OVERHEAD = 64  # processes beyond a submission's own: bubblewrap, the warm interpreter, a supervisor, snapshots


class ControlGroup:
    """Control group of one sandbox.

    Parameters
    ----------
    folder : Path
        Folder of the group in the cgroup file system.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def wrap(self, program: list[str]) -> list[str]:
        """Return the command line that runs ``program`` in the group, or outside if the kernel refuses that."""
        enter = '{ echo $$ >"$0"; } 2>/dev/null; exec "$@"'
        return ["/bin/sh", "-c", enter, str(self._folder / "cgroup.procs"), *program]

    def oom_kills(self) -> int:
        """Return how many processes the kernel has killed because the group used too much memory; 0 if unknown."""
        try:
            found = re.search(r"^oom_kill (\d+)$", (self._folder / "memory.events").read_text(), re.MULTILINE)
        except OSError:
            return 0
        return int(found[1]) if found else 0

    def close(self) -> None:
        """Kill the remaining processes and remove the group."""
        with suppress(OSError):
            (self._folder / "cgroup.kill").write_text("1")
        for _ in range(20):
            with suppress(OSError):
                self._folder.rmdir()
                return
            time.sleep(0.05)  # the processes end one by one


def create_group(number: int, limits: Limits, proc: Path = Path("/proc/self")) -> ControlGroup | None:
    """Create a control group for a sandbox next to this process's own group; return None if that is not possible.

    Parameters
    ----------
    number : int
        Number of the sandbox in this process.
    limits : Limits
        Limits of one submission. The group gets twice its memory: for the cells, then for the snapshots that answer.
    proc : path
        Folder of this process in ``/proc``.
    """
    if sys.platform != "linux" or (current := _current_group(proc)) is None:
        return None
    created = None
    # A group that holds processes has no limited groups below it, so its parent is the second candidate.
    for parent in (current, current.parent):
        with suppress(OSError):
            if not {"memory", "pids"} <= set((parent / "cgroup.subtree_control").read_text().split()):
                continue
            _remove_stale(parent)
            created = parent / NAME.format(pid=os.getpid(), number=number)
            created.mkdir()
            (created / "memory.max").write_text(str(2 * (limits.memory_bytes + limits.tmp_bytes)))
            (created / "pids.max").write_text(str(limits.processes + OVERHEAD))
            with suppress(OSError):  # a kernel without swap has no such file
                (created / "memory.swap.max").write_text("0")
            return ControlGroup(created)
        if created is not None:
            ControlGroup(created).close()
    return None


def _current_group(proc: Path) -> Path | None:
    """Return the folder of this process's own group."""
    try:
        own = re.search(r"^0::(/.*)$", (proc / "cgroup").read_text(), re.MULTILINE)
        # One line for each mount: …, root of the mounted tree, mount point, …, a dash, type.
        mounts = re.findall(r"^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 ", (proc / "mountinfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    for root, place in mounts:
        if own and own[1].startswith(root.rstrip("/") + "/"):
            return Path(place, own[1][len(root.rstrip("/")) :].lstrip("/"))
    return None


def _remove_stale(parent: Path) -> None:
    """Remove the empty groups of graders that were killed."""
    for group in parent.glob(NAME.format(pid="*", number="*")):
        pid = group.name.split("-")[1]
        if pid.isdigit() and not Path("/proc", pid).exists():
            with suppress(OSError):  # a process of another container may have this number
                group.rmdir()
