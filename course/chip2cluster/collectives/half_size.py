"""The message that reaches half of a collective's bandwidth: of a node, of a cluster, of a measured run.

Hockney's n-half for one hop is `chip2cluster.links.half_bandwidth_message_size`. A
collective has more hops in a row and fewer bytes on each, so its n-half is larger, and
grows with the machine: kilobytes for a hop, megabytes for a node, up to a gigabyte for
a cluster.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, shortened, whole
from .algorithms import named
from .cost import time
from .hierarchical import SCHEMES
from .nccl_system import NcclSystem

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, Scheme


def half_bandwidth_size(
    collective: str, algorithm: str, ranks: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike
) -> FloatOrArray:
    """Message at which a collective on one kind of link reaches half of its bandwidth.

    Parameters
    ----------
    collective, algorithm : str
        As `time`.
    ranks : int or array of int
        Participants, at least 2: one has nothing to wait for.
    bandwidth_one_way, latency : float or array
        Of one link, bytes/s and seconds.

    Returns
    -------
    float or array
        Bytes: the size whose bytes take as long as its steps.

    Raises
    ------
    ValueError, TypeError
        As `time`, and for a single rank.

    Notes
    -----
    A ring all-reduce of p ranks: p latency bandwidth, p times the n-half of its hop. As
    `time`. Latency and bandwidth must be of one protocol (`nccl_protocols`).
    Source: R. Hockney 1994, with the steps of `steps`.

    Examples
    --------
    >>> round(half_bandwidth_size("all_reduce", "ring", 8, 370.8e9, 3.4e-6) / 1e6, 1)   # MB; one hop: 1.3
    10.1
    """
    whole("ranks", ranks, minimum=2)
    start = time(collective, algorithm, 0.0, ranks, bandwidth_one_way, latency)
    return plain(start / time(collective, algorithm, 1.0, ranks, bandwidth_one_way))


def hierarchical_half_bandwidth_size(
    ranks_per_node: ArrayLike,
    nodes: ArrayLike,
    intra_bandwidth_one_way: ArrayLike,
    inter_bandwidth_one_way_per_rank: ArrayLike,
    *,
    intra_latency: ArrayLike,
    inter_latency: ArrayLike,
    scheme: Scheme = "sharded",
) -> FloatOrArray:
    """Message at which an all-reduce over two levels of network reaches half of its bandwidth.

    Parameters
    ----------
    ranks_per_node, nodes, intra_bandwidth_one_way, inter_bandwidth_one_way_per_rank
        As `hierarchical_all_reduce_time`.
    intra_latency, inter_latency, scheme
        As there.

    Returns
    -------
    float or array
        Bytes.

    Raises
    ------
    ValueError, TypeError
        As `hierarchical_all_reduce_time`, and for one node of a single rank.

    Notes
    -----
    As `hierarchical_all_reduce_time`; the latency of a ring over the nodes grows with
    their number, which a library's trees avoid. Source: as `half_bandwidth_size`.

    Examples
    --------
    >>> links = {"intra_latency": 3.4e-6, "inter_latency": 14e-6}
    >>> [round(hierarchical_half_bandwidth_size(8, m, 370.8e9, 49e9, **links) / 1e6) for m in (2, 16, 128)]
    [10, 49, 368]
    """
    g, m = whole("ranks_per_node", ranks_per_node), whole("nodes", nodes)
    alone = g * m == 1
    if alone.any() if isinstance(alone, np.ndarray) else alone:
        raise ValueError(f"nodes must hold at least two ranks, got {shortened(nodes)} of {shortened(ranks_per_node)}")
    inside = positive("intra_bandwidth_one_way", intra_bandwidth_one_way)
    between = positive("inter_bandwidth_one_way_per_rank", inter_bandwidth_one_way_per_rank)
    wait_inside = positive("intra_latency", intra_latency, allow_zero=True)
    wait_between = positive("inter_latency", inter_latency, allow_zero=True)
    crossing = 1 / g if named("scheme", scheme, SCHEMES) == "sharded" else 1.0
    start = (g - 1) * wait_inside + (m - 1) * wait_between
    return plain(start / ((g - 1) / g / inside + (m - 1) / m * crossing / between))


def nccl_half_bandwidth_size(system: NcclSystem) -> float:
    """Smallest message at which NCCL expects half of the bandwidth that it expects of the longest.

    Parameters
    ----------
    system : NcclSystem
        The GPUs.

    Returns
    -------
    float
        Bytes.

    Raises
    ------
    TypeError
        For anything but an `NcclSystem`.

    Notes
    -----
    A lower bound in practice: inside a node of 8 Hopper GPUs the library's constants say
    7.5 MB, runs measured 17 to 22 MB (`measured_half_bandwidth_size`). Source: as
    `nccl_time`.

    Examples
    --------
    >>> round(nccl_half_bandwidth_size(NcclSystem("hopper", 8, 360e9, switch_adds=True)) / 1e6, 1)
    7.5
    """
    if not isinstance(system, NcclSystem):
        raise TypeError(f"system must be an NcclSystem, got {system!r}")
    return _half(system)


def measured_half_bandwidth_size(message_bytes: ArrayLike, seconds: ArrayLike) -> float:
    """Message at which a measured run reaches half of the best bandwidth that it shows.

    Parameters
    ----------
    message_bytes, seconds : array
        Sizes, ascending, in bytes, and their times, in seconds: a table of nccl-tests.

    Returns
    -------
    float
        Bytes, between the last row below half of the best and the next, the time taken
        as a straight line between the two.

    Raises
    ------
    ValueError, TypeError
        For tables that are not one-dimensional, ascending and of one length, and where
        already the smallest message reaches half.

    Notes
    -----
    Needs no model and no fit. A run that stops early shows too small a best.

    Examples
    --------
    >>> from chip2cluster.collectives import nccl_tests_table
    >>> table = nccl_tests_table()                         # stops at 8 MiB, still rising
    >>> round(measured_half_bandwidth_size(table.message_bytes, table.seconds) / 1e6, 1)
    2.2
    """
    size, time_taken = positive("message_bytes", message_bytes), positive("seconds", seconds)
    if not isinstance(size, np.ndarray) or size.ndim != 1 or len(size) < 2 or not (np.diff(size) > 0).all():
        raise ValueError("message_bytes must be a one-dimensional ascending table of two rows or more")
    if not isinstance(time_taken, np.ndarray) or time_taken.shape != size.shape:
        raise ValueError(f"seconds must be one for each of the {len(size)} sizes, got {shortened(seconds)}")
    bandwidth = size / time_taken
    half = bandwidth.max() / 2
    below = np.flatnonzero(bandwidth < half)
    if not len(below) or below[-1] == len(size) - 1:
        raise ValueError("message_bytes must begin below half of the best bandwidth and end above it")
    i = below[-1]
    slope = (time_taken[i + 1] - time_taken[i]) / (size[i + 1] - size[i])
    return float(half * (time_taken[i] - slope * size[i]) / (1 - half * slope))


@lru_cache(maxsize=256)
def _half(system: NcclSystem) -> float:
    half = max(curve.bandwidth for curve in system.curves) / 2
    smallest = inf
    for curve in system.curves:
        # A curve is one straight line from 64 * 2**(k - 1) bytes to twice as many; without corrections from 0 to inf.
        for k, correction in enumerate(curve.corrections or (1.0,)):
            from_, to = (32.0 * 2**k * (k > 0), 64.0 * 2**k) if curve.corrections else (0.0, inf)
            to = inf if k == len(curve.corrections) - 1 else to
            share = half * correction / curve.bandwidth
            reached = max(from_, half * curve.latency / (1 - share)) if share < 1 else inf
            if reached < min(to, smallest):
                smallest = reached
    return smallest
