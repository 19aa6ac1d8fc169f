"""Minimum bisection of any graph: exact if that is cheap, otherwise an interval.

Dynamic programming solves graphs that are small or have a narrow frontier; see
`frontier`. For others the *upper bound* is the best cut of a local search (Kernighan and
Lin 1970) and the *lower bound* comes from the spectrum: a cut costs x'Lx/4 with x of +1
and -1, and no less if the switches may take any value in between (Donath and Hoffman
1973). The bounds may meet.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .frontier import minimum_bisection

if TYPE_CHECKING:
    import networkx as nx

TABLED_NODES = 300  # for larger graphs, ordering the nodes for dynamic programming takes too long
MATRIX_NODES = 2000  # for larger graphs, a dense matrix takes too long
STARTS = 48


class Halving(NamedTuple):
    """Proved lower bound (bytes/s one way), nodes on one side of the best cut, and the method of the proof."""

    lower: float
    side: frozenset
    method: str


def search_bisection(graph: nx.Graph, time_limit: float, hint: Collection[Hashable] | None = None) -> Halving:
    """Bisect ``graph`` (nodes with ``terminal``, edges with ``capacity``) within about ``time_limit`` seconds.

    ``hint`` holds the nodes on one side of a bisection to start from.
    """
    deadline = monotonic() + time_limit
    nodes = tuple(graph)
    number = {node: i for i, node in enumerate(nodes)}
    terminal = np.array([graph.nodes[node]["terminal"] for node in nodes], bool)
    neighbours = [{number[v]: edge["capacity"] for v, edge in graph[node].items()} for node in nodes]
    side = np.cumsum(terminal) <= terminal.sum() // 2 if hint is None else np.array([node in hint for node in nodes])

    def halving(lower: float, side: NDArray, method: str) -> Halving:
        return Halving(float(lower), frozenset(nodes[u] for u in np.flatnonzero(side)), method)

    if len(nodes) > MATRIX_NODES:
        return halving(0.0, side, f"bounds: some cut; a search takes up to {MATRIX_NODES} nodes")
    weights = np.zeros((len(nodes), len(nodes)))
    for u, edges in enumerate(neighbours):
        weights[u, list(edges)] = list(edges.values())
    lower = _spectral_bound(weights, terminal)
    if lower < _cost(weights, side) * (1 - 1e-9):
        proved = minimum_bisection(neighbours, terminal, deadline) if len(nodes) <= TABLED_NODES else None
        if proved is not None:
            return halving(_cost(weights, proved), proved, "search: table of all cuts, node by node")
        side = _refined(weights, terminal, side, deadline)
    if lower < _cost(weights, side) * (1 - 1e-9):
        return halving(lower, side, "bounds: the best cut found and the spectral bound; not settled")
    return halving(lower, side, "search: the best cut found meets the spectral bound")


def _cost(weights: NDArray, side: NDArray) -> float:
    return weights[side][:, ~side].sum()


def _spectral_bound(weights: NDArray, terminal: NDArray) -> float:
    """Return the lower bound from the second eigenvalue of the Laplacian with switches eliminated.

    If all links are equal, the bound is rounded up to a whole number of links.
    """
    hosts, switches = np.flatnonzero(terminal), np.flatnonzero(~terminal)
    if len(hosts) < 2 or not weights.any():
        return 0.0
    laplacian = np.diag(weights.sum(axis=1)) - weights
    bridge = laplacian[np.ix_(hosts, switches)]
    inner = np.linalg.pinv(laplacian[np.ix_(switches, switches)], hermitian=True) if len(switches) else np.zeros((0, 0))
    eigenvalues = np.linalg.eigvalsh(laplacian[np.ix_(hosts, hosts)] - bridge @ inner @ bridge.T)
    second = eigenvalues[1] - 1e-10 * eigenvalues[-1]  # minus the rounding error
    if second <= 1e-10 * weights.max():
        return 0.0  # disconnected, or numerically so
    half = len(hosts) // 2
    bound = second * half * (len(hosts) - half) / len(hosts)
    unit = weights[weights > 0].min()
    if np.allclose(weights / unit, (weights / unit).round(), rtol=1e-12, atol=0):
        return ceil(bound / unit - 1e-6) * unit
    return bound


def _refined(weights: NDArray, terminal: NDArray, side: NDArray, deadline: float) -> NDArray:
    """Return the best bisection by Kernighan-Lin passes from ``side`` and from random starts."""
    rng, hosts, half = np.random.default_rng(1), int(terminal.sum()), int(side[terminal].sum())
    best, least = side, np.inf
    for start in range(STARTS):
        if start:
            side = rng.random(len(side)) < 0.5
            side[terminal] = rng.permutation(hosts) < half
        saved = np.inf
        while saved > 0 and monotonic() < deadline:
            side, saved = _pass(weights, terminal, side)
        if _cost(weights, side) < least * (1 - 1e-9):
            best, least = side, _cost(weights, side)
        if monotonic() > deadline:
            break
    return best


def _pass(weights: NDArray, terminal: NDArray, side: NDArray) -> tuple[NDArray, float]:
    """Move every node once, the largest saving first; return the best intermediate state and its saving."""
    sign = np.where(side, 1.0, -1.0)
    gain = -sign * (weights @ sign)  # saving from moving a single node
    free, rounding = np.ones(len(side), bool), 1e-12 * weights.sum()
    best, most, saved = side, 0.0, 0.0
    while True:
        moves: list[tuple[float, tuple[int, ...]]] = []
        ours, theirs, switches = free & terminal & (sign > 0), free & terminal & (sign < 0), free & ~terminal
        if ours.any() and theirs.any():  # swap two terminals
            u = int(np.where(ours, gain, -np.inf).argmax())
            v = int(np.where(theirs, gain - 2 * weights[u], -np.inf).argmax())
            moves.append((gain[u] + gain[v] - 2 * weights[u, v], (u, v)))
        if switches.any():
            u = int(np.where(switches, gain, -np.inf).argmax())
            moves.append((gain[u], (u,)))
        if not moves:
            return best, most
        value, moved = max(moves)
        for u in moved:
            gain += 2 * sign * sign[u] * weights[u]
            gain[u] *= -1
            sign[u] *= -1
            free[u] = False
        saved += value
        if saved > most + rounding:
            best, most = sign > 0, saved
