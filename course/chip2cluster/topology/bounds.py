"""Fast lower bounds on a bisection: by the spectrum and by a routing."""

from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from .problem import MATRIX_NODES

ROUTED_NODES = 400  # networkx needs a second for so many


@dataclass(frozen=True)
class Profile:
    """A lower bound on any cut with ``a`` of ``hosts`` terminals on one side.

    Terminals on a single link (pendants, hosts of a switch) move at the price of that
    link, ``pendant`` at least. With w of the terminals' parents on the side, the rest of
    the network costs at least ``rate * w * (hosts - w) / hosts``. That is concave in w,
    so the worst w is 0, ``a`` or ``hosts``.
    """

    hosts: int
    rate: float
    pendant: float = inf

    def at(self, a):
        rest = self.hosts - a
        through = self.rate * a * rest / max(self.hosts, 1)
        if self.pendant == inf:
            return through
        return np.minimum(through, self.pendant * np.minimum(a, rest))


def spectral(problem, members=None):
    """Profile from the second eigenvalue of the Laplacian of ``members``, switches eliminated.

    Letting switches take any value between the sides only lowers the energy x'Lx, and
    its minimum over them is the Schur complement (Donath and Hoffman 1973 without switches).
    """
    members = list(range(len(problem.nodes)) if members is None else members)
    inside = set(members)
    hosts = np.zeros(len(members))
    place = {u: i for i, u in enumerate(members)}
    pendant, core = inf, []
    for u in members:
        near = [v for v in problem.neighbours[u] if v in inside]
        if problem.terminal[u] and len(near) == 1 and not problem.terminal[near[0]]:
            pendant = min(pendant, problem.neighbours[u][near[0]])
            hosts[place[near[0]]] += 1
        else:
            hosts[place[u]] += problem.terminal[u]
            core.append(place[u])
    total = int(hosts.sum())
    heavy = [i for i in core if hosts[i]]
    light = [i for i in core if not hosts[i]]
    if len(heavy) < 2:  # one switch holds all: only the price of the pendants counts
        return Profile(total, 2 * pendant if heavy and pendant < inf else 0.0, pendant)
    weights = problem.matrix(members)
    everything = heavy + light
    block = weights[np.ix_(everything, everything)]
    laplacian = np.diag(block.sum(axis=1)) - block
    h = len(heavy)
    energy = laplacian[:h, :h]
    if light:
        bridge = laplacian[:h, h:]
        energy = energy - bridge @ np.linalg.pinv(laplacian[h:, h:], hermitian=True) @ bridge.T
    scale = 1 / np.sqrt(hosts[heavy])
    eigenvalues = np.linalg.eigvalsh(energy * scale[:, None] * scale)
    return Profile(total, max(0.0, eigenvalues[1] - 1e-10 * eigenvalues[-1]), pendant)  # less its rounding


def routed(problem):
    """Profile from sending a unit between all terminals over their shortest paths, evenly.

    The halves exchange a (n - a) units, and no link carries more than the busiest does
    for its capacity (Leighton 1992).
    """
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(len(problem.nodes)))
    graph.add_edges_from((u, v) for u, edges in enumerate(problem.neighbours) for v in edges)
    hosts = np.flatnonzero(problem.terminal).tolist()
    if not nx.is_connected(graph) or len(hosts) < 2:
        return Profile(len(hosts), 0.0)
    load = nx.edge_betweenness_centrality_subset(graph, hosts, hosts)  # each pair once
    pendant, rate = inf, inf
    for (u, v), carried in load.items():
        capacity = problem.neighbours[u][v]
        lone = [w for w in (u, v) if problem.terminal[w] and graph.degree(w) == 1]
        if lone and not problem.terminal[u + v - lone[0]]:
            pendant = min(pendant, capacity)
        elif carried:
            rate = min(rate, capacity / carried)
    return Profile(len(hosts), min(rate * len(hosts), 2 * pendant), pendant)


def lower_bound(problem, best):
    """The better of the two bounds for a bisection, in units, and its name; stops at ``best``."""
    value, name = 0.0, "trivial"
    if len(problem.nodes) <= MATRIX_NODES:
        value, name = float(spectral(problem).at(problem.half)), "spectral"
    if problem.improves(value, best) and len(problem.nodes) <= ROUTED_NODES:
        other = float(routed(problem).at(problem.half))
        value, name = max((value, name), (other, "routing"))
    if problem.whole:
        value = ceil(value - 1e-6)
        if problem.step == 2:
            value += (value - round(best)) % 2
    return min(value, best), name
