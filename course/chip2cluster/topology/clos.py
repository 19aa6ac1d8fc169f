"""Bisection and distance of trees and of the folded Clos networks that collapse to trees.

A folded Clos (leaf-spine, fat-tree, a box of NVSwitches) has many switches where a
tree has one. They may be merged without changing the bisection: fix the sides of the
switches one tier down; then the cost is linear in how many of the equal switches
above stand on a side, so they may as well all stand on one. Planes that share only
the hosts and the edge switches are independent and equal, so one choice suits all.

What remains is a tree with equal subtrees. Cut edges of level l move whole subtrees
of s_l hosts from one half to the other, so a half of t hosts is a sum of d_l s_l, and
the cheapest cut is the cheapest way to write t with signed digits d_l at a price of
|d_l| times the capacity of an edge: each digit is the remainder or the remainder
minus the fan-out, two choices a level. Any such digits are a cut (the first t hosts
of the tree), and any cut has such digits, so the answer is exact for every size.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod
from operator import mul
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import layout
from .layout import Node, Spots
from .network import connect
from .shape import Bounds, Shape, Tier

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Level:
    """One tier: ``fanout`` subtrees a node, and the uplink of each (links and bytes/s one way)."""

    fanout: int
    links: int
    capacity: float


@dataclass(frozen=True)
class Clos(Shape):
    """Levels from the top down; the graph lists its hosts in the order of the tree.

    ``rootless``: the two subtrees at the top are linked to each other, which is one
    link less on the way but the same cut. ``names``: what a subtree of each level is called.
    """

    levels: tuple[Level, ...]
    rootless: bool = False
    names: tuple[str, ...] = ()

    @property
    def terminals(self) -> int:
        return prod(level.fanout for level in self.levels)

    def injection(self) -> float:
        return self.levels[-1].capacity

    def cuts(self) -> Sequence[tuple[int, float]]:
        sizes = accumulate((level.fanout for level in self.levels[:0:-1]), mul)  # terminals of a subtree, from below
        return tuple((size, level.capacity) for size, level in zip(sizes, self.levels[-2::-1], strict=True))

    def tiers(self) -> Sequence[Tier]:
        numbers = list(accumulate((level.fanout for level in self.levels), mul))
        named = zip(self.names, numbers, self.levels, strict=False)
        return [
            Tier(name, number, self.terminals // number, level.links, level.capacity) for name, number, level in named
        ][::-1]

    def bounds(self) -> Bounds:
        bandwidth, links, _ = self._cheapest()
        return Bounds(bandwidth, bandwidth, links, "closed form: switches merged to a tree, cut by signed digits")

    def side(self) -> NDArray:
        return np.arange(self.terminals) < self._cheapest()[2]

    def hops(self) -> tuple[float, int]:
        n, total, diameter, subtree = self.terminals, 0, 0, 1
        for depth, level in enumerate(reversed(self.levels), start=1):
            pairs = n * subtree * (level.fanout - 1)  # ordered pairs that meet at this tier
            links = 2 * depth - (self.rootless and depth == len(self.levels))
            total += links * pairs
            diameter = links if pairs else diameter
            subtree *= level.fanout
        return total / (n * (n - 1)) if n > 1 else 0.0, diameter

    def oversubscription(self) -> float:
        """Bandwidth of the hosts below a switch over that of its uplinks, where it is worst."""
        hosts, worst = self.levels[-1].capacity, []
        for level, above in pairwise(reversed(self.levels)):
            hosts *= level.fanout
            worst.append(hosts / above.capacity)
        return max(worst, default=1.0)

    def places(self, graph: nx.Graph, side: Collection[Node]) -> Spots:
        if not self.rootless:
            return layout.switched(graph)
        # Two boards face each other, their switches in the middle.
        hosts = [node for node, terminal in graph.nodes(data="terminal") if terminal]
        first, second = hosts[: len(hosts) // 2], hosts[len(hosts) // 2 :]
        return layout.rows([second, list(graph[second[0]]), list(graph[first[0]]), first])

    def _cheapest(self) -> tuple[float, int, int]:
        """Bandwidth and links of the best cut, and how many of the first hosts it takes."""
        # A subtree never costs more to move than all its children one by one.
        prices = [(self.levels[-1].capacity, self.levels[-1].links)]
        for children, level in pairwise(reversed(self.levels)):
            bandwidth, links = prices[-1]
            one_by_one = children.fanout * bandwidth, children.fanout * links
            prices.append(min((level.capacity, level.links), one_by_one))
        n = self.terminals
        return min(self._digits(target, prices) for target in {n // 2, n - n // 2})

    def _digits(self, target: int, prices: Sequence[tuple[float, int]]) -> tuple[float, int, int]:
        states = {target: (0.0, 0)}  # subtrees to move at this level -> cheapest so far
        for level, (capacity, links) in zip(self.levels[:0:-1], prices[:-1], strict=True):
            reached: dict[int, tuple[float, int]] = {}
            for subtrees, (bandwidth, cut) in states.items():
                carry, digit = divmod(subtrees, level.fanout)
                for above, moved in {(carry, digit), (carry + 1, level.fanout - digit) if digit else (carry, 0)}:
                    option = (bandwidth + moved * capacity, cut + moved * links)
                    reached[above] = min(option, reached.get(above, option))
            states = reached
        capacity, links = prices[-1]
        cheapest = min((b + subtrees * capacity, cut + subtrees * links) for subtrees, (b, cut) in states.items())
        return (*cheapest, target)


def tree_graph(levels: Sequence[Level]) -> nx.Graph:
    """The graph of a plain tree: one switch a node, the hosts as leaves."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_node(("switch",), terminal=False)
    tier: list[tuple[int, ...]] = [()]
    for depth, level in enumerate(levels, start=1):
        kind = "host" if depth == len(levels) else "switch"
        below = [(*label, i) for label in tier for i in range(level.fanout)]
        for label in below:
            graph.add_node((kind, *label), terminal=kind == "host")
            connect(graph, ("switch", *label[:-1]), (kind, *label), level.links, level.capacity)
        tier = below
    return graph
