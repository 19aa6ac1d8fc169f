"""Time and traffic of a collective on one kind of link: the alpha-beta-gamma model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import plain, positive, whole
from .algorithms import Algorithm, find

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


@dataclass(frozen=True)
class Traffic:
    """Bytes that a collective puts on the wire, as numbers or arrays of one shape.

    ``sent`` by the busiest sender, ``received`` by the busiest receiver, ``total`` sent
    by all ranks together.
    """

    sent: FloatOrArray
    received: FloatOrArray
    total: FloatOrArray


def time(
    collective: str,
    algorithm: str,
    message_bytes: ArrayLike,
    ranks: ArrayLike,
    bandwidth_one_way: ArrayLike,
    latency: ArrayLike = 0.0,
    reduction_time_per_byte: ArrayLike = 0.0,
) -> FloatOrArray:
    """Time of a collective: its steps cost latency, its bytes bandwidth, its sums arithmetic.

    Parameters
    ----------
    collective : str
        ``"all_reduce"``, ``"reduce_scatter"``, ``"all_gather"``, ``"broadcast"``,
        ``"reduce"``, ``"all_to_all"``, ``"gather"``, ``"scatter"`` or ``"send_recv"``.
    algorithm : str
        ``"ring"``, ``"tree"``, ...: `algorithms` lists those of each collective.
    message_bytes : float or array
        The message, bytes, in the collective's own sense: see `meaning_of_size`.
    ranks : int or array of int
        Participants; 1 costs nothing. Some algorithms need a power of two.
    bandwidth_one_way : float or array
        What a rank can send, and at the same time receive, bytes/s.
    latency : float or array
        Cost of one message between two ranks however short, seconds.
    reduction_time_per_byte : float or array
        Time to combine one received byte with one's own, s/byte.

    Returns
    -------
    float or array
        Seconds.

    Raises
    ------
    ValueError, TypeError
        For an algorithm that the collective does not have (the error names those it
        has), ranks that it cannot serve, and numbers that make no sense.

    Notes
    -----
    Ring broadcast and reduce, and the double binary tree, cut the message into slices
    and pipeline them; the time given is the limit of many slices: latency to fill the
    pipeline, then the full rate. ``"in_network"`` is InfiniBand's SHARP: the switches of
    the network hand partial sums to one another, and a rank sends and receives its bytes
    once. Switches of NVLink add in another way and carry more: `switch_all_reduce_time`.
    Ignores the launch of the kernel, contention, copies inside the rank, and that a
    library changes its protocol with the size. Sources: see `algorithms`.

    Examples
    --------
    >>> time("all_reduce", "ring", 14e9, 8, bandwidth_one_way=450e9)
    0.05444444444444444
    >>> time("all_reduce", "tree", [1e3, 1e9], 8, 450e9, latency=2e-6).round(6)
    array([1.2000e-05, 1.3345e-02])
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    ranks = whole("ranks", ranks)
    row = find(collective, algorithm, ranks)
    bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
    latency = positive("latency", latency, allow_zero=True)
    gamma = positive("reduction_time_per_byte", reduction_time_per_byte, allow_zero=True)
    seconds = unchecked(row, message_bytes, ranks, bandwidth, latency)
    if type(gamma) is not float or gamma:  # the usual 0.0 need not cost a pass over an array
        seconds = seconds + message_bytes * row.combined(ranks) * gamma
    return plain(seconds)


def unchecked(row: Algorithm, message_bytes: Any, ranks: Any, bandwidth: Any, latency: Any) -> Any:
    """Seconds without sums, for who has checked all of it: a search asks a thousand times."""
    return row.steps(ranks) * latency + message_bytes * row.wire(ranks) / bandwidth


