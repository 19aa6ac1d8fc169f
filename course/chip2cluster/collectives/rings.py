"""Schedules on a ring: every rank communicates only with its two neighbours."""

from __future__ import annotations

import numpy as np

from .schedule_steps import Move, Phase, Plan, same_slot


def reduce_scatter(ranks: int) -> Plan:
    """Reduce-scatter: partial sums travel once around; the complete chunk i ends on rank i."""
    return ranks, [_around("reduce-scatter", ranks, -1, combine=True)]


def all_gather(ranks: int) -> Plan:
    """All-gather: complete chunks travel once around, chunk i from rank i."""
    return ranks, [_around("all-gather", ranks, 0)]


def all_reduce(ranks: int) -> Plan:
    """All-reduce: a reduce-scatter once around, then an all-gather once around.

    In step s of the first round rank i sends chunk (i - s) mod n. It ends with the
    complete chunk (i + 1) mod n and starts the second round with that.
    """
    return ranks, [
        _around("reduce-scatter", ranks, 0, combine=True),
        _around("all-gather", ranks, 1),
    ]


def broadcast(ranks: int, segments: int) -> Plan:
    """Broadcast along a chain: each rank forwards one slice while it receives the next."""
    rank = np.arange(ranks - 1)
    return segments, [_chain("broadcast", segments, rank, rank + 1, rank, combine=False)]


def reduce(ranks: int, segments: int) -> Plan:
    """Reduce along the chain towards the root: each rank adds its own slice and forwards the sum."""
    rank = np.arange(1, ranks)
    return segments, [_chain("reduce", segments, rank, rank - 1, ranks - 1 - rank, combine=True)]


def hierarchical_all_reduce(ranks: int, ranks_per_node: int) -> Plan:
    """All-reduce by rings within each node, then between nodes on each rail, then within each node.

    Rank l of a node owns the l-th group of slots, one slot for each node.
    """
    nodes = ranks // ranks_per_node
    rank = np.arange(ranks)
    node, local = rank // ranks_per_node, rank % ranks_per_node
    next_local = node * ranks_per_node + (local + 1) % ranks_per_node
    next_node = (node + 1) % nodes * ranks_per_node + local
    within_group = np.arange(nodes)

    def inside(name: str, offset: int, combine: bool) -> Phase:
        def moves(step: int) -> tuple[Move, ...]:
            first = (local + offset - step) % ranks_per_node * nodes
            slots = (first[:, None] + within_group).ravel()
            return same_slot(np.repeat(rank, nodes), np.repeat(next_local, nodes), slots, combine=combine)

        return Phase(name, ranks_per_node - 1, moves)

    def between(name: str, offset: int, combine: bool) -> Phase:
        def moves(step: int) -> tuple[Move, ...]:
            return same_slot(rank, next_node, local * nodes + (node + offset - step) % nodes, combine=combine)

        return Phase(name, nodes - 1, moves)

    return ranks, [
        inside("reduce-scatter inside nodes", -1, True),
        between("reduce-scatter between nodes", 0, True),
        between("all-gather between nodes", 1, False),
        inside("all-gather inside nodes", 0, False),
    ]


def _around(name: str, ranks: int, offset: int, combine: bool = False) -> Phase:
    rank = np.arange(ranks)
    successor = (rank + 1) % ranks
    return Phase(
        name, ranks - 1, lambda step: same_slot(rank, successor, (rank + offset - step) % ranks, combine=combine)
    )


def _chain(
    name: str, segments: int, source: np.ndarray, destination: np.ndarray, delay: np.ndarray, combine: bool
) -> Phase:
    def moves(step: int) -> tuple[Move, ...]:
        segment = step - delay
        sends = (segment >= 0) & (segment < segments)
        return same_slot(source[sends], destination[sends], segment[sends], combine=combine)

    return Phase(name, len(source) - 1 + segments if len(source) else 0, moves)
