"""A step of ranks that wait for each other, buckets that wait for the network, and their pictures."""

from itertools import pairwise

import numpy as np
import pytest

from chip2cluster import collectives, draw, topology, utilization


def barrier(ready, exchange):
    """A clock that ticks in ms: a rank that is ready stands at the barrier until all are."""
    standing, now = np.zeros(len(ready)), 0.0
    while now < max(ready):
        standing += [now >= moment for moment in ready]
        now += 0.001
    return 1e-3 * standing + exchange


def test_an_all_reduce_is_as_long_as_standing_at_a_barrier():
    data, work = np.array([0.01, 0.2, 0.01]), np.array([0.5, 0.4, 0.9])
    step = utilization.ranks_step(data, work, 0.15)
    assert step.all_reduce == pytest.approx(barrier(data + work, 0.15), abs=0.002)
    assert step.last == 2 and step.all_reduce.min() == pytest.approx(0.15)


def test_nobody_leaves_before_the_others():
    random = np.random.default_rng(1)
    step = utilization.ranks_step(random.uniform(0, 1, 8), random.uniform(1, 2, 8), 0.3)
    ends = step.data + step.arithmetic + step.all_reduce
    assert ends == pytest.approx(np.full(8, step.seconds))


@pytest.mark.parametrize("bad", [([1.0], [1.0, 2.0], 0.1), ([], [], 0.1), ([-1.0], [1.0], 0.1), ([1.0], [1.0], np.nan)])
def test_a_step_that_makes_no_sense_is_refused(bad):
    with pytest.raises((ValueError, TypeError)):
        utilization.ranks_step(*bad)


def test_buckets_go_one_by_one_and_none_before_it_is_ready():
    random = np.random.default_rng(2)
    ready, seconds = np.sort(random.uniform(0, 1, 12)), random.uniform(0.01, 0.2, 12)
    free, starts = 0.0, []
    for moment, long in zip(ready, seconds, strict=True):
        starts.append(max(free, moment))
        free = starts[-1] + long
    assert collectives.sent_from(ready, seconds) == pytest.approx(starts)
    assert collectives.exposed_time(ready, seconds) == pytest.approx(free - ready[-1])


PICTURES = {
    "straggler": draw.late_rank(
        utilization.ranks_step([0.011] * 4, [1.622, 1.203, 1.19, 1.211], 0.146), subtitle="a log"
    ),
    "loader": draw.late_rank(utilization.ranks_step([0.01] * 7 + [0.5], [1.2] * 8, 0.15), subtitle="a log of eight"),
    "together": draw.late_rank(utilization.ranks_step([0.0], [0.02], 0.001)),
}


def test_a_way_has_as_many_links_as_were_counted():
    rates = dict(nvlink_bandwidth_one_way=450e9, nic_bandwidth_one_way=50e9)
    for wiring, links in (("rail", 2), ("rack", 4)):
        cluster = topology.gpu_cluster(4, 4, wiring=wiring, **rates)
        way = topology.shortest_path(cluster, ("gpu", 0, 2), ("gpu", 3, 2))
        assert len(way) - 1 == links == topology.same_rank_hops(cluster).diameter
        assert all(pair in cluster.graph.edges for pair in pairwise(way))
    with pytest.raises(ValueError, match="target must be a node"):
        topology.shortest_path(cluster, ("gpu", 0, 2), ("gpu", 9, 2))


def test_titles_say_the_finding():
    assert PICTURES["straggler"].title == "Rank 0 comes last, and the others wait up to 0.43 s"
    assert PICTURES["loader"].title.startswith("Rank 7 comes last")
    assert "same time" in PICTURES["together"].title
    assert "waits for data" in PICTURES["loader"].svg and "waits for data" not in PICTURES["straggler"].svg
