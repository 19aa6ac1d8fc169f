"""Overlap of collectives with computation: the exposed (not hidden) communication time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .cost import time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._typing import ArrayLike


def exposed_time(ready: ArrayLike, durations: ArrayLike) -> float:
    """Compute the communication time that a computation does not hide when buckets are sent in order.

    A backward pass produces its gradients in buckets. Each bucket is sent when it is
    ready and its predecessor has been sent; the rest of the backward pass hides it.

    Parameters
    ----------
    ready : array, shape (buckets,)
        Ascending times at which the buckets are ready, seconds; the last is the end of the
        computation.
    durations : array, shape (buckets,)
        Communication times of the buckets, seconds.

    Returns
    -------
    float
        Time from the end of the computation to the end of the last bucket, seconds.

    Raises
    ------
    ValueError
        If the lengths differ or ``ready`` is not ascending.

    Notes
    -----
    Ignores that communication takes memory bandwidth and compute units from the computation.
    Source: S. Li et al., PyTorch Distributed, VLDB 2020 (the buckets of DDP).

    Examples
    --------
    >>> exposed_time([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])             # sent from 1 to 3, 5 and 7
    4.0
    """
    starts, lengths = _checked_buckets(ready, durations)
    # Some bucket starts as soon as it is ready, and all buckets from that one on follow without a gap.
    remaining = np.cumsum(lengths[::-1])[::-1]
    return plain((starts + remaining).max() - starts[-1])


def sent_from(ready: ArrayLike, durations: ArrayLike) -> NDArray:
    """Compute when each bucket starts to be sent: when it is ready and its predecessor has been sent.

    Parameters
    ----------
    ready : array, shape (buckets,)
        Ascending times at which the buckets are ready, seconds; the last is the end of the
        computation.
    durations : array, shape (buckets,)
        Communication times of the buckets, seconds.

    Returns
    -------
    array, shape (buckets,)
        Start times, seconds.

    Notes
    -----
    Ignores what `exposed_time` ignores. Source: as there.

    Examples
    --------
    >>> sent_from([1.0, 2.0, 6.0], [2.0, 2.0, 2.0]).tolist()
    [1.0, 3.0, 6.0]
    """
    starts, lengths = _checked_buckets(ready, durations)
    before = np.cumsum(lengths) - lengths  # start times if no bucket had to wait for the computation
    return np.maximum.accumulate(starts - before) + before


def _checked_buckets(ready: ArrayLike, durations: ArrayLike) -> tuple[NDArray, NDArray]:
    """Return both lists as arrays of one length."""
    starts = np.asarray(positive("ready", ready, allow_zero=True))
    lengths = np.asarray(positive("durations", durations, allow_zero=True))
    if starts.ndim != 1 or starts.shape != lengths.shape or not len(starts):
        raise ValueError(
            f"ready and durations must be lists of one length, at least 1, got {starts.shape} and {lengths.shape}"
        )
    if (np.diff(starts) < 0).any():
        raise ValueError("ready must be in ascending order")
    return starts, lengths


def bucketed_exposed_time(
    message_bytes: float,
    buckets: int,
    compute_seconds: float,
    ranks: int,
    bandwidth_one_way: float,
    latency: float = 0.0,
) -> float:
    """Compute the exposed time of a data-parallel (DP) gradient all-reduce by ring in equal buckets.

    Parameters
    ----------
    message_bytes : float
        Size of the whole gradient, bytes.
    buckets : int
        Number of equal buckets; 1 sends everything at the end.
    compute_seconds : float
        Duration of the backward pass, during which the gradients appear evenly, seconds.
    ranks : int or array of int
        Number of ranks on the ring, p.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of the link to the next rank, bytes/s (not bit/s).
    latency : float or array
        Fixed cost of one message between neighbours, seconds.

    Returns
    -------
    float
        Communication time after the end of the backward pass, seconds.

    Notes
    -----
    One bucket hides nothing. Many buckets hide all but the last, until each is so small
    that its latency exceeds the computation between two buckets. Ignores what
    `exposed_time` ignores. Source: as `exposed_time`.

    Examples
    --------
    >>> [round(bucketed_exposed_time(14e9, k, 0.2, 8, 450e9, 2e-6), 4) for k in (1, 8, 64)]
    [0.0545, 0.0068, 0.0009]
    """
    buckets = whole("buckets", buckets)
    compute = positive("compute_seconds", compute_seconds, allow_zero=True)
    message = positive("message_bytes", message_bytes, allow_zero=True)
    each = time("all_reduce", "ring", message / buckets, ranks, bandwidth_one_way, latency)
    return exposed_time(compute * np.arange(1, buckets + 1) / buckets, np.full(buckets, each))
