"""Object store behind a cache: popularity, hit rates, read bandwidth and request charges."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, one_whole, plain, positive, shortened, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, NDArray


def zipf_popularity(objects: int, exponent: float = 1.0) -> NDArray:
    """Fraction of requests for each object by Zipf's law, the most popular first.

    Parameters
    ----------
    objects : int
        Number of objects.
    exponent : float
        Exponent of the law: 0 is uniform; about 1 is usual for web requests.

    Returns
    -------
    array, shape (objects,)
        Fractions proportional to ``1 / rank ** exponent``, which add up to 1.

    Notes
    -----
    Source: L. Breslau et al., "Web caching and Zipf-like distributions", INFOCOM 1999.

    Examples
    --------
    >>> zipf_popularity(4).round(2).tolist()
    [0.48, 0.24, 0.16, 0.12]
    """
    power = positive("exponent", exponent, allow_zero=True)
    weights = np.arange(1, one_whole("objects", objects, 1) + 1) ** -float(power)
    return weights / weights.sum()


def lru_hits(requests: Iterable[Hashable], slots: int) -> int:
    """Count the hits of a cache that evicts the least recently used object (LRU).

    Parameters
    ----------
    requests : iterable
        Names of objects, all of one size, in the order of the requests.
    slots : int
        Capacity of the cache, objects.

    Returns
    -------
    int
        Number of hits.

    Notes
    -----
    Epochs in the same order over more objects than the cache holds never
    hit: the cache has just evicted what is requested next. Source: the definition.

    Examples
    --------
    >>> lru_hits([1, 2, 3] * 100, slots=3), lru_hits([1, 2, 3, 4] * 100, slots=3)
    (297, 0)
    """
    capacity, cached, hits = one_whole("slots", slots, 0), OrderedDict[Hashable, None](), 0
    for name in requests:
        if name in cached:
            hits += 1
            cached.move_to_end(name)
        elif capacity:
            if len(cached) == capacity:
                cached.popitem(last=False)
            cached[name] = None
    return hits


def lru_hit_rate(popularity: ArrayLike, slots: int) -> float:
    """Hit rate of an LRU cache when requests are drawn by popularity.

    Parameters
    ----------
    popularity : array, shape (objects,)
        Fraction of requests for each object; they add up to 1.
    slots : int
        Capacity of the cache, objects.

    Returns
    -------
    float
        Fraction, 0 to 1.

    Notes
    -----
    An object is in the cache if it was requested within a time that is the same for all objects,
    chosen so that as many as the capacity were: an approximation, good to a percent
    from a few dozen slots on. Ignores the order of requests (`lru_hits`). Source: H. Che,
    Y. Tung and Z. Wang, "Hierarchical web caching systems", JSAC 20 (2002).

    Examples
    --------
    A tenth of the objects, where all are asked for alike, and by Zipf's law.

    >>> [round(lru_hit_rate(zipf_popularity(1000, exponent), 100), 2) for exponent in (0, 1)]
    [0.1, 0.58]
    """
    shares, room = np.atleast_1d(positive("popularity", popularity, allow_zero=True)), one_whole("slots", slots, 0)
    if shares.ndim != 1 or not abs(shares.sum() - 1.0) < 1e-9:
        raise ValueError(f"popularity must be shares that add up to 1, got {shortened(popularity)}")
    if room >= np.count_nonzero(shares):
        return 1.0
    if not room:
        return 0.0
    low, high = 0.0, 1.0
    while -np.expm1(-shares * high).sum() < room:
        low, high = high, 2.0 * high
    for _ in range(80):
        middle = (low + high) / 2.0
        low, high = (middle, high) if -np.expm1(-shares * middle).sum() < room else (low, middle)
    return float(-shares @ np.expm1(-shares * high))


def cached_rate(hit_rate: ArrayLike, cache_bandwidth: ArrayLike, store_bandwidth: ArrayLike) -> FloatOrArray:
    """Bandwidth of reading through a cache, one request after the other.

    Parameters
    ----------
    hit_rate : float or array
        Fraction of the bytes in the cache, 0 to 1.
    cache_bandwidth, store_bandwidth : float or array
        Bandwidth of each, bytes/s.

    Returns
    -------
    float or array
        Bytes/s: ``1 / (h / cache + (1 - h) / store)``. Times add, rates do not.

    Notes
    -----
    Ignores reading from both at once. Source: the harmonic mean.

    Examples
    --------
    Nine of ten bytes from a drive of 5 GB/s, one from a store of 0.1 GB/s.

    >>> round(cached_rate(0.9, 5e9, 0.1e9) / 1e9, 2)
    0.85
    """
    hits = fraction("hit_rate", hit_rate, allow_zero=True)
    near, far = positive("cache_bandwidth", cache_bandwidth), positive("store_bandwidth", store_bandwidth)
    return plain(1.0 / (hits / near + (1.0 - hits) / far))


def request_cost(
    requests: ArrayLike,
    dollars_per_request: ArrayLike,
    *,
    hit_rate: ArrayLike = 0.0,
    bytes_per_request: ArrayLike = 0.0,
    dollars_per_byte: ArrayLike = 0.0,
) -> FloatOrArray:
    """Charges of an object store for the requests that miss the cache.

    Parameters
    ----------
    requests : int or array of int
        Requests of all readers.
    dollars_per_request : float or array
        Price of a request, dollars; 0.40 dollars per million is 0.4e-6.
    hit_rate : float or array
        Fraction of the requests that hit the cache.
    bytes_per_request, dollars_per_byte : float or array
        Bytes of a request, and price of a byte that leaves the store (egress), dollars.

    Returns
    -------
    float or array
        Dollars.

    Notes
    -----
    Prices differ by store, region and year. Ignores the charge for stored
    bytes, and tiers. Source: how object stores are billed.

    Examples
    --------
    A billion samples one by one, and in shards of 10,000, at 0.40 dollars for a million requests.

    >>> request_cost([10**9, 10**5], 0.4e-6)
    array([4.e+02, 4.e-02])
    """
    count, hits = whole("requests", requests, minimum=0), fraction("hit_rate", hit_rate, allow_zero=True)
    size = positive("bytes_per_request", bytes_per_request, allow_zero=True)
    each = positive("dollars_per_request", dollars_per_request, allow_zero=True)
    each = each + size * positive("dollars_per_byte", dollars_per_byte, allow_zero=True)
    return plain(count * (1.0 - hits) * each)
