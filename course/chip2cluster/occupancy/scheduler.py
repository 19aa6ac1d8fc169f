"""A warp scheduler, cycle by cycle: other warps work while one waits for its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .arguments import count, one_count

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray

WAITS, READY, LOADS, COMPUTES = range(4)  # what a warp does in a cycle
_MOST_STATES = 10_000_000  # warps times cycles of a timeline


@dataclass(frozen=True)
class Timeline:
    """What every warp did in every cycle; see `warp_timeline`.

    ``states`` has shape (warps, cycles) and holds `WAITS` (for data), `READY` (another
    warp was picked), `LOADS` or `COMPUTES` (it was picked). Warp ``w`` belongs to
    scheduler ``w % schedulers``.
    """

    states: NDArray[np.int8]
    schedulers: int
    latency_cycles: int

    @property
    def issued(self) -> NDArray[np.int64]:
        """The warp that each scheduler picked, or -1; shape (schedulers, cycles)."""
        picked = np.full((self.schedulers, self.states.shape[1]), -1)
        for warp, states in enumerate(self.states):
            picked[warp % self.schedulers, states >= LOADS] = warp
        return picked

    @property
    def utilization(self) -> float:
        """Share of the issue slots that were used, from 0 to 1, from the first cycle on."""
        return float((self.issued >= 0).mean())

    @property
    def loads_on_their_way(self) -> NDArray[np.int64]:
        """Loads of all warps that were asked for and had not arrived, one number a cycle."""
        started = np.cumsum((self.states == LOADS).sum(axis=0))
        arrived = np.concatenate([np.zeros(self.latency_cycles, int), started])[: len(started)]
        return started - arrived


def warp_timeline(
    warps: int,
    latency_cycles: int,
    loads_in_flight: int = 1,
    compute_per_load: int = 0,
    *,
    cycles: int,
    schedulers: int = 1,
) -> Timeline:
    """Run the warps of a multiprocessor, or of one of its quarters, cycle by cycle.

    Every warp repeats the same round: it starts some loads that do not wait for one
    another, waits until the last has arrived, and computes on them. A scheduler issues
    one instruction a cycle. It stays with its warp until that must wait, then takes the
    one that has been ready for longest.

    Parameters
    ----------
    warps : int
        Warps that live there, dealt to the schedulers in turn.
    latency_cycles : int
        Cycles from the start of a load to the first instruction that can use it.
    loads_in_flight : int
        Independent loads of a round.
    compute_per_load : int
        Instructions that each load is followed by, once its round has arrived.
    cycles : int
        How long to watch.
    schedulers : int
        Instructions that may be issued in a cycle: 4 in a multiprocessor, 1 in a quarter.

    Returns
    -------
    Timeline

    Raises
    ------
    ValueError, TypeError
        For numbers that are not whole, are below 1 (0 for ``compute_per_load``), or ask for
        more than ten million states.

    Notes
    -----
    Ignores a limit on the rate of loads (`bandwidth_from_concurrency` is that limit), the
    few cycles between dependent arithmetic instructions, caches, and barriers. NVIDIA
    does not say how its schedulers choose. Source of the order used here, greedy then
    oldest: T. Rogers, M. O'Connor, T. Aamodt, "Cache-conscious wavefront scheduling",
    MICRO 2012. `issue_utilization` is what a long run comes to.

    Examples
    --------
    >>> run = warp_timeline(2, latency_cycles=5, cycles=10)
    >>> run.issued.tolist()
    [[0, 1, -1, -1, -1, 0, 1, -1, -1, -1]]
    >>> run.utilization, run.loads_on_their_way.max().item()
    (0.4, 2)
    """
    warps, latency = one_count("warps", warps, 1), one_count("latency_cycles", latency_cycles, 1)
    loads = one_count("loads_in_flight", loads_in_flight, 1)
    compute = one_count("compute_per_load", compute_per_load)
    cycles, schedulers = one_count("cycles", cycles, 1), one_count("schedulers", schedulers, 1)
    if warps * cycles > _MOST_STATES:
        raise ValueError(f"warps x cycles must be at most {_MOST_STATES}, got {warps} x {cycles}")
    states = np.full((warps, cycles), WAITS, dtype=np.int8)
    for first in range(min(schedulers, warps)):
        _run(states[first::schedulers], latency, loads, compute * loads)
    return Timeline(states, schedulers, latency)


def _run(states: NDArray[np.int8], latency: int, loads: int, compute: int) -> None:
    """Fill in the states of the warps of one scheduler."""
    warps, cycles = states.shape
    ready_at, to_load, to_compute = [0] * warps, [loads] * warps, [0] * warps
    current = 0
    for cycle in range(cycles):
        ready = [warp for warp in range(warps) if ready_at[warp] <= cycle]
        states[ready, cycle] = READY
        if not ready:
            continue
        if ready_at[current] > cycle:
            current = min(ready, key=lambda warp: (ready_at[warp], warp))
        if to_compute[current]:
            states[current, cycle] = COMPUTES
            to_compute[current] -= 1
        else:
            states[current, cycle] = LOADS
            to_load[current] -= 1
            if not to_load[current]:  # the last load of a round: wait for it
                ready_at[current] = cycle + latency
                to_load[current], to_compute[current] = loads, compute


def issue_utilization(
    warps: ArrayLike, latency_cycles: ArrayLike, loads_in_flight: ArrayLike = 1, compute_per_load: ArrayLike = 0
) -> FloatOrArray:
    """Share of a scheduler's cycles in which it issues something, in a long run.

    A round of one warp has ``i = loads * (1 + compute)`` instructions and lasts
    ``latency + i - 1`` cycles if nobody is in its way; ``min(1, warps * i / (latency + i - 1))``.

    Parameters
    ----------
    warps, latency_cycles, loads_in_flight, compute_per_load : int or array of int
        As in `warp_timeline`, the warps of one scheduler.

    Returns
    -------
    float or array
        Above 0, up to 1 where the latency is hidden.

    Raises
    ------
    ValueError, TypeError
        As `warp_timeline`.

    Notes
    -----
    Ignores the same as `warp_timeline`. Little's law for the scheduler: the warps that
    make it 1 are those of `warps_to_hide` where there is one load and no computing.

    Examples
    --------
    >>> issue_utilization([1, 4, 8, 9], latency_cycles=32, compute_per_load=3).round(2)
    array([0.11, 0.46, 0.91, 1.  ])
    """
    round_ = count("loads_in_flight", loads_in_flight, 1) * (1 + count("compute_per_load", compute_per_load))
    alone = count("latency_cycles", latency_cycles, 1) + round_ - 1
    share = count("warps", warps, 1) * round_ / alone
    return np.minimum(1.0, share) if isinstance(share, np.ndarray) else min(1.0, share)
