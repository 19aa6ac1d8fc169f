"""A graph as the arrays that bounds and search work on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

MATRIX_NODES = 2000  # beyond this a dense matrix costs more than the budget allows


@dataclass(frozen=True)
class Problem:
    """A graph as arrays. Capacities are in units, whole numbers wherever that is possible."""

    nodes: tuple
    terminal: np.ndarray  # truth value of each node
    neighbours: tuple  # of each node, a dict from neighbour to capacity
    unit: float  # bytes/s one way
    whole: bool

    @classmethod
    def of(cls, graph):
        nodes = tuple(graph)
        index = {node: i for i, node in enumerate(nodes)}
        capacities = np.array([c for *_, c in graph.edges(data="capacity")])
        unit, whole = _unit(capacities)
        scaled = (lambda c: round(c / unit)) if whole else (lambda c: c / unit)
        neighbours = tuple(
            {index[other]: scaled(data["capacity"]) for other, data in graph[node].items()} for node in nodes
        )
        terminal = np.array([graph.nodes[node]["terminal"] for node in nodes], bool)
        return cls(nodes, terminal, neighbours, unit, whole)

    @cached_property
    def half(self):
        return int(self.terminal.sum()) // 2

    @cached_property
    def step(self):
        """Distance between two possible values of a cut; 0 when they are no whole numbers.

        A cut is the sum of the degrees on one side less twice the links inside, so
        degrees of one parity make all bisections of one parity.
        """
        if not self.whole:
            return 0
        odd = {sum(edges.values()) % 2 for edges in self.neighbours}
        return 2 if odd <= {0} or (len(odd) == 1 and self.terminal.all()) else 1

    def improves(self, bound, best):
        """Whether a cut that costs at least ``bound`` could still be better than ``best``."""
        return bound < best * (1 - 1e-9) if not self.whole else bound <= best - self.step + 1e-6

    def cost(self, side):
        return sum(c for u, edges in enumerate(self.neighbours) if side[u] for v, c in edges.items() if not side[v])

    def matrix(self, members=None):
        """Capacities between ``members`` (all nodes if left out) as a dense array."""
        members = range(len(self.nodes)) if members is None else members
        place = {u: i for i, u in enumerate(members)}
        weights = np.zeros((len(place), len(place)))
        for u, i in place.items():
            for v, c in self.neighbours[u].items():
                if v in place:
                    weights[i, place[v]] = c
        return weights


def _unit(capacities):
    """A capacity that all are whole multiples of, and whether there is one."""
    if not len(capacities):
        return 1.0, True
    least = capacities.min()
    ratio = capacities / least
    if np.allclose(ratio, ratio.round(), rtol=1e-12, atol=0):
        return float(least), bool(ratio.sum() < 2**30)
    if (capacities == capacities.round()).all() and capacities.max() < 2**53:
        unit = float(np.gcd.reduce(capacities.astype(np.int64)))
        if capacities.sum() / unit < 2**30:
            return unit, True
    return float(least), False
