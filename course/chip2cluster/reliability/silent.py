"""Goodput of a run that tests for silent data corruption."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def silent_goodput(interval: ArrayLike, test_seconds: ArrayLike, mtbf: ArrayLike, *, located: bool) -> FloatOrArray:
    """Goodput of a run that loses work only to silent errors and to the tests that find them.

    Parameters
    ----------
    interval : float or array
        Work between two tests, seconds.
    test_seconds : float or array
        Time that a test stops the run, seconds; may be 0.
    mtbf : float or array
        Mean work between two silent errors of the whole job, seconds.
    located : bool
        Whether the run returns to a checkpoint just before the error (True), or to the last test that found none (False).

    Returns
    -------
    float or array
        Fraction of the time that is productive work, 0 to 1: with t for the test, ``interval exp(-interval / mtbf) /
        (interval + t)`` if the error is not located, ``mtbf (1 - exp(-interval / mtbf)) / (interval + t)`` if it is.

    Notes
    -----
    Valid for errors at a constant rate during work and for tests that miss nothing. Ignores crashes, checkpoints,
    restarts and errors during a test: an upper bound on the goodput of a real run. Source: the reward of a renewal
    process, work kept for each interval and test.

    Examples
    --------
    One silent error in nine days, with a daily test that costs nothing.

    >>> [round(silent_goodput(86400, 0, 9 * 86400, located=found), 3) for found in (False, True)]
    [0.895, 0.946]
    """
    work, mean = positive("interval", interval), positive("mtbf", mtbf)
    test = positive("test_seconds", test_seconds, allow_zero=True)
    kept = -mean * np.expm1(-work / mean) if located else work * np.exp(-work / mean)
    return plain(kept / (work + test))
