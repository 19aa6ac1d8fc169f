"""Hiding latency: how much work must be under way so that nobody waits.

Little's law: what is in flight = rate x time in flight.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def bytes_in_flight(latency: ArrayLike, memory_bandwidth: ArrayLike) -> FloatOrArray:
    """Bytes that must be on their way at every moment to keep a memory busy.

    Parameters
    ----------
    latency : float or array
        From request to answer, seconds.
    memory_bandwidth : float or array
        bytes/s, of the device or of one multiprocessor's share.

    Returns
    -------
    float or array
        Bytes, for the same extent as the bandwidth.

    Raises
    ------
    ValueError, TypeError
        For anything but finite numbers above zero.

    Notes
    -----
    Ignores that latency grows as the memory fills up; take the loaded latency.
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
    bytes_under_way: ArrayLike, latency: ArrayLike, memory_bandwidth: ArrayLike, queueing: ArrayLike = 0.0
) -> FloatOrArray:
    """Bandwidth that a given amount of concurrency reaches: ``min(peak, bytes / latency)``, or less where requests queue.

    Parameters
    ----------
    bytes_under_way : float or array
        Bytes requested and not yet arrived.
    latency, memory_bandwidth : float or array
        Seconds with an idle memory, and peak bytes/s.
    queueing : float or array
        How much longer a request takes as the memory fills up: at a share rho of the peak,
        ``latency * (1 + queueing * rho / (1 - rho))``, the waiting time of a queue with one
        server. 0, nobody waits, gives a sharp corner; 1 is M/M/1 with the whole latency as
        service.

    Returns
    -------
    float or array
        bytes/s: where Little's law holds with that latency.

    Raises
    ------
    ValueError, TypeError
        For NaN, infinite or negative input, and for zero latency or bandwidth.

    Notes
    -----
    Ignores how requests spread over channels. Source: Little 1961; the waiting time of
    a queue: L. Kleinrock, "Queueing systems", volume 1, 1975.

    Examples
    --------
    >>> bandwidth_from_concurrency([500_000, 5_000_000], 500e-9, 3.35e12) / 1e12
    array([1.  , 3.35])
    >>> bandwidth_from_concurrency(500e-9 * 3.35e12, 500e-9, 3.35e12, queueing=1) / 1e12     # half of the peak
    1.675
    """
    under_way = positive("bytes_under_way", bytes_under_way, allow_zero=True)
    latency = positive("latency", latency)
    peak, queueing = positive("memory_bandwidth", memory_bandwidth), positive("queueing", queueing, allow_zero=True)
    load = under_way / (latency * peak)
    # What is under way is rho (1 + q rho / (1 - rho)); this root of the quadratic is min(load, 1) for q = 0.
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
    """Warps that each multiprocessor must hold to keep the memory busy.

    Parameters
    ----------
    latency : float or array
        Seconds.
    memory_bandwidth : float or array
        Of the whole device, bytes/s.
    compute_units : int or array of int
        Multiprocessors of the device.
    bytes_per_thread : float or array
        Bytes one load of a thread brings: 4 for a float, 16 for a float4.
    loads_in_flight : int or array of int
        Independent loads that a thread issues before it waits.
    warp_size : int
        Threads of a warp: 32, or 64 for an AMD wavefront.

    Returns
    -------
    int or array of int
        Warps per multiprocessor, rounded up. More than `limits` allows means that
        occupancy alone cannot do it: load more a thread.

    Raises
    ------
    ValueError, TypeError
        For numbers not above zero, and counts that are not whole.

    Notes
    -----
    For threads that wait for their own loads; copies that run by themselves need none
    (`stages_needed`). Ignores caches and uneven load, and limits on outstanding requests. Source:
    Little 1961; V. Volkov, "Better performance at lower occupancy", GTC 2010, for
    loads in flight within a thread.

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
    """Warps that a multiprocessor must hold to issue an instruction every cycle.

    Parameters
    ----------
    latency_cycles : float or array
        Clock cycles until an instruction's result can be used.
    independent_instructions : float or array
        Instructions of one warp that do not wait for one another.
    warp_instructions_per_cycle : float or array
        Issue rate of the multiprocessor: 4 on NVIDIA since Volta, one a scheduler.

    Returns
    -------
    int or array of int
        Warps per multiprocessor, rounded up.

    Raises
    ------
    ValueError, TypeError
        For anything but finite numbers above zero.

    Notes
    -----
    Little's law with instructions in place of bytes. Ignores that warps of one
    scheduler cannot help another. Source: NVIDIA, CUDA programming guide,
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
    """Return latency x rate in units of what each one has under way, rounded up."""
    # The last bit of a product must not cost a warp or a stage: 8.000000000000002 is 8.
    parts = latency * (rate * ((1 - 1e-12) / by_each))
    return np.ceil(parts, out=parts).astype(np.int64) if isinstance(parts, np.ndarray) else ceil(parts)
