"""The narrowest halving of a graph that is narrow somewhere, by a table of all cuts.

Nodes take a side one after the other. What the rest will cost depends only on how many
terminals stand on the first side, and on the sides of the *frontier*: the placed nodes
with neighbours yet to come. The table holds the cheapest way to each of these states
(dynamic programming over a path decomposition). It doubles with every node of the
frontier, which is enough for any two dozen nodes, and for rings, grids, trees and
fabrics of more.
"""

from time import monotonic

import numpy as np
from numpy.typing import NDArray

CELLS = 60_000_000  # of all tables together: a second or two, some hundred MB

Neighbours = list[dict[int, float]]  # of each node, the capacity to every neighbour
Order = list[tuple[int, list[int]]]  # each node, and those that leave the frontier behind it


def cheapest(neighbours: Neighbours, terminal: NDArray, deadline: float) -> NDArray | None:
    """One side of a narrowest halving; None where the tables would be too large or time runs out."""
    half = int(terminal.sum()) // 2
    starts = range(0, len(neighbours), max(1, len(neighbours) // 8))
    order = min((_order(neighbours, start) for start in starts), key=_states)
    if (half + 1) * _states(order) > CELLS:
        return None
    # First axis: terminals on the first side so far. One more for each node of the frontier: its side.
    table = np.full(half + 1, np.inf)
    table[0] = 0.0
    frontier: list[int] = []
    decisions = []
    for u, leaving in order:
        if monotonic() > deadline:
            return None
        second, first = table.copy(), table
        for axis, v in enumerate(frontier, start=1):
            if capacity := neighbours[u].get(v):
                np.moveaxis(second, axis, 0)[1] += capacity
                np.moveaxis(first, axis, 0)[0] += capacity
        if terminal[u]:
            first[1:] = first[:-1].copy()
            first[0] = np.inf
        table, frontier = np.stack([second, first], axis=1), [u, *frontier]
        for v in leaving:
            axis = frontier.index(v) + 1
            better = table.take(1, axis) < table.take(0, axis)
            table, frontier = table.min(axis), [w for w in frontier if w != v]
            decisions.append((v, frontier, better))
    # Back from the end: whoever left the frontier is decided by the sides of those that stayed.
    side, held = np.zeros(len(neighbours), bool), half
    for u, leaving in reversed(order):
        for _ in leaving:
            v, frontier, better = decisions.pop()
            side[v] = better[(held, *side[frontier].astype(int))]
        held -= int(side[u] and terminal[u])
    return side


def _order(neighbours: Neighbours, start: int) -> Order:
    """All nodes in an order that keeps the frontier short, greedily."""
    waiting = [set(edges) for edges in neighbours]
    unplaced, frontier, order = set(range(len(neighbours))), set(), []

    def lengthens(u: int) -> tuple[int, int, int]:
        closed = sum(v in frontier and len(waiting[v]) == 1 for v in neighbours[u])
        return bool(waiting[u]) - closed, len(waiting[u]), u

    u = start
    while True:
        unplaced.discard(u)
        frontier.add(u)
        for v in neighbours[u]:
            waiting[v].discard(u)
        leaving = [v for v in (u, *neighbours[u]) if v in frontier and not waiting[v]]
        frontier.difference_update(leaving)
        order.append((u, leaving))
        if not unplaced:
            return order
        u = min({w for v in frontier for w in waiting[v]} or unplaced, key=lengthens)


def _states(order: Order) -> int:
    """Sides of the frontier, summed over the way."""
    width = states = 0
    for _, leaving in order:
        states += 2 << width
        width += 1 - len(leaving)
    return states
