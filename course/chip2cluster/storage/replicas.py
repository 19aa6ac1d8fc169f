"""Replicas of a block: probability of data loss, and mean time to data loss (MTTDL)."""

from __future__ import annotations

from math import expm1, inf, log1p

from .._validate import one_positive, one_whole


def loss_chance(nodes: int, failed: int, blocks: int, replicas: int = 3) -> float:
    """Probability of data loss when several nodes fail at the same time.

    Parameters
    ----------
    nodes, failed : int
        Nodes that hold blocks, and how many of them fail for good.
    blocks : int
        Different blocks on all nodes together.
    replicas : int
        Replicas of each block, on random nodes; at most ``nodes``.

    Returns
    -------
    float
        ``1 - (1 - C(failed, r) / C(nodes, r)) ** blocks``, 0 to 1.

    Notes
    -----
    With very many blocks every group of r nodes holds all replicas of some block, and any r failures
    lose one: copysets of nodes make loss rarer, and each loss larger. Ignores racks, which real
    placement separates. Source: A. Cidon et al., "Copysets", USENIX ATC 2013, section 2.

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
    """Mean time to data loss (MTTDL): until all replicas of a block are lost, with re-replication.

    Parameters
    ----------
    replicas : int
        Replicas of each block.
    node_mtbf : float
        Mean time between failures (MTBF) of a node that destroy its data, seconds.
    repair_seconds : float
        Mean time until a lost replica is replaced elsewhere, seconds.
    blocks : int
        Groups of nodes with independent losses; the first loss counts.

    Returns
    -------
    float
        Seconds.

    Notes
    -----
    A Markov chain over the number of missing replicas, each failing and each being repaired at a constant
    rate. For two replicas ``(3 M R + M ** 2) / 2 R`` of one group. Ignores failures shared by several
    nodes, the main cause of real data loss. Source: D. Patterson, G. Gibson and R. Katz,
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
    total = onward = 0.0  # onward: mean time from this number of missing copies to one more
    for missing in range(copies):
        falls = (copies - missing) / mean
        onward = (1.0 + missing / repair * onward) / falls
        total += onward
    return total / groups if total < inf else inf
