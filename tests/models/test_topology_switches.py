"""Switch counts of published reference designs, and max-min fair rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import topology
from chip2cluster.topology import max_min_rates, most_endpoints, switch_count


# NVIDIA, DGX SuperPOD reference architectures (H100: 4 scalable units; B200: 2,048 nodes), 64-port switches.
@pytest.mark.parametrize(
    "nodes, leaves, spines, cores", [(32, 8, 4, 0), (64, 16, 8, 0), (128, 32, 16, 0), (2048, 512, 512, 256)]
)
def test_switches_of_published_superpods(nodes, leaves, spines, cores):
    found = switch_count(8 * nodes, 64)
    assert (found.leaves, found.spines, found.cores) == (leaves, spines, cores)
    assert found.leaf_cables == 8 * nodes and found.oversubscription == 1


@pytest.mark.parametrize("radix", [4, 8, 36, 40, 64, 128])
def test_full_fat_trees_have_the_counts_of_the_textbook(radix):
    """Al-Fares et al.: k pods of k switches and k^2/4 cores connect k^3/4 hosts."""
    full = switch_count(most_endpoints(radix, 3), radix)
    assert (full.leaves, full.spines, full.cores) == (radix**2 // 2, radix**2 // 2, radix**2 // 4)
    two = switch_count(most_endpoints(radix, 2), radix)
    assert (two.tiers, two.leaves, two.spines) == (2, radix, radix // 2)
    assert switch_count(radix, radix).tiers == 1 and switch_count(most_endpoints(radix, 2) + 1, radix).tiers == 3
    with pytest.raises(ValueError, match="more than three tiers"):
        switch_count(most_endpoints(radix, 3) + 1, radix)


@given(st.integers(1, 60_000), st.sampled_from([32, 64, 128]), st.sampled_from([1.0, 2.0, 3.0]))
def test_no_switch_has_more_cables_than_ports(endpoints, radix, ratio):
    if endpoints > most_endpoints(radix, 3):
        return
    found = switch_count(endpoints, radix, oversubscription=ratio)
    assert found.endpoint_cables + found.leaf_cables <= found.leaves * radix
    if found.tiers > 1:
        assert found.leaf_cables + found.spine_cables <= found.spines * radix
        assert found.oversubscription >= ratio - 1e-9 or found.oversubscription >= ratio * 0.9
    if found.tiers == 3:
        assert found.spine_cables <= found.cores * radix
    fewer = switch_count(max(endpoints // 2, 1), radix, oversubscription=ratio)
    assert fewer.switches <= found.switches


def test_cluster_of_a_radix_that_is_too_small_is_refused():
    rates = dict(nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=50e9)
    with pytest.raises(
        ValueError, match="do not fit two tiers of 64-port switches.*512 leaves, 512 spines and 256 cores"
    ):
        topology.gpu_cluster(2048, nodes_per_group=32, radix=64, **rates)
    fits = topology.gpu_cluster(256, nodes_per_group=32, radix=64, **rates)
    assert topology.full_bisection_share(fits) == 1


@given(st.data())
def test_max_min_gives_every_flow_a_bottleneck(data):
    """The definition: a flow's rate is the largest on some full link that it uses."""
    links = [f"l{number}" for number in range(data.draw(st.integers(1, 8)))]
    capacity = {link: data.draw(st.floats(1, 1e3)) for link in links}
    size = st.lists(st.sampled_from(links), min_size=1, max_size=4, unique=True)
    paths = data.draw(st.lists(size, min_size=1, max_size=12))
    rates = max_min_rates(paths, capacity)
    used = {link: sum(rate for rate, path in zip(rates, paths, strict=True) if link in path) for link in links}
    assert all(used[link] <= capacity[link] * (1 + 1e-9) for link in links)
    for rate, path in zip(rates, paths, strict=True):
        assert rate > 0
        assert any(
            used[link] == pytest.approx(capacity[link])
            and rate >= max(other for other, way in zip(rates, paths, strict=True) if link in way) * (1 - 1e-9)
            for link in path
        )


def test_max_min_of_the_textbook_line():
    """Bertsekas and Gallager: one long flow over n links, each with one flow of its own, gets half."""
    paths = [["a", "b", "c"], ["a"], ["b"], ["c"]]
    assert max_min_rates(paths, dict.fromkeys("abc", 1.0)).tolist() == [0.5] * 4
    unequal = max_min_rates(paths, {"a": 1.0, "b": 2.0, "c": 10.0})
    assert unequal.tolist() == [0.5, 0.5, 1.5, 9.5]


def test_incast_equals_its_closed_form():
    star = topology.leaf_spine(1, 1, 9, link_bandwidth_one_way=50e9)
    rates = topology.flow_rates(star, [(sender, 0) for sender in range(1, 9)])
    assert rates == pytest.approx(np.full(8, 50e9 / 8))
    assert 1e9 / rates[0] == pytest.approx(topology.incast_time(1e9, 8, 50e9))


def test_flows_that_meet_share_an_uplink():
    """Four senders of one leaf to four receivers of another over one uplink as fast as a NIC."""
    net = topology.leaf_spine(2, 1, 4, link_bandwidth_one_way=10.0)
    crossing = [(number, 4 + number) for number in range(4)]
    assert topology.flow_rates(net, crossing).tolist() == [2.5] * 4
    assert topology.flow_rates(net, [*crossing, (1, 0)]).tolist() == [2.5, 2.5, 2.5, 2.5, 7.5]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: max_min_rates([[]], {}), "at least one link"),
        (lambda: max_min_rates([["a"]], {}), "capacity must have every link"),
        (lambda: topology.flow_rates(topology.ring(4), [(0, 0)]), "different ends"),
        (lambda: topology.flow_rates(topology.ring(4), [(0, 4)]), "0 to 3"),
        (lambda: switch_count(10, 1), "radix"),
        (lambda: switch_count(10, oversubscription=0.5), "oversubscription"),
        (lambda: most_endpoints(64, 4), "tiers"),
    ],
)
def test_wrong_flows_and_switches_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
