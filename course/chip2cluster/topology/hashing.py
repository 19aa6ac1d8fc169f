"""Flows on a hash: how unevenly equal-cost routing fills the uplinks, and what spraying gives instead."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .network import count

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray

MOST_FLOWS = 1024  # a polynomial of this degree still takes milliseconds


def hash_probabilities(flows: int, uplinks: int) -> NDArray:
    """Chance that the fullest uplink carries 0, 1, 2, ... flows, when a hash places each one.

    A switch with several equally good uplinks picks one by a hash of a flow's addresses
    and ports, and keeps to it (ECMP, equal-cost multi-path). To the flows that is a die
    thrown once.

    Parameters
    ----------
    flows : int
        Flows, up to 1,024.
    uplinks : int
        Uplinks to choose from.

    Returns
    -------
    array, shape (flows + 1,)
        Entry k is the chance that no uplink carries more than k flows and one carries k.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole or not above zero, and more flows than that.

    Notes
    -----
    Exact up to rounding: loads thrown independently are Poisson numbers whose sum is
    known, so the chance that all stay at or below k is a power of a short polynomial.
    Ignores that real hashes of neighbouring switches may agree (polarization). Source:
    N. Johnson and S. Kotz, *Urn models and their application*, 1977; ECMP: RFC 2992.

    Examples
    --------
    Two flows, two uplinks: together or apart.

    >>> hash_probabilities(2, 2).round(3).tolist()
    [0.0, 0.5, 0.5]
    >>> float(hash_probabilities(8, 8)[1].round(4))
    0.0024
    """
    return _probabilities(count("flows", flows), count("uplinks", uplinks)).copy()


def hash_worst_load(flows: ArrayLike, uplinks: ArrayLike) -> FloatOrArray:
    """Flows on the fullest uplink, on average over many hashes.

    Parameters
    ----------
    flows, uplinks : int or array of int
        As `hash_probabilities`.

    Returns
    -------
    float or array
        Flows. Never below ``flows / uplinks``, which an even spread would give.

    Raises
    ------
    ValueError, TypeError
        As `hash_probabilities`.

    Notes
    -----
    Who waits for the last of equal flows waits this many times as long as one flow alone
    would take. Ignores what `hash_probabilities` ignores. Source: M. Raab and A. Steger,
    "Balls into bins", RANDOM 1998 (how it grows).

    Examples
    --------
    >>> round(hash_worst_load(8, 8), 3)
    2.597
    >>> hash_worst_load([8, 16, 128], 8).round(2)
    array([ 2.6 ,  4.2 , 21.91])
    """
    n, m = whole("flows", flows), whole("uplinks", uplinks)
    if type(n) is int and type(m) is int:
        return _mean(n, m)
    n, m = np.broadcast_arrays(n, m)
    means = [_mean(int(a), int(b)) for a, b in zip(n.flat, m.flat, strict=True)]
    return plain(np.array(means).reshape(n.shape))


def hash_time(
    flow_bytes: ArrayLike,
    flows: ArrayLike,
    uplinks: ArrayLike,
    uplink_bandwidth_one_way: ArrayLike,
    *,
    queue_pairs: ArrayLike = 1,
) -> FloatOrArray:
    """Time until the last of equal flows has arrived, on average, when a hash places them.

    Parameters
    ----------
    flow_bytes : float or array
        Bytes of each flow.
    flows, uplinks : int or array of int
        Flows that start together, and uplinks that they are hashed to.
    uplink_bandwidth_one_way : float or array
        Bytes/s of an uplink in one direction, and of the link of each sender.
    queue_pairs : int or array of int
        Equal parts of each flow that are hashed by themselves; NCCL makes them with
        ``NCCL_IB_QPS_PER_CONNECTION``.

    Returns
    -------
    float or array
        Seconds: the mean load of the fullest uplink times the time of one part.

    Raises
    ------
    ValueError, TypeError
        As `hash_probabilities`, and for sizes that are negative and rates not above zero.

    Notes
    -----
    At least one flow's own time, which its sender's link asks for. A lower bound: ignores
    latency, and that flows below their fair share elsewhere do not fill what is left of
    the fullest uplink. Source: follows from `hash_worst_load`; parts: A. Gangidi et al.,
    "RDMA over Ethernet for distributed AI training at Meta scale", SIGCOMM 2024.

    Examples
    --------
    Eight flows of 1 GB over eight uplinks of 50 GB/s: 20 ms if they were spread evenly.

    >>> round(1e3 * hash_time(1e9, 8, 8, 50e9), 1), round(1e3 * hash_time(1e9, 8, 8, 50e9, queue_pairs=16), 1)
    (51.9, 27.4)
    """
    size = positive("flow_bytes", flow_bytes, allow_zero=True)
    bandwidth = positive("uplink_bandwidth_one_way", uplink_bandwidth_one_way)
    return plain(_hashed(flows, uplinks, queue_pairs) * size / bandwidth)


def spray_time(
    flow_bytes: ArrayLike, flows: ArrayLike, uplinks: ArrayLike, uplink_bandwidth_one_way: ArrayLike
) -> FloatOrArray:
    """Time until the last of equal flows has arrived when every packet picks its own uplink.

    Parameters
    ----------
    flow_bytes, flows, uplinks, uplink_bandwidth_one_way
        As `hash_time`.

    Returns
    -------
    float or array
        Seconds: ``max(1, flows / uplinks) * flow_bytes`` over the bandwidth.

    Raises
    ------
    ValueError, TypeError
        As `hash_time`.

    Notes
    -----
    The best that any routing can do. Ignores latency and what spraying costs: packets
    overtake each other, so the receiver must place or sort them. Source: T. Hoefler
    et al., "Ultra Ethernet's design principles and architectural innovations", 2025.

    Examples
    --------
    >>> spray_time(1e9, [8, 12], 8, 50e9)
    array([0.02, 0.03])
    """
    size = positive("flow_bytes", flow_bytes, allow_zero=True)
    bandwidth = positive("uplink_bandwidth_one_way", uplink_bandwidth_one_way)
    return plain(_spread(flows, uplinks) * size / bandwidth)


def hash_share(flows: ArrayLike, uplinks: ArrayLike, *, queue_pairs: ArrayLike = 1) -> FloatOrArray:
    """Share of the bandwidth that a hash leaves, compared with an even spread.

    Parameters
    ----------
    flows, uplinks, queue_pairs : int or array of int
        As `hash_time`.

    Returns
    -------
    float or array
        `spray_time` over `hash_time`, 0 to 1.

    Raises
    ------
    ValueError, TypeError
        As `hash_probabilities`.

    Notes
    -----
    For work that waits for all of its flows, step after step, each with a new hash.
    Ignores what `hash_time` ignores. Source: follows from `hash_worst_load`.

    Examples
    --------
    >>> round(hash_share(8, 8), 3), round(hash_share(8, 8, queue_pairs=16), 3)
    (0.385, 0.73)
    """
    return plain(_spread(flows, uplinks) / _hashed(flows, uplinks, queue_pairs))


def hash_neighbours(others: ArrayLike, uplinks: ArrayLike, *, borders: ArrayLike = 1) -> FloatOrArray:
    """Flows of others beside a flow of yours where most of them are, on average over many hashes.

    A ring crosses the border of each of its racks with one flow, and waits for the border
    where most others lie on the same uplink.

    Parameters
    ----------
    others : int or array of int
        Flows that others send out of each rack, up to 1,024.
    uplinks : int or array of int
        Uplinks of each rack.
    borders : int or array of int
        Racks that your flow leaves one after the other, each with a hash of its own.

    Returns
    -------
    float or array
        Flows of others on your uplink, at the worst of the borders. With a fair share for
        each flow, yours takes one more than that many times as long.

    Raises
    ------
    ValueError, TypeError
        As `hash_probabilities`.

    Notes
    -----
    Each of the others meets yours with chance 1 / uplinks, so their number is binomial, and
    the mean of the largest of several follows from its distribution. Ignores the way down
    from the spines, and what a flow that is held up elsewhere leaves to yours. Source: as
    `hash_probabilities`.

    Examples
    --------
    Three on average where 24 lie on eight uplinks; nearly five at the worst of four borders.

    >>> round(hash_neighbours(24, 8), 2)
    3.0
    >>> round(hash_neighbours(24, 8, borders=4), 2)
    4.71
    """
    n, m, times = whole("others", others, minimum=0), whole("uplinks", uplinks), whole("borders", borders)
    if np.any(np.greater(n, MOST_FLOWS)):
        raise ValueError(f"others must be at most {MOST_FLOWS:,}, got {others!r}")
    n, m, times = np.broadcast_arrays(n, m, times)
    means = [_most_beside(*map(int, each)) for each in zip(n.flat, m.flat, times.flat, strict=True)]
    return plain(np.array(means).reshape(n.shape))


def _hashed(flows: ArrayLike, uplinks: ArrayLike, queue_pairs: ArrayLike) -> FloatOrArray:
    """Mean load of the fullest uplink in whole flows, one at least."""
    parts = whole("queue_pairs", queue_pairs)
    return _at_least_one(hash_worst_load(whole("flows", flows) * parts, uplinks) / parts)


def _spread(flows: ArrayLike, uplinks: ArrayLike) -> FloatOrArray:
    """Flows on each uplink if they are spread evenly, one at least."""
    return _at_least_one(whole("flows", flows) / whole("uplinks", uplinks))


def _at_least_one(load: FloatOrArray) -> FloatOrArray:
    return max(load, 1.0) if type(load) is float else np.maximum(load, 1.0)


@lru_cache(maxsize=1024)
def _mean(flows: int, uplinks: int) -> float:
    return float(_probabilities(flows, uplinks) @ np.arange(flows + 1))


@lru_cache(maxsize=1024)
def _most_beside(others: int, uplinks: int, borders: int) -> float:
    """Mean of the largest of so many binomial numbers: the sum of the chances to exceed 0, 1, 2, ..."""
    chances = [comb(others, k) * (uplinks - 1) ** (others - k) / uplinks**others for k in range(others)]
    return float(np.sum(1.0 - np.minimum(np.cumsum(chances), 1.0) ** borders))


@lru_cache(maxsize=1024)
def _probabilities(flows: int, uplinks: int) -> NDArray:
    """Differences of the chances that no load passes k.

    A load is a Poisson number of mean flows / uplinks; all of them together are one of
    mean flows, and the hash is what remains of that when the sum is exactly ``flows``.
    """
    if flows > MOST_FLOWS:
        raise ValueError(f"flows, times queue_pairs if given, must be at most {MOST_FLOWS:,}, got {flows:,}")
    numbers = np.arange(1, flows + 1)
    mean = flows / uplinks
    one = np.exp(np.concatenate([[0.0], np.cumsum(np.log(mean / numbers))]) - mean)
    one[one < 1e-150] = 0.0
    exactly = np.exp(np.sum(np.log(flows / numbers)) - flows)
    below = np.ones(flows + 1)
    for most in range(flows):
        below[most] = 0.0 if most * uplinks < flows else _power(one[: most + 1], uplinks, flows) / exactly
        if most and below[most] > 0.5 and below[most] - below[most - 1] < 1e-14:
            break  # the rest is rounding
    below = np.minimum(np.maximum.accumulate(below), 1.0)
    return np.diff(below, prepend=0.0)


def _power(polynomial: NDArray, exponent: int, degree: int) -> float:
    """The coefficient of the given degree in a power of a polynomial of chances."""
    result, square = np.ones(1), polynomial
    while exponent:
        if exponent % 2:
            result = _times(result, square, degree)
        exponent //= 2
        if exponent:
            square = _times(square, square, degree)
    return float(result[degree]) if len(result) > degree else 0.0


def _times(one: NDArray, other: NDArray, degree: int) -> NDArray:
    """Their product up to a degree, without what is too small to matter and slow to count with."""
    product = np.convolve(one, other)[: degree + 1]
    product[product < 1e-150] = 0.0
    return product
