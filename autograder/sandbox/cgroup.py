"""A control group (cgroup v2) around a box, where this account may make one; where it may not, nothing is lost.

The grader's own measurements stop a submission that takes too much. A group also
counts what no process holds, takes no sleep between two looks, and shares the
processors fairly between boxes however many processes each has.
"""

import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path

from .limits import Limits

NAME = "chip2cluster-{pid}-{number}"
AROUND = 64  # processes beyond a submission's: bubblewrap, the warm interpreter, a keeper, copies


class Group:
    """One box's group; its folder in the tree of groups."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entering(self, program: list[str]) -> list[str]:
        """The command line that runs ``program`` inside; where the system says no after all, outside."""
        enter = '{ echo $$ >"$0"; } 2>/dev/null; exec "$@"'
        return ["/bin/sh", "-c", enter, str(self._folder / "cgroup.procs"), *program]

    def kills(self) -> int:
        """How many processes the kernel has ended since all in here held too much together; 0 where nobody tells."""
        try:
            found = re.search(r"^oom_kill (\d+)$", (self._folder / "memory.events").read_text(), re.MULTILINE)
        except OSError:
            return 0
        return int(found[1]) if found else 0

    def close(self) -> None:
        """End what is left inside, and remove the group."""
        with suppress(OSError):
            (self._folder / "cgroup.kill").write_text("1")
        for _ in range(20):
            with suppress(OSError):
                self._folder.rmdir()
                return
            time.sleep(0.05)  # they end one by one


def group(number: int, limits: Limits, proc: Path = Path("/proc/self")) -> Group | None:
    """Make a group for a box beside this process's own; None where that cannot be done.

    Parameters
    ----------
    number : int
        Of the box in this process.
    limits : Limits
        Twice a submission's memory is the most for all of a box: its cells, then the copies that are asked.
    proc : path
        Where this process is described.
    """
    if sys.platform != "linux" or (tree := _tree(proc)) is None:
        return None
    made = None
    # A group that holds processes has no limited groups below it, so that the one around is next.
    for place in (tree, tree.parent):
        with suppress(OSError):
            if not {"memory", "pids"} <= set((place / "cgroup.subtree_control").read_text().split()):
                continue
            _sweep(place)
            made = place / NAME.format(pid=os.getpid(), number=number)
            made.mkdir()
            (made / "memory.max").write_text(str(2 * (limits.memory_bytes + limits.tmp_bytes)))
            (made / "pids.max").write_text(str(limits.processes + AROUND))
            with suppress(OSError):  # a kernel without swap has no such file
                (made / "memory.swap.max").write_text("0")
            return Group(made)
        if made is not None:
            Group(made).close()
    return None


def _tree(proc: Path) -> Path | None:
    """This process's own group as a folder."""
    try:
        own = re.search(r"^0::(/.*)$", (proc / "cgroup").read_text(), re.MULTILINE)
        # One line for each mount: …, root of what is mounted, place, …, a dash, type.
        mounts = re.findall(r"^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 ", (proc / "mountinfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    for root, place in mounts:
        if own and own[1].startswith(root.rstrip("/") + "/"):
            return Path(place, own[1][len(root.rstrip("/")) :].lstrip("/"))
    return None


def _sweep(place: Path) -> None:
    """Remove the empty groups of graders that were killed."""
    for left in place.glob(NAME.format(pid="*", number="*")):
        pid = left.name.split("-")[1]
        if pid.isdigit() and not Path("/proc", pid).exists():
            with suppress(OSError):  # in another container, that number may be somebody
                left.rmdir()
