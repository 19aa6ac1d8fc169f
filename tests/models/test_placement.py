"""Placement: recordings of Ray 2.60.0, kube-scheduler's scores, gang scheduling, and trees by brute force."""

import json
from itertools import combinations, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import placement
from chip2cluster.placement import gang, ray_placement, topology_cost, tree_allocation
from tests.tables import every_row

DATA = Path(__file__).parent / "data/placement"
RAY = json.loads((DATA / "ray_placement.json").read_text(encoding="utf-8"))["cases"]
KUBERNETES = json.loads((DATA / "kubernetes.json").read_text(encoding="utf-8"))["cases"]


def of(kind):
    chosen = [case for case in KUBERNETES if kind in case]
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case["id"])


# --- Ray ----------------------------------------------------------------------------------------------------------------
@every_row("case", RAY)
def test_ray_placement_matches_the_recordings(case):
    group = ray_placement(case["bundles"], case["nodes"], case["strategy"])
    assert group.created == case["created"]
    if case["created"]:
        assert group.nodes_used == case["nodes_used"]
        assert sorted(group.bundles_per_node, reverse=True) == case["bundles_per_node_sorted"]


SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=5)


@pytest.mark.parametrize("strategy", ["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"])
@given(sizes=SIZES, free=st.lists(st.integers(0, 6), min_size=1, max_size=4))
def test_ray_placement_is_feasible(strategy, sizes, free):
    group = ray_placement([{"GPU": size} for size in sizes], [{"GPU": count} for count in free], strategy)
    places = [
        nodes
        for nodes in product(range(len(free)), repeat=len(sizes))
        if all(
            sum(s for s, n in zip(sizes, nodes, strict=True) if n == node) <= free[node] for node in range(len(free))
        )
    ]
    if strategy == "STRICT_PACK":
        places = [nodes for nodes in places if len(set(nodes)) == 1]
    if strategy == "STRICT_SPREAD":
        places = [nodes for nodes in places if len(set(nodes)) == len(nodes)]
    if group.created:
        assert group.nodes in places
    elif strategy.startswith("STRICT"):
        assert not places  # for one kind of resource these two rules miss nothing


def test_ray_pack_leaves_feasible_groups_pending():
    """Two nodes: PACK leaves some feasible groups pending, and creates no infeasible group."""
    missed = 0
    for free in product(range(4, 11), repeat=2):
        for sizes in ([5, 4, 3, 3, 3], [4, 4, 3, 3, 2], [6, 4, 3, 3]):
            group = ray_placement([{"GPU": s} for s in sizes], [{"GPU": f} for f in free], "PACK")
            halves = [sum(some) for r in range(len(sizes) + 1) for some in combinations(sizes, r)]
            possible = any(half <= free[0] and sum(sizes) - half <= free[1] for half in halves)
            assert possible or not group.created
            missed += possible and not group.created
    assert missed


def test_ray_placement_normalizes_resource_names():
    assert ray_placement([{"gpu": 1, "cpu": 2}], [{"GPU": 1, "CPU": 2}], "STRICT_PACK").created
    assert not ray_placement([{"tpu_slice": 1}], [{"GPU": 8}], "PACK").created


@every_row(
    "bundles, nodes, strategy, message",
    [
        (
            [{"GPU": 1}],
            [{"GPU": 1}],
            "pack",
            "strategy must be one of 'PACK', 'SPREAD', 'STRICT_PACK', 'STRICT_SPREAD'",
        ),
        ([], [{"GPU": 1}], "PACK", "bundles and nodes must hold at least one each"),
        ([{"GPU": 1}], [], "PACK", "bundles and nodes must hold at least one each"),
        ([{"GPU": 1, "gpu": 3}], [{"GPU": 2}], "PACK", r"bundles\[0\] must name each resource once, got GPU twice"),
        ([{"GPU": 0}], [{"GPU": 1}], "PACK", r"bundles\[0\] must request a resource"),
        ([{"GPU": -1}], [{"GPU": 1}], "PACK", r"bundles\[0\]\['GPU'\] must be zero or more"),
        ([{"GPU": 1}], [{"GPU": float("nan")}], "PACK", r"nodes\[0\]\['GPU'\] must be finite"),
    ],
)
def test_ray_placement_refuses_invalid_groups(bundles, nodes, strategy, message):
    with pytest.raises(ValueError, match=message):
        ray_placement(bundles, nodes, strategy)
    with pytest.raises(TypeError, match=r"bundles\[0\] must map"):
        ray_placement([1], [{"GPU": 1}])


# --- Kubernetes -----------------------------------------------------------------------------------------------------------
@of("least_allocated")
def test_scores_match_the_recorded_cases(case):
    given_ = case["inputs"]
    table = given_["requested_including_pod"], given_["allocatable"], given_["weights"]
    for name in ("least_allocated", "most_allocated", "balanced_allocation"):
        assert getattr(placement, name)(*table) == case[name]