def steps(collective: str, algorithm: str, ranks: ArrayLike) -> IntOrArray:
    """Messages that must follow one another: what multiplies the latency.

    Parameters
    ----------
    collective, algorithm : str
        As `time`.
    ranks : int or array of int
        Participants.

    Returns
    -------
    int or array

    Raises
    ------
    ValueError, TypeError
        As `time`.

    Notes
    -----
    A pipelined algorithm adds one step for each slice but the first. Sources: see
    `algorithms`.

    Examples
    --------
    >>> steps("all_reduce", "ring", 1024), steps("all_reduce", "tree", 1024)
    (2046, 20)
    """
    ranks = whole("ranks", ranks)
    count = find(collective, algorithm, ranks).steps(ranks)
    return count if isinstance(count, np.ndarray) else int(count)


def traffic(collective: str, algorithm: str, message_bytes: ArrayLike, ranks: ArrayLike) -> Traffic:
    """Bytes that the ranks send: the busiest sender, the busiest receiver, all together.

    Parameters
    ----------
    collective, algorithm : str
        As `time`.
    message_bytes : float or array
        The message, bytes; see `meaning_of_size`.
    ranks : int or array of int
        Participants.

    Returns
    -------
    Traffic

    Raises
    ------
    ValueError, TypeError
        As `time`.

    Notes
    -----
    Every byte sent is received once, except in the network, where a switch adds up
    or multiplies. Ignores headers and retransmission. Sources: see `algorithms`.

    Examples
    --------
    >>> traffic("broadcast", "tree", 1000, 8)
    Traffic(sent=3000.0, received=1000.0, total=7000.0)
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    ranks = whole("ranks", ranks)
    row = find(collective, algorithm, ranks)
    return Traffic(*(plain(message_bytes * share(ranks)) for share in (row.sent, row.received, row.total)))


def ring_all_reduce_time(
    message_bytes: ArrayLike, ranks: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike = 0.0
) -> FloatOrArray:
    """Time of a ring all-reduce: ``2 (p - 1) latency + 2 (p - 1) / p * n / bandwidth``.

    Parameters
    ----------
    message_bytes : float or array
        The vector that each rank holds, bytes.
    ranks : int or array of int
        Ranks on the ring, p.
    bandwidth_one_way : float or array
        Link to the next rank, bytes/s (not bit/s).
    latency : float or array
        One message between neighbours, seconds.

    Returns
    -------
    float or array
        Seconds.

    Raises
    ------
    ValueError, TypeError
        For ranks that are not whole, and numbers that make no sense.

    Notes
    -----
    No all-reduce of point-to-point messages can beat its bytes; others need fewer
    steps. A published example takes 450 and 50 for Gb/s and gets 435.6 ms in a node of
    8 and 4410.0 ms over 64 nodes. NVLink 4 gives 450 GB/s and NDR InfiniBand 50 GB/s,
    eight times as much: 54.4 and 551.3 ms. Their ratio, 10.1, survives the slip.
    Ignores the arithmetic. Source: Patarasuk and Yuan 2009.

    Examples
    --------
    >>> ring_all_reduce_time(14e9, [8, 64], [450e9, 50e9]) * 1e3       # bytes per second
    array([ 54.44444444, 551.25      ])
    >>> ring_all_reduce_time(14e9, [8, 64], [450e9 / 8, 50e9 / 8]) * 1e3       # as printed
    array([ 435.55555556, 4410.        ])
    """
    return time("all_reduce", "ring", message_bytes, ranks, bandwidth_one_way, latency)


def ring_all_reduce_traffic(message_bytes: ArrayLike, ranks: ArrayLike) -> FloatOrArray:
    """Bytes that each rank sends in a ring all-reduce: ``2 (p - 1) / p * n``.

    Parameters
    ----------
    message_bytes : float or array
        The vector that each rank holds, bytes.
    ranks : int or array of int
        Ranks on the ring, p.

    Returns
    -------
    float or array
        Bytes; never more than twice the message, however many ranks.

    Raises
    ------
    ValueError, TypeError
        As `ring_all_reduce_time`.

    Notes
    -----
    The mean over the ranks is exact for any length; a length that ``ranks`` does not divide
    makes some ranks send an element more. Source: Patarasuk and Yuan 2009.

    Examples
    --------
    >>> ring_all_reduce_traffic(14e9, 8) / 1e9
    24.5
    """
    return traffic("all_reduce", "ring", message_bytes, ranks).sent
