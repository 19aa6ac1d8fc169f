"""Time to move bytes from each tier, and the tier that holds a working set."""

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
class MoveTime:
    """Time to move bytes from one tier.

    Attributes
    ----------
    seconds : float or array or None
        Time, seconds; None if the tier's bandwidth is unknown.
    is_lower_bound : bool
        Whether the tier's latency is unknown, so that the time is that of the bytes alone.
    """

    seconds: FloatOrArray | None
    is_lower_bound: bool


def time_to_move(system: str | System, message_bytes: ArrayLike) -> dict[str, MoveTime]:
    """Compute the time to move bytes to the accelerator from each tier: latency plus bytes over bandwidth.

    If a library has several protocols (`Tier.protocols`), each with its latency and
    bandwidth, the fastest for these bytes counts.

    Parameters
    ----------
    system : str or System
        System such as ``"DGX H100"``; see `systems`.
    message_bytes : float or array
        Amount of data, bytes; more than a tier holds is streamed through it.

    Returns
    -------
    dict of str to MoveTime
        Time by tier, from the registers outwards; arrays for an array of sizes.

    Notes
    -----
    A lower bound: bandwidths are those of datasheets, shared by all accelerators of a node
    that do the same. Assumes no overlap: one latency, then streaming. Ignores access size,
    bank conflicts, congestion and software overhead. Source: the alpha-beta model of
    `links.transfer_time`.

    Examples
    --------
    >>> ladder = time_to_move("DGX H100", 1e9)
    >>> round(ladder["HBM"].seconds * 1e3, 2), round(ladder["host memory"].seconds * 1e3, 1)   # ms
    (0.3, 15.9)
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    return {tier.name: _move(tier, message_bytes) for tier in find_system(system).tiers}


def tier_for(system: str | System, working_set_bytes: ArrayLike) -> Tier | Any:
    """Return the fastest tier that holds a whole working set.

    Parameters
    ----------
    system : str or System
        System such as ``"DGX H100"``; see `systems`.
    working_set_bytes : float or array
        Size of the data that is used repeatedly, spread over all instances of a tier, bytes.

    Returns
    -------
    Tier or array of Tier
        First tier that is large enough. Skips tiers of unknown capacity.

    Notes
    -----
    Assumes that the whole capacity is free and evenly used: real tiers also hold other
    data, and a cache may evict a set that would fit. Tiers up to the chip belong to one
    accelerator, those of a node or cluster to all accelerators of it.

    Examples
    --------
    >>> tier_for("DGX H100", 16e9).name, tier_for("DGX H100", 140e9).name
    ('HBM', 'node HBM over NVLink')
    """
    working_set_bytes = positive("working_set_bytes", working_set_bytes)
    machine = find_system(system)
    if isinstance(working_set_bytes, float):
        tiers, capacities = _capacities(machine)
        return tiers[bisect_left(capacities, working_set_bytes)]
    tier_array, capacity_array = _capacity_arrays(machine)
    return tier_array[capacity_array.searchsorted(working_set_bytes)]


def _move(tier: Tier, message_bytes: FloatOrArray) -> MoveTime:
    latency = tier.latency_seconds
    if tier.bandwidth_one_way is None:
        return MoveTime(None, latency is None)
    if tier.protocols:
        times = [message_bytes / protocol.bandwidth_one_way + protocol.latency_seconds for protocol in tier.protocols]
        return MoveTime(_minimum(times), False)
    seconds = message_bytes / tier.bandwidth_one_way  # links.transfer_time without its checks
    return MoveTime(seconds, True) if latency is None else MoveTime(seconds + latency, False)


def _minimum(times: list[FloatOrArray]) -> FloatOrArray:
    """Return the elementwise minimum."""
    if isinstance(times[0], float):
        return min(times)
    import numpy as np  # here, because a notebook in a browser may not have it

    best = times[0]
    for seconds in times[1:]:
        best = np.minimum(best, seconds, out=best)
    return best


@cache
def _capacities(system: System) -> tuple[tuple[Tier, ...], tuple[float, ...]]:
    """Return the tiers of known capacity, and the largest capacity up to each."""
    known = tuple(tier for tier in system.tiers if tier.capacity_bytes is not None)
    return known, tuple(accumulate((tier.capacity_bytes or 0.0 for tier in known), max))


@cache
def _capacity_arrays(system: System) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the result of `_capacities` as two arrays."""
    import numpy as np  # here, because a notebook in a browser may not have it

    known, capacities = _capacities(system)
    tiers = np.empty(len(known), dtype=object)
    tiers[:] = known
    return tiers, np.array(capacities)
