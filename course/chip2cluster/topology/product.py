"""Bisection and distance of a grid: the Cartesian product of paths, rings and cliques.

The product of factors of k_1, ..., k_d nodes has N = k_1 ... k_d nodes; two nodes are
linked when they differ in one coordinate and that coordinate's factor links them.

*Upper bound.* The staircase cut: halve one dimension in the middle; when its size is
odd, halve the middle slab along the next dimension, and so on.

*Lower bound.* Let every pair of nodes exchange one unit with dimension-order routing. A
link of dimension i then carries (N / k_i) b_i units, where b_i is the load on the
factor's busiest link: floor(k*k/4) for a path, half that for a ring, 1 for a clique. The
halves exchange floor(N/2) ceil(N/2) units, which the cut must carry (Leighton 1992,
section 1.9).

*Theorems.* The staircase, best dimension first, is optimal for products of equal
paths or of equal rings, of any sizes (Arjona Aroca and Fernandez Anta, "Bisection
(band)width of product networks with application to data centers", IEEE TPDS 25(3),
2014), and for products of equal cliques (Lindsey 1964). If no theorem applies and the
bounds do not meet, the result is an interval.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product as combinations
from math import ceil, inf, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import layout
from .grid_dimensions import Factor
from .layout import LinkPath, Node, Positions
from .network import connect
from .structure import Bounds, Structure

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Product(Structure):
    """Closed forms of a grid of nodes, each with ``hosts`` hosts (0: the nodes are the terminals)."""

    factors: tuple[Factor, ...]
    hosts: int = 0
    host_bandwidth: float = 1.0

    @cached_property
    def used(self) -> tuple[Factor, ...]:
        """Dimensions of more than one node."""
        return tuple(f for f in self.factors if f.size > 1)

    @cached_property
    def nodes(self) -> int:
        """Number of nodes."""
        return prod(f.size for f in self.used)

    @property
    def terminals(self) -> int:
        """Number of terminals."""
        return self.nodes * (self.hosts or 1)

    def injection(self) -> float:
        """Return the bandwidth of the worst-connected terminal's links, bytes/s."""
        if self.hosts:
            return self.host_bandwidth
        return float(sum(f.degree * f.capacity for f in self.used))

    def bounds(self) -> Bounds:
        """Return the proved bounds of the bisection."""
        half = self.terminals // 2
        upper, links, _ = _staircase(self.used)
        method = self._theorem()
        lower = upper if method else self._routing()
        if not self.hosts:
            if not method and lower >= upper * (1 - 1e-12):
                lower, method = upper, "closed form: staircase cut meets the routing bound"
            return Bounds(lower, upper, links, method or "bounds: staircase cut and routing bound")

        # A host on the other side than its node costs its link. The routing bound is
        # concave in the number of hosts on one side, so its minimum is at an end.
        c, spare = self.host_bandwidth, half - self.hosts * (self.nodes // 2)
        upper, links = min((upper + c * spare, links + spare), (c * half, half))
        if self._cliques():
            lower = self._lindsey()
            return Bounds(lower, lower, links, "closed form: product of cliques (Lindsey 1964)")
        pairs = half * (self.terminals - half) / self.hosts**2
        lower = min(c * half, pairs / self._worst_load())
        if lower >= upper * (1 - 1e-12):
            return Bounds(upper, upper, links, "closed form: staircase cut meets the routing bound")
        return Bounds(lower, upper, links, "bounds: staircase cut and routing bound")

    def side(self) -> NDArray:
        """Return the terminals on one side of the best known cut, as an array of bool."""
        order = _staircase(self.used)[2]
        half = self.terminals // 2
        if self.hosts and self.host_bandwidth * half <= self.bounds().upper * (1 + 1e-12):
            return np.arange(self.terminals) < half
        first = np.zeros(self.nodes, bool)
        undecided = np.ones(self.nodes, bool)
        coordinates = np.unravel_index(np.arange(self.nodes), [f.size for f in self.used] or [1])
        for dimension in order:
            size = self.used[dimension].size
            first |= undecided & (coordinates[dimension] < size // 2)
            undecided &= (coordinates[dimension] == size // 2) & (size % 2 == 1)
        if not self.hosts:
            return first
        side = np.repeat(first, self.hosts)
        spare = half - int(side.sum())  # hosts of the middle node
        side[np.flatnonzero(np.repeat(undecided, self.hosts))[:spare]] = True
        return side

    def hops(self) -> tuple[float, int]:
        """Return the mean and the largest distance of two terminals, in links."""
        n, used = self.nodes, self.used
        total = sum((n // f.size) ** 2 * f.distances[0] for f in used)
        diameter = sum(f.distances[1] for f in used)
        if self.hosts:
            hosts = self.terminals
            total = self.hosts**2 * total + 2 * hosts * (hosts - 1)
            n, diameter = hosts, diameter + (2 if hosts > 1 else 0)
        return total / (n * (n - 1)) if n > 1 else 0.0, diameter

    def positions(self, graph: nx.Graph, side: Collection[Node]) -> Positions:
        """Return the positions of the nodes in a drawing."""
        if self.hosts:
            return layout.switched(graph)
        if len(self.used) > 1:
            rows_are_meshes = any(f.kind == "clique" for f in self.used)
            return layout.grid(graph, [f.size for f in self.factors], 2.6 if rows_are_meshes else 28 / 15)
        return layout.line(graph) if self.used and self.used[0].kind == "path" else layout.circle(graph)

    def link_path(self, node: Node, other: Node) -> LinkPath:
        """Return the way in which the link between two nodes is drawn."""
        if self.hosts or len(self.used) < 2:
            return "straight"
        distances = [abs(i - j) for i, j in zip(node, other, strict=True)]
        dimension = int(np.argmax(distances))
        if distances[dimension] > 1:
            return "around" if self.factors[dimension].kind == "ring" else "over"
        panels = layout.dimensions_by_size([f.size for f in self.factors])[3:]
        return "over" if dimension in panels else "straight"

    def build(self) -> nx.Graph:
        """Build the graph."""
        import networkx as nx

        graph = nx.Graph()
        labels = list(combinations(*(range(f.size) for f in self.factors)))

        def name(label: tuple[int, ...]) -> Node:
            return label[0] if len(self.factors) == 1 else label

        for label in labels:
            graph.add_node(name(label), terminal=not self.hosts)
        for dimension, f in enumerate(self.factors):
            edges = f.edges()
            for label in labels:
                if label[dimension]:
                    continue
                for i, j in edges:
                    start, end = ((*label[:dimension], x, *label[dimension + 1 :]) for x in (i, j))
                    connect(graph, name(start), name(end), f.links, f.capacity)
        for label in labels if self.hosts else ():
            for host in range(self.hosts):
                graph.add_node(("host", *label, host), terminal=True)
                connect(graph, ("host", *label, host), name(label), 1, self.host_bandwidth)
        return graph

    def _cliques(self) -> bool:
        """Return whether all factors are cliques of equal links; a ring of three nodes is a clique."""
        cliques = all(f.kind == "clique" or (f.size <= 3 and f.middle == f.size - 1) for f in self.used)
        return cliques and len({(f.links, f.bandwidth) for f in self.used}) <= 1

    def _theorem(self) -> str:
        kinds = {f.kind for f in self.used}
        equal = len({(f.links, f.bandwidth) for f in self.used}) <= 1
        if (equal and kinds <= {"path"}) or (equal and kinds == {"ring"}):
            return "closed form: product of paths or rings (Arjona Aroca and Fernandez Anta 2014)"
        return "closed form: product of cliques (Lindsey 1964)" if self._cliques() else ""

    def _worst_load(self) -> float:
        return max(self.nodes // f.size * f.load / f.capacity for f in self.used)

    def _routing(self) -> float:
        half = self.nodes // 2
        bound = half * (self.nodes - half) / self._worst_load()
        if len({(f.links, f.bandwidth) for f in self.used}) > 1:
            return bound
        # With equal edges a cut is a whole number of them, and if all nodes have one
        # degree, edges cut = degree * nodes - 2 * edges inside, which fixes the parity.
        unit = self.used[0].capacity
        edges = ceil(bound / unit - 1e-9)
        if all(f.kind != "path" or f.size == 2 for f in self.used):
            edges += (edges - half * sum(f.degree for f in self.used)) % 2
        return edges * unit

    def _lindsey(self) -> float:
        """Return the smallest cut with hosts at the nodes: the first m nodes in lexicographic order are optimal."""
        ordered = sorted(f.size for f in self.used)
        half, n = self.terminals // 2, self.nodes
        digits = np.unravel_index(np.arange(n), ordered or [1])
        inside = np.concatenate([[0], np.cumsum(np.sum(digits, axis=0))])
        m = np.arange(n + 1)
        edges = m * sum(k - 1 for k in ordered) - 2 * inside
        unit = self.used[0].capacity if self.used else 1.0
        return float((unit * edges + self.host_bandwidth * abs(half - self.hosts * m)).min())


@lru_cache(maxsize=256)
def _staircase(factors: tuple[Factor, ...]) -> tuple[float, int, tuple[int, ...]]:
    """Return bandwidth, links and order of dimensions of the cheapest staircase cut."""
    nodes = prod(f.size for f in factors)
    best: tuple[float, int, tuple[int, ...]] = (inf, 0, ()) if factors else (0.0, 0, ())
    tried = set()
    for i, f in enumerate(factors):
        if f in tried:  # equal factors are interchangeable
            continue
        tried.add(f)
        edges = nodes // f.size * f.middle
        bandwidth, links, order = _staircase(factors[:i] + factors[i + 1 :]) if f.size % 2 else _staircase(())
        order = (i, *(j + (j >= i) for j in order))
        best = min(best, (edges * f.capacity + bandwidth, edges * f.links + links, order))
    return best
