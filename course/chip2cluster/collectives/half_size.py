"""Message size at which a collective reaches half of its bandwidth (Hockney's n-half).

`chip2cluster.links.half_bandwidth_message_size` gives n-half for one hop. A collective
has more hops in a row and fewer bytes on each, so its n-half is larger and grows with the
system: kilobytes for a hop, megabytes for a node, up to a gigabyte for a cluster.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from .._validate import holds, look_up, plain, positive, shortened, whole
from .cost import time
from .hierarchical_all_reduce import SCHEMES
from .nccl_system import NcclSystem

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, Scheme


def half_bandwidth_size(
    collective: str, algorithm: str, ranks: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike
) -> FloatOrArray:
    """Compute the message size at which a collective on links of one kind reaches half of its bandwidth.

    Parameters
    ----------
    collective : str
        ``"all_reduce"``, ``"reduce_scatter"``, ``"all_gather"``, ``"broadcast"``,
        ``"reduce"``, ``"all_to_all"``, ``"gather"``, ``"scatter"`` or ``"send_recv"``.
    algorithm : str
        ``"ring"``, ``"tree"``, ...: `algorithms` lists those of each collective.
    ranks : int or array of int
        Number of ranks, at least 2.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of one link, bytes/s.
    latency : float or array
        Fixed cost of one message on one link, seconds.

    Returns
    -------
    float or array
        Message size whose bytes take as long as its steps, bytes.

    Raises
    ------
    ValueError
        If ``ranks`` is 1.

    Notes
    -----
    For a ring all-reduce of p ranks it is p * latency * bandwidth, p times the n-half of a
    hop. Latency and bandwidth must belong to one protocol (`nccl_protocols`). Ignores what
    `time` ignores.
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
    """Compute the message size at which a two-level all-reduce reaches half of its bandwidth.

    Parameters
    ----------
    ranks_per_node : int or array of int
        Number of ranks in a node, g.
    nodes : int or array of int
        Number of nodes.
    intra_bandwidth_one_way : float or array
        Unidirectional bandwidth of one rank's link inside its node, bytes/s.
    inter_bandwidth_one_way_per_rank : float or array
        Unidirectional bandwidth of one rank's network link (one rail), not the sum over a
        node, bytes/s.
    intra_latency : float or array
        Fixed cost of one message inside a node, seconds.
    inter_latency : float or array
        Fixed cost of one message between nodes, seconds.
    scheme : {"sharded", "leader"}
        ``"sharded"``: reduce-scatter in the node, all-reduce of 1/g of the message on
        each of the g rails, all-gather in the node. ``"leader"``: reduce to one rank of
        each node, all-reduce of the whole message over that rank's single rail,
        broadcast in the node.

    Returns
    -------
    float or array
        Message size, bytes.

    Raises
    ------
    ValueError
        If there is only one rank in total.

    Notes
    -----
    The latency of a ring over the nodes grows with the number of nodes; NCCL's trees avoid
    that. Ignores what `hierarchical_all_reduce_time` ignores. Source: as
    `half_bandwidth_size`.

    Examples
    --------
    >>> links = {"intra_latency": 3.4e-6, "inter_latency": 14e-6}
    >>> [round(hierarchical_half_bandwidth_size(8, m, 370.8e9, 49e9, **links) / 1e6) for m in (2, 16, 128)]
    [10, 49, 368]
    """
    g, m = whole("ranks_per_node", ranks_per_node), whole("nodes", nodes)
    if holds(g * m == 1):
        raise ValueError(f"nodes must hold at least two ranks, got {shortened(nodes)} of {shortened(ranks_per_node)}")
    inside = positive("intra_bandwidth_one_way", intra_bandwidth_one_way)
    between = positive("inter_bandwidth_one_way_per_rank", inter_bandwidth_one_way_per_rank)
    latency_inside = positive("intra_latency", intra_latency, allow_zero=True)
    latency_between = positive("inter_latency", inter_latency, allow_zero=True)
    crossing = 1 / g if look_up("scheme", scheme, SCHEMES) else 1.0
    start = (g - 1) * latency_inside + (m - 1) * latency_between
    return plain(start / ((g - 1) / g / inside + (m - 1) / m * crossing / between))


