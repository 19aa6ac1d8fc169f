"""Minimum bisection of a graph with a narrow frontier, by dynamic programming.

Nodes are assigned to a side one after the other. The cost of the remaining nodes depends
only on the number of terminals on the first side and on the sides of the *frontier*: the
assigned nodes that have unassigned neighbours. The table holds the smallest cost of each
of these states (dynamic programming over a path decomposition). Its size doubles with
every node of the frontier, which is feasible for any twenty nodes, and for larger rings,
grids, trees and fabrics.
"""

from time import monotonic

import numpy as np
from numpy.typing import NDArray

CELLS = 40_000_000  # entries of all tables: about a second, and up to 200 MB

Neighbours = list[dict[int, float]]  # for each node, the capacity to every neighbour
Order = list[tuple[int, list[int]]]  # each node, with the nodes that leave the frontier after it


def minimum_bisection(neighbours: Neighbours, terminal: NDArray, deadline: float) -> NDArray | None:
    """Return one side of a minimum bisection, or None if the tables are too large or time runs out."""
    starts = range(0, len(neighbours), max(1, len(neighbours) // 8))
    order = min((_order(neighbours, start) for start in starts), key=lambda order: _cells(order, terminal))
    if _cells(order, terminal) > CELLS:
        return None
    # First axis: number of terminals on the first side. One more axis for the side of each node of the frontier.
    table: NDArray = np.zeros(1)
    row_counts, frontier = range(1), list[int]()
    decisions: list[tuple[int, list[int], int, NDArray]] = []
    for (u, leaving), counts in zip(order, _counts(order, terminal), strict=True):
        if monotonic() > deadline:
            return None
        grown = np.full((len(counts), 2, *table.shape[1:]), np.inf)
        for side_of_u in (0, 1):
            before = [count - (side_of_u and int(terminal[u])) for count in counts]
            rows = [row for row, count in enumerate(before) if count in row_counts]
            grown[rows, side_of_u] = table[[before[row] - row_counts[0] for row in rows]]
        for axis, v in enumerate(frontier, start=2):
            if capacity := neighbours[u].get(v):
                sides = np.moveaxis(grown, (1, axis), (0, 1))
                sides[0, 1] += capacity
                sides[1, 0] += capacity
        table, frontier, row_counts = grown, [u, *frontier], counts
        for v in leaving:
            axis = frontier.index(v) + 1
            second, first = table.take(0, axis), table.take(1, axis)
            frontier = [w for w in frontier if w != v]
            decisions.append((v, frontier, row_counts[0], np.less(first, second)))
            table = np.minimum(first, second)
    # Backtrack: the side of a node that left the frontier follows from the sides of the nodes that stayed in it.
    side, count = np.zeros(len(neighbours), bool), int(terminal.sum()) // 2
    for u, leaving in reversed(order):
        for _ in leaving:
            v, frontier, least, better = decisions.pop()
            side[v] = better[(count - least, *side[frontier].astype(int))]
        count -= int(side[u] and terminal[u])
    return side


def _counts(order: Order, terminal: NDArray) -> list[range]:
    """Return, for each node, the numbers of terminals on the first side from which half of them can be reached."""
    placed = np.cumsum(terminal[[u for u, _ in order]])
    total = int(placed[-1])
    half = total // 2
    return [range(max(0, half - (total - int(n))), min(half, int(n)) + 1) for n in placed]


def _cells(order: Order, terminal: NDArray) -> int:
    """Return the total number of entries of the tables."""
    width = cells = 0
    for (_, leaving), counts in zip(order, _counts(order, terminal), strict=True):
        cells += len(counts) * 2 << width
        width += 1 - len(leaving)
    return cells


def _order(neighbours: Neighbours, start: int) -> Order:
    """Return all nodes in a greedy order that keeps the frontier short."""
    unassigned_neighbours = [set(edges) for edges in neighbours]
    unassigned, frontier, order = set(range(len(neighbours))), set(), []

    def lengthens(u: int) -> tuple[int, int, int]:
        closed = sum(v in frontier and len(unassigned_neighbours[v]) == 1 for v in neighbours[u])
        return bool(unassigned_neighbours[u]) - closed, len(unassigned_neighbours[u]), u

    u = start
    while True:
        unassigned.discard(u)
        frontier.add(u)
        for v in neighbours[u]:
            unassigned_neighbours[v].discard(u)
        leaving = [v for v in (u, *neighbours[u]) if v in frontier and not unassigned_neighbours[v]]
        frontier.difference_update(leaving)
        order.append((u, leaving))
        if not unassigned:
            return order
        u = min({w for v in frontier for w in unassigned_neighbours[v]} or unassigned, key=lengthens)
