"""What is refused: the argument, the value and the choices are named."""

import networkx as nx
import numpy as np
import pytest

from chip2cluster import topology
from tests.tables import every_row

NAN, INF = float("nan"), float("inf")
RATES = {"nvlink_bandwidth_one_way": 450e9, "nic_bandwidth_one_way": 50e9}

COUNTS = [
    ("n", topology.path, ()),
    ("n", topology.ring, ()),
    ("n", topology.complete, ()),
    ("d", topology.hypercube, (0,)),
    ("hosts", topology.star, ()),
    ("k", topology.fat_tree, ()),
    ("branching", lambda value: topology.tree(value, 2), ()),
    ("height", lambda value: topology.tree(2, value), ()),
    ("links_growth", lambda value: topology.tree(2, 2, links_growth=value), ()),
    ("leaves", lambda value: topology.leaf_spine(value, 2, 2), ()),
    ("spines", lambda value: topology.leaf_spine(2, value, 2), ()),
    ("hosts_per_leaf", lambda value: topology.leaf_spine(2, 2, value), ()),
    ("uplinks_per_spine", lambda value: topology.leaf_spine(2, 2, 2, uplinks_per_spine=value), ()),
    ("links_per_host", lambda value: topology.star(2, links_per_host=value), ()),
    ("a", lambda value: topology.dragonfly(value, 1), ()),
    ("h", lambda value: topology.dragonfly(2, value), ()),
    ("g", lambda value: topology.dragonfly(2, 1, value), (None,)),
    ("p", lambda value: topology.dragonfly(2, 1, 3, value), (0,)),
    ("links", lambda value: topology.hyperx((2, 2), links=value), ()),
    ("hosts_per_router", lambda value: topology.hyperx((2, 2), hosts_per_router=value), (0,)),
    ("nodes", lambda value: topology.gpu_cluster(value, **RATES), ()),
    ("gpus_per_node", lambda value: topology.gpu_cluster(4, value, **RATES), ()),
    ("nodes_per_group", lambda value: topology.gpu_cluster(4, nodes_per_group=value, **RATES), (None,)),
    ("spines", lambda value: topology.gpu_cluster(4, spines=value, **RATES), (None,)),
    ("hosts", lambda value: topology.place(topology.leaf_spine(2, 2, 2), value), ()),
]


@every_row("name, make, fine", COUNTS)
@every_row("value", [0, -1, 2.5, NAN, INF, True, "4", None, np.array([[2, 3]]), 1j])
def test_invalid_counts_are_refused(name, make, fine, value):
    if any(value is accepted for accepted in fine):
        make(value)
        return
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        make(value)


RATES_OF = [
    ("link_bandwidth_one_way", lambda value: topology.ring(4, value)),
    ("link_bandwidth_one_way", lambda value: topology.torus((4, 4), link_bandwidth_one_way=value)),
    ("link_bandwidth_one_way", lambda value: topology.fat_tree(4, value)),
    ("link_bandwidth_one_way", lambda value: topology.from_graph(nx.path_graph(2), link_bandwidth_one_way=value)),
    ("oversubscription", lambda value: topology.fat_tree(4, oversubscription=value)),
    ("global_bandwidth_one_way", lambda value: topology.dragonfly(2, 1, global_bandwidth_one_way=value)),
    ("host_bandwidth_one_way", lambda value: topology.dragonfly(2, 1, p=1, host_bandwidth_one_way=value)),
    ("host_bandwidth_one_way", lambda value: topology.hyperx((2,), hosts_per_router=1, host_bandwidth_one_way=value)),
    ("uplink_bandwidth_one_way", lambda value: topology.leaf_spine(2, 2, 2, uplink_bandwidth_one_way=value)),
    ("oversubscription", lambda value: topology.leaf_spine(2, 2, 2, oversubscription=value)),
    (
        "nvlink_bandwidth_one_way",
        lambda value: topology.gpu_cluster(2, nvlink_bandwidth_one_way=value, nic_bandwidth_one_way=1),
    ),
    (
        "nic_bandwidth_one_way",
        lambda value: topology.gpu_cluster(2, nvlink_bandwidth_one_way=1, nic_bandwidth_one_way=value),
    ),
    ("oversubscription", lambda value: topology.gpu_cluster(2, oversubscription=value, **RATES)),
    ("time_limit", lambda value: topology.bisection(topology.ring(4), time_limit=value)),
    ("time_limit", lambda value: topology.cut(topology.ring(4), time_limit=value)),
]


