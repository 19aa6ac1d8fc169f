"""A message that goes over several hops in pieces, each hop passing on what has arrived whole."""

from __future__ import annotations

from math import floor, sqrt
from typing import TYPE_CHECKING

from .._validate import plain, positive, whole
from .cost import half_bandwidth_message_size, transfer_time

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def pipelined_time(
    message_bytes: ArrayLike, pieces: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike, hops: ArrayLike = 2
) -> FloatOrArray:
    """Time of a message in equal pieces over hops that each pass on a piece when it is there.

    Parameters
    ----------
    message_bytes : float or array
        Bytes of the whole message.
    pieces : int or array of int
        How many pieces, at least 1.
    bandwidth_one_way : float or array
        Bytes/s of each hop.
    latency : float or array
        Seconds before the bytes of a piece flow, paid on every hop for every piece.
    hops : int or array of int
        How many hops, one behind the other; at least 1.

    Returns
    -------
    float or array
        Seconds: ``(pieces + hops - 1)`` times the `transfer_time` of one piece.

    Raises
    ------
    ValueError, TypeError
        As `transfer_time`, and for pieces and hops that are not whole numbers of at least 1.

    Notes
    -----
    All hops are alike, and each carries one piece at a time. Ignores pieces of unequal
    size, and other traffic. Source: S. Johnsson, C.-T. Ho, Optimum broadcasting and
    personalized communication in hypercubes, IEEE Transactions on Computers 38(9), 1989.

    Examples
    --------
    >>> times = pipelined_time(900e3, [1, 3, 9], 50e9, 2e-6)
    >>> (times * 1e6).round().tolist()   # µs
    [40.0, 32.0, 40.0]
    """
    parts, ways = whole("pieces", pieces), whole("hops", hops)
    size = positive("message_bytes", message_bytes, allow_zero=True)
    return plain((parts + ways - 1) * transfer_time(size / parts, bandwidth_one_way, latency))


def best_pieces(message_bytes: float, bandwidth_one_way: float, latency: float, hops: int = 2) -> int:
    """How many pieces make a message fastest over several hops.

    Parameters
    ----------
    message_bytes, bandwidth_one_way, latency, hops
        As `pipelined_time`, one number each.

    Returns
    -------
    int
        The whole number next to the square root of ``(hops - 1) n / (latency * bandwidth)``
        with the smaller time, at least 1; the smaller one where both take as long.

    Raises
    ------
    ValueError, TypeError
        As `pipelined_time`; also for a latency of zero, where ever smaller pieces are ever faster.

    Notes
    -----
    Few pieces leave the later hops waiting for the first piece, many pay the latency
    often. Ignores and cites the same as `pipelined_time`.

    Examples
    --------
    >>> best_pieces(900e3, 50e9, 2e-6), best_pieces(50e3, 50e9, 2e-6), best_pieces(900e3, 50e9, 2e-6, hops=5)
    (3, 1, 6)
    """
    start = positive("latency", latency)
    half = half_bandwidth_message_size(start, bandwidth_one_way)
    ways = whole("hops", hops)
    root = sqrt((int(ways) - 1) * float(positive("message_bytes", message_bytes, allow_zero=True)) / float(half))
    near = [max(1, floor(root)), max(1, floor(root)) + 1]
    return min(near, key=lambda pieces: pipelined_time(message_bytes, pieces, bandwidth_one_way, latency, hops))
