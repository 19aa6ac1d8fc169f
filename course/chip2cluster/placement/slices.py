"""A GPU cut into slices (MIG): which cuts there are, and what an order of arrivals leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from .._validate import choice, one_whole

COMPUTE, MEMORY = 7, 8  # slices of one GPU
# Compute slices, memory slices, and the memory slices at which an instance may begin.
PROFILES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "1g": (1, 1, (0, 1, 2, 3, 4, 5, 6)),
    "2g": (2, 2, (0, 2, 4)),
    "3g": (3, 4, (0, 4)),
    "4g": (4, 4, (0,)),
    "7g": (7, 8, (0,)),
}


@dataclass(frozen=True)
class Slices:
    """Where instances went: ``places[i]`` is GPU and first memory slice of instance i, None where it found no room.

    ``idle_compute`` are compute slices in no instance, of all GPUs.
    """

    places: tuple[tuple[int, int] | None, ...]
    idle_compute: int

    @property
    def placed(self) -> int:
        """Instances that found room."""
        return sum(place is not None for place in self.places)


def mig_placement(profiles: Sequence[str], gpus: int = 1, *, first: str = "left") -> Slices:
    """Cut GPUs into instances in the order in which these are asked for.

    Parameters
    ----------
    profiles : sequence of str
        "1g", "2g", "3g", "4g" or "7g": the sevenths of the multiprocessors of each.
    gpus : int
    first : {"left", "right"}
        Whether an instance takes the first place that is free, or the last one.

    Returns
    -------
    Slices

    Raises
    ------
    ValueError, TypeError
        For another profile or order, and no GPU.

    Notes
    -----
    Instances are never moved. A place is free where its memory slices are. Ignores profiles with more memory, and
    media engines. Source: NVIDIA, *Multi-instance GPU user guide*, the placements of an A100 and H100 of 80 GB.

    Examples
    --------
    A small instance at the wrong end keeps a large one out:

    >>> mig_placement(["1g", "4g"]).placed, mig_placement(["1g", "4g"], first="right").placed
    (1, 2)
    """
    count = one_whole("gpus", gpus)
    choice("first", first, ("left", "right"))
    for profile in profiles:
        choice("profile", profile, PROFILES)
    busy: list[set[int]] = [set() for _ in range(count)]
    places: list[tuple[int, int] | None] = []
    for profile in profiles:
        _, wide, starts = PROFILES[profile]
        order = starts if first == "left" else starts[::-1]
        spots = product(range(count), order)
        spot = next(((gpu, at) for gpu, at in spots if busy[gpu].isdisjoint(range(at, at + wide))), None)
        places.append(spot)
        if spot:
            busy[spot[0]] |= set(range(spot[1], spot[1] + wide))
    used = sum(PROFILES[profile][0] for profile, place in zip(profiles, places, strict=True) if place)
    return Slices(tuple(places), count * COMPUTE - used)


@cache
def mig_cuts() -> tuple[tuple[str, ...], ...]:
    """Every way to cut one GPU so that nothing more fits, as profiles in the order of their size.

    Returns
    -------
    tuple of tuple of str
        The largest profiles first.

    Notes
    -----
    By enumeration. Source and what it ignores: as `mig_placement`.

    Examples
    --------
    >>> ("4g", "3g") in mig_cuts(), ("4g", "4g") in mig_cuts(), max(map(len, mig_cuts()))
    (True, False, 7)
    """
    found: set[tuple[str, ...]] = set()

    def cut(taken: frozenset[int], names: tuple[str, ...]) -> None:
        more = False
        for name, (_, wide, starts) in PROFILES.items():
            for at in starts:
                place = frozenset(range(at, at + wide))
                if taken.isdisjoint(place):
                    more = True
                    if not taken or at > max(taken):  # from left to right: each cut once
                        cut(taken | place, (*names, name))
        if not more:
            found.add(tuple(sorted(names, reverse=True)))

    cut(frozenset(), ())
    return tuple(sorted(found, reverse=True))
