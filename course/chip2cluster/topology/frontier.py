"""The narrowest halving of a graph that is narrow somewhere, by a table of all cuts.

Nodes take a side one after the other. What the rest will cost depends only on how many
terminals stand on the first side, and on the sides of the *frontier*: the placed nodes
with neighbours yet to come. The table holds the cheapest way to each of these states
(dynamic programming over a path decomposition). It doubles with every node of the
frontier, which is enough for any twenty nodes, and for rings, grids, trees and fabrics
of more.
"""

from time import monotonic

import numpy as np
from numpy.typing import NDArray

CELLS = 40_000_000  # of all tables together: about a second, and up to 200 MB

Neighbours = list[dict[int, float]]  # of each node, the capacity to every neighbour
Order = list[tuple[int, list[int]]]  # each node, and those that leave the frontier behind it


def cheapest(neighbours: Neighbours, terminal: NDArray, deadline: float) -> NDArray | None:
    """One side of a narrowest halving; None where the tables would be too large or time runs out."""
    starts = range(0, len(neighbours), max(1, len(neighbours) // 8))
    order = min((_order(neighbours, start) for start in starts), key=lambda order: _cells(order, terminal))
    if _cells(order, terminal) > CELLS:
        return None
    # First axis: how many terminals stand on the first side. One more for each node of the frontier: its side.
    table: NDArray = np.zeros(1)
    held, frontier = range(1), list[int]()
    decisions: list[tuple[int, list[int], int, NDArray]] = []
    for (u, leaving), counts in zip(order, _counts(order, terminal), strict=True):
        if monotonic() > deadline:
            return None
        grown = np.full((len(counts), 2, *table.shape[1:]), np.inf)
        for own in (0, 1):
            before = [count - (own and int(terminal[u])) for count in counts]
            rows = [row for row, count in enumerate(before) if count in held]
            grown[rows, own] = table[[before[row] - held[0] for row in rows]]
        for axis, v in enumerate(frontier, start=2):
            if capacity := neighbours[u].get(v):
                sides = np.moveaxis(grown, (1, axis), (0, 1))
                sides[0, 1] += capacity
                sides[1, 0] += capacity
        table, frontier, held = grown, [u, *frontier], counts
        for v in leaving:
            axis = frontier.index(v) + 1
            second, first = table.take(0, axis), table.take(1, axis)
            frontier = [w for w in frontier if w != v]
            decisions.append((v, frontier, held[0], np.less(first, second)))
            table = np.minimum(first, second)
    # Back from the end: whoever left the frontier is decided by the sides of those that stayed.
    side, count = np.zeros(len(neighbours), bool), int(terminal.sum()) // 2
    for u, leaving in reversed(order):
        for _ in leaving:
            v, frontier, least, better = decisions.pop()
            side[v] = better[(count - least, *side[frontier].astype(int))]
        count -= int(side[u] and terminal[u])
    return side


def _counts(order: Order, terminal: NDArray) -> list[range]:
    """How many terminals may stand on the first side behind each node, to end with half of them."""
    placed = np.cumsum(terminal[[u for u, _ in order]])
    total = int(placed[-1])
    half = total // 2
    return [range(max(0, half - (total - int(n))), min(half, int(n)) + 1) for n in placed]


def _cells(order: Order, terminal: NDArray) -> int:
    """Cells of the tables on the way."""
    width = cells = 0
    for (_, leaving), counts in zip(order, _counts(order, terminal), strict=True):
        cells += len(counts) * 2 << width
        width += 1 - len(leaving)
    return cells


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
