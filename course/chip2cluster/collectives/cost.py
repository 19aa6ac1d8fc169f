"""Time and traffic of a collective on links of one kind: the alpha-beta-gamma model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import plain, positive, whole
from .algorithms import Algorithm, algorithm_cost

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


@dataclass(frozen=True)
class Traffic:
    """Bytes that a collective sends, as numbers or arrays of one shape.

    Attributes
    ----------
    sent : float or array
        Bytes sent by the busiest sender.
    received : float or array
        Bytes received by the busiest receiver.
    total : float or array
        Bytes sent by all ranks together.
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
    """Compute the time of a collective in the alpha-beta-gamma model.

    Steps cost latency (alpha), bytes cost bandwidth (beta), reductions cost arithmetic
    (gamma).

    Parameters
    ----------
    collective : str
        ``"all_reduce"``, ``"reduce_scatter"``, ``"all_gather"``, ``"broadcast"``,
        ``"reduce"``, ``"all_to_all"``, ``"gather"``, ``"scatter"`` or ``"send_recv"``.
    algorithm : str
        ``"ring"``, ``"tree"``, ...: `algorithms` lists those of each collective.
    message_bytes : float or array
        Size of the collective as `meaning_of_size` defines it, bytes.
    ranks : int or array of int
        Number of ranks; 1 costs nothing. Some algorithms need a power of two.
    bandwidth_one_way : float or array
        Rate at which a rank can send and at the same time receive, bytes/s.
    latency : float or array
        Fixed cost of one message between two ranks, seconds.
    reduction_time_per_byte : float or array
        Time to reduce one received byte into the local buffer, s/byte.

    Returns
    -------
    float or array
        Time of the collective, seconds.

    Raises
    ------
    ValueError
        If the collective has no such algorithm, or the algorithm cannot serve this number of
        ranks.

    Notes
    -----
    Ring broadcast, ring reduce and the double binary tree cut the message into slices and
    pipeline them; the time is the limit of many slices: latency to fill the pipeline,
    then the full rate. ``"in_network"`` is in-network reduction by InfiniBand switches
    (SHARP; CollNet in NCCL): the switches pass partial sums to one another, and a rank
    sends and receives its bytes once. NVLink switches (NVLS) reduce differently and carry
    more: `switch_all_reduce_time`. Ignores the kernel launch, contention, copies inside
    the rank, and a library's change of protocol with the size. Sources: see `algorithms`.

    Examples
    --------
    >>> time("all_reduce", "ring", 14e9, 8, bandwidth_one_way=450e9)
    0.05444444444444444
    >>> time("all_reduce", "tree", [1e3, 1e9], 8, 450e9, latency=2e-6).round(6)
    array([1.2000e-05, 1.3345e-02])
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    ranks = whole("ranks", ranks)
    row = algorithm_cost(collective, algorithm, ranks)
    bandwidth = positive("bandwidth_one_way", bandwidth_one_way)
    latency = positive("latency", latency, allow_zero=True)
    gamma = positive("reduction_time_per_byte", reduction_time_per_byte, allow_zero=True)
    seconds = transfer_seconds(row, message_bytes, ranks, bandwidth, latency)
    if type(gamma) is not float or gamma:  # the default 0.0 should not cost a pass over an array
        seconds = seconds + message_bytes * row.combined(ranks) * gamma
    return plain(seconds)


def transfer_seconds(row: Algorithm, message_bytes: Any, ranks: Any, bandwidth: Any, latency: Any) -> Any:
    """Compute the time without reductions; arguments aren't checked, because a search calls it thousands of times."""
    return row.steps(ranks) * latency + message_bytes * row.wire(ranks) / bandwidth


