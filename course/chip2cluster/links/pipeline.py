"""Pipelined message over several store-and-forward hops, in pieces."""

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
    """Compute the time of a message in equal pieces over store-and-forward hops.

    Parameters
    ----------
    message_bytes : float or array
        Size of the whole message, bytes.
    pieces : int or array of int
        Number of pieces, at least 1.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of each hop, bytes/s.
    latency : float or array
        Fixed cost of each piece on each hop, seconds.
    hops : int or array of int
        Number of consecutive hops, at least 1.

    Returns
    -------
    float or array
        Time, ``(pieces + hops - 1)`` times the `transfer_time` of one piece, seconds.

    Notes
    -----
    All hops are equal, and each carries one piece at a time. Ignores pieces of unequal
    size, and other traffic. Source: S. Johnsson, C.-T. Ho, Optimum broadcasting and
    personalized communication in hypercubes, IEEE Transactions on Computers 38(9), 1989.

    Examples
    --------
    >>> times = pipelined_time(900e3, [1, 3, 9], 50e9, 2e-6)
    >>> (times * 1e6).round().tolist()   # µs
    [40.0, 32.0, 40.0]
    """
    pieces, hops = whole("pieces", pieces), whole("hops", hops)
    size = positive("message_bytes", message_bytes, allow_zero=True)
    return plain((pieces + hops - 1) * transfer_time(size / pieces, bandwidth_one_way, latency))


def best_pieces(message_bytes: float, bandwidth_one_way: float, latency: float, hops: int = 2) -> int:
    """Compute the number of pieces that minimizes the time of a message over several hops.

    Parameters
    ----------
    message_bytes : float
        Size of the whole message, bytes.
    bandwidth_one_way : float
        Unidirectional bandwidth of each hop, bytes/s.
    latency : float
        Fixed cost of each piece on each hop, seconds.
    hops : int
        Number of consecutive hops, at least 1.

    Returns
    -------
    int
        Number of pieces: one of the integers next to the square root of
        ``(hops - 1) n / (latency * bandwidth)``, at least 1; the smaller of two with equal
        times.

    Raises
    ------
    ValueError
        If the latency is zero: ever smaller pieces are then ever faster.

    Notes
    -----
    With few pieces the later hops wait for the first piece, with many the latency is paid
    often. Ignores what `pipelined_time` ignores. Source: as there.

    Examples
    --------
    >>> best_pieces(900e3, 50e9, 2e-6), best_pieces(50e3, 50e9, 2e-6), best_pieces(900e3, 50e9, 2e-6, hops=5)
    (3, 1, 6)
    """
    half = half_bandwidth_message_size(positive("latency", latency), bandwidth_one_way)
    size = float(positive("message_bytes", message_bytes, allow_zero=True))
    root = sqrt((int(whole("hops", hops)) - 1) * size / float(half))
    candidates = [max(1, floor(root)), max(1, floor(root)) + 1]
    return min(candidates, key=lambda pieces: pipelined_time(message_bytes, pieces, bandwidth_one_way, latency, hops))
