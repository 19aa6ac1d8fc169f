"""Closed forms and the search against independent references: brute force, MILP, max-flow."""

import itertools
import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from chip2cluster import topology
from chip2cluster.topology.search import search_bisection
from tests.tables import every_row


def brute_force(graph):
    """Smallest capacity over all halvings of the terminals, with switches on either side."""
    place = {node: i for i, node in enumerate(graph)}
    sides = np.arange(1 << max(len(place) - 1, 0), dtype=np.int64)  # the last node stays on one side
    cost = np.zeros(len(sides))
    for u, v, capacity in graph.edges(data="capacity"):
        cost += capacity * ((sides >> place[u] ^ sides >> place[v]) & 1)
    terminals = [place[node] for node, terminal in graph.nodes(data="terminal") if terminal]
    chosen = np.bitwise_count(sides & sum(1 << i for i in terminals))
    half = len(terminals) // 2
    return cost[(chosen == half) | (chosen == len(terminals) - half)].min()


def integer_programme(graph):
    """The same with SciPy's mixed-integer solver (HiGHS)."""
    nodes, edges = list(graph), list(graph.edges(data="capacity"))
    place = {node: i for i, node in enumerate(nodes)}
    n, m = len(nodes), len(edges)
    rows = np.zeros((2 * m + 1, n + m))
    for i, (u, v, _) in enumerate(edges):
        rows[2 * i, [place[u], place[v], n + i]] = -1, 1, 1
        rows[2 * i + 1, [place[u], place[v], n + i]] = 1, -1, 1
    for node in nodes:
        rows[-1, place[node]] = graph.nodes[node]["terminal"]
    half = int(rows[-1].sum()) // 2
    result = milp(
        np.array([0.0] * n + [c for *_, c in edges]),
        constraints=LinearConstraint(rows, [0.0] * (2 * m) + [half], [np.inf] * (2 * m) + [half]),
        integrality=np.ones(n + m),
        bounds=Bounds(0, 1),
    )
    assert result.success
    return result.fun


def check(network, judge=brute_force):
    """A proved bisection equals the judge's, and the returned cut halves the terminals at that cost."""
    narrowest, truth = topology.bisection(network), judge(network.graph)
    assert narrowest.exact
    assert narrowest.bandwidth_one_way == pytest.approx(truth, rel=1e-9, abs=1e-12)
    halves = topology.cut(network)
    assert halves.bandwidth_one_way == pytest.approx(truth, rel=1e-9, abs=1e-12)
    held = sum(network.graph.nodes[node]["terminal"] for node in halves.side)
    assert held in (network.terminals // 2, network.terminals - network.terminals // 2)
    assert halves.side | halves.other == set(network.graph) and not halves.side & halves.other


LINES = [make(n) for make in (topology.path, topology.ring, topology.complete, topology.star) for n in range(1, 9)]
DIMS = [
    (1, 1),
    (2, 1),
    (2, 2),
    (3, 2),
    (3, 3),
    (4, 2),
    (5, 2),
    (5, 3),
    (4, 3),
    (2, 2, 2),
    (3, 2, 2),
    (4, 4),
    (8, 2),
    (2, 2, 2, 2),
]
GRIDS = [make(dims) for make in (topology.mesh, topology.torus, topology.hyperx) for dims in DIMS]
HYPERX = [
    topology.hyperx((3,), hosts_per_router=3),
    topology.hyperx((3, 2), hosts_per_router=1, host_bandwidth_one_way=0.5),
    topology.hyperx((3, 2), hosts_per_router=2, host_bandwidth_one_way=4),
    topology.hyperx((3, 3), links=(1, 2)),
    topology.hyperx((5, 2), links=(1, 3)),
    topology.hyperx((2, 2), links=(3, 1), hosts_per_router=3),
]
TREES = [
    *(
        topology.tree(b, h, links_growth=m)
        for b, h, m in ((1, 3, 1), (2, 3, 1), (2, 3, 2), (3, 2, 1), (3, 2, 5), (4, 2, 2), (7, 1, 1))
    ),
    *(
        topology.leaf_spine(leaves, spines, hosts, uplink_bandwidth_one_way=rate)
        for leaves, spines, hosts, rate in itertools.product((1, 2, 3), (1, 2), (1, 2, 3), (0.4, 1, 3))
    ),
    topology.fat_tree(2),
    topology.fat_tree(2, oversubscription=4),
]
GROUPS = [
    topology.dragonfly(a, h, g, p, global_bandwidth_one_way=rate)
    for (a, h, g, p), rate in itertools.product(
        [
            (1, 1, 2, 0),
            (2, 1, 3, 0),
            (2, 2, 4, 0),
            (3, 1, 4, 0),
            (4, 1, 3, 0),
            (4, 2, 3, 0),
            (5, 1, 2, 0),
            (2, 1, 2, 2),
            (3, 1, 2, 1),
        ],
        (None, 0.5, 2),
    )
]
CLUSTERS = [
    topology.gpu_cluster(
        nodes,
        gpus,
        nodes_per_group=group,
        spines=1,
        wiring=wiring,
        nvlink_bandwidth_one_way=3,
        nic_bandwidth_one_way=1,
        oversubscription=ratio,
    )
    for nodes, gpus, group, wiring in [
        (2, 2, 1, "rail"),
        (3, 2, 3, "rail"),
        (4, 2, 2, "rail"),
        (4, 2, 2, "rack"),
        (2, 3, 2, "rail"),
        (3, 1, 1, "rack"),
    ]
    for ratio in (0.5, 1, 3)
]
JOBS = [
    topology.place(topology.leaf_spine(3, 2, 3, oversubscription=ratio), hosts, strategy, shared=shared)
    for ratio, hosts, strategy, shared in itertools.product((1, 2.5), (1, 4, 7), ("packed", "scattered"), (False, True))
] + [
    topology.place(topology.leaf_spine(4, 1, 4, oversubscription=2), hosts)
    for hosts in ((3, 1, 2, 0), (4, 1, 1, 1), (1, 0, 0, 4))
]
PODS = [topology.tpu_pod("v4", dims) for dims in ((1, 2, 4), (2, 2, 4))] + [
    topology.tpu_pod("v5e", (1, 16)),
    topology.direct_node("DGX-1V"),
]
FAMILIES = LINES + GRIDS + HYPERX + TREES + GROUPS + CLUSTERS + JOBS + PODS


@pytest.mark.sampled(40)
@pytest.mark.parametrize("network", [n for n in FAMILIES if len(n.graph) <= 16], ids=lambda n: n.name)
def test_bisection_matches_brute_force(network):
    check(network)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "network",
    [
        topology.leaf_spine(4, 2, 4),
        topology.tree(3, 3),
        topology.fat_tree(4, oversubscription=2),
        topology.mesh((5, 4)),
        topology.torus((5, 2, 2)),
        topology.torus((3, 3, 2)),
        topology.dragonfly(4, 1, 4),
        topology.gpu_cluster(
            4, 4, wiring="rack", nvlink_bandwidth_one_way=9, nic_bandwidth_one_way=1, oversubscription=2
        ),
        topology.gpu_cluster(4, 4, nvlink_bandwidth_one_way=9, nic_bandwidth_one_way=1, oversubscription=2),
        topology.nvswitch_node("DGX H100"),
    ],
    ids=lambda n: n.name,
)
def test_bisection_matches_integer_programming(network):
    check(network, integer_programme)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("dims", [(7, 5), (9, 3), (7, 3, 2), (6, 5), (5, 3, 3), (8, 8), (11, 5)])
