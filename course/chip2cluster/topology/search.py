"""Exact bisection of any graph of some tens of terminals: a search that merges what is alike.

Nodes are placed on a side one after the other. What the rest can cost depends only on
how many terminals are still owed and on the sides of the *frontier*, the placed nodes
with neighbours yet to come; of all partial placements that agree in these, the cheapest
stands for the others (dynamic programming over a path decomposition). A partial
placement is dropped when a bound on its completion cannot beat the best cut known
(branch and bound). If time runs out, the least bound among the placements still alive
is a proved lower bound.
"""

from dataclasses import dataclass
from itertools import product
from time import monotonic

import numpy as np

from .bounds import lower_bound, spectral
from .ordering import ORDERED_NODES, best_order, short_order
from .problem import Problem
from .refine import local_search

SEARCHED_NODES = 600
LIVE = 6_000_000  # placements held at once, some 60 bytes each while they are sorted
CHUNK = 8_192
SLOTS = 48  # bits of a key for the frontier; the other 16 count terminals
CELLS = 30_000_000  # of the tables behind an exact profile of the rest, at most
WORTH = 300  # cells that are worth their time for each placement they help to drop


@dataclass(frozen=True)
class Found:
    """Bounds in bytes/s one way, the nodes of one side of the best cut, and what proved it."""

    lower: float
    upper: float
    side: frozenset
    method: str


@dataclass(frozen=True)
class Exact:
    """A profile as a table."""

    costs: np.ndarray

    def at(self, a):
        return self.costs[a]


def search(graph, time_limit, hint=None):
    """Bisect ``graph`` (nodes with ``terminal``, edges with ``capacity``) within ``time_limit`` seconds.

    ``hint`` is a set of nodes on one side of a bisection that is known to be good.
    """
    started = monotonic()
    deadline = started + 0.9 * time_limit
    problem = Problem.of(graph)
    order = best_order(problem)
    side, best = local_search(problem, order, started + 0.3 * time_limit)
    if hint is not None:
        hinted = np.array([node in hint for node in problem.nodes])
        if problem.improves(problem.cost(hinted), best):
            side, best = hinted, problem.cost(hinted)
    lower, proof = lower_bound(problem, best)
    if problem.improves(lower, best) and len(problem.nodes) <= SEARCHED_NODES:
        proved, cost, better = _exhaust(problem, order, best, deadline)
        if better is not None:
            side, best = better, cost
        if proved > lower:
            lower, proof = proved, "branch and bound"
    if not problem.improves(lower, best):
        return _found(problem, best, best, side, f"search: the best cut found meets the {proof} bound")
    return _found(problem, lower, best, side, f"bounds: the best cut found and the {proof} bound; not settled in time")


def _found(problem, lower, upper, side, method):
    names = frozenset(problem.nodes[u] for u in np.flatnonzero(side))
    return Found(float(lower * problem.unit), float(upper * problem.unit), names, method)


def _exhaust(problem, order, best, deadline):
    """Return a proved lower bound, the cost of the best cut, and its side if it beats ``best``."""
    owed = problem.half
    number = np.int32 if problem.whole else np.float64
    even = 2 * owed == problem.terminal.sum()  # then the first node may stay on one side
    slot, free = {}, list(range(SLOTS))[::-1]
    masks, counts, costs = np.zeros(1, np.uint64), np.zeros(1, np.int16), np.zeros(1, number)
    history, proved, last = [], 0, 0.0
    waiting = [set(edges) for edges in problem.neighbours]
    for position, u in enumerate(order):
        begun = monotonic()
        if not free or begun + 2.5 * last > deadline:
            return proved, best, None
        edges, own = problem.neighbours[u], int(problem.terminal[u])
        bit = np.uint64(1 << free[-1])
        earlier = [(slot[v], edges[v]) for v in edges if v in slot]
        slot[u] = free.pop()
        for v in edges:
            waiting[v].discard(u)
        sides = (True,) if position == 0 and even else (False, True)
        ahead = _ahead(problem, order[position + 1 :], slot, min(CELLS, WORTH * len(sides) * len(masks)))
        kept, least = [], np.inf
        for first_side, start in product(sides, range(0, len(masks), CHUNK)):
            if monotonic() > deadline or sum(len(indices) for indices, *_ in kept) > LIVE:
                return proved, best, None
            across, everything = _weights(masks[start : start + CHUNK], earlier, number)
            cost = costs[start : start + CHUNK] + (everything - across if first_side else across)
            mask = masks[start : start + CHUNK] | (bit if first_side else np.uint64(0))
            count = counts[start : start + CHUNK] + np.int16(own * first_side)
            bound = cost + ahead(mask, owed - count, number)
            alive = np.flatnonzero(problem.improves(bound, best))
            if len(alive):
                least = min(least, float(bound[alive].min()))
                kept.append((alive.astype(np.int32) + np.int32(start), mask[alive], count[alive], cost[alive]))
        if not kept:
            return best, best, None
        proved = max(proved, min(best, least))
        parents, masks, counts, costs = (np.concatenate(column) for column in zip(*kept))
        chosen = (masks & bit) != 0

        for v in [v for v in slot if not waiting[v]]:
            masks = masks & ~np.uint64(1 << slot[v])
            free.append(slot.pop(v))
        keys = masks | counts.astype(np.uint64) << np.uint64(SLOTS)
        sorting = np.lexsort((costs, keys))
        keys = keys[sorting]
        first = sorting[np.concatenate([[True], keys[1:] != keys[:-1]])]
        masks, counts, costs = masks[first], counts[first], costs[first]
        history.append((parents[first], chosen[first]))
        last = monotonic() - begun

    at = int(costs.argmin())
    side = np.zeros(len(order), bool)
    cost = costs[at]
    for u, (parents, chosen) in zip(order[::-1], history[::-1]):
        side[u], at = chosen[at], parents[at]
    return cost, cost, side


