"""Errors of the grader's own disk, network or memory, which are no property of what was handed in."""

import errno

_NAMES = (
    *("EIO", "ESTALE", "EMFILE", "ENFILE", "ENOMEM", "ENODEV", "EUCLEAN", "EREMOTEIO"),
    *("ETIMEDOUT", "ENOTCONN", "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH", "ESHUTDOWN"),
)
# Other systems lack some of them.
DISK_ERRORS = frozenset(number for name in _NAMES if (number := getattr(errno, name, None)) is not None)


def raise_disk_error(problem: OSError) -> None:
    """Raise an error again if the machine caused it: an answer that could not be read is no wrong answer.

    >>> raise_disk_error(FileNotFoundError(errno.ENOENT, "not there"))
    >>> raise_disk_error(OSError(errno.EIO, "Input/output error"))
    Traceback (most recent call last):
    OSError: [Errno 5] Input/output error
    """
    if problem.errno in DISK_ERRORS:
        raise problem