def nccl_half_bandwidth_size(system: NcclSystem) -> float:
    """Compute the smallest message at which NCCL's tuner predicts half of its largest bandwidth.

    Parameters
    ----------
    system : NcclSystem
        GPUs that reduce together.

    Returns
    -------
    float
        Message size, bytes.

    Notes
    -----
    A lower bound in practice: for a node of 8 Hopper GPUs the library's constants give
    7.5 MB, measured runs 17 to 22 MB (`measured_half_bandwidth_size`). Source: as
    `nccl_time`.

    Examples
    --------
    >>> round(nccl_half_bandwidth_size(NcclSystem("hopper", 8, 360e9, switch_adds=True)) / 1e6, 1)
    7.5
    """
    if not isinstance(system, NcclSystem):
        raise TypeError(f"system must be an NcclSystem, got {system!r}")
    return _smallest_at_half(system)


def measured_half_bandwidth_size(message_bytes: ArrayLike, seconds: ArrayLike) -> float:
    """Compute the message size at which a measured run reaches half of its best bandwidth.

    Parameters
    ----------
    message_bytes : array, shape (measurements,)
        Message sizes, ascending, such as a column of nccl-tests, bytes.
    seconds : array, shape (measurements,)
        Measured times, seconds.

    Returns
    -------
    float
        Message size, bytes; times are interpolated linearly between the last row below
        half of the best bandwidth and the next row.

    Raises
    ------
    ValueError
        If the smallest message already reaches half of the best bandwidth.

    Notes
    -----
    Needs no model and no fit. A run that ends at small messages underestimates the best
    bandwidth.

    Examples
    --------
    >>> from chip2cluster.collectives import nccl_tests_table
    >>> table = nccl_tests_table()                         # stops at 8 MiB, still rising
    >>> round(measured_half_bandwidth_size(table.message_bytes, table.seconds) / 1e6, 1)
    2.2
    """
    size, measured = positive("message_bytes", message_bytes), positive("seconds", seconds)
    if not isinstance(size, np.ndarray) or size.ndim != 1 or len(size) < 2 or not (np.diff(size) > 0).all():
        raise ValueError("message_bytes must be a one-dimensional ascending table of two rows or more")
    if not isinstance(measured, np.ndarray) or measured.shape != size.shape:
        raise ValueError(f"seconds must be one for each of the {len(size)} sizes, got {shortened(seconds)}")
    bandwidth = size / measured
    half = bandwidth.max() / 2
    below = np.flatnonzero(bandwidth < half)
    if not len(below) or below[-1] == len(size) - 1:
        raise ValueError("message_bytes must begin below half of the best bandwidth and end above it")
    i = below[-1]
    slope = (measured[i + 1] - measured[i]) / (size[i + 1] - size[i])
    return float(half * (measured[i] - slope * size[i]) / (1 - half * slope))


@lru_cache(maxsize=256)
def _smallest_at_half(system: NcclSystem) -> float:
    half = max(curve.bandwidth for curve in system.curves) / 2
    smallest = inf
    for curve in system.curves:
        # With corrections a curve is straight from 64 * 2**(k - 1) bytes to twice that; without them, from 0 to inf.
        for k, correction in enumerate(curve.corrections or (1.0,)):
            from_, to = (32.0 * 2**k * (k > 0), 64.0 * 2**k) if curve.corrections else (0.0, inf)
            to = inf if k == len(curve.corrections) - 1 else to
            share = half * correction / curve.bandwidth
            reached = max(from_, half * curve.latency / (1 - share)) if share < 1 else inf
            if reached < min(to, smallest):
                smallest = reached
    return smallest
