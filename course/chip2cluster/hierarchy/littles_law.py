"""Requests in flight: the number that keeps a path busy (Little's law), and the times with fewer of them."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from .._validate import positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray


class RequestTimes(NamedTuple):
    """Times of each request, seconds: when it is issued, and when its first and last bytes arrive."""

    issued: tuple[float, ...]
    first_byte: tuple[float, ...]
    last_byte: tuple[float, ...]


def requests_in_flight(request_bytes: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike) -> IntOrArray:
    """Compute the smallest number of requests in flight that keeps a path busy (Little's law).

    During the latency of one request, others must arrive: latency over the duration of one
    request, rounded up, plus the one that is arriving.

    Parameters
    ----------
    request_bytes : float or array
        Size of a request's data, bytes.
    bandwidth_one_way : float or array
        Bandwidth of the path, bytes/s.
    latency : float or array
        Time from a request to its first byte, seconds.

    Returns
    -------
    int or array of int
        Number of requests, at least 1.

    Notes
    -----
    Ignores that latency grows with load, and that requests differ in size. Source:
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
    import numpy as np  # here, because a notebook in a browser may not have it

    return 1 + np.ceil(waiting.round(9)).astype(int)


def flight(
    requests: int, in_flight: int, request_bytes: float, bandwidth_one_way: float, latency: float
) -> RequestTimes:
    """Simulate equal requests with a limited number in flight on a path that carries one at a time.

    Parameters
    ----------
    requests : int
        Number of requests.
    in_flight : int
        Largest number of requests in flight; the next is issued when one has arrived.
    request_bytes : float
        Size of a request's data, bytes.
    bandwidth_one_way : float
        Bandwidth of the path, bytes/s.
    latency : float
        Time from a request to its first byte, seconds.

    Returns
    -------
    RequestTimes
        Times of issue, first byte and last byte of each request, seconds.

    Notes
    -----
    With one in flight the time is that of consecutive `links.transfer_time`; with enough
    requests in flight the latency is paid once. Ignores the cost of a request at its
    sender. Source: equation (1.1).

    Examples
    --------
    >>> round(flight(10, 1, 30e3, 50e9, 2e-6).last_byte[-1] * 1e6, 1)      # µs
    26.0
    >>> round(flight(10, 5, 30e3, 50e9, 2e-6).last_byte[-1] * 1e6, 1)
    8.0
    """
    total, window = int(whole("requests", requests)), int(whole("in_flight", in_flight))
    each = float(positive("request_bytes", request_bytes) / positive("bandwidth_one_way", bandwidth_one_way))
    delay = float(positive("latency", latency, allow_zero=True))
    issued: list[float] = []
    first: list[float] = []
    last: list[float] = []
    for number in range(total):
        issued.append(last[number - window] if number >= window else 0.0)
        first.append(max(issued[-1] + delay, last[-1] if last else 0.0))
        last.append(first[-1] + each)
    return RequestTimes(tuple(issued), tuple(first), tuple(last))
