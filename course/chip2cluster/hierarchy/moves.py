"""How long bytes take from each tier, and which tier a working set lives in."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from .._validate import positive
from .tiers import System, Tier
from .tiers import system as find_system

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray


@dataclass(frozen=True)
class Move:
    """Time to bring the bytes from one tier.

    ``seconds`` is None where the tier's bandwidth is unknown. ``is_lower_bound`` is
    true where its latency is: then the time is that of the bytes alone.
    """

    seconds: FloatOrArray | None
    is_lower_bound: bool


def time_to_move(system: str | System, message_bytes: ArrayLike) -> dict[str, Move]:
    """Time to bring bytes to the accelerator from each tier: latency plus bytes over bandwidth.

    Where a library has several protocols (`Tier.protocols`), each with its latency and
    its bandwidth, the fastest for these bytes counts.

    Parameters
    ----------
    system : str or System
        Such as ``"DGX H100"``; see `systems`.
    message_bytes : float or array
        Bytes; more than the tier holds counts as passing through it repeatedly.

    Returns
    -------
    dict of str to Move
        In the order of the ladder; seconds are arrays for an array of sizes.

    Raises
    ------
    ValueError, TypeError
        For an unknown system, and for a negative, infinite or NaN size.

    Notes
    -----
    A bound from below: bandwidths are the sheet's. One accelerator's share while its neighbours do the same; nothing overlaps, one
    request is in flight and then everything streams. Ignores access size, bank
    conflicts, congestion and the software above the link.
    Source: the alpha-beta model of `links.transfer_time`.

    Examples
    --------
    >>> ladder = time_to_move("DGX H100", 1e9)
    >>> round(ladder["HBM"].seconds * 1e3, 2), round(ladder["host memory"].seconds * 1e3, 1)   # ms
    (0.3, 15.9)
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    return {tier.name: _move(tier, message_bytes) for tier in find_system(system).tiers}


def tier_for(system: str | System, working_set_bytes: ArrayLike) -> Tier | Any:
    """Fastest tier that holds a working set whole: where its bytes live.

    Parameters
    ----------
    system : str or System
        See `systems`.
    working_set_bytes : float or array
        Bytes that are used again and again, spread over all instances of a tier.

    Returns
    -------
    Tier or array of Tier
        The first rung of the ladder with room. A tier of unknown capacity is passed.

    Raises
    ------
    ValueError, TypeError
        For an unknown system and for a size that is not above zero.

    Notes
    -----
    The capacity counts as wholly free and evenly used: real tiers also hold other
    data, and a cache may evict a set that would fit. Tiers up to the chip belong to
    one accelerator, those of a node or cluster to all of it.

    Examples
    --------
    >>> tier_for("DGX H100", 16e9).name, tier_for("DGX H100", 140e9).name
    ('HBM', 'node HBM over NVLink')
    """
    working_set_bytes = positive("working_set_bytes", working_set_bytes)
    machine = find_system(system)
    if isinstance(working_set_bytes, float):
        tiers, room = _room(machine)
        return tiers[bisect_left(room, working_set_bytes)]
    tier_array, room_array = _arrays(machine)
    return tier_array[room_array.searchsorted(working_set_bytes)]


def _move(tier: Tier, message_bytes: FloatOrArray) -> Move:
    latency = tier.latency_seconds
    if tier.bandwidth_one_way is None:
        return Move(None, latency is None)
    if tier.protocols:
        ways = [message_bytes / way.bandwidth_one_way + way.latency_seconds for way in tier.protocols]
        return Move(_least(ways), False)
    seconds = message_bytes / tier.bandwidth_one_way  # links.transfer_time, its arguments known to be good
    return Move(seconds, True) if latency is None else Move(seconds + latency, False)


def _least(ways: list[FloatOrArray]) -> FloatOrArray:
    """The smallest, element by element."""
    if isinstance(ways[0], float):
        return min(ways)
    import numpy as np  # here, because a page in a browser may have none

    best = ways[0]
    for seconds in ways[1:]:
        best = np.minimum(best, seconds, out=best)
    return best


@cache
def _room(system: System) -> tuple[tuple[Tier, ...], tuple[float, ...]]:
    """Tiers of known capacity and the most that the ladder holds up to each."""
    known = tuple(tier for tier in system.tiers if tier.capacity_bytes is not None)
    return known, tuple(accumulate((tier.capacity_bytes or 0.0 for tier in known), max))


@cache
def _arrays(system: System) -> tuple[NDArray[Any], NDArray[Any]]:
    """What `_room` says as two arrays."""
    import numpy as np  # here, because a page in a browser may have none

    known, room = _room(system)
    tiers = np.empty(len(known), dtype=object)
    tiers[:] = known
    return tiers, np.array(room)
