"""Traffic patterns on links: against closed forms, networkx' paths one by one, and every cut's bound."""

import itertools
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import topology
from tests.tables import every_row

RATES = {"nvlink_bandwidth_one_way": 450e9, "nic_bandwidth_one_way": 50e9}
NETWORKS = [
    topology.leaf_spine(4, 2, 4, 50e9),
    topology.leaf_spine(2, 2, 3, 50e9, uplinks_per_spine=2),
    topology.fat_tree(4, 50e9, oversubscription=2),
    topology.torus((4, 3), 50e9),
    topology.mesh((3, 3), 50e9),
    topology.ring(7, 50e9),
    topology.direct_node("DGX-1V"),
    topology.gpu_cluster(4, 2, **RATES),
    topology.dragonfly(3, 1, 4, link_bandwidth_one_way=50e9),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_link_loads_match_enumerated_shortest_paths(network):
    """At every hop of every shortest path, equal parts on the parallel links that lead closer."""
    n, graph = network.terminals, network.graph
    demand = np.random.default_rng(1).random((n, n))
    loads = topology.link_loads(network, demand)
    expected = defaultdict(float)
    for (i, a), (j, b) in itertools.permutations(enumerate(network.terminal_nodes), 2):
        paths = list(nx.all_shortest_paths(graph, a, b))
        hops = {edge for path in paths for edge in itertools.pairwise(path)}
        for path in paths:
            part = demand[i, j]
            for u, v in itertools.pairwise(path):
                part *= graph.edges[u, v]["links"] / sum(graph.edges[x, y]["links"] for x, y in hops if x == u)
            for edge in itertools.pairwise(path):
                expected[edge] += part
    assert loads.carried == pytest.approx(dict(expected))
    slowest = max(expected[edge] / graph.edges[edge]["capacity"] for edge in expected)
    assert loads.seconds(1e9) == pytest.approx(1e9 * slowest)


@pytest.mark.parametrize(
    "network",
    [
        topology.leaf_spine(4, 4, 16, 50e9),
        topology.leaf_spine(4, 16, 16, 50e9),
        topology.fat_tree(4, 50e9),
        topology.torus((8, 8), 50e9),
        topology.torus((4, 4, 4), 50e9),
        topology.ring(16, 50e9),
        topology.nvswitch_node("DGX H100"),
        topology.gpu_cluster(8, 8, **RATES),
        topology.hypercube(4, 50e9),
    ],
    ids=lambda network: network.name,
)
def test_all_to_all_loads_reach_the_cut_bound(network):
    # The chapter's formula is a bound for any routing; ideal routing meets it in all of these networks.
    demand = topology.demand("all_to_all", network.terminals)
    least = topology.all_to_all_time(network, 1e9)
    assert topology.link_loads(network, demand).seconds(1e9) == pytest.approx(least)
    assert topology.cut_demand_time(network, demand, 1e9) == pytest.approx(least)


@pytest.mark.parametrize("k", [8, 16, 32])
def test_tornado_gets_half_of_the_cut_bandwidth(k):
    # Dally and Towles 2004: all traffic goes k/2 - 1 links in one direction; the other direction is idle.
    for network, dims in ((topology.ring(k, 50e9), (k,)), (topology.torus((k, k), 50e9), (k, k))):
        demand = topology.demand("tornado", network.terminals, dims=dims)
        for routing in ("dimension_order", "shortest"):
            loads = topology.link_loads(network, demand, routing=routing)
            assert loads.seconds(50e9) == pytest.approx(k / 2 - 1)
            assert set(loads.carried.values()) == {k / 2 - 1}
            assert len(loads.carried) == network.graph.number_of_edges()  # one of the two ways of each link
        assert topology.cut_demand_time(network, demand, 50e9) == pytest.approx((k / 2 - 1) / 2)


def test_dimension_order_load_of_uniform_traffic_is_k_over_8():
    # Dally and Towles 2004, section 3.3: under uniform traffic a channel of an even k-ary torus carries k/8.
    for dims in ((8,), (4, 4), (8, 8), (4, 4, 4)):
        network = topology.torus(dims, 1.0)
        demand = topology.demand("all_to_all", network.terminals)
        loads = topology.link_loads(network, demand, routing="dimension_order").carried
        assert list(loads.values()) == pytest.approx([dims[0] / 8] * len(loads))


def test_oversubscription_slowdown_depends_on_the_pattern():
    # 64 hosts of 50 GB/s in racks of 16: slowdown at 4:1 over 1:1, computed by hand.
    full, thin = (topology.leaf_spine(4, spines, 16, 50e9) for spines in (16, 4))
    longer = {
        pattern: topology.link_loads(thin, demand).seconds_per_byte / topology.link_loads(full, demand).seconds_per_byte
        for pattern in ("ring_all_reduce", "all_to_all", "opposite")
        for demand in [topology.demand(pattern, 64)]
    }
    assert longer == pytest.approx({"ring_all_reduce": 1.0, "all_to_all": (12 / 4) / (63 / 64), "opposite": 4.0})


@given(st.sampled_from(NETWORKS), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_link_loads_are_at_least_the_cut_bound(network, seed):
    n = network.terminals
    generator = np.random.default_rng(seed)
    demand = generator.random((n, n)) * (generator.random((n, n)) < generator.random())
    loads = topology.link_loads(network, demand)
    assert loads.seconds(1e9) >= topology.cut_demand_time(network, demand, 1e9) * (1 - 1e-9)
    if network.family in ("torus", "mesh", "ring"):
        ordered = topology.link_loads(network, demand, routing="dimension_order")
        assert ordered.seconds(1e9) >= topology.cut_demand_time(network, demand, 1e9) * (1 - 1e-9)
        # Both use shortest paths, so the total load of all links is the same.
        assert sum(ordered.carried.values()) == pytest.approx(sum(loads.carried.values()))


@every_row("pattern", ["stencil", "ring_all_reduce", "all_to_all", "permutation", "opposite", "tornado"])
@every_row("n, dims", [(1, None), (2, None), (12, (3, 4)), (16, (4, 4)), (8, (2, 2, 2))])
def test_demand_rows_and_columns_are_equal(pattern, n, dims):
    demand = topology.demand(pattern, n, dims=dims)
    assert demand.shape == (n, n) and demand.min() >= 0
    even = pytest.approx(np.full(n, demand.sum() / n))
    assert demand.sum(0) == even and demand.sum(1) == even
    if pattern != "all_to_all":
        assert not demand.diagonal().any()
    assert (topology.demand(pattern, n, dims=dims) == demand).all()
    network = topology.torus(dims or (n,), 50e9)
    assert topology.link_loads(network, demand).seconds(0.0) == 0.0


def test_stencil_demand_is_between_neighbours():
    demand = topology.demand("stencil", 16, dims=(4, 4))
    grid = topology.torus((4, 4), 50e9)
    assert topology.link_loads(grid, demand).seconds(1e9) == pytest.approx(1e9 / 4 / 50e9)
    assert ((demand > 0).sum(1) == 4).all()


@every_row(
    "call, message",
    [
        (lambda: topology.demand("halo", 8), "pattern must be one of 'stencil', 'ring_all_reduce'"),
        (lambda: topology.demand("stencil", 8, dims=(3, 3)), "dims must hold 8 terminals, got"),
        (lambda: topology.demand("all_to_all", 0), "terminals must be at least 1"),
        (lambda: topology.link_loads(topology.ring(4), np.ones((3, 3))), "demand must have 4 rows of 4 shares"),
        (lambda: topology.link_loads(topology.ring(4), -np.ones((4, 4))), "demand must be zero or more"),
        (lambda: topology.link_loads(topology.ring(4), np.ones((4, 4)), routing="ecmp"), "routing must be one of"),
        (
            lambda: topology.link_loads(topology.star(4), np.ones((4, 4)), routing="dimension_order"),
            "needs a grid such as torus",
        ),
        (
            lambda: topology.link_loads(topology.complete(4), np.ones((4, 4)), routing="dimension_order"),
            "needs a grid such as torus",
        ),
        (
            lambda: topology.link_loads(topology.from_graph(nx.empty_graph(2)), np.ones((2, 2))),
            "has no path from 1 to 0",
        ),
        (lambda: topology.cut_demand_time("ring", np.ones((2, 2)), 1e9), "topology must be a Topology"),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
