"""Latency hiding by Little's law: concurrency (work in flight) = rate x latency."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def bytes_in_flight(latency: ArrayLike, memory_bandwidth: ArrayLike) -> FloatOrArray:
    """Compute the bytes in flight that keep a memory busy (Little's law, memory-level parallelism).

    Parameters
    ----------
    latency : float or array
        Time from a request to its data, seconds.
    memory_bandwidth : float or array
        Memory bandwidth of the device, or of one SM's share, bytes/s.

    Returns
    -------
    float or array
        Bytes in flight of the device, or of one SM.

    Notes
    -----
    Ignores that latency grows with load; use the loaded latency.
    Source: J. D. C. Little, "A proof for the queuing formula L = lambda W",
    Operations Research 9(3), 1961.

    Examples
    --------
    >>> bytes_in_flight(latency=500e-9, memory_bandwidth=3.35e12)
    1675000.0
    """
    latency = positive("latency", latency)
    return plain(latency * positive("memory_bandwidth", memory_bandwidth))


def bandwidth_from_concurrency(
    bytes_in_flight: ArrayLike, latency: ArrayLike, memory_bandwidth: ArrayLike, queueing: ArrayLike = 0.0
) -> FloatOrArray:
    """Compute the bandwidth that a number of bytes in flight reaches (Little's law), with queueing.

    Without queueing it is ``min(peak, bytes / latency)``.

    Parameters
    ----------
    bytes_in_flight : float or array
        Bytes requested and not yet arrived.
    latency : float or array
        Latency of the idle memory, seconds.
    memory_bandwidth : float or array
        Peak memory bandwidth, bytes/s.
    queueing : float or array
        Strength of queueing: at a utilization rho the latency is
        ``latency * (1 + queueing * rho / (1 - rho))``, as for a queue with one server. 0
        means no queueing and gives a sharp corner; 1 is M/M/1 with the whole latency as
        service time.

    Returns
    -------
    float or array
        Bandwidth for which Little's law holds with that latency, bytes/s.

    Notes
    -----
    Ignores the distribution of requests over memory channels. Source: Little 1961; the waiting time of
    a queue: L. Kleinrock, "Queueing systems", volume 1, 1975.

    Examples
    --------
    >>> bandwidth_from_concurrency([500_000, 5_000_000], 500e-9, 3.35e12) / 1e12
    array([1.  , 3.35])
    >>> bandwidth_from_concurrency(500e-9 * 3.35e12, 500e-9, 3.35e12, queueing=1) / 1e12     # half of the peak
    1.675
    """
    in_flight = positive("bytes_in_flight", bytes_in_flight, allow_zero=True)
    latency = positive("latency", latency)
    peak, queueing = positive("memory_bandwidth", memory_bandwidth), positive("queueing", queueing, allow_zero=True)
    load = in_flight / (latency * peak)
    # The load is rho (1 + q rho / (1 - rho)); this root of the quadratic is min(load, 1) for q = 0.
    root = np.sqrt((1 - load) ** 2 + 4 * queueing * load)
    return plain(np.minimum(peak, peak * (2 * load / (1 + load + root))))


def warps_needed(
    latency: ArrayLike,
    memory_bandwidth: ArrayLike,
    compute_units: ArrayLike,
    bytes_per_thread: ArrayLike,
    *,
    loads_in_flight: ArrayLike = 1,
    warp_size: int = 32,
) -> IntOrArray:
    """Compute the warps per SM that keep the memory busy (Little's law).

    Parameters
    ----------
    latency : float or array
        Memory latency, seconds.
    memory_bandwidth : float or array
        Memory bandwidth of the whole device, bytes/s.
    compute_units : int or array of int
        Number of SMs of the device.
    bytes_per_thread : float or array
        Size of one load of a thread, 4 for a float, 16 for a float4, bytes.
    loads_in_flight : int or array of int
        Number of independent loads that a thread issues before it waits.
    warp_size : int
        Number of threads in a warp: 32, or 64 for an AMD wavefront.

    Returns
    -------
    int or array of int
        Number of warps per SM, rounded up. If it exceeds `limits`, occupancy alone is not
        sufficient: load more per thread.

    Notes
    -----
    For threads that wait for their own loads; asynchronous copies need no waiting threads
    (`stages_needed`). Assumes full coalescing. Ignores caches, uneven load, and
    limits on outstanding requests. Source: Little 1961; V. Volkov, "Better performance at
    lower occupancy", GTC 2010, for loads in flight within a thread.

    Examples
    --------
    >>> warps_needed(500e-9, 3.35e12, compute_units=132, bytes_per_thread=4)
    100
    >>> warps_needed(500e-9, 3.35e12, compute_units=132, bytes_per_thread=4, loads_in_flight=4)
    25
    """
    per_warp = positive("bytes_per_thread", bytes_per_thread) * whole("loads_in_flight", loads_in_flight)
    per_warp = per_warp * whole("warp_size", warp_size) * whole("compute_units", compute_units)
    return rounded_up(positive("latency", latency), positive("memory_bandwidth", memory_bandwidth), per_warp)


def warps_to_hide(
    latency_cycles: ArrayLike, independent_instructions: ArrayLike = 1, *, warp_instructions_per_cycle: ArrayLike = 4
) -> IntOrArray:
    """Compute the warps per SM that hide an instruction latency (Little's law).

    Parameters
    ----------
    latency_cycles : float or array
        Latency until an instruction's result can be used, cycles.
    independent_instructions : float or array
        Number of independent instructions of one warp (instruction-level parallelism, ILP).
    warp_instructions_per_cycle : float or array
        Issue rate of the SM: 4 on NVIDIA since Volta, one per scheduler.

    Returns
    -------
    int or array of int
        Number of warps per SM, rounded up.

    Notes
    -----
    Little's law with instructions instead of bytes. Ignores that warps are bound to one
    scheduler. Source: NVIDIA, CUDA programming guide,
    "Multiprocessor level"; V. Volkov, GTC 2010.

    Examples
    --------
    >>> warps_to_hide(4), warps_to_hide(4, independent_instructions=4)
    (16, 4)
    """
    rate = positive("warp_instructions_per_cycle", warp_instructions_per_cycle)
    by_one_warp = positive("independent_instructions", independent_instructions)
    return rounded_up(positive("latency_cycles", latency_cycles), rate, by_one_warp)


def rounded_up(latency: FloatOrArray, rate: FloatOrArray, by_each: FloatOrArray) -> IntOrArray:
    """Return latency x rate in units of the work that each one has in flight, rounded up."""
    # A rounding error must not add a warp or a stage: 8.000000000000002 is 8.
    parts = latency * (rate * ((1 - 1e-12) / by_each))
    return np.ceil(parts, out=parts).astype(np.int64) if isinstance(parts, np.ndarray) else ceil(parts)
