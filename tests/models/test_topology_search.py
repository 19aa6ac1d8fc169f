"""Graphs without a closed form: proved, or an interval that says so."""

import networkx as nx
import numpy as np
import pytest

from chip2cluster import topology
from chip2cluster.topology.search import search_bisection


def with_hosts(switches, hosts):
    """Graph of switches with the given number of hosts at each."""
    graph = nx.Graph(switches)
    ends = [("host", s, i) for s in switches for i in range(hosts)]
    graph.add_edges_from((end[1], end) for end in ends)
    return topology.from_graph(graph, terminals=ends)


def broken(network, edge):
    graph = network.graph.copy()
    graph.remove_edge(*edge)
    return topology.from_graph(graph)


SETTLED = [
    # A broken link reduces the bisection by one link if every best cut contains it.
    (broken(topology.torus((4, 4, 4)), ((0, 0, 0), (1, 0, 0))), 31),
    (broken(topology.hypercube(6), list(topology.hypercube(6).graph.edges)[5]), 31),
    (broken(topology.leaf_spine(8, 4, 8), (("spine", 0), ("leaf", 3))), 15),
    # Two rings of odd size: only the links that balance the halves are cut.
    (topology.from_graph(nx.disjoint_union(nx.cycle_graph(21), nx.cycle_graph(31))), 2),
    (topology.from_graph(nx.disjoint_union(nx.cycle_graph(32), nx.cycle_graph(32))), 0),
    # The wheel: hub and rim, 33 nodes; halving the rim cuts 2 links and 16 spokes.
    (topology.from_graph(nx.wheel_graph(33)), 18),
    # A non-blocking switch, alone and as 16 switches of 4 hosts fully linked.
    (with_hosts(nx.empty_graph(1), 64), 32),
    (with_hosts(nx.complete_graph(16), 4), 32),
    (topology.from_graph(nx.petersen_graph()), 5),
    (topology.torus((5, 2, 2, 2)), 20),
    (topology.from_graph(nx.convert_node_labels_to_integers(nx.grid_2d_graph(9, 7))), 8),
]


@pytest.mark.parametrize("network, links", SETTLED)
def test_bisection_of_known_graphs(network, links):
    narrowest = topology.bisection(network)
    assert narrowest.exact and narrowest.links == links
    assert narrowest.lower_one_way == narrowest.bandwidth_one_way == links


@pytest.mark.parametrize("degree, nodes", [(3, 64), (4, 48), (5, 40), (12, 24)])
def test_bisection_of_random_graphs_is_exact(degree, nodes):
    graph = nx.random_regular_graph(degree, nodes, seed=1)
    narrowest = topology.bisection(topology.from_graph(graph))
    assert narrowest.exact
    # Another heuristic must not be better, and the spectral bound must not exceed the value.
    for seed in range(5):
        side, other = nx.algorithms.community.kernighan_lin_bisection(graph, seed=seed)
        assert nx.cut_size(graph, side, other) >= narrowest.links
    gap = np.linalg.eigvalsh(nx.to_numpy_array(graph))[-2]
    assert narrowest.links >= nodes / 4 * (degree - gap) - 1e-9


def test_bisection_is_an_interval_after_the_time_limit():
    graph = nx.random_regular_graph(12, 64, seed=1)
    network = topology.from_graph(graph)
    narrowest = topology.bisection(network, time_limit=0.5)
    assert not narrowest.exact
    assert 0 < narrowest.lower_one_way < narrowest.upper_one_way == narrowest.bandwidth_one_way == narrowest.links
    assert "not settled" in narrowest.method
    halves = topology.cut(network, time_limit=0.5)
    assert nx.cut_size(graph, halves.side, halves.other) == halves.links == narrowest.links
    assert len(halves.side) == 32


def test_longer_time_limit_ignores_the_cache():
    network = topology.from_graph(nx.random_regular_graph(5, 40, seed=3))
    first = topology.bisection(network, time_limit=1e-3)
    second = topology.bisection(network, time_limit=10)
    assert second.exact and first.lower_one_way <= second.bandwidth_one_way <= first.upper_one_way
    assert topology.bisection(network, time_limit=1e-3) is second  # what is proved stays proved


@pytest.mark.parametrize("nodes", [500, 2500])
def test_bisection_of_large_graphs_is_an_interval(nodes):
    graph = nx.cycle_graph(nodes)
    graph.add_edges_from((i, (i * 7 + 3) % nodes) for i in range(nodes) if i != (i * 7 + 3) % nodes)
    narrowest = topology.bisection(topology.from_graph(graph), time_limit=1)
    assert narrowest.lower_one_way <= narrowest.upper_one_way
    assert narrowest.exact == (narrowest.lower_one_way == narrowest.upper_one_way)


def test_unproved_family_gives_an_interval_without_a_graph():
    odd = topology.torus((9, 7, 5, 2))
    balanced = topology.dragonfly(16, 8)
    for network in (odd, balanced):
        narrowest = topology.bisection(network)
        assert not narrowest.exact and 0 < narrowest.lower_one_way < narrowest.upper_one_way
        assert "graph" not in vars(network)
        assert narrowest.lower_one_way > 0.8 * narrowest.upper_one_way


@pytest.mark.parametrize(
    "network",
    [
        topology.torus((6, 4)),
        topology.hypercube(4),
        topology.from_graph(nx.random_regular_graph(3, 20, seed=4)),
        topology.from_graph(nx.random_regular_graph(5, 40, seed=2)),
        with_hosts(nx.cycle_graph(6), 3),
        with_hosts(nx.random_regular_graph(3, 10, seed=2), 2),
        topology.leaf_spine(4, 2, 4),
        topology.direct_node("DGX-1V"),
    ],
)
def test_interval_ends_are_valid_bounds(network):
    truth = topology.bisection(network)
    assert truth.exact
    for limit in (1e-9, 1e-3):  # no time for more than a bound
        halving = search_bisection(network.graph, limit)
        cost = nx.cut_size(network.graph, halving.side, weight="capacity")
        assert 0 < halving.lower <= truth.bandwidth_one_way * (1 + 1e-9)
        assert cost >= truth.bandwidth_one_way * (1 - 1e-9)
        assert sum(network.graph.nodes[node]["terminal"] for node in halving.side) == network.terminals // 2


def test_spectral_bound_is_exact_for_a_torus():
    assert search_bisection(topology.torus((6, 6)).graph, 10.0).lower == 12


def test_bisection_minimizes_bandwidth_not_links():
    graph = nx.Graph()
    graph.add_edge(0, 1, capacity=9.0)
    graph.add_edge(2, 3, capacity=9.0)
    graph.add_edges_from([(0, 2), (0, 3), (1, 2), (1, 3)], capacity=1.0)
    narrowest = topology.bisection(topology.from_graph(graph))
    assert (narrowest.links, narrowest.bandwidth_one_way, narrowest.bandwidth_both_ways) == (4, 4.0, 8.0)


def test_parallel_links_are_counted():
    graph = nx.path_graph(2)
    graph.edges[0, 1]["links"] = 3
    narrowest = topology.bisection(topology.from_graph(graph, link_bandwidth_one_way=2.0))
    assert (narrowest.links, narrowest.bandwidth_one_way) == (3, 6.0)
