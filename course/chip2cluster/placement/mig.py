"""Multi-instance GPU (MIG): possible partitions, and fragmentation by the order of requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from .._validate import choice, one_whole

COMPUTE, MEMORY = 7, 8  # slices of one GPU
# Compute slices, memory slices, and the memory slices at which an instance may start.
PROFILES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "1g": (1, 1, (0, 1, 2, 3, 4, 5, 6)),
    "2g": (2, 2, (0, 2, 4)),
    "3g": (3, 4, (0, 4)),
    "4g": (4, 4, (0,)),
    "7g": (7, 8, (0,)),
}


@dataclass(frozen=True)
class MigPlacement:
    """Placement of MIG instances on GPUs.

    Attributes
    ----------
    places : tuple
        GPU and first memory slice of each instance; None if it did not fit.
    idle_compute : int
        Number of compute slices of all GPUs that are in no instance.
    """

    places: tuple[tuple[int, int] | None, ...]
    idle_compute: int

    @property
    def placed(self) -> int:
        """Number of instances that fit."""
        return sum(place is not None for place in self.places)


def mig_placement(profiles: Sequence[str], gpus: int = 1, *, first: str = "left") -> MigPlacement:
    """Partition GPUs into MIG instances in the order of the requests.

    Parameters
    ----------
    profiles : sequence of str
        Profile of each instance, "1g", "2g", "3g", "4g" or "7g": sevenths of the SMs.
    gpus : int
        Number of GPUs.
    first : {"left", "right"}
        Whether an instance takes the first or the last free position.

    Returns
    -------
    MigPlacement
        Position of each instance.

    Notes
    -----
    Instances are never moved. A position is free if its memory slices are free. Ignores
    profiles with more memory, and media engines. Source: NVIDIA, *Multi-instance GPU user
    guide*, the placements of an A100 and H100 of 80 GB.

    Examples
    --------
    A small instance at the wrong position blocks a large one:

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
        positions = product(range(count), order)
        place = next(((gpu, at) for gpu, at in positions if busy[gpu].isdisjoint(range(at, at + wide))), None)
        places.append(place)
        if place:
            busy[place[0]] |= set(range(place[1], place[1] + wide))
    used = sum(PROFILES[profile][0] for profile, place in zip(profiles, places, strict=True) if place)
    return MigPlacement(tuple(places), count * COMPUTE - used)


@cache
def mig_partitions() -> tuple[tuple[str, ...], ...]:
    """List all maximal MIG partitions of one GPU, to which no instance can be added.

    Returns
    -------
    tuple of tuple of str
        Profiles of each partition, the largest first.

    Notes
    -----
    By enumeration. Ignores what `mig_placement` ignores. Source: as there.

    Examples
    --------
    >>> ("4g", "3g") in mig_partitions(), ("4g", "4g") in mig_partitions(), max(map(len, mig_partitions()))
    (True, False, 7)
    """
    found: set[tuple[str, ...]] = set()

    def extend(taken: frozenset[int], names: tuple[str, ...]) -> None:
        more = False
        for name, (_, wide, starts) in PROFILES.items():
            for at in starts:
                place = frozenset(range(at, at + wide))
                if taken.isdisjoint(place):
                    more = True
                    if not taken or at > max(taken):  # from left to right, so that each partition occurs once
                        extend(taken | place, (*names, name))
        if not more:
            found.add(tuple(sorted(names, reverse=True)))

    extend(frozenset(), ())
    return tuple(sorted(found, reverse=True))
