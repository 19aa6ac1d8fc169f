"""Bisection and distance of trees and of the folded Clos networks that reduce to trees.

A folded Clos (leaf-spine, fat-tree, a node with NVSwitches) has many switches where a
tree has one. Merging them does not change the bisection: for fixed sides of the switches
one tier below, the cost is linear in the number of equal switches above on one side, so
all of them can be on one side. Planes that share only the hosts and the edge switches
are independent and equal, so the same choice is optimal for all.

What remains is a tree with equal subtrees. Cut edges of level l move whole subtrees of
s_l hosts from one half to the other, so a half of t hosts is a sum of d_l s_l, and the
cheapest cut is the cheapest representation of t by signed digits d_l at a cost of |d_l|
times the capacity of an edge: each digit is the remainder or the remainder minus the
fan-out, two choices per level. Any such digits define a cut (the first t hosts of the
tree), and any cut has such digits, so the result is exact for every size.
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
from .layout import Node, Positions
from .network import connect
from .structure import Bounds, Structure, Tier

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Level:
    """One tier: ``fanout`` subtrees per node, and each subtree's uplink (links, and bytes/s one way)."""

    fanout: int
    links: int
    capacity: float


@dataclass(frozen=True)
class Clos(Structure):
    """Closed forms of a folded Clos network or tree with equal subtrees.

    Levels are listed from the top down, and the graph lists its hosts in the order of the
    tree. ``rootless``: the two subtrees at the top are linked directly, which shortens
    paths by one link but leaves the cut the same. ``names``: name of a subtree at each
    level.
    """

    levels: tuple[Level, ...]
    rootless: bool = False
    names: tuple[str, ...] = ()

    @property
    def terminals(self) -> int:
        """Number of terminals."""
        return prod(level.fanout for level in self.levels)

    def injection(self) -> float:
        """Return the bandwidth of the worst-connected terminal's links, bytes/s."""
        return self.levels[-1].capacity

    def cuts(self) -> Sequence[tuple[int, float]]:
        """Return cuts other than a terminal and the bisection: terminals inside, bytes/s one way."""
        sizes = accumulate((level.fanout for level in self.levels[:0:-1]), mul)  # terminals of a subtree, bottom up
        return tuple((size, level.capacity) for size, level in zip(sizes, self.levels[-2::-1], strict=True))

    def tiers(self) -> Sequence[Tier]:
        """Return the levels of the hierarchy, from the terminals outwards."""
        numbers = list(accumulate((level.fanout for level in self.levels), mul))
        named = zip(self.names, numbers, self.levels, strict=False)
        return [
            Tier(name, number, self.terminals // number, level.links, level.capacity) for name, number, level in named
        ][::-1]

    def bounds(self) -> Bounds:
        """Return the proved bounds of the bisection."""
        bandwidth, links, _ = self._cheapest()
        return Bounds(bandwidth, bandwidth, links, "closed form: switches merged to a tree, cut by signed digits")

    def side(self) -> NDArray:
        """Return the terminals on one side of the best known cut."""
        return np.arange(self.terminals) < self._cheapest()[2]

    def hops(self) -> tuple[float, int]:
        """Return the mean and the largest distance of two terminals, in links."""
        n, total, diameter, subtree = self.terminals, 0, 0, 1
        for depth, level in enumerate(reversed(self.levels), start=1):
            pairs = n * subtree * (level.fanout - 1)  # ordered pairs that meet at this tier
            links = 2 * depth - (self.rootless and depth == len(self.levels))
            total += links * pairs
            diameter = links if pairs else diameter
            subtree *= level.fanout
        return total / (n * (n - 1)) if n > 1 else 0.0, diameter

    def oversubscription(self) -> float:
        """Return the largest ratio of host bandwidth below a switch to its uplink bandwidth."""
        hosts, worst = self.levels[-1].capacity, []
        for level, above in pairwise(reversed(self.levels)):
            hosts *= level.fanout
            worst.append(hosts / above.capacity)
        return max(worst, default=1.0)

    def positions(self, graph: nx.Graph, side: Collection[Node]) -> Positions:
        """Return the positions of the nodes in a drawing."""
        if not self.rootless:
            return layout.switched(graph)
        # Two boards opposite each other with their switches in the middle.
        hosts = [node for node, terminal in graph.nodes(data="terminal") if terminal]
        first, second = hosts[: len(hosts) // 2], hosts[len(hosts) // 2 :]
        return layout.rows([second, list(graph[second[0]]), list(graph[first[0]]), first])

    def _cheapest(self) -> tuple[float, int, int]:
        """Return bandwidth and links of the best cut, and the number of hosts on its first side."""
        # Moving a subtree never costs more than moving all its children separately.
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
    """Build the graph of a tree: one switch per inner node, hosts as leaves."""
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
