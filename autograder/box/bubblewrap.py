"""The command line that starts a program in a locked room, with bubblewrap (Linux)."""

import os
import shutil
import site
import sys
import sysconfig
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")
# Inside, these packages come from the page's own folder; an installed copy holds the answers.
OWN = ("chip2cluster", "autograder")
# What the warm interpreter needs to separate one submission from the next; a submission has none of it.
SEPARATE = ("CAP_SYS_ADMIN",)
CHANGE_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
USER = 65534


def missing() -> str:
    """Why bubblewrap cannot even be tried here; empty when it can."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (the package is called bubblewrap)"
    return ""


def command(folder: str | Path, program: list[str], *, tmp_bytes: int, separate: bool = True) -> list[str]:
    """Return the arguments that run ``program`` where only ``folder`` and the interpreter can be seen.

    Parameters
    ----------
    folder : path
        Shown read-only as ``/box``.
    program : list of str
        Runs inside.
    tmp_bytes : int
        Size of the scratch folder.
    separate : bool
        True keeps the capabilities with which the program can give each of its
        children namespaces of its own.
    """
    line = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--new-session", "--clearenv"]
    line += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() != 0:
        line += ["--unshare-user", "--uid", str(USER), "--gid", str(USER)]
    line += ["--cap-drop", "ALL"]
    for name in (*(SEPARATE if separate else ()), *(CHANGE_USER if separate or os.getuid() == 0 else ())):
        line += ["--cap-add", name]
    line += ["--hostname", "box", "--perms", "1777", "--size", str(tmp_bytes), "--tmpfs", scratch()]
    for place in SYSTEM:
        if os.path.islink(place):
            line += ["--symlink", os.readlink(place), place]
        elif os.path.exists(place):
            line += ["--ro-bind", place, place]
    for place in interpreter():
        # Bubblewrap makes missing parents for its own user alone.
        for parent in reversed(Path(place).parents[:-1]):
            line += ["--perms", "0755", "--dir", str(parent)]
        line += ["--ro-bind", place, place]
    for place in _installed_copies():
        line += ["--tmpfs", place]
    line += ["--ro-bind", str(folder), "/box", "--dev", "/dev"]
    line += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    for name, value in environment(scratch()).items():
        line += ["--setenv", name, value]
    return [*line, "--", *program]


def scratch() -> str:
    """The folder that each submission gets empty and to itself: /tmp, unless this Python itself lives there."""
    return "/var/tmp" if any(place.startswith("/tmp/") for place in interpreter()) else "/tmp"


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


def interpreter() -> list[str]:
    """Folders of this Python and its packages, outermost only."""
    places = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *_packages()}
    places |= {os.path.dirname(os.path.realpath(sys.executable))}
    places = {place for place in places if os.path.isdir(place) and not place.startswith(("/usr/", "/bin", "/lib"))}
    places.discard("/usr")
    return sorted(inner for inner in places if not any(inner != o and Path(inner).is_relative_to(o) for o in places))


def _packages() -> set[str]:
    places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    return {place for place in places if os.path.isdir(place)}


def _installed_copies() -> list[str]:
    return [
        os.path.join(place, name)
        for place in sorted(_packages())
        for name in OWN
        if os.path.isdir(os.path.join(place, name))
    ]
