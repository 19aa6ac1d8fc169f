"""In-cast: many senders, one receiver, and the queue in front of its link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def incast_time(message_bytes: ArrayLike, senders: ArrayLike, link_bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Least time for one receiver to take a message from each of several senders.

    Parameters
    ----------
    message_bytes : float or array
        Bytes from each sender.
    senders : int or array of int
        Who sends to the one receiver.
    link_bandwidth_one_way : float or array
        Bytes/s of a link in one direction; the receiver has one of them.

    Returns
    -------
    float or array
        Seconds: all bytes over the receiver's one link.

    Raises
    ------
    ValueError, TypeError
        For negative sizes, rates not above zero, counts that are not whole.

    Notes
    -----
    No fabric helps, however wide. Ignores latency and lost packets, which make it longer.
    Source: A. Phanishayee et al., "Measurement and analysis of TCP throughput collapse in
    cluster-based storage systems", FAST 2008.

    Examples
    --------
    >>> incast_time(10e6, [1, 8, 64], 50e9)
    array([0.0002, 0.0016, 0.0128])
    """
    size = positive("message_bytes", message_bytes, allow_zero=True)
    bandwidth = positive("link_bandwidth_one_way", link_bandwidth_one_way)
    return plain(whole("senders", senders) * size / bandwidth)


def incast_queue(message_bytes: ArrayLike, senders: ArrayLike) -> FloatOrArray:
    """Bytes that wait in the last switch when all senders send at once and nobody holds back.

    Parameters
    ----------
    message_bytes, senders
        As `incast_time`.

    Returns
    -------
    float or array
        Bytes at the worst moment: ``(senders - 1) * message_bytes``.

    Raises
    ------
    ValueError, TypeError
        As `incast_time`.

    Notes
    -----
    While all send, bytes come in `senders` times as fast as they leave. A switch whose
    buffer is smaller drops packets, or makes the senders stop. Ignores latency and
    congestion control, which exists to prevent this. Source: conservation of bytes.

    Examples
    --------
    >>> incast_queue(10e6, 8)
    70000000.0
    """
    size = positive("message_bytes", message_bytes, allow_zero=True)
    return plain((whole("senders", senders) - 1) * size)


def incast_fill_time(buffer_bytes: ArrayLike, senders: ArrayLike, link_bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Time until the buffer in front of the receiver is full: how long congestion control has.

    Parameters
    ----------
    buffer_bytes : float or array
        Bytes that may wait in front of the receiver's link.
    senders, link_bandwidth_one_way
        As `incast_time`.

    Returns
    -------
    float or array
        Seconds; ``inf`` for one sender, who cannot overfill it.

    Raises
    ------
    ValueError, TypeError
        As `incast_time`.

    Notes
    -----
    The queue grows at ``senders - 1`` times the rate of a link. Ignores latency.
    Source: conservation of bytes.

    Examples
    --------
    16 MB, 8 senders of 50 GB/s: 46 µs, a few round trips.

    >>> incast_fill_time(16e6, [1, 8], 50e9).round(7)
    array([     inf, 4.57e-05])
    """
    size = positive("buffer_bytes", buffer_bytes, allow_zero=True)
    bandwidth = positive("link_bandwidth_one_way", link_bandwidth_one_way)
    growth = (whole("senders", senders) - 1) * bandwidth
    if type(growth) is float and type(size) is float:
        return size / growth if growth else np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        return plain(np.where(growth > 0, np.divide(size, growth), np.inf))
