"""Give a forked child its own world: processes, /tmp, user, limits. Runs inside the box, before any student's code.

Bubblewrap has already taken away the network and the file system. What is done
here separates one submission from the next, so that one warm interpreter can
serve many.
"""

import ctypes
import os
import resource
from contextlib import suppress
from typing import Any

from . import filters

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x00020000, 0x08000000, 0x20000000
MS_NOSUID, MS_NODEV = 2, 4
PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 4, 24, 38, 47, 4
KEYCTL_JOIN_SESSION_KEYRING = 1
PR_SET_CHILD_SUBREAPER = 36
_CAPABILITY_VERSION_3 = 0x20080522


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _must(result: int, attempt: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{attempt}: {os.strerror(error)}")


def own_keys() -> None:
    """Leave the key ring of whoever grades for an empty one, where the system has key rings.

    What a submission could ask of key rings, the filter refuses; this takes away what
    the kernel itself would look up for it, such as tickets for a network's files.
    """
    if not filters.missing() and (call := filters.number("keyctl", os.uname().machine)):
        _libc().syscall(call, KEYCTL_JOIN_SESSION_KEYRING, None)


def namespaces(scratch: str, tmp_bytes: int) -> None:
    """Own process numbers (for the next child), own System V memory, own empty scratch folder and /dev/shm."""
    libc = _libc()
    _must(libc.unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC), "unshare")
    for place, size in ((scratch.encode(), tmp_bytes), (b"/dev/shm", 1 << 20)):
        options = f"size={size},nr_inodes=4096,mode=1777".encode()
        _must(libc.mount(b"tmpfs", place, b"tmpfs", MS_NOSUID | MS_NODEV, options), f"mount {place.decode()}")


def drop_privileges(uid: int) -> None:
    """Become ``uid`` where that is possible, and lose every capability for good."""
    libc = _libc()
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _must(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def hide() -> None:
    """Keep others of the same user from reading or tracing this process."""
    _libc().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def refuse_calls(*, must: bool) -> None:
    """Have the kernel refuse what no page needs, from here on.

    Raises
    ------
    OSError
        Where it cannot be made to, and ``must``.
    """
    try:
        filters.load()
    except OSError:
        if must:
            raise


def adopt() -> None:
    """Become the parent of every process below that loses its own, where the system can do that."""
    with suppress(AttributeError):  # no Linux
        _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


RESERVED = 32  # processes beyond the limit, for copies of a notebook that has used up its own


def limit(limits: dict[str, Any]) -> None:
    """Limits that hold for each process from here on; a limit that the system lacks is left out."""
    seconds = int(limits["notebook_seconds"]) + 30
    for name, value in (
        ("RLIMIT_AS", limits["memory_bytes"]),
        ("RLIMIT_CPU", seconds),
        ("RLIMIT_FSIZE", limits["file_bytes"]),
        ("RLIMIT_NPROC", (limits["processes"], limits["processes"] + RESERVED)),
        ("RLIMIT_NOFILE", 256),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_MSGQUEUE", 0),
        ("RLIMIT_MEMLOCK", 0),
    ):
        if (number := getattr(resource, name, None)) is not None:
            # macOS refuses some of them; the grader's own measurements and the clock still hold.
            with suppress(ValueError, OSError):
                resource.setrlimit(number, value if isinstance(value, tuple) else (value, value))


def fork() -> int:
    """Fork even when the student's code has used up its processes."""
    before = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_NPROC, (before[1], before[1]))
    try:
        return os.fork()
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, before)
