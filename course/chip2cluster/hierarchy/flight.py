"""How many requests must be on their way so that a path never stands still, and what happens if they are fewer."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from .._validate import positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray


class Flight(NamedTuple):
    """When each of some requests is made, when its first byte arrives and when its last one does, in seconds."""

    asked: tuple[float, ...]
    first_byte: tuple[float, ...]
    last_byte: tuple[float, ...]


def requests_in_flight(request_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike) -> IntOrArray:
    """Fewest requests under way at which a path carries bytes without a pause.

    While the first byte of one request travels (the latency), others must arrive: one for
    each of their durations that the latency holds, and the one that is arriving.

    Parameters
    ----------
    request_bytes : float or array
        Bytes that one request brings.
    bandwidth_one_way : float or array
        Bytes a second.
    latency : float or array
        Seconds from a request to its first byte.

    Returns
    -------
    int or array of int

    Raises
    ------
    ValueError, TypeError
        For sizes and rates that are not above zero, and for a negative latency.

    Notes
    -----
    Ignores that latency grows with load, and that requests have sizes of their own. Source:
    Little's law; Operations Research 9(3), 1961.

    Examples
    --------
    >>> requests_in_flight(30e3, 50e9, 2e-6)     # 2 µs at 50 GB/s are 100 kB: 3.3 requests, and the one that arrives
    5
    """
    size, rate = positive("request_bytes", request_bytes), positive("bandwidth_one_way", bandwidth_one_way)
    waiting = positive("latency", latency, allow_zero=True) * rate / size
    if isinstance(waiting, float):
        return 1 + ceil(round(waiting, 9))
    import numpy as np  # here, because a page in a browser may have none

    return 1 + np.ceil(waiting.round(9)).astype(int)


def flight(requests: int, in_flight: int, request_bytes: float, bandwidth_one_way: float, latency: float) -> Flight:
    """Times of equal requests of which so many are under way at once; the path carries one at a time.

    Parameters
    ----------
    requests, in_flight : int
        How many there are, and how many of them may be under way: the next is made when one has arrived.
    request_bytes, bandwidth_one_way, latency : float
        As `requests_in_flight` takes them.

    Returns
    -------
    Flight
        Seconds, one number for each request.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole or below 1, and for bad sizes and rates.

    Notes
    -----
    One at a time is `links.transfer_time`, over and over; with enough of them under way the
    latency is paid once. Ignores what a request costs its sender. Source: equation (1.1).

    Examples
    --------
    >>> round(flight(10, 1, 30e3, 50e9, 2e-6).last_byte[-1] * 1e6, 1)      # µs
    26.0
    >>> round(flight(10, 5, 30e3, 50e9, 2e-6).last_byte[-1] * 1e6, 1)
    8.0
    """
    total, window = int(whole("requests", requests)), int(whole("in_flight", in_flight))
    each = float(positive("request_bytes", request_bytes) / positive("bandwidth_one_way", bandwidth_one_way))
    wait = float(positive("latency", latency, allow_zero=True))
    asked: list[float] = []
    first: list[float] = []
    last: list[float] = []
    for place in range(total):
        asked.append(last[place - window] if place >= window else 0.0)
        first.append(max(asked[-1] + wait, last[-1] if last else 0.0))
        last.append(first[-1] + each)
    return Flight(tuple(asked), tuple(first), tuple(last))
