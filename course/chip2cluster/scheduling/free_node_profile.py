"""Profile of free nodes over time, if every job uses its full walltime."""

from __future__ import annotations

from bisect import bisect_left
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Profile:
    """Step function of free nodes: ``free[k]`` from ``times[k]`` until the next time.

    Parameters
    ----------
    now : float
        Start of the profile, seconds.
    free : int
        Number of nodes free at that time.
    ends : iterable of (float, int)
        Times at which nodes are released, and their number, sorted by time.

    Examples
    --------
    >>> profile = Profile(0.0, 1, [(10.0, 2), (20.0, 1)])
    >>> profile.earliest(3, 5.0), profile.earliest(1, 100.0)
    (10.0, 0.0)
    >>> profile.take(0.0, 100.0, 1)
    >>> profile.earliest(3, 5.0)
    20.0
    """

    def __init__(self, now: float, free: int, ends: Iterable[tuple[float, int]]) -> None:
        self.times, self.free = [now], [free]
        for end, nodes in ends:
            free += nodes
            if end <= self.times[-1]:
                self.free[-1] = free
            else:
                self.times.append(end)
                self.free.append(free)

    def earliest(self, nodes: int, seconds: float) -> float:
        """Return the first time from which a number of nodes is free for a duration."""
        times, free = self.times, self.free
        start = -1.0
        begun = False
        for place, available in enumerate(free):
            if available < nodes:
                begun = False
                continue
            if not begun:
                begun, start = True, times[place]
            if place + 1 == len(free) or times[place + 1] >= start + seconds:
                return start
        raise ValueError(f"{nodes} nodes are never free")

    def lasts(self, start: float, nodes: int) -> float:
        """Return how long a number of nodes stays free from a time on, seconds."""
        place = bisect_left(self.times, start)
        for at in range(place, len(self.free)):
            if self.free[at] < nodes:
                return self.times[at] - start
        return inf

    def take(self, start: float, end: float, nodes: int) -> None:
        """Reserve nodes from one time to another."""
        first, last = self._step(start), self._step(end)
        for place in range(first, last):
            self.free[place] -= nodes

    def give_back(self, start: float, end: float, nodes: int) -> None:
        """Undo `take`."""
        self.take(start, end, -nodes)

    def _step(self, moment: float) -> int:
        """Return the index of a time, inserted as a step if necessary."""
        place = bisect_left(self.times, moment)
        if place == len(self.times) or self.times[place] != moment:
            self.times.insert(place, moment)
            self.free.insert(place, self.free[place - 1])
        return place