def _weights(masks, edges, number):
    """Capacity from each placement's chosen side along ``edges`` of (slot, capacity), and all of it."""
    across = np.zeros(len(masks), number)
    by_capacity = {}
    for slot, capacity in edges:
        by_capacity[capacity] = by_capacity.get(capacity, 0) | 1 << slot
    for capacity, bits in by_capacity.items():
        across += np.bitwise_count(masks & np.uint64(bits)).astype(number) * number(capacity)
    return across, number(sum(capacity for _, capacity in edges))


def _ahead(problem, rest, slot, cells):
    """Make a function that bounds the cost of placing ``rest``, given frontier and terminals owed.

    Links to the frontier: each node of the rest takes a side; owing ``a`` terminals,
    those that save most by the first side take it. Links within the rest: the spectrum,
    or the exact profile where that takes at most ``cells`` of work.
    """
    hosts = [u for u in rest if problem.terminal[u]]
    profile = _profile(problem, rest, cells) or spectral(problem, rest)

    def edges(u):
        return [(slot[v], c) for v, c in problem.neighbours[u].items() if v in slot]

    touched = [edges(u) for u in hosts if any(v in slot for v in problem.neighbours[u])]
    switches = [edges(u) for u in rest if not problem.terminal[u] and any(v in slot for v in problem.neighbours[u])]
    far = len(hosts) - len(touched)

    def bound(masks, owed, number):
        base = np.zeros(len(masks), number)
        for near in switches:
            across, everything = _weights(masks, near, number)
            base += np.minimum(across, everything - across)
        saving = np.zeros((len(touched), len(masks)), number)
        for i, near in enumerate(touched):
            across, everything = _weights(masks, near, number)
            base += across  # as if on the second side
            saving[i] = everything - 2 * across
        possible = (owed >= 0) & (owed <= len(hosts))
        owed = np.clip(owed, 0, len(hosts))
        take = np.clip((saving < 0).sum(axis=0), np.maximum(owed - far, 0), np.minimum(owed, len(touched)))
        saving = np.sort(saving.T, axis=1)  # one placement a row: in cache, and twice as fast
        saving *= np.arange(len(touched)) < take[:, None]
        total = base + saving.sum(axis=1, dtype=number)
        within = profile.at(owed)
        total = total + (np.ceil(within - 1e-6) if problem.whole else within)
        return np.where(possible, total, np.inf)

    return bound


def _profile(problem, members, cells):
    """Least cost within ``members`` for each number of terminals on one side; None if too wide.

    The same dynamic program with nothing dropped, as a table: rows for the terminals
    on the first side, columns for the sides of the frontier.
    """
    if not members or cells < 64 * len(members) or len(members) > ORDERED_NODES:
        return None  # not worth looking for an order
    effort, order = short_order(problem, members, 2)
    if effort * len(members) > cells:
        return None
    inside = set(members)
    table, frontier, placed = np.zeros((1, 1)), [], set()
    for u in order:
        near = problem.neighbours[u]
        across = np.zeros(1)
        for v in frontier:
            across = np.add.outer(across, [0.0, near.get(v, 0.0)]).ravel()
        own = int(problem.terminal[u])
        grown = np.full((len(table) + own, 2, table.shape[1]), np.inf)
        grown[: len(table), 0] = table + across
        grown[own:, 1] = table + across[::-1]  # the other side cuts the links that this one does not
        table, frontier = grown.reshape(len(grown), -1), [u, *frontier]
        placed.add(u)
        for v in [v for v in frontier if all(w in placed for w in problem.neighbours[v] if w in inside)]:
            place = frontier.index(v)
            table = table.reshape(len(table), 2**place, 2, -1).min(axis=2).reshape(len(table), -1)
            frontier.remove(v)
    return Exact(table.min(axis=1))