@every_row("name, make", RATES_OF)
@every_row("value", [0, -1.0, NAN, INF, True, "50 GB/s", [1.0, 2.0], {}])
def test_invalid_rates_are_refused(name, make, value):
    with pytest.raises((ValueError, TypeError), match=name):
        make(value)


@every_row("make", [topology.mesh, topology.torus, topology.hyperx, lambda dims: topology.tpu_pod("v5e", dims)])
@every_row("dims", [(), 4, "44", (4, 0), (4, -1), (4, 2.5), (4, NAN), (True, 4), (4, "4"), {4, 5}, {4: 4}, [[4, 4]]])
def test_invalid_dims_are_refused(make, dims):
    with pytest.raises((ValueError, TypeError), match="dims"):
        make(dims)


@every_row(
    "make, words",
    [
        (lambda: topology.hypercube(63), "d must be at most 62, got 63"),
        (lambda: topology.fat_tree(5), "k must be even, got 5"),
        (lambda: topology.fat_tree(1), "k must be at least 2, got 1"),
        (lambda: topology.dragonfly(2, 1, 4), "g must be at most a h . 1 = 3"),
        (lambda: topology.dragonfly(2, 1, host_bandwidth_one_way=1.0), "host_bandwidth_one_way needs p"),
        (lambda: topology.hyperx((2, 2), links=(1, 2, 3)), "one for each of the 2 dims"),
        (lambda: topology.hyperx((2, 2), host_bandwidth_one_way=1.0), "needs hosts_per_router"),
        (
            lambda: topology.leaf_spine(2, 2, 2, uplink_bandwidth_one_way=1.0, oversubscription=2),
            "uplink_bandwidth_one_way or oversubscription, not both",
        ),
        (lambda: topology.gpu_cluster(6, nodes_per_group=4, **RATES), "nodes_per_group must divide nodes, got 4 and 6"),
        (lambda: topology.gpu_cluster(4, wiring="rack", **RATES), "multiple of gpus_per_node"),
        (lambda: topology.gpu_cluster(8, wiring="star", **RATES), "'rail', 'rack', got 'star'"),
        (
            lambda: topology.nvswitch_node("DGX-3"),
            "'DGX-2', 'DGX A100', 'DGX H100', 'DGX B200', 'GB200 NVL72', got 'DGX-3'",
        ),
        (lambda: topology.nvswitch_node(2), "model must be a name, got 2"),
        (lambda: topology.nvswitch_node(""), "model must be one of"),
        (lambda: topology.direct_node("DGX-2"), "'DGX-1V', 'MI300X', got 'DGX-2'"),
        (lambda: topology.tpu_pod("v9"), "'v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e', '7x', got 'v9'"),
        (lambda: topology.tpu_pod("7x"), "dims must be given for TPU 7x"),
        (lambda: topology.tpu_pod("v4", (4, 4)), "must be 3 sizes"),
        (lambda: topology.tpu_pod("v5e", (4, 4, 4)), "must be 2 sizes"),
        (lambda: topology.tpu_pod("v5e", (4, 32)), "must fit its pod of 16x16 chips"),
        (lambda: topology.oversubscription(topology.torus((4, 4))), "must have tiers of switches .* got a torus"),
        (lambda: topology.same_rank_hops(topology.ring(4)), "must be a gpu_cluster, got a ring"),
        (lambda: topology.place(topology.ring(4), 2), "must be a leaf_spine, got a ring"),
        (lambda: topology.place(topology.leaf_spine(2, 2, 2), 5), "at most 4, .* got 5"),
        (lambda: topology.place(topology.leaf_spine(2, 2, 2), 2, "spread"), "'packed', 'scattered', got 'spread'"),
        (lambda: topology.place(topology.leaf_spine(2, 2, 2), (1, 2, 1)), "each of 2 leaves"),
        (lambda: topology.place(topology.leaf_spine(2, 2, 2), (3, 0)), "0 to 2 hosts"),
        (lambda: topology.place(topology.leaf_spine(2, 2, 2), (0, 0)), "at least one in total"),
        (lambda: topology.place(topology.leaf_spine(2, 2, 2), (1, -1)), r"hosts\[1\]"),
        (lambda: topology.place(topology.leaf_spine(2, 2, 2), 2, shared=1), "shared must be True or False, got 1"),
        (lambda: topology.hops(topology.from_graph(nx.empty_graph(2))), "no path from 0 to 1"),
        (lambda: topology.injection_time(topology.from_graph(nx.empty_graph(2)), 1.0), "a terminal without links"),
    ],
)
def test_error_messages_name_the_argument(make, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make()


@every_row(
    "function",
    [
        topology.bisection,
        topology.cut,
        topology.hops,
        topology.same_rank_hops,
        topology.oversubscription,
        topology.full_bisection_share,
        lambda network: topology.all_to_all_time(network, 1.0),
        lambda network: topology.injection_time(network, 1.0),
        lambda network: topology.place(network, 1),
    ],
)
@every_row("network", [None, "torus", (4, 4), nx.path_graph(3), 8])
def test_functions_refuse_anything_but_a_topology(function, network):
    with pytest.raises(TypeError, match="topology must be a Topology"):
        function(network)


@every_row("size", [-1, NAN, INF, True, "1 GB", None, [1.0, NAN], [[1.0], [1.0, 2.0]]])
@every_row("function", [topology.all_to_all_time, topology.injection_time])
def test_invalid_message_bytes_are_refused(function, size):
    with pytest.raises((ValueError, TypeError), match="message_bytes"):
        function(topology.ring(4), size)


@every_row(
    "arguments, name",
    [
        ((-1, 4, 1.0), "message_bytes"),
        ((1.0, 0, 1.0), "terminals"),
        ((1.0, 2.5, 1.0), "terminals"),
        ((1.0, True, 1.0), "terminals"),
        ((1.0, 4, -1.0), "bisection_bandwidth_one_way"),
        ((1.0, 4, NAN), "bisection_bandwidth_one_way"),
    ],
)
def test_crossing_time_refuses_invalid_arguments(arguments, name):
    with pytest.raises((ValueError, TypeError), match=name):
        topology.crossing_time(*arguments)


def bad_graph(**edge):
    graph = nx.path_graph(2)
    graph.edges[0, 1].update(edge)
    return graph


@every_row(
    "graph, terminals, words",
    [
        ("ring", None, "networkx.Graph, got str"),
        (nx.DiGraph([(0, 1)]), None, "undirected"),
        (nx.MultiGraph([(0, 1)]), None, "'links'"),
        (nx.Graph(), None, "at least one node"),
        (nx.path_graph(2), [], "at least one node"),
        (nx.path_graph(2), [0, 7], "terminals must be nodes of the graph"),
        (nx.Graph([(0, 0)]), None, "from a node to itself"),
        (bad_graph(capacity=0), None, "capacity of edge 0-1"),
        (bad_graph(capacity=NAN), None, "capacity of edge 0-1"),
        (bad_graph(capacity="fast"), None, "capacity of edge 0-1"),
        (bad_graph(links=1.5), None, "links of edge 0-1"),
        (bad_graph(links=0), None, "links of edge 0-1"),
    ],
)
def test_from_graph_refuses_invalid_graphs(graph, terminals, words):
    with pytest.raises((ValueError, TypeError), match=words):
        topology.from_graph(graph, terminals)


def test_graph_is_frozen():
    network = topology.ring(4)
    with pytest.raises(nx.NetworkXError, match="[Ff]rozen"):
        network.graph.remove_edge(0, 1)
    with pytest.raises(TypeError):
        network.parameters["n"] = 5
    with pytest.raises(AttributeError):
        network.terminals = 5


def test_from_graph_copies_the_graph_and_its_attributes():
    graph = nx.star_graph(4)
    nx.set_node_attributes(graph, {node: node != 0 for node in graph}, "terminal")
    network = topology.from_graph(graph)
    assert network.terminals == 4 and topology.bisection(network).links == 2
    graph.remove_node(0)
    assert len(network.graph) == 5
    assert topology.from_graph(nx.star_graph(4)).terminals == 5
