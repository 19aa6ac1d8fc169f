"""The command line that starts a program in a locked room, with bubblewrap (Linux)."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from . import visible_paths
from .visible_paths import Do

# What the warm interpreter needs to separate one submission from the next; a submission has none of it.
SEPARATE = ("CAP_SYS_ADMIN",)
CHANGE_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
USER = 65534


def command(
    bwrap: str,
    folder: str | Path,
    program: list[str],
    *,
    tmp_bytes: int,
    separate: bool = True,
    hidden: Iterable[str | Path] = (),
) -> list[str]:
    """Return the arguments that run ``program`` where only ``folder`` and the interpreter can be seen.

    Parameters
    ----------
    bwrap : str
        Path of bubblewrap's program, as `bwrap_binary.find` gives it.
    folder : path
        Shown read-only as ``/box``.
    program : list of str
        Runs inside.
    tmp_bytes : int
        Size of the scratch folder.
    separate : bool
        True keeps the capabilities with which the program can give each of its
        children namespaces of its own.
    hidden : list of path
        What must not be seen wherever it lies, as `places.plan` takes it.

    Raises
    ------
    autograder.sandbox.visible_paths.Exposed
        When something of that lies where Python itself does.
    """
    line = [bwrap, "--die-with-parent", "--new-session", "--clearenv"]
    line += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() != 0:
        line += ["--unshare-user", "--uid", str(USER), "--gid", str(USER)]
    line += ["--cap-drop", "ALL"]
    for name in (*(SEPARATE if separate else ()), *(CHANGE_USER if separate or os.getuid() == 0 else ())):
        line += ["--cap-add", name]
    line += ["--hostname", "box", "--perms", "1777", "--size", str(tmp_bytes), "--tmpfs", scratch()]
    view, covered = _view(hidden)
    line += view
    line += ["--ro-bind", str(folder), "/box", "--dev", "/dev"]
    for place in (*covered, "/dev", "/"):
        # Or one submission could leave something there for the next.
        line += ["--remount-ro", place]
    line += ["--chdir", "/"]
    for name, value in environment(scratch()).items():
        line += ["--setenv", name, value]
    return [*line, "--", *program]


def _view(hidden: Iterable[str | Path]) -> tuple[list[str], list[str]]:
    """The part of the command line that shows and hides places of this machine, and what is covered."""
    line: list[str] = []
    steps: dict[str, Do] = {}
    for do, place in visible_paths.plan(hidden):
        # Bubblewrap makes missing parents for its own user alone.
        for parent in reversed(Path(place).parents[:-1]):
            if visible_paths.above(str(parent / "x"), steps) is not Do.SHOW:
                line += ["--perms", "0755", "--dir", str(parent)]
        match do:
            case Do.SHOW:
                line += ["--ro-bind", place, place]
            case Do.LINK:
                line += ["--symlink", os.readlink(place), place]
            case Do.HIDE:
                line += ["--perms", "0755", "--tmpfs", place]
        steps[place] = do
    return line, [place for place, do in steps.items() if do is Do.HIDE]


def scratch() -> str:
    """The folder that each submission gets empty and to itself: /tmp, unless this Python itself lives there."""
    return "/var/tmp" if any(place.startswith("/tmp/") for place in visible_paths.interpreter()) else "/tmp"


def environment(home: str) -> dict[str, str]:
    """All variables that a box has."""
    return {
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), "/usr/bin", "/bin"]),
        "HOME": home,
        "LOGNAME": "student",
        "TMPDIR": home,
        "IPYTHONDIR": os.path.join(home, "ipython"),
        "MPLCONFIGDIR": os.path.join(home, "matplotlib"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
