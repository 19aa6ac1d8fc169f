"""Command line that starts a program in a sandbox, with bubblewrap (Linux)."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from . import visible_paths
from .visible_paths import PathAction

# Capabilities with which the warm interpreter separates one submission from the next; a submission has none of them.
NAMESPACES = ("CAP_SYS_ADMIN",)
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
    """Return the command line that runs ``program`` where only ``folder`` and the interpreter are visible.

    Parameters
    ----------
    bwrap : str
        Path of the ``bwrap`` program, from `bwrap_binary.find`.
    folder : path
        Folder that is mounted read-only as ``/box``.
    program : list of str
        Command line of the program to run.
    tmp_bytes : int
        Size of the scratch folder, bytes.
    separate : bool
        Whether the program keeps the capabilities with which it gives each child its own namespaces.
    hidden : list of path
        Paths that must stay hidden, see `visible_paths.plan`.

    Raises
    ------
    autograder.sandbox.visible_paths.HiddenPathConflict
        If a hidden path is one that Python itself needs.
    """
    line = [bwrap, "--die-with-parent", "--new-session", "--clearenv"]
    line += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() != 0:
        line += ["--unshare-user", "--uid", str(USER), "--gid", str(USER)]
    line += ["--cap-drop", "ALL"]
    for name in (*(NAMESPACES if separate else ()), *(CHANGE_USER if separate or os.getuid() == 0 else ())):
        line += ["--cap-add", name]
    line += ["--hostname", "box", "--perms", "1777", "--size", str(tmp_bytes), "--tmpfs", scratch_folder()]
    mounts, covered = _mounts(hidden)
    line += mounts
    line += ["--ro-bind", str(folder), "/box", "--dev", "/dev"]
    for path in (*covered, "/dev", "/"):
        # One submission could otherwise leave files there for the next.
        line += ["--remount-ro", path]
    line += ["--chdir", "/"]
    for name, value in environment(scratch_folder()).items():
        line += ["--setenv", name, value]
    return [*line, "--", *program]


def _mounts(hidden: Iterable[str | Path]) -> tuple[list[str], list[str]]:
    """Return the arguments that show and hide paths of this machine, and the hidden paths."""
    line: list[str] = []
    actions: dict[str, PathAction] = {}
    for action, path in visible_paths.plan(hidden):
        # Bubblewrap makes missing parents for its own user alone.
        for parent in reversed(Path(path).parents[:-1]):
            if visible_paths.enclosing_action(str(parent / "x"), actions) is not PathAction.SHOW:
                line += ["--perms", "0755", "--dir", str(parent)]
        match action:
            case PathAction.SHOW:
                line += ["--ro-bind", path, path]
            case PathAction.LINK:
                line += ["--symlink", os.readlink(path), path]
            case PathAction.HIDE:
                line += ["--perms", "0755", "--tmpfs", path]
        actions[path] = action
    return line, [path for path, action in actions.items() if action is PathAction.HIDE]


def scratch_folder() -> str:
    """Return the folder that is empty at the start of each submission: /tmp, unless this Python is installed there."""
    return "/var/tmp" if any(path.startswith("/tmp/") for path in visible_paths.interpreter()) else "/tmp"


def environment(home: str) -> dict[str, str]:
    """Return all environment variables of the sandbox."""
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
