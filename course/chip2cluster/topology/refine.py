"""A good cut, fast: swaps and flips after Kernighan and Lin."""

from math import inf
from time import monotonic

import numpy as np

from .problem import MATRIX_NODES


def local_search(problem, order, deadline, starts=24):
    """A good bisection: swaps and flips after Kernighan and Lin, from several starts.

    Returns the side as truth values, and its cost in units. ``order`` is a list of all
    nodes; its first terminals are one of the starts.
    """
    n, rng = len(problem.nodes), np.random.default_rng(1)
    prefix = np.zeros(n, bool)
    hosts = [u for u in order if problem.terminal[u]]
    prefix[order[: order.index(hosts[problem.half])]] = True
    if n > MATRIX_NODES:
        return prefix, problem.cost(prefix)
    weights = problem.matrix()
    best, cheapest = None, inf
    for start in range(starts):
        side = prefix.copy()
        if start:
            side = rng.random(n) < 0.5
            side[problem.terminal] = rng.permutation(len(hosts)) < problem.half
        cost = problem.cost(side)
        while monotonic() < deadline:
            gained = _pass(weights, problem.terminal, side, deadline)
            if gained <= 1e-9 * max(cost, 1):
                break
            cost -= gained
        if best is None or cost < cheapest * (1 - 1e-12):
            best, cheapest = side.copy(), cost
        if monotonic() > deadline:
            break
    return best, problem.cost(best)


def _pass(weights, terminal, side, deadline, candidates=12):
    """One pass in place: move everything once, best first, keep the best moment; return the gain."""
    sign = np.where(side, 1.0, -1.0)
    gain = -sign * (weights @ sign)  # what moving a node alone would save
    free = np.ones(len(side), bool)
    moves, total, top, keep = [], 0.0, 0.0, 0

    def move(u):
        nonlocal gain
        gain += 2 * sign * sign[u] * weights[u]
        gain[u] = -gain[u]
        sign[u] = -sign[u]
        free[u] = False
        moves.append(u)

    while monotonic() < deadline:
        ours = np.flatnonzero(free & terminal & (sign > 0))
        theirs = np.flatnonzero(free & terminal & (sign < 0))
        switches = np.flatnonzero(free & ~terminal)
        swap = flip = -inf
        if len(ours) and len(theirs):
            if len(ours) > candidates:
                ours = ours[np.argpartition(-gain[ours], candidates)[:candidates]]
            if len(theirs) > candidates:
                theirs = theirs[np.argpartition(-gain[theirs], candidates)[:candidates]]
            value = gain[ours][:, None] + gain[theirs] - 2 * weights[np.ix_(ours, theirs)]
            i, j = np.unravel_index(value.argmax(), value.shape)
            swap = value[i, j]
        if len(switches):
            s = switches[gain[switches].argmax()]
            flip = gain[s]
        if swap == flip == -inf:
            break
        if flip >= swap:
            move(s)
        else:
            move(ours[i])
            move(theirs[j])
        total += max(swap, flip)
        if total > top + 1e-12:
            top, keep = total, len(moves)
    side[moves[:keep]] ^= True
    return top
