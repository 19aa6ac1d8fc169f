"""Read bandwidth of storage: sequential, random or mixed access, and striped over several targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, one_positive, one_whole, plain, positive
from .progressive_layout import ProgressiveLayout
from .striping import StripeLayout

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def mixed_rate(
    random_share: ArrayLike,
    request_bytes: ArrayLike,
    random_reads_per_second: ArrayLike,
    sequential_bandwidth: ArrayLike,
) -> FloatOrArray:
    """Bandwidth of a drive with mixed random and sequential access.

    Parameters
    ----------
    random_share : float or array
        Fraction of the bytes read by random requests, 0 to 1.
    request_bytes : float or array
        Size of one random request, bytes.
    random_reads_per_second : float or array
        Random requests per second of negligible size (IOPS).
    sequential_bandwidth : float or array
        Bandwidth of sequential access, bytes/s.

    Returns
    -------
    float or array
        Bytes/s, the inverse of the time of a byte. A random byte takes ``1 / (IOPS * request)`` longer.

    Notes
    -----
    Times add, so a few random reads cost most of the bandwidth of a disk. Ignores caches, readahead,
    and drives that serve both kinds in parallel. Source: the harmonic mean.

    Examples
    --------
    A disk of 250 MB/s and 150 IOPS: 1 % of the bytes in requests of 4 KiB.

    >>> [round(mixed_rate(random, 4096, 150, 250e6) / 1e6, 1) for random in (0, 0.01, 1)]
    [250.0, 49.3, 0.6]
    """
    random, size = fraction("random_share", random_share, allow_zero=True), positive("request_bytes", request_bytes)
    reads = positive("random_reads_per_second", random_reads_per_second)
    sweep = positive("sequential_bandwidth", sequential_bandwidth)
    return plain(1.0 / (random / (reads * size) + 1.0 / sweep))


def striped_time(
    layout: StripeLayout | ProgressiveLayout,
    length: int,
    target_bandwidth: float,
    client_bandwidth_one_way: float,
    *,
    offset: int = 0,
) -> float:
    """Time of one request that several targets serve: limited by the fullest target or the client's link.

    Parameters
    ----------
    layout : StripeLayout or ProgressiveLayout
        Striping of the file.
    length : int
        Length of the request, bytes.
    target_bandwidth : float
        Bandwidth of one target, bytes/s.
    client_bandwidth_one_way : float
        Unidirectional bandwidth of the client's link, bytes/s.
    offset : int
        Offset of the request in the file, bytes.

    Returns
    -------
    float
        Seconds, a lower bound.

    Notes
    -----
    Ignores latency, servers that hold several targets, and other clients. Source: the bottleneck.

    Examples
    --------
    A file of 1 GiB on targets of 2 GB/s, for a reader of 12.5 GB/s: one stripe, four, sixteen.

    >>> [round(striped_time(StripeLayout(2**20, count), 2**30, 2e9, 12.5e9), 3) for count in (1, 4, 16)]
    [0.537, 0.134, 0.086]

    With one target for the first 256 MiB and sixteen behind them, that one has most to give.

    >>> from chip2cluster.storage import read_setstripe
    >>> round(striped_time(read_setstripe("-E 256M -c 1 -E -1 -c 16", 16), 2**30, 2e9, 12.5e9), 3)
    0.159
    """
    if not isinstance(layout, (StripeLayout, ProgressiveLayout)):
        raise TypeError(f"layout must be a StripeLayout or a ProgressiveLayout, got {layout!r}")
    size, start = one_whole("length", length, 0), one_whole("offset", offset, 0)
    rate = one_positive("target_bandwidth", target_bandwidth)
    link = one_positive("client_bandwidth_one_way", client_bandwidth_one_way)
    fullest = int(np.max(layout.bytes_per_target(start + size, start)))
    return max(fullest / rate, size / link)
