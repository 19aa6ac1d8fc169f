"""Files that this account may not read: whose they are, and who can change that."""

import errno
import os
import stat
from itertools import islice
from pathlib import Path

from ..sanitize.terminal_text import printable
from .notebook_candidates import MAX_DEPTH, MAX_ENTRIES, UnreadableFile, is_system_file

_DENIED = (errno.EACCES, errno.EPERM)


class LockedFile(UnreadableFile):
    """A file or folder that this account may not read; the message says whose it is."""


def is_denied(problem: OSError) -> bool:
    """Return whether an error says that this account lacks a permission."""
    return problem.errno in _DENIED


def denial(path: Path) -> str:
    """Say whose a file or folder is that this account may not read, and what its owner can do.

    Parameters
    ----------
    path : Path
        The file or folder; if it cannot be looked at, the innermost folder around it that can be is meant.
    """
    for place in (path, *path.parents):
        try:
            status = os.lstat(place)
        except OSError:
            continue
        kind, right = ("folder", "rx") if stat.S_ISDIR(status.st_mode) else ("file", "r")
        return (
            f"The {kind} {printable(place, 300)} belongs to the account {account_name(status.st_uid)} and has the mode "
            f"{stat.S_IMODE(status.st_mode):04o}, so the account {account_name(os.geteuid())} may not read it. Its owner or "
            f"an administrator can run `chmod a+{right}` on it."
        )
    return f"{printable(path, 300)} may not be read by this account."


def find_locked(folder: Path) -> str:
    """Return `denial` for the first part of a submission that this account may not read; empty if it may read all.

    Links and files of operating systems are left out.

    Parameters
    ----------
    folder : Path
        The submitted folder, or the file in its place.
    """
    left, waiting = MAX_ENTRIES, [(folder, 0)]
    while waiting:
        path, depth = waiting.pop(0)
        try:
            kind = os.lstat(path).st_mode
            if stat.S_ISREG(kind):
                os.close(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)))
            elif stat.S_ISDIR(kind) and depth <= MAX_DEPTH:
                with os.scandir(path) as entries:
                    names = sorted(entry.name for entry in islice(entries, left) if not is_system_file(entry.name))
                left -= len(names)
                waiting += [(path / name, depth + 1) for name in names]
        except OSError as problem:
            if is_denied(problem):
                return denial(path)
    return ""


def account_name(uid: int) -> str:
    """Name of an account, or its number if no account on this machine has it."""
    try:
        import pwd

        return printable(pwd.getpwuid(uid).pw_name)
    except (ImportError, KeyError):
        return f"number {uid}, which has no name here"
