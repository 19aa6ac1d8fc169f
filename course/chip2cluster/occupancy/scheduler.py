"""Simulation of warp schedulers, cycle by cycle: other warps issue while one waits for its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import bounded_whole, one_bounded_whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray

WAITS, READY, LOADS, COMPUTES = range(4)  # state of a warp in a cycle
_MAX_STATES = 10_000_000  # warps times cycles of a timeline


@dataclass(frozen=True)
class Timeline:
    """State of every warp in every cycle; see `warp_timeline`.

    Attributes
    ----------
    states : array of int, shape (warps, cycles)
        `WAITS` (for data), `READY` (another warp was selected), `LOADS` or `COMPUTES` (it was
        selected).
    schedulers : int
        Number of schedulers; warp ``w`` belongs to scheduler ``w % schedulers``.
    latency_cycles : int
        Latency of a load, cycles.
    """

    states: NDArray[np.int8]
    schedulers: int
    latency_cycles: int

    @property
    def issued(self) -> NDArray[np.int64]:
        """Warp that each scheduler selected, or -1; shape (schedulers, cycles)."""
        selected = np.full((self.schedulers, self.states.shape[1]), -1)
        for warp, states in enumerate(self.states):
            selected[warp % self.schedulers, states >= LOADS] = warp
        return selected

    @property
    def utilization(self) -> float:
        """Fraction of issue slots in use since the first cycle, 0 to 1."""
        return float((self.issued >= 0).mean())

    @property
    def loads_in_flight_by_cycle(self) -> NDArray[np.int64]:
        """Number of loads of all warps in flight in each cycle."""
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
    """Simulate the warps of an SM, or of one of its quarters, cycle by cycle (latency hiding).

    Every warp repeats the same iteration: it issues some independent loads, waits until the
    last has arrived, and computes on them. A scheduler issues one instruction per cycle. It
    stays with its warp until that must wait, then selects the one that has been ready
    longest (greedy then oldest).

    Parameters
    ----------
    warps : int
        Number of resident warps, assigned to the schedulers round-robin.
    latency_cycles : int
        Latency from a load to the first instruction that can use it, cycles.
    loads_in_flight : int
        Number of independent loads per iteration.
    compute_per_load : int
        Number of arithmetic instructions per load.
    cycles : int
        Number of cycles to simulate.
    schedulers : int
        Number of schedulers, each with one instruction per cycle: 4 in an SM, 1 in a
        quarter.

    Returns
    -------
    Timeline
        State of every warp in every cycle.

    Raises
    ------
    ValueError
        If the simulation would take more than ten million states.

    Notes
    -----
    Ignores the limit on the rate of loads (see `bandwidth_from_concurrency`), the few cycles
    between dependent arithmetic instructions, caches, and barriers. NVIDIA does not document
    the policy of its schedulers. Source of greedy then oldest: T. Rogers, M. O'Connor,
    T. Aamodt, "Cache-conscious wavefront scheduling", MICRO 2012. `issue_utilization` is the
    limit of a long simulation.

    Examples
    --------
    >>> run = warp_timeline(2, latency_cycles=5, cycles=10)
    >>> run.issued.tolist()
    [[0, 1, -1, -1, -1, 0, 1, -1, -1, -1]]
    >>> run.utilization, run.loads_in_flight_by_cycle.max().item()
    (0.4, 2)
    """
    warps, latency = one_bounded_whole("warps", warps, 1), one_bounded_whole("latency_cycles", latency_cycles, 1)
    loads = one_bounded_whole("loads_in_flight", loads_in_flight, 1)
    compute = one_bounded_whole("compute_per_load", compute_per_load)
    cycles, schedulers = one_bounded_whole("cycles", cycles, 1), one_bounded_whole("schedulers", schedulers, 1)
    if warps * cycles > _MAX_STATES:
        raise ValueError(f"warps x cycles must be at most {_MAX_STATES}, got {warps} x {cycles}")
    states = np.full((warps, cycles), WAITS, dtype=np.int8)
    for first in range(min(schedulers, warps)):
        _simulate_scheduler(states[first::schedulers], latency, loads, compute * loads)
    return Timeline(states, schedulers, latency)


def _simulate_scheduler(states: NDArray[np.int8], latency: int, loads: int, compute: int) -> None:
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
            if not to_load[current]:  # wait for the last load of an iteration
                ready_at[current] = cycle + latency
                to_load[current], to_compute[current] = loads, compute


def issue_utilization(
    warps: ArrayLike, latency_cycles: ArrayLike, loads_in_flight: ArrayLike = 1, compute_per_load: ArrayLike = 0
) -> FloatOrArray:
    """Compute the fraction of cycles in which a scheduler issues an instruction, in the long run.

    An iteration of one warp has ``i = loads * (1 + compute)`` instructions and takes
    ``latency + i - 1`` cycles without contention; the result is
    ``min(1, warps * i / (latency + i - 1))``.

    Parameters
    ----------
    warps : int or array of int
        Number of warps of one scheduler.
    latency_cycles : int or array of int
        Latency from a load to the first instruction that can use it, cycles.
    loads_in_flight : int or array of int
        Number of independent loads per iteration.
    compute_per_load : int or array of int
        Number of arithmetic instructions per load.

    Returns
    -------
    float or array
        Fraction, above 0; 1 if the latency is hidden.

    Notes
    -----
    Ignores what `warp_timeline` ignores. Little's law for the scheduler: with one load and
    no arithmetic, the number of warps that gives 1 is that of `warps_to_hide`.

    Examples
    --------
    >>> issue_utilization([1, 4, 8, 9], latency_cycles=32, compute_per_load=3).round(2)
    array([0.11, 0.46, 0.91, 1.  ])
    """
    instructions = bounded_whole("loads_in_flight", loads_in_flight, 1) * (
        1 + bounded_whole("compute_per_load", compute_per_load)
    )
    alone = bounded_whole("latency_cycles", latency_cycles, 1) + instructions - 1
    share = bounded_whole("warps", warps, 1) * instructions / alone
    return np.minimum(1.0, share) if isinstance(share, np.ndarray) else min(1.0, share)