@pytest.mark.parametrize("make", [topology.mesh, topology.torus, topology.hyperx])
def test_grid_closed_forms_match_the_search(make, dims):
    closed = topology.bisection(make(dims))
    searched = topology.bisection(topology.from_graph(make(dims).graph))
    if closed.exact and searched.exact:
        assert closed.links == searched.links
    assert searched.lower_one_way <= closed.upper_one_way and closed.lower_one_way <= searched.upper_one_way
    assert closed.exact or dims == (7, 3, 2)


@every_row("sizes", [(3, 3, 3), (4, 3, 2), (5, 4), (2, 2, 2, 2), (5, 5), (6, 4, 3)])
def test_torus_bisection_ignores_the_order_of_dimensions(sizes):
    assert len({topology.bisection(topology.torus(dims)).links for dims in itertools.permutations(sizes)}) == 1


def test_equivalent_networks_have_equal_bisections():
    def links(network):
        return topology.bisection(network).links

    for d in range(1, 9):
        assert links(topology.hypercube(d)) == links(topology.torus((2,) * d)) == links(topology.hyperx((2,) * d))
    assert links(topology.torus((4, 4, 4))) == links(topology.hypercube(6))
    assert links(topology.torus((4, 3, 2))) == links(topology.hyperx((2, 2, 3, 2)))
    for n in range(1, 12):
        assert links(topology.torus((n,))) == links(topology.ring(n))
        assert links(topology.hyperx((n,))) == links(topology.complete(n)) == (n // 2) * (n - n // 2)
        assert links(topology.dragonfly(n, 1, 1)) == links(topology.complete(n))
        assert links(topology.tree(n, 1)) == links(topology.star(n))


@st.composite
def networks(draw):
    """A random graph with terminals, switches, pendant hosts and capacities of several kinds."""
    n = draw(st.integers(1, 10))
    pairs = list(itertools.combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=24)) if pairs else []
    switches = draw(st.sets(st.integers(1, n - 1), max_size=n - 1)) if n > 1 else set()
    rates = draw(st.sampled_from([[1.0], [1.0, 2.0, 3.0], [25e9, 50e9, 12.5e9], [0.1, 0.37, 1 / 3]]))
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for u, v in edges:
        graph.add_edge(u, v, capacity=draw(st.sampled_from(rates)))
    hosts = [("host", s, i) for s in switches for i in range(draw(st.integers(0, 2)))][:5]
    for host in hosts:
        graph.add_edge(host, host[1], capacity=draw(st.sampled_from(rates)))
    return topology.from_graph(graph, terminals=[u for u in range(n) if u not in switches] + hosts)


