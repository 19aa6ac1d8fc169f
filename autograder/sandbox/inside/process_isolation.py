"""Isolation of a forked child: processes, /tmp, user, limits. Runs inside the sandbox, before any student code.

Bubblewrap has already removed the network and hidden the file system. These functions separate one submission from the
next, so that one warm interpreter can serve many.
"""

import ctypes
import os
import resource
from contextlib import suppress
from typing import Any

from . import filters

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x00020000, 0x08000000, 0x20000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_NOATIME, MS_NODIRATIME, MS_BIND = (
    1,
    2,
    4,
    8,
    32,
    1024,
    2048,
    4096,
)
KEPT_FLAGS = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME
# Files of this machine to which every user may write: read-only, so that nobody leaves a message in their modification
# time. What is written to them is still discarded.
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty"))
TERMINALS = 16  # pseudo-terminals at once
PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 4, 24, 38, 47, 4
KEYCTL_JOIN_SESSION_KEYRING = 1
PR_SET_CHILD_SUBREAPER = 36
_CAPABILITY_VERSION_3 = 0x20080522


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _require_success(result: int, attempt: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{attempt}: {os.strerror(error)}")


def join_empty_keyring() -> None:
    """Leave the grader's key ring for an empty one, if the system has key rings.

    The filter refuses a submission's own calls about keys. This removes the keys that the kernel itself would look up,
    such as tickets for a network file system.
    """
    if not filters.unavailable_reason() and (call := filters.call_number("keyctl", os.uname().machine)):
        _libc().syscall(call, KEYCTL_JOIN_SESSION_KEYRING, None)


def enter_namespaces(scratch: str, tmp_bytes: int) -> None:
    """Create namespaces for process numbers (of the next child) and System V memory; share no writable file.

    Scratch folders and the folder of terminals are new and empty; devices are read-only.
    """
    libc = _libc()
    _require_success(libc.unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC), "unshare")
    for place, size in ((scratch.encode(), tmp_bytes), (b"/dev/shm", 1 << 20)):
        options = f"size={size},nr_inodes=4096,mode=1777".encode()
        _require_success(
            libc.mount(b"tmpfs", place, b"tmpfs", MS_NOSUID | MS_NODEV, options), f"mount {place.decode()}"
        )
    for device in DEVICES:
        if os.path.exists(device):
            # A mount that this user namespace did not create must keep its other flags.
            flags = os.statvfs(device).f_flag & KEPT_FLAGS | MS_REMOUNT | MS_BIND | MS_RDONLY
            _require_success(libc.mount(None, device.encode(), None, flags, None), f"mount {device}")
    # Terminals keep the time at which they were last used.
    terminals = f"newinstance,ptmxmode=0666,mode=0620,max={TERMINALS}".encode()
    _require_success(libc.mount(b"devpts", b"/dev/pts", b"devpts", MS_NOSUID | MS_NOEXEC, terminals), "mount /dev/pts")


def drop_privileges(uid: int) -> None:
    """Become user ``uid`` if that is possible, and give up every capability permanently."""
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
    _require_success(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def forbid_tracing() -> None:
    """Keep other processes of the same user from reading or tracing this process."""
    _libc().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def load_filter(*, required: bool) -> None:
    """Load the filter of system calls.

    Raises
    ------
    OSError
        If the kernel refuses the filter, and it is required.
    """
    try:
        filters.load()
    except OSError:
        if required:
            raise


def become_subreaper() -> None:
    """Become the parent of every descendant that loses its own, if the system supports that."""
    with suppress(AttributeError):  # no Linux
        _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


RESERVED = 32  # processes beyond the limit, for snapshots of a notebook that has used up its own


def set_limits(limits: dict[str, Any]) -> None:
    """Set the limits of this process and its children; a limit that the system lacks is skipped."""
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
            # macOS refuses some of them; the grader's own measurements and the clock still apply.
            with suppress(ValueError, OSError):
                resource.setrlimit(number, value if isinstance(value, tuple) else (value, value))


def fork_beyond_limit() -> int:
    """Fork even if the student's code has used up its processes."""
    before = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_NPROC, (before[1], before[1]))
    try:
        return os.fork()
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, before)
