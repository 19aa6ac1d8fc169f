"""Copies of a block, and the chance that all of them are gone at once."""

from __future__ import annotations

from math import expm1, inf, log1p

from .._validate import one_positive, one_whole


def loss_chance(nodes: int, failed: int, blocks: int, replicas: int = 3) -> float:
    """Chance that some block is lost when so many nodes are gone at the same time.

    Parameters
    ----------
    nodes, failed : int
        Nodes that hold blocks, and how many of them do not come back.
    blocks : int
        Blocks on all of them together, without their copies.
    replicas : int
        Copies of each block, on nodes drawn at random.

    Returns
    -------
    float
        ``1 - (1 - C(failed, r) / C(nodes, r)) ** blocks``, 0 to 1.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, more failed nodes than nodes, and more replicas than nodes.

    Notes
    -----
    With very many blocks every group of r nodes holds all copies of some block, and any r failures
    lose one: copysets of nodes make it rarer, and each loss larger. Ignores racks, which real
    placement keeps apart. Source: A. Cidon et al., "Copysets", USENIX ATC 2013, section 2.

    Examples
    --------
    A power cut after which 1 % of 5,000 nodes do not come back, 10,000 blocks on each.

    >>> loss_chance(5000, 50, 5000 * 10_000 // 3) > 0.999
    True
    >>> round(loss_chance(5000, 50, 10_000), 4)
    0.0094
    """
    count, gone = one_whole("nodes", nodes, 1), one_whole("failed", failed, 0)
    number, copies = one_whole("blocks", blocks, 0), one_whole("replicas", replicas, 1)
    if gone > count:
        raise ValueError(f"failed must be at most the {count} nodes, got {gone}")
    if copies > count:
        raise ValueError(f"replicas must be at most the {count} nodes, got {copies}")
    chance = 1.0
    for already in range(copies):
        chance *= max(gone - already, 0) / (count - already)
    if chance == 1.0:
        return 1.0 if number else 0.0
    return -expm1(number * log1p(-chance))


def mean_time_to_loss(replicas: int, node_mtbf: float, repair_seconds: float, blocks: int = 1) -> float:
    """Mean time until all copies of a block are gone, when lost ones are made anew.

    Parameters
    ----------
    replicas : int
        Copies of each block.
    node_mtbf : float
        Mean time between failures of a node that keeps its disks' content from coming back, seconds.
    repair_seconds : float
        Until a lost copy is made anew elsewhere, on average, seconds.
    blocks : int
        Groups of nodes whose losses are independent of each other: the first of them counts.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and times that are not above zero.

    Notes
    -----
    A chain over the number of missing copies, each failing and each being repaired at a constant
    rate. For two copies ``(3 M R + M ** 2) / 2 R`` of one group. Ignores failures that several
    nodes share, which is what really loses data. Source: D. Patterson, G. Gibson and R. Katz,
    "RAID", SIGMOD 1988; the chain itself, any text on birth and death processes.

    Examples
    --------
    Three copies on nodes that fail once in three years, made anew in an hour.

    >>> years = mean_time_to_loss(3, 3 * 365 * 86400, 3600) / (365 * 86400)
    >>> f"{years:.2g}"
    '6.9e+08'
    """
    copies, groups = one_whole("replicas", replicas, 1), one_whole("blocks", blocks, 1)
    mean, repair = one_positive("node_mtbf", node_mtbf), one_positive("repair_seconds", repair_seconds)
    total = onward = 0.0  # onward: from one missing copy fewer to this many more
    for missing in range(copies):
        falls = (copies - missing) / mean
        onward = (1.0 + missing / repair * onward) / falls
        total += onward
    return total / groups if total < inf else inf
