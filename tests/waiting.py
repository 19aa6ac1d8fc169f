"""Waiting in tests for something that happens in another process or in a browser."""

import time

PAUSE = 0.02  # seconds between two checks


def wait_until(condition, *, seconds, what):
    """Check a condition until it is true, and return its value.

    Parameters
    ----------
    condition : callable
        Takes no arguments. It may raise to end the wait early, for example when the process that should fulfill it
        has ended.
    seconds : float
        Deadline. Make it generous: it costs time only in a test that fails.
    what : str or callable
        What was expected, for the error; a callable is called when the deadline has passed, to add a log to it.

    Raises
    ------
    TimeoutError
        When the deadline has passed and the condition is still false.
    """
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what() if callable(what) else what}")
        time.sleep(PAUSE)  # leaves the processor to what is waited for
    return value
