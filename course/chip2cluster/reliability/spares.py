"""Spare nodes: how many are broken at a time, and how many to keep."""

from __future__ import annotations

from math import exp, lgamma, log

from .._validate import one_positive, one_whole


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

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and times that are not above zero.

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

    Raises
    ------
    ValueError, TypeError
        As `shortage_chance`, and for a share outside 0 to 1.

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
