"""Placement of axes on tiers, counted rank by rank."""

from itertools import product
from math import inf, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import utilization
from chip2cluster.parallelism import AxisPlacement, Layout, Tier, place
from tests.models.machines import CLUSTER, SMALL

ORDERS = [("tensor", "context", "pipeline", "data"), ("tensor", "context", "data", "pipeline"), ("data", "pipeline", "tensor", "context")]  # fmt: skip


def groups_of(layout, order, axis):
    """The ranks of every group of an axis, from the definition of rank numbers."""
    sizes = {name: getattr(layout, name) for name in order}
    ranks = {}
    for places in product(*(range(sizes[name]) for name in reversed(order))):
        at = dict(zip(reversed(order), places, strict=True))
        rank = sum(at[name] * prod(sizes[other] for other in order[: order.index(name)]) for name in order)
        ranks[tuple(at[name] for name in order)] = rank
    moving = {"data": {"data", "context"}, "expert": {"data"}}.get(axis, {axis})
    found = {}
    for places, rank in ranks.items():
        at = dict(zip(order, places, strict=True))
        key = [at[name] for name in order if name not in moving]
        if axis == "expert":
            key.append(at["data"] // layout.expert)
        found.setdefault(tuple(key), []).append(rank)
    return [sorted(group) for group in found.values()]


@given(SMALL, st.sampled_from(ORDERS))
def test_place_agrees_with_ranks(layout, order):
    placed = place(layout, CLUSTER, order)
    for axis, found in placed.items():
        groups = groups_of(layout, order, axis)
        assert isinstance(found, AxisPlacement) and {len(group) for group in groups} == {found.group}
        # The outermost tier is the first one whose instances contain every group.
        held = next(
            tier for tier in CLUSTER if all(len({rank // tier.devices for rank in group}) == 1 for group in groups)
        )
        assert found.tier == held or found.group == 1
        if found.group == 1:
            continue
        # A ring leaves an instance at best once for each member of the group there.
        ring = neighbour = inf
        for lower, tier in zip((None, *CLUSTER), CLUSTER, strict=False):
            size = lower.devices if lower else 1
            inside = min(
                len([1 for rank in group if rank // size == first // size]) for group in groups for first in group
            )
            if any(
                len({rank // size for rank in group if rank // tier.devices == group[0] // tier.devices}) > 1
                for group in groups
            ):
                ring = min(ring, inside * tier.bandwidth_one_way)
                neighbour = min(neighbour, tier.bandwidth_one_way)
        assert found.ring_bandwidth_one_way <= ring * (1 + 1e-12)
        assert found.neighbour_bandwidth_one_way == neighbour
        if {layout.pipeline, layout.data} <= {1, 2, 4, 8}:  # no group is split: exact
            assert found.ring_bandwidth_one_way == ring


@given(st.sampled_from([2, 4, 8, 16, 64, 256]), st.sampled_from([1, 2, 4, 8]))
def test_all_to_all_bandwidth_counts_traffic_that_leaves(e, t):
    found = place(Layout(tensor=t, data=e, expert=e), CLUSTER)["expert"]
    group = [t * rank for rank in range(e)]
    slowest = 0.0
    for lower, tier in zip((1, 8, 64), CLUSTER, strict=True):
        leaving = sum(rank // lower != group[0] // lower for rank in group)
        if any(
            rank // lower != group[0] // lower for rank in group if rank // tier.devices == group[0] // tier.devices
        ):
            slowest = max(slowest, leaving / tier.bandwidth_one_way)
    assert (e - 1) / found.exchange_bandwidth_one_way == pytest.approx(slowest)


def test_two_tier_bandwidths_match_other_models():
    two = Tier("node", 8, 450e9), Tier("network", 1024, 50e9)
    found = place(Layout(data=128), two)["data"]
    assert found.bandwidth_one_way("all_reduce") == utilization.ring_bandwidth(8, 450e9, 50e9)
    spread = place(Layout(tensor=8, data=16), two)["data"]
    assert spread.bandwidth_one_way("all_gather") == utilization.ring_bandwidth(1, 450e9, 50e9)
    assert spread.bandwidth_one_way("send_recv") == spread.bandwidth_one_way("all_to_all") == 50e9


@pytest.mark.parametrize("change, words", [
    (dict(name=8), "name must be a string"),
    (dict(devices=0), "devices must be at least 1"),
    (dict(bandwidth_one_way=0), "bandwidth_one_way must be greater than zero"),
    (dict(bandwidth_one_way=[1, 2]), "bandwidth_one_way must be a single number"),
    (dict(latency_seconds=-1), "latency_seconds must be zero or more"),
])  # fmt: skip
def test_bad_input_of_a_tier_is_named(change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Tier(**(dict(name="node", devices=8, bandwidth_one_way=450e9) | change))


def test_place_needs_a_layout():
    with pytest.raises(TypeError, match=r"layout must be a parallelism\.Layout"):
        place(8, CLUSTER)
