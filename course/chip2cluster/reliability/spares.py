"""Spare nodes: how many are broken at a time, and how many to keep."""

from __future__ import annotations

from math import exp, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from .._validate import one_positive, one_whole, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def shortage_chance(nodes: int, spares: int, node_mtbf: float, repair_seconds: float) -> float:
    """Share of the time in which more nodes are broken than there are spares.

    Parameters
    ----------
    nodes : int
        That the job needs, all running.
    spares : int
        Kept beside them; 0 for none.
    node_mtbf : float
        Mean time between failures of one node, seconds.
    repair_seconds : float
        Until a broken node is back, on average, seconds.

    Returns
    -------
    float
        0 to 1.

    Notes
    -----
    Nodes break at a constant rate, whoever runs in their place, and any number is repaired at
    once: then the number of broken ones is a Poisson number of mean ``nodes * repair / mtbf``,
    whatever the distribution of repairs. Ignores failures that take several nodes (`RunPlan`).
    Source: C. Palm 1943, the queue M/G/∞.

    Examples
    --------
    2,048 nodes that break every 264 days each and take two days to come back: 15.5 at a time.

    >>> round(shortage_chance(2048, 16, 264 * 86400, 2 * 86400), 3)
    0.386
    """
    count, kept = one_whole("nodes", nodes), one_whole("spares", spares, 0)
    broken = count * one_positive("repair_seconds", repair_seconds) / one_positive("node_mtbf", node_mtbf)
    return _more_than(kept, broken)


def spares_needed(nodes: int, node_mtbf: float, repair_seconds: float, shortage: float = 0.01) -> int:
    """Fewest spares with which nodes are short for no more than a given share of the time.

    Parameters
    ----------
    nodes, node_mtbf, repair_seconds
        As `shortage_chance`.
    shortage : float
        That is borne, above 0 and below 1.

    Returns
    -------
    int

    Notes
    -----
    Ignores what `shortage_chance` ignores. Source: as there.

    Examples
    --------
    >>> spares_needed(2048, 264 * 86400, 2 * 86400)
    25
    """
    borne = one_positive("shortage", shortage)
    if not borne < 1:
        raise ValueError(f"shortage must be below 1, got {shortage!r}")
    broken = (
        one_whole("nodes", nodes)
        * one_positive("repair_seconds", repair_seconds)
        / one_positive("node_mtbf", node_mtbf)
    )
    low, high = 0, 1
    while _more_than(high, broken) > borne:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _more_than(middle, broken) <= borne else (middle + 1, high)
    return low


def waiting_share(nodes: ArrayLike, spares: ArrayLike, node_mtbf: ArrayLike, repair_seconds: ArrayLike) -> FloatOrArray:
    """Share of the time in which a job stands still because more nodes are broken than there are spares.

    Parameters
    ----------
    nodes : int or array of int
        That the job needs, all running.
    spares : int or array of int
        Kept beside them; 0 for none.
    node_mtbf : float or array
        Mean time between failures of one node, seconds.
    repair_seconds : float or array
        Until a broken node is back, on average, seconds.

    Returns
    -------
    float or array
        0 to 1; what the run takes beside is to be divided by one less of it.

    Notes
    -----
    Nodes break while the job runs, not while it waits (`RunPlan`): so at most one more than the
    spares is broken, and the share is Erlang's loss of ``spares + 1`` servers with ``nodes *
    repair / mtbf`` at work on average, whatever the distribution of repairs. Less than
    `shortage_chance`, where broken nodes would go on breaking. For long runs, which forget that
    nothing was broken at the start. Ignores failures that take several nodes. Source: A. K. Erlang 1917, formula B.

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
    """Chance that a Poisson number exceeds ``kept``, from whichever tail is short."""
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
