"""Consequences of a cut for traffic: all-to-all times, oversubscription, full bisection bandwidth."""

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._validate import plain, positive, whole
from .cuts import bisection
from .network import Topology, require


def all_to_all_time(topology: Topology, message_bytes: ArrayLike) -> float | NDArray:
    """Compute the least time of an all-to-all: the longest over all known cuts.

    Every terminal sends ``message_bytes``, an equal part to each of the n terminals, its
    own included (the size that nccl-tests prints). Through a cut around h of them
    h (n - h)/n of a buffer must pass in each direction. The cuts are those around one
    terminal, around each switch, rack, node or group of the network's family, and the
    bisection.

    Parameters
    ----------
    topology : Topology
        Network that carries the all-to-all.
    message_bytes : float or array
        Size of the send buffer of each terminal, its own part included, bytes.

    Returns
    -------
    float or array
        Lower bound of the time, seconds, valid also if the bisection is an interval;
        ``inf`` if traffic must cross a cut without links.

    Notes
    -----
    `crossing_time` is the time of the bisection, `injection_time` that of a terminal's
    links, `cut_time` that of any cut. For a graph without a family only one terminal and
    the bisection are considered. Ignores latency and collisions of flows.
    Source: Leighton and Rao 1999.

    Examples
    --------
    The bisection alone gives 10 and 40 ms; the link of a host and, at 4:1, the uplinks of
    a leaf take longer:

    >>> from chip2cluster import topology
    >>> for ratio in (1, 4):
    ...     fabric = topology.leaf_spine(4, 8, 8, 50e9, oversubscription=ratio)
    ...     print(topology.all_to_all_time(fabric, 1e9))
    0.019375
    0.06
    """
    size = positive("message_bytes", message_bytes, allow_zero=True)
    cache = require(topology)._cache
    if "seconds per byte" not in cache:
        n, one = topology.terminals, topology.injection_bandwidth_one_way if topology.terminals > 1 else 0.0
        narrowest = bisection(topology)
        cuts = [(1, one), *topology._structure.cuts(), (n // 2, narrowest.bandwidth_one_way)]
        per_byte = max(float(cut_time(1.0, n, side, bandwidth)) for side, bandwidth in cuts)
        if not narrowest.exact:  # a longer search may find a narrower cut
            return _scaled(size, per_byte)
        cache["seconds per byte"] = per_byte
    return _scaled(size, cache["seconds per byte"])


def _scaled(size: Any, per_byte: float) -> float | NDArray:
    """Return the time of a size; zero bytes take no time, even through a cut without links."""
    if per_byte < inf:
        return plain(size * per_byte)
    return plain(np.where(np.equal(size, 0), 0.0, inf))


def crossing_time(
    message_bytes: ArrayLike, terminals: ArrayLike, bisection_bandwidth_one_way: ArrayLike
) -> float | NDArray:
    """Compute the time of the part of an all-to-all that crosses the bisection.

    Parameters
    ----------
    message_bytes : float or array
        Size of the send buffer of each terminal, its own part included, bytes.
    terminals : int or array of int
        Number of terminals, n.
    bisection_bandwidth_one_way : float or array
        Unidirectional bandwidth of the bisection, bytes/s; halve a bidirectional figure.

    Returns
    -------
    float or array
        Time, ``floor(n/2) ceil(n/2) message_bytes / n`` over the bandwidth, seconds; 0 for
        a single terminal, ``inf`` for a bisection without links.

    Notes
    -----
    Ignores latency and all links other than those of the cut. Source: Dally and Towles
    2004.

    Examples
    --------
    >>> crossing_time(1e9, 64, [0.2e12, 0.05e12])
    array([0.08, 0.32])
    """
    n = whole("terminals", terminals)
    bandwidth = positive("bisection_bandwidth_one_way", bisection_bandwidth_one_way, allow_zero=True)
    return cut_time(message_bytes, n, n // 2 if type(n) is int else np.floor(0.5 * n), bandwidth)


def cut_time(
    message_bytes: ArrayLike, terminals: ArrayLike, side: ArrayLike, cut_bandwidth_one_way: ArrayLike
) -> float | NDArray:
    """Compute the time of the part of an all-to-all that crosses a cut of any size.

    An all-to-all takes at least the longest of these times over cuts around a terminal,
    around a leaf switch, and through the middle; the bisection need not be the narrowest.

    Parameters
    ----------
    message_bytes : float or array
        Size of the send buffer of each terminal, its own part included, bytes.
    terminals : int or array of int
        Number of terminals, n.
    side : int or array of int
        Number of terminals on one side of the cut, 0 to n.
    cut_bandwidth_one_way : float or array
        Unidirectional bandwidth of the cut, bytes/s.

    Returns
    -------
    float or array
        Time, ``side (n - side) message_bytes / n`` over the bandwidth, seconds; 0 if
        nothing crosses, ``inf`` for a cut without links.

    Raises
    ------
    ValueError
        If a side has more terminals than the network.

    Notes
    -----
    Ignores latency and congestion inside the two sides. Source: Leighton and Rao,
    "Multicommodity max-flow min-cut theorems", Journal of the ACM 46(6), 1999.

    Examples
    --------
    64 hosts of 50 GB/s in 4 racks at 4:1; cuts around one host, one rack, half of the racks:

    >>> cut_time(1e9, 64, [1, 16, 32], [50e9, 200e9, 400e9])
    array([0.0196875, 0.06     , 0.04     ])
    """
    size = positive("message_bytes", message_bytes, allow_zero=True)
    n = whole("terminals", terminals)
    inside = whole("side", side, minimum=0)
    bandwidth = positive("cut_bandwidth_one_way", cut_bandwidth_one_way, allow_zero=True)
    if np.any(np.greater(inside, n)):
        raise ValueError(f"side must be at most terminals = {terminals!r}, got {side!r}")
    crossing = np.multiply(inside, np.subtract(n, inside, dtype=float)) / n  # fraction of the buffer
    if type(bandwidth) is float and bandwidth:
        return plain(crossing / bandwidth * size)
    with np.errstate(divide="ignore", invalid="ignore"):
        seconds = np.divide(crossing, bandwidth) * size
    if np.all(bandwidth):
        return plain(seconds)
    return plain(np.where(np.equal(crossing, 0) | np.equal(size, 0), 0.0, seconds))


def injection_time(topology: Topology, message_bytes: ArrayLike) -> float | NDArray:
    """Compute the time of an all-to-all on the links of the worst-connected terminal.

    Parameters
    ----------
    topology : Topology
        Network that carries the all-to-all.
    message_bytes : float or array
        Size of the send buffer of each terminal, its own part included, bytes.

    Returns
    -------
    float or array
        Time, ``(p - 1) / p * message_bytes`` over the terminal's unidirectional bandwidth,
        seconds.

    Notes
    -----
    One of the cuts that `all_to_all_time` considers. Ignores latency.
    Source: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.injection_time(topology.nvswitch_node("DGX H100"), 4.5e9)
    0.00875
    """
    n = require(topology).terminals
    size = positive("message_bytes", message_bytes, allow_zero=True)
    if n == 1:
        return plain(0.0 * size)
    bandwidth = topology.injection_bandwidth_one_way
    if not bandwidth:
        raise ValueError(f"{topology.name} has a terminal without links")
    return plain((n - 1) / n * size / bandwidth)


def oversubscription(topology: Topology) -> float:
    """Compute the oversubscription ratio: host bandwidth over uplink bandwidth at the worst tier.

    Parameters
    ----------
    topology : Topology
        Tree, fat-tree, leaf-spine, star, NVSwitch node or GPU cluster.

    Returns
    -------
    float
        Ratio; 4.0 is "4:1", 1.0 is non-blocking, below 1 the uplinks exceed the hosts.

    Raises
    ------
    ValueError
        If the topology has no tiers of switches.

    Notes
    -----
    A property of the wiring: a job inside one leaf is not affected. Source: Al-Fares,
    Loukissas, Vahdat 2008.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.oversubscription(topology.leaf_spine(leaves=4, spines=2, hosts_per_leaf=4))
    2.0
    """
    ratio = require(topology)._structure.oversubscription()
    if ratio is None:
        raise ValueError(
            "topology must have tiers of switches (tree, fat_tree, leaf_spine, star, nvswitch_node, "
            f"gpu_cluster), got a {topology.family}"
        )
    return float(ratio)


def full_bisection_share(topology: Topology) -> float:
    """Compute the bisection bandwidth as a fraction of the link bandwidth of half of the terminals.

    Parameters
    ----------
    topology : Topology
        Network to bisect.

    Returns
    -------
    float
        Fraction; 1 is full bisection bandwidth (non-blocking). Direct networks are far
        below 1, because a torus has links to neighbours only. 0 for a single terminal.

    Notes
    -----
    If the bisection is an interval, this is its upper end. In a `gpu_cluster` NVLink ends
    at the node, so the bandwidth of half of the GPUs is that of their NICs, plus NVLink
    only in a node that the cut must split. Source: Dally and Towles 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> for net in (topology.fat_tree(8), topology.torus((16, 16)), topology.leaf_spine(4, 4, 16)):
    ...     print(topology.full_bisection_share(net))
    1.0
    0.0625
    0.25
    """
    outward = require(topology)._structure.outward()
    if outward is None:
        outward = topology.terminals // 2 * topology.injection_bandwidth_one_way
    return bisection(topology).bandwidth_one_way / outward if outward else 0.0
