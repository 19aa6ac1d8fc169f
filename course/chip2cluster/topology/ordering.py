"""In what order to place nodes so that few of the placed have neighbours yet to come."""

import numpy as np

ORDERED_NODES = 300  # beyond this the greedy order costs more than the budget allows


def best_order(problem):
    """Nodes in an order that keeps the frontier short: greedy, the best of a few starts."""
    n = len(problem.nodes)
    return short_order(problem, range(n), max(1, 1500 // n))[1] if n <= ORDERED_NODES else _breadth_first(problem)


def short_order(problem, members, starts):
    """Effort (placements of the frontier, summed) and order of ``members`` alone, the best of ``starts``."""
    members, rng = list(members), np.random.default_rng(0)
    chosen = rng.permutation(len(members))[:starts]
    return min((_greedy(problem, members, members[i], rng) for i in chosen), key=lambda pair: pair[0])


def _greedy(problem, members, start, rng):
    unplaced, frontier, order, effort = set(members), set(), [], 0.0
    left = {u: unplaced.intersection(problem.neighbours[u]) for u in members}
    u = start
    while True:
        order.append(u)
        unplaced.discard(u)
        frontier.add(u)
        effort += 2.0 ** len(frontier)
        for v in left.keys() & problem.neighbours[u].keys():
            left[v].discard(u)
        frontier = {v for v in frontier if left[v]}
        if not unplaced:
            return effort, order
        near = {w for v in frontier for w in left[v]} or unplaced
        options = []
        for w in sorted(near):
            closes = sum(v in frontier and len(left[v]) == 1 for v in problem.neighbours[w])
            # A tie is broken at random so that other starts lead to other orders.
            options.append((bool(left[w]) - closes, len(left[w]), rng.random(), w))
        u = min(options)[-1]


def _breadth_first(problem):
    order, seen = [], set()
    for start in range(len(problem.nodes)):
        if start in seen:
            continue
        seen.add(start)
        queue = [start]
        for u in queue:
            for v in problem.neighbours[u]:
                if v not in seen:
                    seen.add(v)
                    queue.append(v)
        order += queue
    return order
