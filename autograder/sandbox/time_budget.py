"""Time for what a student's code does: processor time, and the clock as a second net."""

import time
from collections.abc import Callable
from math import inf

from .inside.wire import TooLate
from .limits import Limits

LOOK = 0.25  # seconds between two measurements
SHORT = 0.02  # the same for what has next to nothing left


class Allowance:
    """What one reply may take, watched while it is waited for.

    Parameters
    ----------
    computing : float
        Seconds of processors, counted from the first measurement on.
    by_clock : float
        Seconds after which it ends, whatever was computed.
    measure : callable
        Gives the processor seconds that were used so far, of whatever came before too.

    Attributes
    ----------
    spent : float
        Seconds of computing up to the last measurement.
    """

    def __init__(self, computing: float, by_clock: float, measure: Callable[[], float]) -> None:
        self.spent = 0.0
        self._computing, self._by_clock, self._measure = computing, by_clock, measure
        # A short time is measured often, or it would end when it is over by half.
        self._pause = min(LOOK, max(SHORT, computing / 4))
        now = time.monotonic()
        self._end, self._next = now + by_clock, now + self._pause
        self._before: float | None = None

    @property
    def computed(self) -> bool:
        """Whether all of the computing is used up; otherwise it was the clock that ended it."""
        return self.spent > self._computing

    @property
    def used_up(self) -> str:
        """Which of the two is used up, in words."""
        if self.computed:
            return f"{self._computing:.3g} s of computing"
        return f"{max(0.0, self._by_clock):.3g} s"

    def look(self) -> float:
        """Measure where that is due, and return the seconds until it is due again.

        Raises
        ------
        autograder.sandbox.inside.wire.TooLate
            When one of the two is used up.
        """
        now = time.monotonic()
        if now >= self._end:
            raise TooLate
        if now >= self._next:
            self._next = now + self._pause
            seconds = self._measure()
            if self._before is not None:
                # Less than before where a process has ended and nobody has waited for it.
                self.spent += max(0.0, seconds - self._before)
            self._before = seconds
            if self.computed:
                raise TooLate
        return min(self._end, self._next) - now


class Budget:
    """What a submission may take from its first cell to its last answer, whatever has to be run once more.

    Attributes
    ----------
    by_clock : bool
        Whether the clock has ended something that had computing left: on a machine
        with less to do it might have come to its end.
    """

    def __init__(self, limits: Limits) -> None:
        self.by_clock = False
        self._limits, self._left = limits, limits.submission_seconds
        self._end = time.monotonic() + limits.patience * limits.submission_seconds

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        return self._left <= 0 or time.monotonic() >= self._end

    @property
    def holds_another_run(self) -> bool:
        """Whether all cells may run once more; what they leave is for the questions."""
        seconds = self._limits.notebook_seconds
        return self._left >= seconds and self._end - time.monotonic() >= self._limits.patience * seconds

    def allow(self, seconds: float, measure: Callable[[], float], left: float = inf, end: float = inf) -> Allowance:
        """So many seconds of computing, but no more than are left, and their multiple by the clock, but not beyond an end."""
        by_clock = min(self._limits.patience * seconds, min(end, self._end) - time.monotonic())
        return Allowance(min(seconds, left, self._left), by_clock, measure)

    def take(self, allowance: Allowance, *, ended: bool = False) -> None:
        """Count what was spent; ``ended`` where the allowance has ended it."""
        self._left -= allowance.spent
        self.by_clock |= ended and not allowance.computed
