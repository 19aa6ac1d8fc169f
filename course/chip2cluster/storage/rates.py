"""How fast storage is read: in one sweep, here and there, or as a mix of both, and from several targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import fraction, one_positive, one_whole, plain, positive
from .progressive import ProgressiveLayout
from .striping import StripeLayout

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def mixed_rate(
    random_share: ArrayLike,
    request_bytes: ArrayLike,
    random_reads_per_second: ArrayLike,
    sequential_bandwidth: ArrayLike,
) -> FloatOrArray:
    """Rate of a drive that is read partly here and there, partly in one sweep.

    Parameters
    ----------
    random_share : float or array
        Share of the bytes that random requests read, 0 to 1.
    request_bytes : float or array
        Of one random request.
    random_reads_per_second : float or array
        Random requests that the drive serves when they carry next to nothing (IOPS).
    sequential_bandwidth : float or array
        Bytes/s of one sweep.

    Returns
    -------
    float or array
        Bytes/s: one over the time of a byte. A random byte takes ``1 / (IOPS * request)`` longer.

    Raises
    ------
    ValueError, TypeError
        For a share outside 0 to 1, and rates and sizes that are not above zero.

    Notes
    -----
    Times add, so a few random reads cost most of the rate of a disk. Ignores caches, reading
    ahead, and a drive that serves both kinds side by side. Source: the harmonic mean.

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
    """Time of one request that several targets serve at once: the fullest target, or the reader's own link.

    Parameters
    ----------
    layout : StripeLayout or ProgressiveLayout
    length, offset : int
        Of the request in the file, bytes.
    target_bandwidth : float
        Bytes/s of one target.
    client_bandwidth_one_way : float
        Bytes/s that the reader takes in, or the writer sends out.

    Returns
    -------
    float
        Seconds, at least.

    Raises
    ------
    ValueError, TypeError
        For anything but a layout, sizes that are not whole, and rates that are not above zero.

    Notes
    -----
    Ignores latency, servers that hold several targets, and other readers. Source: the narrowest place.

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
