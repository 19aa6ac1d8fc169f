"""What may lie in a box's sockets: memory that no process holds, so that counting processes does not find it."""

from pathlib import Path

BUFFER = Path("/proc/sys/net/core/wmem_default")


def held_bytes(root: int) -> int:
    """The most that the sockets of a box can hold.

    Parameters
    ----------
    root : int
        The process that has started the box, itself outside of it.

    Returns
    -------
    int
        Bytes. A connection that nobody has taken yet counts too, though no process has it
        open and whoever wrote into it may be gone; 0 where the system tells nothing.

    Notes
    -----
    The filter leaves a box streams between processes alone, with buffers of the usual
    size; the kernel overdraws one by at most half. Other memory of this kind has limits
    of its own: folders in memory have a size, a user's pipes share 64 MiB.
    """
    try:
        inside = Path(f"/proc/{root}/task/{root}/children").read_text().split()[0]
        sockets = Path(f"/proc/{inside}/net/unix").read_bytes().count(b"\n") - 1  # but for the head line
        return sockets * int(BUFFER.read_text()) * 3 // 2
    except (OSError, IndexError):
        return 0
