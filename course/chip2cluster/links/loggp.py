"""LogGP model: latency, overhead, gap and bandwidth of messages, and the number of messages in flight."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def loggp_time(
    message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike, overhead: ArrayLike
) -> FloatOrArray:
    """Compute the time of one message in the LogGP model: overhead, serialization, latency, overhead.

    Parameters
    ----------
    message_bytes : float or array
        Message size, n, bytes.
    bandwidth_one_way : float or array
        Unidirectional bandwidth, 1/G in the model, bytes/s.
    latency : float or array
        Latency L of cables and switches, without processors, seconds.
    overhead : float or array
        Time o for which a processor is busy with a message, at either end, seconds.

    Returns
    -------
    float or array
        Time, ``o + n/bandwidth + L + o``, seconds.

    Notes
    -----
    The alpha of `transfer_time` is L + 2o. The model's authors do not count the first
    byte, ``(n - 1) G``; it is counted here. Ignores contention and packet headers.
    Source: A. Alexandrov et al., LogGP, SPAA 1995; D. Culler et al., LogP, PPoPP 1993.

    Examples
    --------
    >>> round(loggp_time(25e3, 12.5e9, latency=1.2e-6, overhead=0.4e-6) * 1e6, 1)    # µs
    4.0
    """
    n = positive("message_bytes", message_bytes, allow_zero=True)
    rate = positive("bandwidth_one_way", bandwidth_one_way)
    latency = positive("latency", latency, allow_zero=True)
    overhead = positive("overhead", overhead, allow_zero=True)
    return plain(2 * overhead + latency + n / rate)


def message_interval(
    message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, overhead: ArrayLike = 0.0, gap: ArrayLike = 0.0
) -> FloatOrArray:
    """Compute the least time between two messages of one sender, set by processor, NIC or link.

    Parameters
    ----------
    message_bytes : float or array
        Message size, n, bytes.
    bandwidth_one_way : float or array
        Unidirectional bandwidth, 1/G in the model, bytes/s.
    overhead : float or array
        Time o for which a processor is busy with a message, at either end, seconds.
    gap : float or array
        Time g that the NIC needs for a message of any size, seconds.

    Returns
    -------
    float or array
        Interval, ``max(o, g, n/bandwidth)``, seconds.

    Notes
    -----
    A NIC processes the next message while the bytes of this one leave, so the three times
    do not add: on an EDR NIC with a gap of 124 ns and 11.93 GB/s the sum would be 63 %
    longer than measured at 2 KiB, and the largest of the three is 5 % too short. Ignores
    what `loggp_time` ignores.

    Examples
    --------
    >>> [round(n / message_interval(n, 11.93e9, gap=124e-9) / 1e9, 2) for n in (64, 1024, 4096)]   # GB/s
    [0.52, 8.26, 11.93]
    """
    n = positive("message_bytes", message_bytes, allow_zero=True)
    sending = n / positive("bandwidth_one_way", bandwidth_one_way)
    overhead = positive("overhead", overhead, allow_zero=True)
    gap = positive("gap", gap, allow_zero=True)
    return plain(_maximum(_maximum(overhead, gap), sending))


def messages_in_flight(
    message_bytes: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike,
    overhead: ArrayLike = 0.0,
    gap: ArrayLike = 0.0,
) -> IntOrArray:
    """Compute the messages in flight that keep the sender busy (Little's law).

    Parameters
    ----------
    message_bytes : float or array
        Message size, n, bytes.
    bandwidth_one_way : float or array
        Unidirectional bandwidth, 1/G in the model, bytes/s.
    latency : float or array
        Latency L of cables and switches, without processors, seconds.
    overhead : float or array
        Time o for which a processor is busy with a message, at either end, seconds.
    gap : float or array
        Time g that the NIC needs for a message of any size, seconds.

    Returns
    -------
    int or array of int
        Number of messages, round trip over interval, rounded up; at least 1.

    Raises
    ------
    ValueError
        If all times are zero.

    Notes
    -----
    The NIC sends a reply of negligible size, such as an acknowledgement, when the last byte
    has arrived: the round trip is ``n/bandwidth + 2 L``. Ignores what `loggp_time` ignores.
    Source: Little's law.

    Examples
    --------
    >>> messages_in_flight(64, 11.93e9, latency=1.74e-6, gap=124e-9)
    29
    """
    interval = message_interval(message_bytes, bandwidth_one_way, overhead, gap)
    if not (interval if isinstance(interval, float) else interval.all()):
        raise ValueError("message_bytes, overhead and gap must not all be zero: the sender would never be busy")
    # A round trip of exactly k intervals needs k messages regardless of rounding errors.
    needed = _round_trip(message_bytes, bandwidth_one_way, latency) / interval
    if isinstance(needed, float):
        return max(1, ceil(needed * (1 - 1e-12)))
    import numpy as np  # for arrays alone

    needed *= 1 - 1e-12
    return np.maximum(np.ceil(needed, out=needed), 1.0, out=needed).astype(int)


def stream_time(
    messages: ArrayLike,
    message_bytes: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike,
    overhead: ArrayLike = 0.0,
    gap: ArrayLike = 0.0,
    *,
    window: ArrayLike | None = None,
) -> FloatOrArray:
    """Compute the time of a sequence of equal messages from one sender to one receiver.

    Parameters
    ----------
    messages : int or array of int
        Number of messages, at least 1.
    message_bytes : float or array
        Message size, n, bytes.
    bandwidth_one_way : float or array
        Unidirectional bandwidth, 1/G in the model, bytes/s.
    latency : float or array
        Latency L of cables and switches, without processors, seconds.
    overhead : float or array
        Time o for which a processor is busy with a message, at either end, seconds.
    gap : float or array
        Time g that the NIC needs for a message of any size, seconds.
    window : int or array of int, optional
        Largest number of messages in flight (without a reply); by default unlimited.

    Returns
    -------
    float or array
        Time until the receiver has processed the last message, seconds.

    Notes
    -----
    Message i starts an interval after its predecessor, and not before the reply to message
    i - window. If a window takes less than the round trip, messages leave in bursts of a
    window, a round trip apart. The reply is that of `messages_in_flight`. Ignores what
    `loggp_time` ignores.

    Examples
    --------
    >>> link = {"message_bytes": 64, "bandwidth_one_way": 11.93e9, "latency": 1.74e-6, "gap": 124e-9}
    >>> [round(stream_time(1000, **link, window=w) * 1e6) for w in (1, 4, 32)]    # µs
    [3484, 870, 126]
    """
    last = whole("messages", messages) - 1
    interval = message_interval(message_bytes, bandwidth_one_way, overhead, gap)
    one = loggp_time(message_bytes, bandwidth_one_way, latency, overhead)
    if window is None:
        return plain(last * interval + one)
    w = whole("window", window)
    trip = _maximum(_round_trip(message_bytes, bandwidth_one_way, latency), w * interval)
    return plain(last // w * trip + last % w * interval + one)


def _round_trip(message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike) -> FloatOrArray:
    """Return the time from the first byte sent to the reply."""
    n = positive("message_bytes", message_bytes, allow_zero=True)
    latency = positive("latency", latency, allow_zero=True)
    return plain(n / positive("bandwidth_one_way", bandwidth_one_way) + 2 * latency)


def _maximum(one: Any, other: Any) -> Any:
    """Return the elementwise maximum without NumPy for two scalars."""
    if isinstance(one, float) and isinstance(other, float):
        return max(one, other)
    import numpy as np  # for arrays alone

    return np.maximum(one, other)
