"""Schedules on trees: few steps, but the ranks near the root send the most."""

from __future__ import annotations

import numpy as np

from .exchanges import recursive_halving
from .rings import all_gather
from .schedule_steps import Move, Phase, Plan, blocks, same_slot


def broadcast(ranks: int) -> Plan:
    """Broadcast on a binomial tree: each rank that has the message sends it to one that has not."""
    return 1, [Phase("broadcast", _levels(ranks), lambda step: same_slot(*_down(ranks, step), 0))]


def reduce(ranks: int) -> Plan:
    """Reduce on the same tree towards the root, adding at each level."""
    return 1, [Phase("reduce", _levels(ranks), lambda step: same_slot(*_up(ranks, step), 0, combine=True))]


def all_reduce(ranks: int) -> Plan:
    """All-reduce: reduce to rank 0, then broadcast from rank 0."""
    return 1, reduce(ranks)[1] + broadcast(ranks)[1]


def scatter(ranks: int) -> Plan:
    """Scatter: each rank receives the blocks of its whole branch and forwards all but its own."""

    def moves(step: int) -> tuple[Move, ...]:
        parent, child = _down(ranks, step)
        return blocks(parent, child, child, _branch(ranks, child))

    return ranks, [Phase("scatter", _levels(ranks), moves)]


def gather(ranks: int) -> Plan:
    """Gather, the reverse of the scatter: each rank sends its parent the blocks of its whole branch."""

    def moves(step: int) -> tuple[Move, ...]:
        child, parent = _up(ranks, step)
        return blocks(child, parent, child, _branch(ranks, child))

    return ranks, [Phase("gather", _levels(ranks), moves)]


def van_de_geijn_broadcast(ranks: int) -> Plan:
    """Broadcast by a tree scatter, then a ring all-gather: no rank sends more than twice the message."""
    return ranks, scatter(ranks)[1] + all_gather(ranks)[1]


def rabenseifner_reduce(ranks: int) -> Plan:
    """Reduce by recursive halving (reduce-scatter), then a tree gather."""
    return ranks, recursive_halving(ranks)[1] + gather(ranks)[1]


def double_binary_tree_all_reduce(ranks: int, segments: int) -> Plan:
    """All-reduce on two trees, each for half of the message; each rank is an inner node in one of them only.

    Slices travel up and down both trees in a pipeline: slice j of a rank at depth d goes
    up in step j + height - d and down to its children in step height + d + j.
    """
    trees = [_binary_tree(ranks), _complementary_tree(ranks)]
    height = max((depth.max() for _, depth in trees), default=0)

    def moves(step: int) -> tuple[Move, ...]:
        up: list[list[np.ndarray]] = [[], []]
        down = []
        for tree, (parent, depth) in enumerate(trees):
            child = np.flatnonzero(parent >= 0)
            above = parent[child]
            segment = step - (height - depth[child])
            # The first and the second child of a rank have the same target, so they need separate moves.
            second = np.ones(len(child), bool)
            second[np.unique(above, return_index=True)[1]] = False
            for side in (False, True):
                up[side].append(_pieces(child, above, segment, second == side, tree, segments))
            segment = step - (height + depth[above])
            down.append(_pieces(above, child, segment, True, tree, segments))
        sums = [same_slot(*np.concatenate(side, axis=1), combine=True)[0] for side in up]
        return (*sums, *same_slot(*np.concatenate(down, axis=1)))

    steps = 2 * int(height) + segments - 1 if ranks > 1 else 0
    return 2 * segments, [Phase("reduce and broadcast", steps, moves)]


def _pieces(
    source: np.ndarray,
    destination: np.ndarray,
    segment: np.ndarray,
    chosen: np.ndarray | bool,
    tree: int,
    segments: int,
) -> np.ndarray:
    chosen = chosen & (segment >= 0) & (segment < segments)
    return np.stack([source[chosen], destination[chosen], segment[chosen] + tree * segments])


def _binary_tree(ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """Return parents (-1 for the root, rank 0) and depths of a tree whose leaves are the odd ranks.

    A rank's lowest 1 bit is its level. Its parent is one level up, on the side that keeps
    the tree in order; if that rank does not exist, it is the next lower one that does.
    """
    rank = np.arange(ranks)
    bit = rank & -rank
    parent = (rank ^ bit) | (bit << 1)
    parent = np.where(parent < ranks, parent, rank ^ bit)
    parent[0] = -1
    depth = np.zeros(ranks, int)
    above = parent
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    return parent, depth


def _complementary_tree(ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the same tree with the ranks renumbered, so that inner nodes of one are leaves of the other."""
    parent, depth = _binary_tree(ranks)
    rank = np.arange(ranks)
    # New number of each rank: mirrored for an even number of ranks, shifted for an odd one.
    renumbered = ranks - 1 - rank if ranks % 2 == 0 else (rank + 1) % ranks
    other_parent, other_depth = np.empty_like(parent), np.empty_like(depth)
    other_parent[renumbered] = np.where(parent >= 0, renumbered[parent], -1)
    other_depth[renumbered] = depth
    return other_parent, other_depth


def _levels(ranks: int) -> int:
    return (ranks - 1).bit_length()


def _down(ranks: int, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the parents and children that communicate in a step of the binomial tree, the longest hop first."""
    hop = 1 << (_levels(ranks) - 1 - step)
    parent = np.arange(0, ranks - hop, 2 * hop)
    return parent, parent + hop


def _up(ranks: int, step: int) -> tuple[np.ndarray, np.ndarray]:
    parent, child = _down(ranks, _levels(ranks) - 1 - step)
    return child, parent


def _branch(ranks: int, child: np.ndarray) -> np.ndarray:
    """Return the number of ranks in the branch that starts with ``child``: its lowest 1 bit, limited by ``ranks``."""
    return np.minimum(child & -child, ranks - child)
