"""Extent locks on one object: which writer holds which bytes, and which locks a write revokes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import inf
from operator import attrgetter
from typing import NamedTuple


class Lock(NamedTuple):
    """Bytes from ``start`` up to ``end`` (possibly unbounded) that one writer holds."""

    start: float
    end: float
    writer: int


class LockTable:
    """Locks that do not overlap, in the order of their bytes, and the end of each writer's last write."""

    def __init__(self, policy: str) -> None:
        """Start without locks."""
        self.policy = policy
        self.locks: list[Lock] = []
        self.last_write_end: dict[int, int] = {}

    def write(self, writer: int, start: int, end: int) -> tuple[int, int]:
        """Grant a writer the bytes that it needs; return how many locks it requested and how many were revoked."""
        locks = self.locks
        first = bisect_right(locks, float(start), key=attrgetter("end"))
        behind = bisect_left(locks, float(end), first, key=attrgetter("start"))
        touched = locks[first:behind]
        if len(touched) == 1 and touched[0].writer == writer and touched[0].start <= start and end <= touched[0].end:
            self.last_write_end[writer] = end
            return 0, 0
        conflicting = [lock for lock in touched if lock.writer != writer]
        sides = [self._remaining(lock, start, end) for lock in conflicting] if self.policy == "split" else []
        before = [lock for lock in sides if lock.start < lock.end <= start]
        after = [lock for lock in sides if end <= lock.start < lock.end]
        low, high = float(start), float(end)
        if self.policy != "exact":  # the largest extent that no other writer holds, merged with its own locks
            while first and not before and locks[first - 1].writer == writer:
                first -= 1
            while behind < len(locks) and not after and locks[behind].writer == writer:
                behind += 1
            low = start if before else locks[first - 1].end if first else 0.0
            high = end if after else locks[behind].start if behind < len(locks) else inf
        mine = [lock for lock in touched if lock.writer == writer]
        whole = Lock(min([low, *(lock.start for lock in mine)]), max([high, *(lock.end for lock in mine)]), writer)
        locks[first:behind] = [*before, whole, *after]
        self.last_write_end[writer] = end
        return 1, len(conflicting)

    def _remaining(self, lock: Lock, start: int, end: int) -> Lock:
        """Return the part of a revoked lock that its holder keeps: the side of its last write, possibly empty."""
        return lock._replace(end=start) if self.last_write_end[lock.writer] <= start else lock._replace(start=end)
