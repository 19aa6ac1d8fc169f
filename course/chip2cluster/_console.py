"""What a program in a terminal owes whoever sits there: how it ends when it is stopped, or no longer read."""

import os
import select
import sys

# Exit codes that mean the same in every program: 128 and the number of the signal.
INTERRUPTED, UNREAD = 130, 141


def nobody_reads():
    """Whether it is our own output that nobody reads any more (``| head``), which is no fault."""
    try:
        output = select.poll()
        output.register(sys.stdout.fileno(), 0)
    except (AttributeError, OSError):  # a system without poll, or output that is no file
        return False
    if not output.poll(0):
        return False
    # What is still buffered goes nowhere, or Python would complain of it at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True
