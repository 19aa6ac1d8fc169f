"""Incast: many senders, one receiver, and the queue in front of its link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def incast_time(message_bytes: ArrayLike, senders: ArrayLike, link_bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Compute the least time of an incast: one receiver gets a message from each of several senders.

    Parameters
    ----------
    message_bytes : float or array
        Size of the message from each sender, bytes.
    senders : int or array of int
        Number of senders.
    link_bandwidth_one_way : float or array
        Unidirectional bandwidth of the receiver's link, bytes/s.

    Returns
    -------
    float or array
        Time of all bytes on the receiver's link, seconds.

    Notes
    -----
    A faster fabric doesn't help. Ignores latency and packet loss, which increase the time.
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
    """Compute the queue in the last switch of an incast when all senders send at full rate.

    Parameters
    ----------
    message_bytes : float or array
        Size of the message from each sender, bytes.
    senders : int or array of int
        Number of senders.

    Returns
    -------
    float or array
        Largest queue, ``(senders - 1) * message_bytes``, bytes.

    Notes
    -----
    While all send, bytes arrive ``senders`` times as fast as they leave. A switch with a
    smaller buffer drops packets or pauses the senders (priority flow control, PFC).
    Ignores latency, and congestion control, whose purpose is to prevent this. Source:
    conservation of bytes.

    Examples
    --------
    >>> incast_queue(10e6, 8)
    70000000.0
    """
    size = positive("message_bytes", message_bytes, allow_zero=True)
    return plain((whole("senders", senders) - 1) * size)


def incast_fill_time(buffer_bytes: ArrayLike, senders: ArrayLike, link_bandwidth_one_way: ArrayLike) -> FloatOrArray:
    """Compute the time until an incast fills the buffer, within which congestion control must react.

    Parameters
    ----------
    buffer_bytes : float or array
        Size of the buffer in front of the receiver's link, bytes.
    senders : int or array of int
        Number of senders.
    link_bandwidth_one_way : float or array
        Unidirectional bandwidth of the receiver's link, bytes/s.

    Returns
    -------
    float or array
        Time, seconds; ``inf`` for one sender, which cannot overfill the buffer.

    Notes
    -----
    The queue grows at ``senders - 1`` times the rate of a link. Ignores latency.
    Source: conservation of bytes.

    Examples
    --------
    16 MB and 8 senders of 50 GB/s: 46 µs, a few round trips.

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
