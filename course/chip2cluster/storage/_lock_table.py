"""The locks on one object: who holds which bytes, and who must let go when another writes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import inf
from typing import NamedTuple


class Lock(NamedTuple):
    """Bytes from ``start`` up to ``end`` (perhaps without end) that one writer holds."""

    start: float
    end: float
    writer: int


def _start(lock: Lock) -> float:
    return lock.start


def _end(lock: Lock) -> float:
    return lock.end


class LockTable:
    """Locks that do not overlap, in the order of their bytes, and where each writer wrote last."""

    def __init__(self, policy: str) -> None:
        self.policy = policy
        self.held: list[Lock] = []
        self.last: dict[int, int] = {}

    def write(self, writer: int, start: int, end: int) -> tuple[int, int]:
        """Give a writer the bytes that it needs; say how many locks it asked for, and how many were called back."""
        held = self.held
        first = bisect_right(held, float(start), key=_end)
        behind = bisect_left(held, float(end), first, key=_start)
        touched = held[first:behind]
        if len(touched) == 1 and touched[0].writer == writer and touched[0].start <= start and end <= touched[0].end:
            self.last[writer] = end
            return 0, 0
        in_the_way = [lock for lock in touched if lock.writer != writer]
        sides = [self._side(lock, start, end) for lock in in_the_way] if self.policy == "split" else []
        before = [lock for lock in sides if lock.start < lock.end <= start]
        after = [lock for lock in sides if end <= lock.start < lock.end]
        low, high = float(start), float(end)
        if self.policy != "exact":  # as much as nobody else holds, its own locks in between included
            while first and not before and held[first - 1].writer == writer:
                first -= 1
            while behind < len(held) and not after and held[behind].writer == writer:
                behind += 1
            low = start if before else held[first - 1].end if first else 0.0
            high = end if after else held[behind].start if behind < len(held) else inf
        mine = [lock for lock in touched if lock.writer == writer]
        whole = Lock(min([low, *(lock.start for lock in mine)]), max([high, *(lock.end for lock in mine)]), writer)
        held[first:behind] = [*before, whole, *after]
        self.last[writer] = end
        return 1, len(in_the_way)

    def _side(self, lock: Lock, start: int, end: int) -> Lock:
        """What the holder of a lock in the way keeps: the side on which it last wrote, which may be empty."""
        return lock._replace(end=start) if self.last[lock.writer] <= start else lock._replace(start=end)
