"""Time for one thing that a student's code does: processor time, and the clock as a second net."""

import time
from collections.abc import Callable

from .inside.wire import TooLate

LOOK = 0.25  # seconds between two measurements


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
        now = time.monotonic()
        self._end, self._next = now + by_clock, now + LOOK
        self._before: float | None = None

    @property
    def used_up(self) -> str:
        """Which of the two is used up, in words."""
        if self.spent > self._computing:
            return f"{self._computing:.3g} s of computing"
        return f"{max(0.0, self._by_clock):.3g} s"

    def look(self) -> float:
        """Measure where that is due, and return the seconds until it is due again.

        Raises
        ------
        autograder.box.inside.wire.TooLate
            When one of the two is used up.
        """
        now = time.monotonic()
        if now >= self._end:
            raise TooLate
        if now >= self._next:
            self._next = now + LOOK
            seconds = self._measure()
            if self._before is not None:
                # Less than before where a process has ended and nobody has waited for it.
                self.spent += max(0.0, seconds - self._before)
            self._before = seconds
            if self.spent > self._computing:
                raise TooLate
        return min(self._end, self._next) - now
