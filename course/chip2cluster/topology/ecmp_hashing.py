"""ECMP hashing: load imbalance of equal-cost multi-path routing, compared with packet spraying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_whole, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray
from .worst_load import MOST_FLOWS, mean_largest_binomial, mean_worst_load, worst_load_probabilities


def hash_probabilities(flows: int, uplinks: int) -> NDArray:
    """Compute the probabilities that the fullest uplink carries 0, 1, 2, ... flows under ECMP.

    A switch with several equal-cost uplinks chooses one by a hash of a flow's addresses
    and ports, and uses it for all packets of the flow (ECMP, equal-cost multi-path). Each
    flow thus takes one random uplink.

    Parameters
    ----------
    flows : int
        Number of flows, at most 1,024.
    uplinks : int
        Number of equal-cost uplinks.

    Returns
    -------
    array, shape (flows + 1,)
        Entry k is the probability that the fullest uplink carries exactly k flows.

    Raises
    ------
    ValueError
        If ``flows`` exceeds 1,024.

    Notes
    -----
    Exact up to rounding: the loads are independent Poisson numbers conditioned on their
    sum, so the probability that none exceeds k is a coefficient of a power of a short
    polynomial. Ignores that hashes of neighbouring switches may be correlated
    (polarization). Source: N. Johnson and S. Kotz, *Urn models and their application*,
    1977; ECMP: RFC 2992.

    Examples
    --------
    Two flows on two uplinks are on one uplink or on both:

    >>> hash_probabilities(2, 2).round(3).tolist()
    [0.0, 0.5, 0.5]
    >>> float(hash_probabilities(8, 8)[1].round(4))
    0.0024
    """
    return worst_load_probabilities(one_whole("flows", flows), one_whole("uplinks", uplinks)).copy()


def hash_worst_load(flows: ArrayLike, uplinks: ArrayLike) -> FloatOrArray:
    """Compute the mean number of flows on the fullest uplink under ECMP.

    Parameters
    ----------
    flows : int or array of int
        Number of flows, at most 1,024.
    uplinks : int or array of int
        Number of equal-cost uplinks.

    Returns
    -------
    float or array
        Mean number of flows, at least the ``flows / uplinks`` of an even spread.

    Notes
    -----
    The last of equal flows takes this many times as long as a single flow. Ignores what
    `hash_probabilities` ignores. Source: M. Raab and A. Steger, "Balls into bins", RANDOM
    1998 (asymptotic growth).

    Examples
    --------
    >>> round(hash_worst_load(8, 8), 3)
    2.597
    >>> hash_worst_load([8, 16, 128], 8).round(2)
    array([ 2.6 ,  4.2 , 21.91])
    """
    n, m = whole("flows", flows), whole("uplinks", uplinks)
    if type(n) is int and type(m) is int:
        return mean_worst_load(n, m)
    n, m = np.broadcast_arrays(n, m)
    means = [mean_worst_load(int(a), int(b)) for a, b in zip(n.flat, m.flat, strict=True)]
    return plain(np.array(means).reshape(n.shape))


def hash_time(
    flow_bytes: ArrayLike,
    flows: ArrayLike,
    uplinks: ArrayLike,
    uplink_bandwidth_one_way: ArrayLike,
    *,
    queue_pairs: ArrayLike = 1,
) -> FloatOrArray:
    """Compute the mean time until the last of equal flows has arrived under ECMP.

    Parameters
    ----------
    flow_bytes : float or array
        Size of each flow, bytes.
    flows : int or array of int
        Number of flows that start at the same time.
    uplinks : int or array of int
        Number of equal-cost uplinks.
    uplink_bandwidth_one_way : float or array
        Unidirectional bandwidth of an uplink, and of the link of each sender, bytes/s.
    queue_pairs : int or array of int
        Number of equal parts (RDMA queue pairs) of each flow that are hashed separately;
        NCCL sets it with ``NCCL_IB_QPS_PER_CONNECTION``.

    Returns
    -------
    float or array
        Mean load of the fullest uplink times the time of one part, seconds.

    Notes
    -----
    At least the time of one flow on its sender's link. A lower bound: ignores latency, and
    that flows below their fair share elsewhere do not use the rest of the fullest uplink.
    Source: follows from `hash_worst_load`; queue pairs: A. Gangidi et al., "RDMA over
    Ethernet for distributed AI training at Meta scale", SIGCOMM 2024.

    Examples
    --------
    Eight flows of 1 GB over eight uplinks of 50 GB/s take 20 ms if spread evenly:

    >>> round(1e3 * hash_time(1e9, 8, 8, 50e9), 1), round(1e3 * hash_time(1e9, 8, 8, 50e9, queue_pairs=16), 1)
    (51.9, 27.4)
    """
    size = positive("flow_bytes", flow_bytes, allow_zero=True)
    bandwidth = positive("uplink_bandwidth_one_way", uplink_bandwidth_one_way)
    return plain(_hashed_load(flows, uplinks, queue_pairs) * size / bandwidth)


def spray_time(
    flow_bytes: ArrayLike, flows: ArrayLike, uplinks: ArrayLike, uplink_bandwidth_one_way: ArrayLike
) -> FloatOrArray:
    """Compute the time until the last of equal flows has arrived under packet spraying.

    Parameters
    ----------
    flow_bytes : float or array
        Size of each flow, bytes.
    flows : int or array of int
        Number of flows that start at the same time.
    uplinks : int or array of int
        Number of equal-cost uplinks.
    uplink_bandwidth_one_way : float or array
        Unidirectional bandwidth of an uplink, and of the link of each sender, bytes/s.

    Returns
    -------
    float or array
        Time, ``max(1, flows / uplinks) * flow_bytes`` over the bandwidth, seconds.

    Notes
    -----
    The optimum over all routings. Ignores latency and the cost of spraying: packets arrive
    out of order, so the receiver must place or reorder them. Source: T. Hoefler et al.,
    "Ultra Ethernet's design principles and architectural innovations", 2025.

    Examples
    --------
    >>> spray_time(1e9, [8, 12], 8, 50e9)
    array([0.02, 0.03])
    """
    size = positive("flow_bytes", flow_bytes, allow_zero=True)
    bandwidth = positive("uplink_bandwidth_one_way", uplink_bandwidth_one_way)
    return plain(_even_load(flows, uplinks) * size / bandwidth)


def hash_share(flows: ArrayLike, uplinks: ArrayLike, *, queue_pairs: ArrayLike = 1) -> FloatOrArray:
    """Compute the fraction of the bandwidth that ECMP achieves, compared with an even spread.

    Parameters
    ----------
    flows : int or array of int
        Number of flows that start at the same time.
    uplinks : int or array of int
        Number of equal-cost uplinks.
    queue_pairs : int or array of int
        Number of equal parts (RDMA queue pairs) of each flow that are hashed separately;
        NCCL sets it with ``NCCL_IB_QPS_PER_CONNECTION``.

    Returns
    -------
    float or array
        Ratio of `spray_time` to `hash_time`, 0 to 1.

    Notes
    -----
    For a job that waits for all of its flows in each step, with a new hash in each step.
    Ignores what `hash_time` ignores. Source: follows from `hash_worst_load`.

    Examples
    --------
    >>> round(hash_share(8, 8), 3), round(hash_share(8, 8, queue_pairs=16), 3)
    (0.385, 0.73)
    """
    return plain(_even_load(flows, uplinks) / _hashed_load(flows, uplinks, queue_pairs))


def hash_neighbours(others: ArrayLike, uplinks: ArrayLike, *, borders: ArrayLike = 1) -> FloatOrArray:
    """Compute the mean number of other jobs' flows that share the worst uplink of your ring under ECMP.

    A ring leaves each of its racks with one flow, and waits for the rack at which most
    other flows share its uplink.

    Parameters
    ----------
    others : int or array of int
        Number of other flows that leave each rack, at most 1,024.
    uplinks : int or array of int
        Number of uplinks of each rack.
    borders : int or array of int
        Number of racks that the ring leaves, each with an independent hash.

    Returns
    -------
    float or array
        Mean number of other flows on the ring's worst uplink. With a fair share for each
        flow, the ring takes one more than that many times as long.

    Notes
    -----
    Each other flow shares the uplink with probability 1 / uplinks, so their number is
    binomial, and the mean of the largest of several follows from its distribution. Ignores
    the links from the spines down, and the bandwidth that flows slowed elsewhere leave to
    the ring. Source: as `hash_probabilities`.

    Examples
    --------
    24 flows on eight uplinks are three on average, and nearly five at the worst of four racks:

    >>> round(hash_neighbours(24, 8), 2)
    3.0
    >>> round(hash_neighbours(24, 8, borders=4), 2)
    4.71
    """
    n, m, times = whole("others", others, minimum=0), whole("uplinks", uplinks), whole("borders", borders)
    if np.any(np.greater(n, MOST_FLOWS)):
        raise ValueError(f"others must be at most {MOST_FLOWS:,}, got {others!r}")
    n, m, times = np.broadcast_arrays(n, m, times)
    means = [mean_largest_binomial(*map(int, each)) for each in zip(n.flat, m.flat, times.flat, strict=True)]
    return plain(np.array(means).reshape(n.shape))


def _hashed_load(flows: ArrayLike, uplinks: ArrayLike, queue_pairs: ArrayLike) -> FloatOrArray:
    """Return the mean load of the fullest uplink in flows, at least one."""
    parts = whole("queue_pairs", queue_pairs)
    return _at_least_one(hash_worst_load(whole("flows", flows) * parts, uplinks) / parts)


def _even_load(flows: ArrayLike, uplinks: ArrayLike) -> FloatOrArray:
    """Return the flows on each uplink if they are spread evenly, at least one."""
    return _at_least_one(whole("flows", flows) / whole("uplinks", uplinks))


def _at_least_one(load: FloatOrArray) -> FloatOrArray:
    return max(load, 1.0) if type(load) is float else np.maximum(load, 1.0)