def steps(collective: str, algorithm: str, ranks: ArrayLike) -> IntOrArray:
    """Count the messages that must follow one another, each of which costs one latency.

    Parameters
    ----------
    collective : str
        ``"all_reduce"``, ``"reduce_scatter"``, ``"all_gather"``, ``"broadcast"``,
        ``"reduce"``, ``"all_to_all"``, ``"gather"``, ``"scatter"`` or ``"send_recv"``.
    algorithm : str
        ``"ring"``, ``"tree"``, ...: `algorithms` lists those of each collective.
    ranks : int or array of int
        Number of ranks.

    Returns
    -------
    int or array
        Number of sequential steps.

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
    count = algorithm_cost(collective, algorithm, ranks).steps(ranks)
    return count if isinstance(count, np.ndarray) else int(count)


def traffic(collective: str, algorithm: str, message_bytes: ArrayLike, ranks: ArrayLike) -> Traffic:
    """Compute the bytes of the busiest sender, of the busiest receiver and of all ranks together.

    Parameters
    ----------
    collective : str
        ``"all_reduce"``, ``"reduce_scatter"``, ``"all_gather"``, ``"broadcast"``,
        ``"reduce"``, ``"all_to_all"``, ``"gather"``, ``"scatter"`` or ``"send_recv"``.
    algorithm : str
        ``"ring"``, ``"tree"``, ...: `algorithms` lists those of each collective.
    message_bytes : float or array
        Size of the collective as `meaning_of_size` defines it, bytes.
    ranks : int or array of int
        Number of ranks.

    Returns
    -------
    Traffic
        Bytes sent by the busiest sender, received by the busiest receiver, and in total.

    Notes
    -----
    Every byte sent is received once, except with in-network reduction (SHARP), where a
    switch reduces or multicasts. Ignores headers and retransmission. Sources: see
    `algorithms`.

    Examples
    --------
    >>> traffic("broadcast", "tree", 1000, 8)
    Traffic(sent=3000.0, received=1000.0, total=7000.0)
    """
    message_bytes = positive("message_bytes", message_bytes, allow_zero=True)
    ranks = whole("ranks", ranks)
    row = algorithm_cost(collective, algorithm, ranks)
    return Traffic(*(plain(message_bytes * share(ranks)) for share in (row.sent, row.received, row.total)))


def ring_all_reduce_time(
    message_bytes: ArrayLike, ranks: ArrayLike, bandwidth_one_way: ArrayLike, latency: ArrayLike = 0.0
) -> FloatOrArray:
    """Compute the time of a ring all-reduce: ``2 (p - 1) latency + 2 (p - 1) / p * n / bandwidth``.

    Parameters
    ----------
    message_bytes : float or array
        Size of the vector that each rank holds, n, bytes.
    ranks : int or array of int
        Number of ranks on the ring, p.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of the link to the next rank, bytes/s (not bit/s).
    latency : float or array
        Fixed cost of one message between neighbours, seconds.

    Returns
    -------
    float or array
        Time of the all-reduce, seconds.

    Notes
    -----
    No point-to-point all-reduce moves fewer bytes; others need fewer steps. A published
    example takes 450 and 50 as Gb/s and gets 435.6 ms in a node of 8 and 4410.0 ms over
    64 nodes. NVLink 4 gives 450 GB/s and NDR InfiniBand 50 GB/s, eight times as much:
    54.4 and 551.3 ms. The ratio, 10.1, is not affected by the mistake. Ignores the
    arithmetic. Source: Patarasuk and Yuan 2009.

    Examples
    --------
    >>> ring_all_reduce_time(14e9, [8, 64], [450e9, 50e9]) * 1e3       # bytes per second
    array([ 54.44444444, 551.25      ])
    >>> ring_all_reduce_time(14e9, [8, 64], [450e9 / 8, 50e9 / 8]) * 1e3       # as printed
    array([ 435.55555556, 4410.        ])
    """
    return time("all_reduce", "ring", message_bytes, ranks, bandwidth_one_way, latency)


def ring_all_reduce_traffic(message_bytes: ArrayLike, ranks: ArrayLike) -> FloatOrArray:
    """Compute the bytes that each rank sends in a ring all-reduce: ``2 (p - 1) / p * n``.

    Parameters
    ----------
    message_bytes : float or array
        Size of the vector that each rank holds, n, bytes.
    ranks : int or array of int
        Number of ranks on the ring, p.

    Returns
    -------
    float or array
        Bytes sent by each rank, always less than twice the message.

    Notes
    -----
    The mean over the ranks is exact for any length; if ``ranks`` does not divide the
    length, some ranks send one element more. Source: Patarasuk and Yuan 2009.

    Examples
    --------
    >>> ring_all_reduce_traffic(14e9, 8) / 1e9
    24.5
    """
    return traffic("all_reduce", "ring", message_bytes, ranks).sent