@given(networks())
@settings(max_examples=100, deadline=None)
def test_search_matches_brute_force(network):
    check(network)
    halving = search_bisection(network.graph, 1e-9)  # no time for a proof: bounds alone
    truth = brute_force(network.graph)
    assert halving.lower <= truth * (1 + 1e-9)
    assert nx.cut_size(network.graph, halving.side, weight="capacity") >= truth * (1 - 1e-9)


@given(networks(), st.randoms(use_true_random=False), st.sampled_from([1e-3, 3.0, 1e11]))
@settings(max_examples=25, deadline=None)
def test_bisection_ignores_node_names_and_scales_with_units(network, rng, factor):
    nodes = list(network.graph)
    names = dict(zip(nodes, rng.sample(range(100, 200), len(nodes)), strict=True))
    other = nx.Graph()
    other.add_nodes_from(rng.sample(list(names.values()), len(nodes)))
    for u, v, capacity in network.graph.edges(data="capacity"):
        other.add_edge(names[u], names[v], capacity=capacity * factor)
    renamed = topology.from_graph(other, terminals=[names[u] for u in network.terminal_nodes])
    expected = topology.bisection(network).bandwidth_one_way * factor
    assert topology.bisection(renamed).bandwidth_one_way == pytest.approx(expected, rel=1e-9, abs=1e-9 * factor)


@given(networks(), st.data())
@settings(max_examples=25, deadline=None)
def test_additional_link_never_reduces_the_bisection(network, data):
    graph = network.graph.copy()
    pairs = [pair for pair in itertools.combinations(graph, 2) if not graph.has_edge(*pair)]
    if not pairs:
        return
    graph.add_edge(*data.draw(st.sampled_from(pairs)), capacity=1.0)
    before = topology.bisection(network).bandwidth_one_way
    assert topology.bisection(topology.from_graph(graph)).bandwidth_one_way >= before * (1 - 1e-9)


FLOWS = [
    topology.torus((4, 3)),
    topology.fat_tree(4),
    topology.leaf_spine(4, 2, 4),
    topology.nvswitch_node("DGX-2"),
    topology.dragonfly(3, 1, 4, 2),
]


@pytest.mark.parametrize("network", FLOWS, ids=lambda n: n.name)
def test_bisection_is_at_most_the_max_flow_of_any_halves(network):
    width, halves = topology.bisection(network).bandwidth_one_way, topology.cut(network)
    hosts = set(network.terminal_nodes)
    rng = random.Random(5)
    splits = [hosts & halves.side] + [set(rng.sample(sorted(hosts), len(hosts) // 2)) for _ in range(5)]
    flows = []
    for side in splits:
        graph = nx.Graph(network.graph)
        graph.add_edges_from(("source", host) for host in side)
        graph.add_edges_from(("sink", host) for host in hosts - side)
        flows.append(nx.maximum_flow_value(graph, "source", "sink"))
    assert flows[0] == pytest.approx(width)
    assert min(flows) == pytest.approx(width)


SWITCHED = [
    topology.leaf_spine(2, 2, 3, 50e9),
    topology.leaf_spine(3, 1, 2, 50e9, uplink_bandwidth_one_way=75e9),
    topology.tree(2, 2, 50e9),
    topology.ring(5, 50e9),
    topology.mesh((2, 3), 50e9),
]


@pytest.mark.parametrize("network", SWITCHED, ids=lambda network: network.name)
def test_cut_around_terminals_is_the_smallest_over_all_switches(network):
    graph = network.graph
    switches = [node for node in graph if node not in network.terminal_nodes]
    for count in range(1, network.terminals):
        for chosen in itertools.combinations(network.terminal_nodes, count):
            sides = [
                {*chosen, *(node for node, here in zip(switches, bits, strict=True) if here)}
                for bits in itertools.product((0, 1), repeat=len(switches))
            ]
            least = min(nx.cut_size(graph, side, weight="capacity") for side in sides)
            found = topology.cut_around(network, chosen)
            assert found.bandwidth_one_way == pytest.approx(least)
            assert nx.cut_size(graph, found.side, weight="capacity") == pytest.approx(least)
            assert nx.cut_size(graph, found.side, weight="links") == found.links
            assert found.side & {*network.terminal_nodes} == {*chosen} and found.side | found.other == {*graph}


@every_row(
    "terminals, words",
    [
        ([], "not none and not all; got 0"),
        ([("host", 0, 0), ("host", 1, 0)], "not none and not all; got 2"),
        ([("leaf", 0)], "got ('leaf', 0)"),
        ([7], "got 7"),
    ],
)
def test_cut_around_needs_some_of_the_terminals(terminals, words):
    with pytest.raises(ValueError, match=r"terminals must be") as error:
        topology.cut_around(topology.leaf_spine(2, 1, 1), terminals)
    assert words in str(error.value)