@of("largest_free_block_pack")
def test_kubernetes_placement_matches_the_recorded_cases(case):
    for strategy in ("spread", "pack"):
        found = placement.kubernetes_placement(case["inputs"]["pods_gpus"], case["inputs"]["nodes_gpus"], strategy)
        assert list(found.nodes) == case[strategy] and list(found.used) == case[f"{strategy}_used"]
        assert found.largest_free_block == case[f"largest_free_block_{strategy}"]


def test_scores_count_cpu_and_memory_by_default():
    """CPU and memory; a node without the resource, and one with a request above its capacity."""
    assert placement.least_allocated({"cpu": 1, "memory": 1, "gpu": 8}, {"cpu": 2, "memory": 2, "gpu": 8}) == 50
    assert placement.least_allocated({"gpu": 1}, {"gpu": 0}, {"gpu": 1}) == 0
    assert placement.least_allocated({"gpu": 9}, {"gpu": 8}, {"gpu": 1}) == 0
    assert placement.most_allocated({"gpu": 9}, {"gpu": 8}, {"gpu": 1}) == 100


@of("with_gang")
def test_gang_matches_the_recorded_cases(case):
    asked = case["inputs"]["gpus"], case["inputs"]["pods_per_job"], case["inputs"]["jobs"]
    apart, together = gang(*asked, all_or_nothing=False), gang(*asked)
    wanted = case["without_gang"]
    assert apart.held == (wanted["job_a"], wanted["job_b"]) and apart.deadlock == wanted["deadlock"]
    assert together.running_jobs == case["with_gang"]["running_jobs"]
    assert together.deadlock == case["with_gang"]["deadlock"]


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 6))
def test_gang_never_deadlocks_or_overcommits(gpus, pods, jobs):
    together, apart = gang(gpus, pods, jobs), gang(gpus, pods, jobs, all_or_nothing=False)
    assert not together.deadlock and sum(together.held) <= gpus and sum(apart.held) == min(gpus, jobs * pods)
    assert together.running_jobs == min(jobs, gpus // pods) >= apart.running_jobs
    assert together.idle_gpus == gpus - together.running_jobs * pods
    held = [0] * jobs
    for turn in range(min(gpus, jobs * pods)):  # a pod of each in turn
        held[turn % jobs] += 1
    assert apart.held == tuple(held)


def test_fragmentation_of_free_gpus():
    """A quota of eight admits a pod of four that fits on no node."""
    assert placement.fragmentation([3, 3, 2], 4) == 1 and placement.fragmentation([8, 0], 4) == 0
    assert placement.fragmentation([], 4) == 0


@every_row(
    "call, message",
    [
        (lambda: placement.least_allocated({}, {"gpu": 1}, {"gpu": 1}), "requested must include gpu"),
        (lambda: placement.most_allocated({"gpu": 1}, {}, {"gpu": 1}), "allocatable must include gpu"),
        (lambda: placement.balanced_allocation({"gpu": -1}, {"gpu": 1}, {"gpu": 1}), r"requested\['gpu'\] must be at"),
        (lambda: placement.least_allocated({"gpu": 1}, {"gpu": 1}, {"gpu": 0}), r"weights\['gpu'\] must be at least 1"),
        (lambda: placement.kubernetes_placement([1], [], "pack"), "nodes_gpus must hold at least one node"),
        (lambda: placement.kubernetes_placement([1], [8], "first"), "strategy must be one of 'spread', 'pack'"),
        (lambda: placement.kubernetes_placement([0.5], [8], "pack"), r"pods_gpus\[0\] must be a whole number"),
        (lambda: gang(0, 1, 1), "gpus must be at least 1"),
        (lambda: gang(1, 0, 1), "pods_per_job must be at least 1"),
        (lambda: gang(1, 1, 0), "jobs must be at least 1"),
        (lambda: placement.fragmentation([1], 0), "pod must be at least 1"),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- trees --------------------------------------------------------------------------------------------------------------
TREE = {
    "leaf1": ["n1", "n2", "n3"], "leaf2": ["n4", "n5"], "leaf3": ["n6", "n7", "n8"],
    "agg1": ["leaf1", "leaf2"], "agg2": ["leaf3"], "core": ["agg1", "agg2"],
}  # fmt: skip
NODES = [f"n{number}" for number in range(1, 9)]


def test_topology_cost_matches_the_graph():
    import networkx as nx

    graph = nx.Graph([(switch, part) for switch, parts in TREE.items() for part in parts])
    away = dict(nx.all_pairs_shortest_path_length(graph))
    for one, other in combinations(NODES, 2):
        assert topology_cost([one, other], TREE).mean_hops == away[one][other]
    everybody = topology_cost(NODES, TREE)
    assert (everybody.max_hops, everybody.leaves, everybody.common_switch) == (6, 3, "core")
    assert topology_cost(["n1"], TREE).mean_hops == 0


@given(free=st.sets(st.sampled_from(NODES), min_size=1), count=st.integers(1, 8))
def test_tree_allocation_minimizes_the_distance(free, count):
    found = tree_allocation(count, sorted(free), TREE)
    if len(free) < count:
        assert found is None
        return
    assert len(found) == count and set(found) <= free
    others = [topology_cost(some, TREE) for some in combinations(sorted(free), count)]
    mine = topology_cost(found, TREE)
    assert mine.max_hops == min(other.max_hops for other in others)
    assert mine.leaves == min(other.leaves for other in others if other.max_hops == mine.max_hops)


@given(parents=st.lists(st.integers(0, 5), min_size=2, max_size=14), count=st.integers(1, 6), seed=st.randoms())
def test_topology_cost_of_random_trees_matches_the_graph(parents, count, seed):
    """Nodes may be at any height, next to switches: shortest paths of all pairs, and a feasible allocation."""
    import networkx as nx

    tree = {f"s{switch}": [] for switch in range(6)}
    for switch in range(1, 6):
        tree[f"s{parents[switch % len(parents)] % switch}"].append(f"s{switch}")
    for number, switch in enumerate(parents):
        tree[f"s{switch}"].append(f"n{number}")
    nodes = [f"n{number}" for number in range(len(parents))]
    graph = nx.Graph([(switch, part) for switch, parts in tree.items() for part in parts])
    chosen = seed.sample(nodes, min(count, len(nodes)))
    found = topology_cost(chosen, tree)
    hops = [nx.shortest_path_length(graph, one, other) for one, other in combinations(chosen, 2)]
    assert found.max_hops == max(hops, default=0) and found.mean_hops == pytest.approx(sum(hops) / max(1, len(hops)))
    assert found.leaves == len({switch for switch, parts in tree.items() if set(parts) & set(chosen)})
    given_ = tree_allocation(count, nodes, tree)
    assert (given_ is None) == (count > len(nodes)) and (given_ is None or len(set(given_)) == count)


def test_topology_cost_of_ten_thousand_nodes_is_fast():
    tree = {f"leaf{leaf}": [f"n{leaf}.{node}" for node in range(32)] for leaf in range(320)}
    everybody = [node for nodes in tree.values() for node in nodes]
    found = topology_cost(everybody, tree | {"core": list(tree)})
    pairs, near = comb(10_240, 2), 320 * comb(32, 2)
    assert found.mean_hops == pytest.approx((2 * near + 4 * (pairs - near)) / pairs) and found.max_hops == 4


def test_wrong_types_are_refused():
    for call in (placement.expand_hosts, placement.read_topology):
        with pytest.raises(TypeError, match="text must be"):
            call(None)
    with pytest.raises(TypeError, match="nodes must be a single whole number"):
        tree_allocation([1, 2], NODES, TREE)
    with pytest.raises(TypeError, match="gpus must be a single whole number"):
        gang([8, 4], 1, 1)


def test_read_topology_of_a_slurm_file():
    text = "# two racks\nSwitchName=leaf1 Nodes=n[1-2]\n\nSwitchName=leaf2 Nodes=n[3-4]\nSwitchName=spine Switches=leaf[1-2]\n"
    tree = placement.read_topology(text)
    assert tree == {"leaf1": ("n1", "n2"), "leaf2": ("n3", "n4"), "spine": ("leaf1", "leaf2")}


@every_row(
    "call, message",
    [
        (lambda: topology_cost([], TREE), "nodes must be distinct nodes"),
        (lambda: topology_cost(["n1", "n1"], TREE), "nodes must be distinct nodes"),
        (lambda: topology_cost(["leaf1"], TREE), "got 'leaf1'"),
        (lambda: topology_cost(["n1", "m1"], {"a": ["n1"], "b": ["m1"]}), "below one switch"),
        (lambda: topology_cost(["n1"], {"a": ["n1"], "b": ["n1"]}), "got n1 below a and b"),
        (lambda: topology_cost(["n1"], {"a": ["b", "n1"], "b": ["a"]}), "no cycle"),
        (lambda: tree_allocation(0, NODES, TREE), "nodes must be at least 1"),
        (lambda: tree_allocation(1, ["x"], TREE), "free must hold nodes that are below a switch, got 'x'"),
        (lambda: placement.read_topology("NodeName=n1"), "line 1 must name a new switch"),
        (lambda: placement.read_topology("\n"), "at least one line with SwitchName="),
        (lambda: placement.expand_hosts("n[1-3"), "must be a list of hosts"),
        (lambda: placement.expand_hosts("n[3-1]"), "must be ascending"),
        (lambda: placement.expand_hosts("n[1-3-5]"), "must be a list of hosts"),
        (lambda: placement.expand_hosts("n[,1]"), "must be a list of hosts"),
    ],
)
def test_invalid_trees_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    with pytest.raises(TypeError, match="tree must map switches"):
        topology_cost(["n1"], None)


# --- several jobs, pod by pod or all at once ---------------------------------------------------------------------------
@given(
    st.integers(1, 3), st.integers(1, 5), st.integers(1, 4), st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.sampled_from(["spread", "pack"]), st.booleans(),
)  # fmt: skip
def test_place_jobs_never_overcommits_and_gangs_are_complete(jobs, pods, gpus, used, strategy, gangs):
    sizes = [4] * len(used)
    found = placement.place_jobs(jobs, pods, gpus, sizes, strategy, used=used, all_or_nothing=gangs)
    held = [gpus * sum(places.count(node) for places in found.nodes) for node in range(len(used))]
    assert [4 - count - mine for count, mine in zip(used, held, strict=True)] == list(found.free)
    assert min(found.free) >= 0
    if gangs:
        assert found.stranded_gpus == 0 and not found.deadlock
    elif not all(found.runs):
        assert max(found.free) < gpus  # nobody waits while a place is left
    alone = placement.kubernetes_placement([gpus] * (jobs * pods), sizes, strategy).nodes
    if not any(used) and not gangs:
        assert [found.nodes[number % jobs][number // jobs] for number in range(jobs * pods)] == list(alone)


def test_place_jobs_on_one_node_agrees_with_gang():
    for gangs in (True, False):
        found = placement.place_jobs(2, 4, 1, [6], "pack", all_or_nothing=gangs)
        assert tuple(4 - places.count(None) for places in found.nodes) == gang(6, 4, 2, all_or_nothing=gangs).held


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: placement.place_jobs(1, 1, 1, [4], "best"), "strategy must be one of"),
        (lambda: placement.place_jobs(1, 1, 1, [], "pack"), "of at least one node"),
        (
            lambda: placement.place_jobs(1, 1, 1, [4], "pack", used=[5]),
            r"used must be at most nodes_gpus.*\[5\] of \[4\]",
        ),
        (lambda: placement.place_jobs(1, 0, 1, [4], "pack"), "pods_per_job must be at least 1"),
    ],
)
def test_place_jobs_refuses_invalid_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_kueue_lends_unused_quota_within_the_cohort():
    """Nominal quota first, then the borrowing limit, then the cohort's sum, as Kueue's page on cohorts says."""
    admit = placement.kueue_admission
    assert admit([9, 12], [1, None], [0, 0], [(0, 11)]) == (False,)
    assert admit([9, 12], [1, None], [0, 0], [(0, 10), (1, 12), (1, 11)]) == (True, False, True)
    assert admit([9, 12], [None, None], [0, 0], [(0, 21), (1, 1)]) == (True, False)
    assert admit([9, 12], [0, 0], [9, 0], [(0, 1), (1, 12)]) == (False, True)


def test_kueue_never_admits_beyond_quotas():
    draw = np.random.default_rng(7)
    for _ in range(300):
        quotas, limits = draw.integers(0, 20, 3).tolist(), draw.integers(0, 10, 3).tolist()
        jobs = [
            (int(queue), int(gpus)) for queue, gpus in zip(draw.integers(0, 3, 8), draw.integers(1, 9, 8), strict=True)
        ]
        admitted = placement.kueue_admission(quotas, limits, [0, 0, 0], jobs)
        held = [
            sum(gpus for (queue, gpus), yes in zip(jobs, admitted, strict=True) if yes and queue == one)
            for one in range(3)
        ]
        assert sum(held) <= sum(quotas)
        assert all(gpus <= quota + limit for gpus, quota, limit in zip(held, quotas, limits, strict=True))
        for place, ((queue, gpus), yes) in enumerate(zip(jobs, admitted, strict=True)):
            before = sum(more for (one, more), was in zip(jobs[:place], admitted, strict=False) if was and one == queue)
            if not yes and before + gpus <= quotas[queue]:  # within its quota: only lent GPUs can be missing
                total = sum(more for (_, more), was in zip(jobs[:place], admitted, strict=False) if was)
                assert total + gpus > sum(quotas)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([8], [0, 0], [0], [(0, 1)]), "must have one value per queue, got 1, 2 and 1"),
        (([8], [0], [0], [(1, 1)]), r"jobs\[0\] names queue 1, but there are 1 queues"),
    ],
)
def test_kueue_refuses_queues_that_do_not_match(arguments, message):
    with pytest.raises(ValueError, match=message):
        placement.kueue_admission(*arguments)
