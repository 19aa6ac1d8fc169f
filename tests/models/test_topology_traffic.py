"""All-to-all across the cut, oversubscription, hops, and where a job sits."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import topology
from tests.tables import every_row

RATES = {"nvlink_bandwidth_one_way": 450e9, "nic_bandwidth_one_way": 50e9}


def exchanged(network, message_bytes):
    """Bytes that each direction of the cut carries when every pair exchanges its part, by enumeration."""
    halves = topology.cut(network)
    part = message_bytes / network.terminals
    hosts = network.terminal_nodes
    return sum(part for a, b in itertools.product(hosts, hosts) if a in halves.side and b in halves.other)


@pytest.mark.parametrize(
    "network", [topology.ring(7, 2.0), topology.torus((4, 3), 5.0), topology.leaf_spine(3, 1, 3, 4.0)]
)
def test_crossing_time_matches_counted_messages(network):
    width = topology.bisection(network).bandwidth_one_way
    crossing = topology.crossing_time(900.0, network.terminals, width)
    assert crossing == pytest.approx(exchanged(network, 900.0) / width)
    assert topology.all_to_all_time(network, 900.0) >= crossing


def test_all_to_all_time_of_a_tpu_ring():
    # Austin et al. 2025: an all-to-all of an array of V bytes over a ring takes V / (4 W) with W both ways of a link.
    chips, link, array = 16, 45e9, 1e9
    per_chip = array / chips
    time = topology.all_to_all_time(topology.ring(chips, link), per_chip)
    assert time == pytest.approx(array / (4 * 2 * link))


@given(
    st.floats(1, 1e12),
    st.integers(2, 10**5),
    st.floats(1e6, 1e14),
    st.floats(0.1, 10),
)
def test_crossing_time_scales(size, n, width, factor):
    time = topology.crossing_time(size, n, width)
    assert type(time) is float and time > 0
    assert topology.crossing_time(factor * size, n, width) == pytest.approx(factor * time)
    assert topology.crossing_time(size, n, factor * width) == pytest.approx(time / factor)
    # At most a quarter of all bytes crosses in each direction.
    assert time <= size * n / 4 / width * (1 + 1e-12)


def test_crossing_time_broadcasts():
    sizes, counts, widths = np.array([0.0, 1e6, 1e9]), np.array([[1], [2], [7]]), np.array([0.0, 1e9, 3e11])
    times = topology.crossing_time(sizes, counts, widths)
    assert times.shape == (3, 3)
    for (i, j), value in np.ndenumerate(times):
        alone = topology.crossing_time(sizes[j], int(counts[i, 0]), widths[j])
        assert value == alone and type(alone) is float
    assert topology.crossing_time(1e9, 1, 0.0) == 0.0 and topology.crossing_time(1.0, 4, 0.0) == np.inf
    assert topology.crossing_time(np.float32(8), np.int64(4), np.float32(2)) == 4.0


def test_all_to_all_time_of_one_terminal_and_of_arrays():
    assert topology.all_to_all_time(topology.ring(1), 1e9) == 0.0 == topology.injection_time(topology.ring(1), 1e9)
    fabric = topology.fat_tree(4, 50e9)
    sizes = np.array([1e6, 1e9])
    assert topology.all_to_all_time(fabric, sizes) == pytest.approx(
        [topology.all_to_all_time(fabric, s) for s in sizes]
    )
    assert topology.injection_time(fabric, sizes) == pytest.approx(15 / 16 * sizes / 50e9)


def test_all_to_all_time_is_the_largest_bound():
    # With full bisection the links of a host are the limit; with 4:1 oversubscription it is the cut.
    full, thin = (topology.leaf_spine(4, 16, 16, 50e9, oversubscription=ratio) for ratio in (1, 4))
    assert topology.all_to_all_time(full, 1e9) == pytest.approx(topology.injection_time(full, 1e9))
    assert topology.all_to_all_time(thin, 1e9) == pytest.approx(16 * 48 / 64 / (16 / 4 * 50))


def test_oversubscription_of_known_networks():
    assert topology.oversubscription(topology.leaf_spine(4, 2, 4)) == 2.0
    assert topology.oversubscription(topology.leaf_spine(8, 4, 4)) == 1.0
    assert topology.oversubscription(topology.leaf_spine(8, 8, 4)) == 0.5
    assert topology.oversubscription(topology.leaf_spine(3, 2, 12, 50e9, oversubscription=4)) == pytest.approx(4)
    assert topology.oversubscription(topology.leaf_spine(3, 2, 12, uplinks_per_spine=3)) == 2.0
    assert topology.oversubscription(topology.fat_tree(8)) == 1.0
    assert topology.oversubscription(topology.fat_tree(8, oversubscription=3)) == pytest.approx(3)
    assert topology.oversubscription(topology.tree(2, 4)) == 8.0  # 8 leaves below a single link
    assert topology.oversubscription(topology.tree(2, 4, links_growth=2)) == 1.0
    assert topology.oversubscription(topology.nvswitch_node("DGX-2")) == 1.0
    assert topology.oversubscription(topology.star(5)) == 1.0
    assert topology.oversubscription(topology.gpu_cluster(8, oversubscription=2.5, **RATES)) == pytest.approx(2.5)


HOPS = [
    *(make(n) for make in (topology.path, topology.ring, topology.complete, topology.star) for n in (1, 2, 3, 6, 7)),
    *(
        make(dims)
        for make in (topology.mesh, topology.torus, topology.hyperx)
        for dims in ((3, 4), (5, 2, 3), (1, 4), (2, 2, 2))
    ),
    topology.hyperx((3, 2), hosts_per_router=3),
    topology.tree(3, 2),
    topology.tree(1, 3),
    topology.fat_tree(4),
    topology.leaf_spine(3, 2, 4),
    topology.leaf_spine(1, 1, 4),
    topology.nvswitch_node("DGX-2"),
    topology.nvswitch_node("DGX H100"),
    topology.dragonfly(3, 1, 4, 2),
    topology.gpu_cluster(4, 4, **RATES),
    topology.tpu_pod("v5e", (4, 16)),
    topology.place(topology.leaf_spine(4, 2, 4), 7, "scattered"),
    topology.place(topology.leaf_spine(4, 2, 4), 3, "packed"),
    topology.place(topology.leaf_spine(4, 2, 4), 1, "packed"),
]


@every_row("network", HOPS)
def test_hops_match_networkx(network):
    hosts = network.terminal_nodes
    lengths = [nx.shortest_path_length(network.graph, a, b) for a, b in itertools.permutations(hosts, 2)]
    distances = topology.hops(network)
    assert distances.diameter == max(lengths, default=0)
    assert distances.average == pytest.approx(np.mean(lengths) if lengths else 0.0)
    assert isinstance(distances.diameter, int) and isinstance(distances.average, float)


@every_row("network", HOPS)
def test_terminals_and_injection_match_the_graph(network):
    graph = network.graph
    hosts = [node for node, terminal in graph.nodes(data="terminal") if terminal]
    assert network.terminals == len(hosts) and network.terminal_nodes == tuple(hosts)
    least = min(graph.degree(node, weight="capacity") for node in hosts)
    assert network.injection_bandwidth_one_way == pytest.approx(least)


def test_hops_decrease_from_mesh_to_torus_to_hypercube():
    average = [
        topology.hops(n).average
        for n in (topology.mesh((8, 8)), topology.torus((8, 8)), topology.hypercube(6), topology.complete(64))
    ]
    assert average == sorted(average, reverse=True)


def test_rail_wiring_puts_equal_ranks_on_one_leaf():
    rail, rack = (topology.gpu_cluster(32, wiring=wiring, **RATES) for wiring in ("rail", "rack"))
    assert topology.same_rank_hops(rail) == topology.Hops(2.0, 2)
    # Wiring by rack: 4 nodes share a leaf, so 3 of the 31 other nodes are 2 links away.
    assert topology.same_rank_hops(rack).average == pytest.approx((3 * 2 + 28 * 4) / 31)
    # The switches, the links and the bisection are the same.
    assert rail.graph.number_of_edges() == rack.graph.number_of_edges() and len(rail.graph) == len(rack.graph)
    assert topology.bisection(rail).bandwidth_one_way == topology.bisection(rack).bandwidth_one_way == 128 * 50e9
    groups = topology.gpu_cluster(64, nodes_per_group=32, **RATES)
    assert topology.same_rank_hops(groups).average == pytest.approx((31 * 2 + 32 * 4) / 63)
    # Any two GPUs of a group with rails are 2 or 4 links apart, through NVLink or a leaf.
    assert topology.hops(topology.gpu_cluster(4, 4, **RATES)).diameter == 4


def test_scattered_job_gets_its_share_of_the_uplinks():
    # 32 nodes on one leaf of 32, or on four leaves with a spine oversubscribed 4:1.
    fabric = topology.leaf_spine(4, 8, 32, 50e9, oversubscription=4)
    packed, scattered, alone = (
        topology.place(fabric, 32, "packed", shared=True),
        topology.place(fabric, 32, "scattered", shared=True),
        topology.place(fabric, 32, "scattered"),
    )
    widths = [topology.bisection(job).bandwidth_one_way for job in (packed, scattered, alone)]
    assert widths == pytest.approx([16 * 50e9, 16 * 50e9 / 4, 16 * 50e9])
    # Scattered, a leaf's 8 hosts share 100 GB/s; packed, each host has its own 50.
    assert topology.all_to_all_time(scattered, 1e9) == pytest.approx(8 * 24 / 32 / 100)
    assert topology.all_to_all_time(packed, 1e9) == pytest.approx(31 / 32 / 50)
    assert topology.hops(packed) == topology.Hops(2.0, 2)
    assert topology.hops(scattered).average == pytest.approx((7 * 2 + 24 * 4) / 31)


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_place_bisection_is_monotone_and_bounded(leaves, room, data):
    ratio = data.draw(st.sampled_from([0.5, 1.0, 2.0, 5.0]))
    fabric = topology.leaf_spine(leaves, 2, room, oversubscription=ratio)
    hosts = data.draw(st.integers(1, leaves * room))
    widths = {}
    for strategy, shared in itertools.product(("packed", "scattered"), (False, True)):
        job = topology.place(fabric, hosts, strategy, shared=shared)
        placed = job.parameters["hosts_at_leaf"]
        assert sum(placed) == hosts == job.terminals and max(placed) <= room and len(placed) == leaves
        assert (
            (max(placed) - min(placed) <= 1)
            if strategy == "scattered"
            else placed == tuple(sorted(placed, reverse=True))
        )
        narrowest = topology.bisection(job)
        assert narrowest.exact and narrowest.bandwidth_one_way <= hosts // 2 + 1e-9
        widths[strategy, shared] = narrowest.bandwidth_one_way
        assert (
            topology.bisection(topology.place(fabric, placed, shared=shared)).bandwidth_one_way
            == narrowest.bandwidth_one_way
        )
    for strategy in ("packed", "scattered"):
        assert widths[strategy, True] <= widths[strategy, False] + 1e-9
    full = topology.place(fabric, leaves * room, shared=True)
    assert topology.bisection(full).bandwidth_one_way == pytest.approx(topology.bisection(fabric).bandwidth_one_way)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.sampled_from([0.5, 3.0, 50e9]))
def test_bisection_bandwidth_scales_with_the_rate(dims, rate):
    for make in (topology.mesh, topology.torus, topology.hyperx):
        plain, scaled = topology.bisection(make(dims)), topology.bisection(make(dims, link_bandwidth_one_way=rate))
        assert plain.links == scaled.links and plain.exact == scaled.exact
        assert scaled.bandwidth_one_way == pytest.approx(rate * plain.bandwidth_one_way)
        assert scaled.bandwidth_both_ways == 2 * scaled.bandwidth_one_way


def test_cut_time_of_three_cuts():
    # By hand: 64 hosts of 50 GB/s, 16 a leaf, 4 uplinks: one host, one leaf, two leaves.
    assert topology.cut_time(1e9, 64, 1, 50e9) == pytest.approx(63 / 64 / 50)
    assert topology.cut_time(1e9, 64, 16, 200e9) == pytest.approx(12 / 200)
    assert topology.cut_time(1e9, 64, 32, 400e9) == topology.crossing_time(1e9, 64, 400e9) == pytest.approx(16 / 400)
    assert topology.cut_time(1e9, 8, [0, 8], 1e9).tolist() == [0.0, 0.0]
    assert topology.cut_time(1e9, 8, [0, 1], 0.0).tolist() == [0.0, np.inf]
    with pytest.raises(ValueError, match="side must be at most terminals = 4"):
        topology.cut_time(1e9, 4, 5, 1e9)


@given(st.integers(2, 200), st.data(), st.floats(1e6, 1e12))
def test_cut_time_is_symmetric(n, data, width):
    side = data.draw(st.integers(0, n))
    time = topology.cut_time(1e9, n, side, width)
    assert time == pytest.approx(topology.cut_time(1e9, n, n - side, width))
    assert time <= topology.crossing_time(1e9, n, width) * (1 + 1e-12)


@given(st.integers(2, 6), st.integers(1, 8), st.sampled_from([1.0, 2.0, 4.0]))
def test_leaf_cut_takes_at_least_as_long_as_the_bisection(pairs, hosts, ratio):
    fabric = topology.leaf_spine(2 * pairs, 1, hosts, 50e9, oversubscription=ratio)
    n = fabric.terminals
    leaf = topology.cut_time(1e9, n, hosts, hosts * 50e9 / ratio)
    longest = max(leaf, topology.injection_time(fabric, 1e9))
    assert topology.all_to_all_time(fabric, 1e9) == pytest.approx(longest)


def test_all_to_all_time_of_a_cluster_is_set_by_its_nodes():
    # 4 nodes of 8 GPUs: 8 * 24 / 32 GB leave a node over 8 NICs of 50 GB/s.
    for wiring in ("rail", "rack"):
        cluster = topology.gpu_cluster(8, 4, wiring=wiring, **RATES)
        assert topology.all_to_all_time(cluster, 1e9) == pytest.approx(4 * 28 / 32 / (4 * 50))
    assert topology.all_to_all_time(topology.gpu_cluster(4, **RATES), 1e9) == pytest.approx(15e-3)
    # A single node: only NVLink and the NIC of a GPU.
    assert topology.all_to_all_time(topology.gpu_cluster(1, **RATES), 1e9) == pytest.approx(7 / 8 / 500)


@pytest.mark.parametrize(
    "network",
    [
        topology.leaf_spine(4, 2, 8, 50e9),
        topology.fat_tree(4, 50e9, oversubscription=4),
        topology.tree(2, 4, 50e9),
        topology.nvswitch_node("DGX-2"),
        topology.dragonfly(3, 1, 4, link_bandwidth_one_way=50e9),
        topology.gpu_cluster(8, 4, nodes_per_group=4, oversubscription=4, **RATES),
        topology.gpu_cluster(8, 4, nodes_per_group=4, wiring="rack", oversubscription=4, **RATES),
        topology.place(topology.leaf_spine(4, 2, 8, 50e9), [8, 3, 1, 0], shared=True),
        topology.place(topology.leaf_spine(4, 2, 8, 50e9), 9, "scattered"),
    ],
    ids=lambda network: network.name,
)
def test_structure_cuts_exist_in_the_graph(network):
    """Some set of that many terminals has at most the stated bandwidth, so the time is a lower bound."""
    hosts = network.terminal_nodes
    for inside, bandwidth in network._structure.cuts():
        sides = [set(hosts[first : first + inside]) for first in range(len(hosts) - inside + 1)]
        assert inside == len(hosts) or any(
            least_cut(network.graph, side, set(hosts) - side) <= bandwidth * (1 + 1e-9) for side in sides
        )


def least_cut(graph, side, other):
    flow = nx.Graph(graph)
    flow.add_edges_from(("in", host) for host in side)
    flow.add_edges_from(("out", host) for host in other)
    return nx.minimum_cut_value(flow, "in", "out")


@given(st.integers(1, 9), st.integers(1, 8), st.sampled_from([1.0, 2.0, 4.0]))
def test_full_bisection_share_of_a_cluster_counts_its_nics(nodes, gpus, ratio):
    """Non-blocking is 100 % of the NICs regardless of NVLink; with an oversubscribed spine it is less."""
    if nodes * gpus > 1:
        assert topology.full_bisection_share(topology.gpu_cluster(nodes, gpus, **RATES)) == pytest.approx(1.0)
    thin = topology.gpu_cluster(2 * nodes, gpus, nodes_per_group=nodes, oversubscription=ratio, **RATES)
    assert topology.full_bisection_share(thin) == pytest.approx(1 / ratio)


def test_table_agrees_with_the_models():
    nets = [topology.torus((4, 4), 50e9), topology.nvswitch_node("DGX-2")]
    side_by_side = topology.table(nets)
    assert side_by_side.index.tolist() == ["torus 4x4", "DGX-2"]
    assert side_by_side["links cut"].tolist() == [8, 48] and side_by_side["one way (GB/s)"].tolist() == [400.0, 1200.0]
    assert side_by_side["both ways (GB/s)"].tolist() == [800.0, 2400.0] and side_by_side["of p/2 · β (%)"].tolist() == [
        25.0,
        100.0,
    ]
    assert topology.table({"box": nets[1]}).index.tolist() == ["box"]


@every_row(
    "network",
    [
        topology.leaf_spine(4, 2, 8, 50e9),
        topology.fat_tree(4, 50e9, oversubscription=4),
        topology.nvswitch_node("DGX-2"),
        topology.nvswitch_node("DGX H100"),
        topology.gpu_cluster(8, 4, nodes_per_group=4, oversubscription=4, **RATES),
        topology.gpu_cluster(8, 4, nodes_per_group=4, wiring="rack", **RATES),
        topology.gpu_cluster(4, 1, **RATES),
        topology.cluster("CloudMatrix384"),
        topology.place(topology.leaf_spine(4, 8, 16, 50e9), 32, "scattered", shared=True),
        topology.place(topology.leaf_spine(4, 8, 16, 50e9), [3, 9, 0, 1]),
    ],
)
def test_tiers_match_the_cuts(network):
    first, *outer = network.tiers
    assert first.terminals == 1 and first.number == network.terminals
    assert first.bandwidth_one_way == network.injection_bandwidth_one_way
    edges = network.graph.edges(network.terminal_nodes[0], data="links")
    assert first.links == sum(links for *_, links in edges)
    for tier in network.tiers:
        assert tier.number * tier.terminals == network.terminals
    assert {(tier.terminals, tier.bandwidth_one_way) for tier in outer} <= set(network._structure.cuts())
    assert topology.torus((4, 4)).tiers == ()
