"""Collectives behind a computation: what of them can still be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .cost import time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._typing import ArrayLike


def exposed_time(ready: ArrayLike, durations: ArrayLike) -> float:
    """Time that is left after the last piece is ready, when pieces are sent one after another.

    A backward pass hands out its gradients in pieces (buckets). Each is sent as soon as
    it is ready and the one before it has gone; the rest of the backward pass hides it.

    Parameters
    ----------
    ready : array, shape (pieces,)
        When each piece is ready, seconds, in order; the last is the end of the computation.
    durations : array, shape (pieces,)
        How long each piece takes to send, seconds.

    Returns
    -------
    float
        Seconds from the end of the computation to the end of the last piece.

    Raises
    ------
    ValueError, TypeError
        For arrays that differ in length, ready times out of order, negative numbers, NaN.

    Notes
    -----
    Ignores that sending takes memory bandwidth and compute units from the computation.
    Source: S. Li et al., PyTorch Distributed, VLDB 2020 (the buckets of DDP).

    Examples
    --------
    >>> exposed_time([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])             # sent from 1 to 3, 5 and 7
    4.0
    """
    starts, lengths = _pieces(ready, durations)
    # The last piece ends when some piece has started on time and all from there on follow without a gap.
    remaining = np.cumsum(lengths[::-1])[::-1]
    return plain((starts + remaining).max() - starts[-1])


def sent_from(ready: ArrayLike, durations: ArrayLike) -> NDArray:
    """When each piece begins to be sent: when it is ready, and the one before it has gone.

    Parameters
    ----------
    ready, durations : array, shape (pieces,)
        As `exposed_time`.

    Returns
    -------
    array, shape (pieces,)
        Seconds.

    Raises
    ------
    ValueError, TypeError
        As `exposed_time`.

    Notes
    -----
    Ignores what `exposed_time` ignores. Source: as there.

    Examples
    --------
    >>> sent_from([1.0, 2.0, 6.0], [2.0, 2.0, 2.0]).tolist()
    [1.0, 3.0, 6.0]
    """
    starts, lengths = _pieces(ready, durations)
    before = np.cumsum(lengths) - lengths  # if nothing ever had to wait for the computation
    return np.maximum.accumulate(starts - before) + before


def _pieces(ready: ArrayLike, durations: ArrayLike) -> tuple[NDArray, NDArray]:
    """Both lists as arrays, or an error that names what is wrong."""
    starts = np.asarray(positive("ready", ready, allow_zero=True))
    lengths = np.asarray(positive("durations", durations, allow_zero=True))
    if starts.ndim != 1 or starts.shape != lengths.shape or not len(starts):
        raise ValueError(
            f"ready and durations must be lists of one length, at least 1, got {starts.shape} and {lengths.shape}"
        )
    if (np.diff(starts) < 0).any():
        raise ValueError("ready must be in order, the first piece first")
    return starts, lengths


def bucketed_exposed_time(
    message_bytes: float,
    buckets: int,
    compute_seconds: float,
    ranks: int,
    bandwidth_one_way: float,
    latency: float = 0.0,
) -> float:
    """What is still to be seen of a gradient's ring all-reduce that runs in equal buckets.

    Parameters
    ----------
    message_bytes : float
        The whole gradient, bytes.
    buckets : int
        Equal pieces; 1 sends everything at the end.
    compute_seconds : float
        Length of the backward pass; the gradients appear evenly over it.
    ranks, bandwidth_one_way, latency
        As `ring_all_reduce_time`.

    Returns
    -------
    float
        Seconds after the end of the backward pass.

    Raises
    ------
    ValueError, TypeError
        For numbers that make no sense.

    Notes
    -----
    One bucket hides nothing. Many hide all but the last, until each has so few bytes
    that its latency is longer than the computation between two of them. Ignores what
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
