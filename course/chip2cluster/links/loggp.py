"""LogGP: latency, overhead, gap and rate, and how many messages must be under way at once."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from .._validate import plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def loggp_time(
    message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike, overhead: ArrayLike
) -> FloatOrArray:
    """Time of one message: the sender works, the bytes leave, the last one travels, the receiver works.

    Parameters
    ----------
    message_bytes : float or array
        Bytes.
    bandwidth_one_way : float or array
        Bytes/s: 1/G in the model's own letters.
    latency : float or array
        Seconds on the way, L: wire and switches, no processor.
    overhead : float or array
        Seconds, o, that a processor is busy with a message, at either end.

    Returns
    -------
    float or array
        Seconds: ``o + n/bandwidth + L + o``.

    Raises
    ------
    ValueError, TypeError
        For negative, infinite or NaN input and for a bandwidth of zero.

    Notes
    -----
    The alpha of `transfer_time` is L + 2o. The model's authors let the first byte go free,
    ``(n - 1) G``; that byte is counted here. Ignores contention and packet headers.
    Source: A. Alexandrov et al., LogGP, SPAA 1995; D. Culler et al., LogP, PPoPP 1993.

    Examples
    --------
    >>> round(loggp_time(25e3, 12.5e9, latency=1.2e-6, overhead=0.4e-6) * 1e6, 1)    # µs
    4.0
    """
    n = positive("message_bytes", message_bytes, allow_zero=True)
    rate = positive("bandwidth_one_way", bandwidth_one_way)
    wait = positive("latency", latency, allow_zero=True)
    work = positive("overhead", overhead, allow_zero=True)
    return plain(2 * work + wait + n / rate)


def message_interval(
    message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, overhead: ArrayLike = 0.0, gap: ArrayLike = 0.0
) -> FloatOrArray:
    """Least time between two messages of one sender: the slowest of processor, adapter and wire.

    Parameters
    ----------
    message_bytes, bandwidth_one_way, overhead : float or array
        As `loggp_time`.
    gap : float or array
        Seconds, g: what the adapter needs for a message, however short.

    Returns
    -------
    float or array
        Seconds: ``max(o, g, n/bandwidth)``.

    Raises
    ------
    ValueError, TypeError
        As `loggp_time`.

    Notes
    -----
    An adapter handles the next message while the bytes of this one leave, so that the
    three don't add: on an EDR adapter with a gap of 124 ns and 11.93 GB/s the sum would be
    63 % longer than what was measured at 2 KiB, and the largest of the three is 5 % too
    short. As `loggp_time`.

    Examples
    --------
    >>> [round(n / message_interval(n, 11.93e9, gap=124e-9) / 1e9, 2) for n in (64, 1024, 4096)]   # GB/s
    [0.52, 8.26, 11.93]
    """
    n = positive("message_bytes", message_bytes, allow_zero=True)
    sending = n / positive("bandwidth_one_way", bandwidth_one_way)
    work = positive("overhead", overhead, allow_zero=True)
    pause = positive("gap", gap, allow_zero=True)
    return plain(_larger(_larger(work, pause), sending))


def messages_in_flight(
    message_bytes: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike,
    overhead: ArrayLike = 0.0,
    gap: ArrayLike = 0.0,
) -> IntOrArray:
    """Messages that must be under way at once for the sender never to wait for an answer.

    Parameters
    ----------
    message_bytes, bandwidth_one_way, latency, overhead, gap : float or array
        As `message_interval` and `loggp_time`.

    Returns
    -------
    int or array of int
        Round trip over interval, rounded up; at least 1.

    Raises
    ------
    ValueError, TypeError
        As `message_interval`, and where nothing at all takes time.

    Notes
    -----
    The answer, such as an acknowledgement, is sent by the adapter when the last byte is
    in, and has no bytes worth counting: the round trip is ``n/bandwidth + 2 L``.
    Little's law. As `loggp_time`.

    Examples
    --------
    >>> messages_in_flight(64, 11.93e9, latency=1.74e-6, gap=124e-9)
    29
    """
    interval = message_interval(message_bytes, bandwidth_one_way, overhead, gap)
    if not (interval if isinstance(interval, float) else interval.all()):
        raise ValueError("message_bytes, overhead and gap must not all be zero: the sender would never be busy")
    # A trip of exactly k intervals takes k, whatever the last digit says.
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
    """Time of a row of equal messages from one sender to one receiver.

    Parameters
    ----------
    messages : int or array of int
        How many, at least 1.
    message_bytes, bandwidth_one_way, latency, overhead, gap : float or array
        As `message_interval` and `loggp_time`.
    window : int or array of int, optional
        How many may be under way before the first is answered; left out, any number.

    Returns
    -------
    float or array
        Seconds until the receiver has taken the last.

    Raises
    ------
    ValueError, TypeError
        As `loggp_time`, and for fewer than one message or a window below 1.

    Notes
    -----
    Message i starts an interval after the one before, and not before message i - window is
    answered. So they leave in bursts of a window, a round trip apart, when a window takes
    less than the round trip. The answer as in `messages_in_flight`. As `loggp_time`.

    Examples
    --------
    >>> wire = {"message_bytes": 64, "bandwidth_one_way": 11.93e9, "latency": 1.74e-6, "gap": 124e-9}
    >>> [round(stream_time(1000, **wire, window=w) * 1e6) for w in (1, 4, 32)]    # µs
    [3484, 870, 126]
    """
    last = whole("messages", messages) - 1
    interval = message_interval(message_bytes, bandwidth_one_way, overhead, gap)
    one = loggp_time(message_bytes, bandwidth_one_way, latency, overhead)
    if window is None:
        return plain(last * interval + one)
    w = whole("window", window)
    trip = _larger(_round_trip(message_bytes, bandwidth_one_way, latency), w * interval)
    return plain(last // w * trip + last % w * interval + one)


def _round_trip(message_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike) -> FloatOrArray:
    """From the first byte sent to the answer."""
    n = positive("message_bytes", message_bytes, allow_zero=True)
    wait = positive("latency", latency, allow_zero=True)
    return plain(n / positive("bandwidth_one_way", bandwidth_one_way) + 2 * wait)


def _larger(one: Any, other: Any) -> Any:
    """The larger of two, element by element where one is an array."""
    if isinstance(one, float) and isinstance(other, float):
        return max(one, other)
    import numpy as np  # for arrays alone

    return np.maximum(one, other)
