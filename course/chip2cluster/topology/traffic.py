"""What the cut means for traffic: all-to-all times, oversubscription, full bisection."""

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._validate import plain, positive, whole
from .cuts import bisection
from .network import Topology, require


def all_to_all_time(topology: Topology, message_bytes: ArrayLike) -> float | NDArray:
    """Least time of an all-to-all: the longest that any known cut demands.

    Every terminal has ``message_bytes`` to send, an equal part for each of the n
    terminals, its own included (the size that nccl-tests prints). A cut around h of
    them lets h (n - h)/n of a buffer through in each direction. Looked at are the cuts
    around one terminal, around each switch, rack, node or group that the family has,
    and the bisection.

    Parameters
    ----------
    topology : Topology
    message_bytes : float or array
        Bytes in the send buffer of each terminal.

    Returns
    -------
    float or array
        Seconds; a lower bound, and one still where the bisection is an interval.
        ``inf`` where something must cross and nothing leads across.

    Raises
    ------
    ValueError, TypeError
        For anything but a topology, and sizes that are NaN, infinite or negative.

    Notes
    -----
    The bisection alone is `crossing_time`, the terminals' own links are
    `injection_time`, any other cut is `cut_time`. Of a graph without a family only one
    terminal and the middle are looked at. Ignores latency, and collisions of flows.
    Source: Leighton and Rao 1999.

    Examples
    --------
    The middle alone says 10 and 40 ms; the link of a host and, at 4:1, the uplinks of a
    leaf take longer.

    >>> from chip2cluster import topology
    >>> for ratio in (1, 4):
    ...     fabric = topology.leaf_spine(4, 8, 8, 50e9, oversubscription=ratio)
    ...     print(topology.all_to_all_time(fabric, 1e9))
    0.019375
    0.06
    """
    size = positive("message_bytes", message_bytes, allow_zero=True)
    kept = require(topology)._kept
    if "seconds a byte" not in kept:
        n, one = topology.terminals, topology.injection_bandwidth_one_way if topology.terminals > 1 else 0.0
        narrowest = bisection(topology)
        cuts = [(1, one), *topology._shape.cuts(), (n // 2, narrowest.bandwidth_one_way)]
        per_byte = max(float(cut_time(1.0, n, side, bandwidth)) for side, bandwidth in cuts)
        if not narrowest.exact:  # a longer search may find a narrower cut
            return _scaled(size, per_byte)
        kept["seconds a byte"] = per_byte
    return _scaled(size, kept["seconds a byte"])


def _scaled(size: Any, per_byte: float) -> float | NDArray:
    """Seconds of a size; nothing takes no time, even where nothing could cross."""
    if per_byte < inf:
        return plain(size * per_byte)
    return plain(np.where(np.equal(size, 0), 0.0, inf))


def crossing_time(
    message_bytes: ArrayLike, terminals: ArrayLike, bisection_bandwidth_one_way: ArrayLike
) -> float | NDArray:
    """Time for the half of an all-to-all that crosses a cut of a given bandwidth.

    Parameters
    ----------
    message_bytes : float or array
        Bytes in the send buffer of each terminal, its own part included.
    terminals : int or array of int
        Terminals, n.
    bisection_bandwidth_one_way : float or array
        Bytes/s across the cut in one direction; a figure that counts both must be halved.

    Returns
    -------
    float or array
        Seconds: ``floor(n/2) ceil(n/2) message_bytes / n`` over the bandwidth.
        0 for a single terminal, ``inf`` across a cut without links.

    Raises
    ------
    ValueError, TypeError
        For NaN, infinite or negative input and counts that are not whole.

    Notes
    -----
    Ignores latency and everything on the way to the cut. Source: Dally and Towles 2004.

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
    """Time for the part of an all-to-all that crosses any cut, even or not.

    Around one terminal, around a leaf switch, through the middle: the all-to-all takes
    at least the longest of these times, and the bisection need not be the narrowest.

    Parameters
    ----------
    message_bytes : float or array
        Bytes in the send buffer of each terminal, its own part included.
    terminals : int or array of int
        Terminals, n.
    side : int or array of int
        Terminals on one side of the cut, 0 to n.
    cut_bandwidth_one_way : float or array
        Bytes/s across the cut in one direction.

    Returns
    -------
    float or array
        Seconds: ``side (n - side) message_bytes / n`` over the bandwidth; 0 where nothing
        crosses, ``inf`` across a cut without links.

    Raises
    ------
    ValueError, TypeError
        For NaN, infinite or negative input, counts that are not whole, and more
        terminals on a side than there are.

    Notes
    -----
    Ignores latency and congestion inside the two sides. Source: Leighton and Rao,
    "Multicommodity max-flow min-cut theorems", Journal of the ACM 46(6), 1999.

    Examples
    --------
    64 hosts of 50 GB/s in 4 racks, 4:1: one host, one rack, half of the racks.

    >>> cut_time(1e9, 64, [1, 16, 32], [50e9, 200e9, 400e9])
    array([0.0196875, 0.06     , 0.04     ])
    """
    size = positive("message_bytes", message_bytes, allow_zero=True)
    n = whole("terminals", terminals)
    inside = whole("side", side, minimum=0)
    bandwidth = positive("cut_bandwidth_one_way", cut_bandwidth_one_way, allow_zero=True)
    if np.any(np.greater(inside, n)):
        raise ValueError(f"side must be at most terminals = {terminals!r}, got {side!r}")
    crossing = np.multiply(inside, np.subtract(n, inside, dtype=float)) / n  # as a share of the buffer
    if type(bandwidth) is float and bandwidth:
        return plain(crossing / bandwidth * size)
    with np.errstate(divide="ignore", invalid="ignore"):
        seconds = np.divide(crossing, bandwidth) * size
    if np.all(bandwidth):
        return plain(seconds)
    return plain(np.where(np.equal(crossing, 0) | np.equal(size, 0), 0.0, seconds))


def injection_time(topology: Topology, message_bytes: ArrayLike) -> float | NDArray:
    """Least time of an all-to-all for each terminal to send its parts through its own links.

    Parameters
    ----------
    topology : Topology
    message_bytes : float or array
        Bytes in the send buffer of each terminal, its own part included.

    Returns
    -------
    float or array
        Seconds: ``(p - 1) / p * message_bytes`` over the terminal's bandwidth one way.

    Raises
    ------
    ValueError, TypeError
        As `all_to_all_time`.

    Notes
    -----
    One of the cuts that `all_to_all_time` looks at. Ignores latency.
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
    """Bandwidth of the hosts below a switch over that of its uplinks, at the worst tier.

    Parameters
    ----------
    topology : Topology
        A tree, fat-tree, leaf-spine, star, NVSwitch node or GPU cluster.

    Returns
    -------
    float
        4.0 is "4:1"; 1.0 is non-blocking; below 1 there is bandwidth to spare.

    Raises
    ------
    ValueError, TypeError
        For a topology without tiers of switches, and for anything but a topology.

    Notes
    -----
    A property of the wiring: a job that fills no leaf may not notice it. Source:
    Al-Fares, Loukissas, Vahdat 2008.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> topology.oversubscription(topology.leaf_spine(leaves=4, spines=2, hosts_per_leaf=4))
    2.0
    """
    ratio = require(topology)._shape.oversubscription()
    if ratio is None:
        raise ValueError(
            "topology must have tiers of switches (tree, fat_tree, leaf_spine, star, nvswitch_node, "
            f"gpu_cluster), got a {topology.family}"
        )
    return float(ratio)


def full_bisection_share(topology: Topology) -> float:
    """Bisection as a share of what half of the terminals could send together.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    float
        1 is full bisection bandwidth. Direct networks lie far below: a torus pays for
        neighbours, not for the cut. 0 for a single terminal.

    Raises
    ------
    ValueError, TypeError
        As `bisection`.

    Notes
    -----
    Where the bisection is an interval this is its upper end. In a `gpu_cluster` NVLink
    ends at the node, so what half of the GPUs could send is that of their network cards,
    and of NVLink only in a node that the cut must split. Source: Dally and Towles 2004.

    Examples
    --------
    >>> from chip2cluster import topology
    >>> for net in (topology.fat_tree(8), topology.torus((16, 16)), topology.leaf_spine(4, 4, 16)):
    ...     print(topology.full_bisection_share(net))
    1.0
    0.0625
    0.25
    """
    most = require(topology)._shape.outward()
    if most is None:
        most = topology.terminals // 2 * topology.injection_bandwidth_one_way
    return bisection(topology).bandwidth_one_way / most if most else 0.0
