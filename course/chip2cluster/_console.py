"""Exit codes and handling of interrupts and closed output pipes for command-line programs."""

import os
import select
import sys

# Conventional exit codes: 128 plus the number of the signal (SIGINT, SIGPIPE).
INTERRUPTED, UNREAD = 130, 141


def nobody_reads():
    """Return whether our own output pipe was closed by its reader (``| head``), which is not an error."""
    try:
        output = select.poll()
        output.register(sys.stdout.fileno(), 0)
    except (AttributeError, OSError):  # a system without poll, or output that is not a file
        return False
    if not output.poll(0):
        return False
    # Discard buffered output, or Python would report an error at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True
