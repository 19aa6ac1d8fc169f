"""Hot spare nodes: probability of a shortage, share of waiting, and spares needed."""

from __future__ import annotations

from math import exp, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive, one_whole, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def shortage_probability(nodes: int, spares: int, node_mtbf: float, repair_seconds: float) -> float:
    """Probability that more nodes are broken than there are hot spares.

    Parameters
    ----------
    nodes : int
        Number of nodes that the job needs, all running.
    spares : int
        Number of hot spare nodes; may be 0.
    node_mtbf : float
        Mean time between failures of one node, seconds.
    repair_seconds : float
        Mean time until a broken node is back, seconds.

    Returns
    -------
    float
        Fraction of the time, 0 to 1.

    Notes
    -----
    Nodes fail at a constant rate, also during a shortage, and all repairs run in parallel. The number of broken nodes
    then has a Poisson distribution with mean ``nodes * repair / mtbf`` for any distribution of repair times. Ignores
    failures that take several nodes (`RunPlan`).
    Source: C. Palm 1943, the queue M/G/∞.

    Examples
    --------
    2,048 nodes with an MTBF of 264 days and repairs of two days: 15.5 are broken on average.

    >>> round(shortage_probability(2048, 16, 264 * 86400, 2 * 86400), 3)
    0.386
    """
    count, kept = one_whole("nodes", nodes), one_whole("spares", spares, 0)
    broken = count * one_positive("repair_seconds", repair_seconds) / one_positive("node_mtbf", node_mtbf)
    return _more_than(kept, broken)


def spares_needed(nodes: int, node_mtbf: float, repair_seconds: float, shortage: float = 0.01) -> int:
    """Smallest number of hot spares with which nodes are short for at most a given fraction of the time.

    Parameters
    ----------
    nodes : int
        Number of nodes that the job needs, all running.
    node_mtbf : float
        Mean time between failures of one node, seconds.
    repair_seconds : float
        Mean time until a broken node is back, seconds.
    shortage : float
        Accepted fraction of the time with a shortage, above 0 and below 1.

    Returns
    -------
    int
        Number of spares.

    Notes
    -----
    Ignores the same effects as `shortage_probability`; same source.

    Examples
    --------
    >>> spares_needed(2048, 264 * 86400, 2 * 86400)
    25
    """
    accepted = one_positive("shortage", shortage)
    if not accepted < 1:
        raise ValueError(f"shortage must be below 1, got {shortage!r}")
    broken = (
        one_whole("nodes", nodes)
        * one_positive("repair_seconds", repair_seconds)
        / one_positive("node_mtbf", node_mtbf)
    )
    low, high = 0, 1
    while _more_than(high, broken) > accepted:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _more_than(middle, broken) <= accepted else (middle + 1, high)
    return low


def waiting_share(nodes: ArrayLike, spares: ArrayLike, node_mtbf: ArrayLike, repair_seconds: ArrayLike) -> FloatOrArray:
    """Fraction of the time in which a job waits because more nodes are broken than there are hot spares.

    Parameters
    ----------
    nodes : int or array of int
        Number of nodes that the job needs, all running.
    spares : int or array of int
        Number of hot spare nodes; may be 0.
    node_mtbf : float or array
        Mean time between failures of one node, seconds.
    repair_seconds : float or array
        Mean time until a broken node is back, seconds.

    Returns
    -------
    float or array
        Fraction w, 0 to 1; the duration is the time without waiting divided by 1 - w.

    Notes
    -----
    Nodes fail while the job runs, not while it waits (`RunPlan`), so at most ``spares + 1`` nodes are broken. The
    fraction is then the Erlang B loss of ``spares + 1`` servers at an offered load of ``nodes * repair / mtbf``, for
    any distribution of repair times. It is less than `shortage_probability`, where nodes fail during a shortage, too.
    Valid for long runs, because no node is broken at the start. Ignores failures that take several nodes. Source: A. K. Erlang 1917, formula B.

    Examples
    --------
    >>> [round(waiting_share(2048, spares, 264 * 86400, 2 * 86400), 3) for spares in (0, 16, 32)]
    [0.939, 0.128, 0.0]
    """
    kept = whole("spares", spares, minimum=0)
    broken = whole("nodes", nodes) * positive("repair_seconds", repair_seconds) / positive("node_mtbf", node_mtbf)
    if type(broken) is float and type(kept) is int:
        share = 1.0
        for servers in range(1, kept + 2):
            share = broken * share / (servers + broken * share)
        return share
    broken, kept = np.broadcast_arrays(broken, kept)
    shares = np.ones(broken.shape)
    for servers in range(1, int(kept.max(initial=0)) + 2):
        after = broken * shares / (servers + broken * shares)
        shares = np.where(servers <= kept + 1, after, shares)
    return plain(shares)


def _more_than(kept: int, mean: float) -> float:
    """Return the probability that a Poisson number exceeds ``kept``, summed over the shorter tail."""
    term = exp(-mean + (kept + 1) * log(mean) - lgamma(kept + 2))
    if kept + 1 >= mean:
        total, number = 0.0, kept + 1
        while term > 1e-18 * total:
            total, number = total + term, number + 1
            term *= mean / number
        return min(total, 1.0)
    term *= (kept + 1) / mean
    total, number = 0.0, kept
    while number >= 0 and term > 1e-18 * total:
        total += term
        term *= number / mean
        number -= 1
    return max(1.0 - total, 0.0)
