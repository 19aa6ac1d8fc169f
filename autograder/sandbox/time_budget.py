"""Time limits for student code: CPU time, and wall-clock time as a second limit."""

import time
from collections.abc import Callable
from math import inf

from .inside.message_protocol import TimedOut
from .limits import Limits

INTERVAL = 0.25  # seconds between two measurements
SHORT_INTERVAL = 0.02  # the same for code that has almost no time left


class Allowance:
    """Time that one reply may take, measured while the grader waits for it.

    Parameters
    ----------
    cpu_seconds : float
        CPU time allowed, counted from the first measurement.
    clock_seconds : float
        Wall-clock time allowed.
    measure : callable
        Returns the CPU time used so far, earlier work included.

    Attributes
    ----------
    spent : float
        CPU seconds up to the last measurement.
    """

    def __init__(self, cpu_seconds: float, clock_seconds: float, measure: Callable[[], float]) -> None:
        self.spent = 0.0
        self._cpu_seconds, self._clock_seconds, self._measure = cpu_seconds, clock_seconds, measure
        # A short time is measured often, or code would be stopped at half too much.
        self._interval = min(INTERVAL, max(SHORT_INTERVAL, cpu_seconds / 4))
        now = time.monotonic()
        self._end, self._next = now + clock_seconds, now + self._interval
        self._before: float | None = None

    @property
    def cpu_exhausted(self) -> bool:
        """Whether the CPU time is used up; otherwise the clock has ended the wait."""
        return self.spent > self._cpu_seconds

    @property
    def exhausted_text(self) -> str:
        """Name of the limit that is used up, for a message."""
        if self.cpu_exhausted:
            return f"{self._cpu_seconds:.3g} s of computing"
        return f"{max(0.0, self._clock_seconds):.3g} s"

    def check(self) -> float:
        """Measure if a measurement is due, and return the seconds until the next one.

        Raises
        ------
        autograder.sandbox.inside.message_protocol.TimedOut
            If one of the two limits is used up.
        """
        now = time.monotonic()
        if now >= self._end:
            raise TimedOut
        if now >= self._next:
            self._next = now + self._interval
            seconds = self._measure()
            if self._before is not None:
                # The sum decreases when a process has ended and nobody has waited for it.
                self.spent += max(0.0, seconds - self._before)
            self._before = seconds
            if self.cpu_exhausted:
                raise TimedOut
        return min(self._end, self._next) - now


class TimeBudget:
    """Time budget of a submission from its first cell to its last reply, reruns included.

    Attributes
    ----------
    wall_clock_hit : bool
        Whether the clock has stopped code that had CPU time left: on a less busy machine it might have finished.
    """

    def __init__(self, limits: Limits) -> None:
        self.wall_clock_hit = False
        self._limits, self._left = limits, limits.submission_seconds
        self._end = time.monotonic() + limits.patience * limits.submission_seconds

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        return self._left <= 0 or time.monotonic() >= self._end

    @property
    def allows_rerun(self) -> bool:
        """Whether enough is left to run all cells again; the queries get the rest."""
        seconds = self._limits.notebook_seconds
        return self._left >= seconds and self._end - time.monotonic() >= self._limits.patience * seconds

    def allow(self, seconds: float, measure: Callable[[], float], left: float = inf, end: float = inf) -> Allowance:
        """Return an allowance of CPU seconds, at most ``left``, and its multiple by the clock, at most until ``end``."""
        clock_seconds = min(self._limits.patience * seconds, min(end, self._end) - time.monotonic())
        return Allowance(min(seconds, left, self._left), clock_seconds, measure)

    def charge(self, allowance: Allowance, *, timed_out: bool = False) -> None:
        """Subtract what an allowance has spent; ``timed_out`` says that the allowance stopped the code."""
        self._left -= allowance.spent
        self.wall_clock_hit |= timed_out and not allowance.cpu_exhausted
