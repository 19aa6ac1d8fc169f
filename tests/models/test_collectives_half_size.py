"""The message that reaches half of the bandwidth: of a hop, a node, a cluster, a measured run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives, links
from chip2cluster.collectives import NcclSystem

RATES, LATENCIES = st.floats(1e9, 1e12), st.floats(1e-7, 1e-4)


def measured(name):
    run = collectives.nccl_run(name)
    return run.message_bytes, run.seconds


@given(st.integers(2, 1024), RATES, LATENCIES)
def test_half_size_of_a_ring_is_ranks_times_that_of_a_hop(ranks, rate, latency):
    hop = links.half_bandwidth_message_size(latency, rate)
    assert collectives.half_bandwidth_size("all_reduce", "ring", ranks, rate, latency) == pytest.approx(ranks * hop)
    assert collectives.half_bandwidth_size("send_recv", "direct", ranks, rate, latency) == pytest.approx(hop)


@given(st.sampled_from(["ring", "tree", "double_binary_tree", "in_network"]), st.integers(2, 300), RATES, LATENCIES)
def test_time_at_half_size_gives_half_of_the_bandwidth(algorithm, ranks, rate, latency):
    size = collectives.half_bandwidth_size("all_reduce", algorithm, ranks, rate, latency)
    seconds = collectives.time("all_reduce", algorithm, size, ranks, rate, latency)
    assert seconds == pytest.approx(2 * collectives.time("all_reduce", algorithm, size, ranks, rate))


@given(
    st.integers(1, 16), st.integers(2, 64), RATES, RATES, LATENCIES, LATENCIES, st.sampled_from(["sharded", "leader"])
)
def test_hierarchical_half_size_gives_half_of_the_bandwidth(per_node, nodes, intra, inter, inside, between, scheme):
    shape = per_node, nodes, intra, inter
    latencies = {"intra_latency": inside, "inter_latency": between}
    size = collectives.hierarchical_half_bandwidth_size(*shape, **latencies, scheme=scheme)
    whole = collectives.hierarchical_all_reduce_time(size, *shape, **latencies, scheme=scheme)
    assert whole == pytest.approx(2 * collectives.hierarchical_all_reduce_time(size, *shape, scheme=scheme))


def test_half_size_grows_from_hop_to_node_to_cluster():
    """Megabytes: 1.3 for a hop with Simple, 10 for a node, 368 for 128 nodes of eight."""
    simple = collectives.nccl_protocol("Simple")
    hop = links.half_bandwidth_message_size(simple.latency, 370.8e9)
    node = collectives.half_bandwidth_size("all_reduce", "ring", 8, 370.8e9, simple.latency)
    network = collectives.nccl_protocol("Simple", "network").latency
    cluster = collectives.hierarchical_half_bandwidth_size(
        8, 128, 370.8e9, 49e9, intra_latency=simple.latency, inter_latency=network
    )
    assert [hop / 1e6, node / 1e6, cluster / 1e6] == pytest.approx([1.26, 10.1, 368], rel=0.01)


@pytest.mark.parametrize(
    ("run", "least", "most"),
    [
        ("h200-8-allreduce", 20e6, 30e6),
        ("azure-h100-8-allreduce", 15e6, 30e6),
        ("azure-h200-8-allreduce", 15e6, 30e6),
        ("a100-8-allreduce", 20e6, 40e6),
        ("aws-p4de-2n-allreduce", 30e6, 50e6),
        ("aws-p5-2n-allreduce", 60e6, 100e6),
        ("coreweave-gb200-20racks-allreduce", 0.7e9, 1e9),
    ],
)
def test_measured_half_size_of_published_runs(run, least, most):
    """Tens of megabytes in a node, over fifty in two nodes, a gigabyte in 20 racks."""
    assert least < collectives.measured_half_bandwidth_size(*measured(run)) < most


@given(LATENCIES, RATES)
def test_measured_half_size_recovers_the_line(latency, rate):
    sizes = latency * rate * np.geomspace(1e-3, 1e6, 40)
    half = collectives.measured_half_bandwidth_size(sizes, latency + sizes / rate)
    assert half == pytest.approx(latency * rate, rel=1e-4)


@pytest.mark.parametrize(
    "system",
    [
        NcclSystem("hopper", 8, 360e9, switch_adds=True),
        NcclSystem("hopper", 8, 360e9),
        NcclSystem("ampere", 8, 235e9),
        NcclSystem("hopper", 8, 360e9, 2),
        NcclSystem("blackwell", 4, 90e9, 16, cpu="amd"),
        NcclSystem("hopper", 4, 96e9, 2, version="2.20"),
    ],
)
def test_nccl_half_size_is_the_first_on_the_envelope(system):
    size = collectives.nccl_half_bandwidth_size(system)
    every = np.geomspace(8, 1e12, 20_001)
    best = (every / collectives.nccl_time(every, system)).max()
    assert size / collectives.nccl_time(size, system) == pytest.approx(best / 2, rel=2e-3)
    below = every[every < size * 0.99]
    assert (below / collectives.nccl_time(below, system) < best / 2).all()


def test_nccl_half_size_is_below_the_measured_one():
    expected = collectives.nccl_half_bandwidth_size(NcclSystem("hopper", 8, 360e9, switch_adds=True))
    assert expected == pytest.approx(25e-6 * 300e9)
    for run in ("h200-8-allreduce", "azure-h100-8-allreduce", "azure-h200-8-allreduce"):
        assert 2 < collectives.measured_half_bandwidth_size(*measured(run)) / expected < 4


def refuses(match, call, *args, **kwargs):
    with pytest.raises((ValueError, TypeError), match=match):
        call(*args, **kwargs)


def test_half_size_refuses_invalid_arguments():
    half, measure = collectives.half_bandwidth_size, collectives.measured_half_bandwidth_size
    refuses("^ranks must be at least 2, got 1", half, "all_reduce", "ring", 1, 1e9, 1e-6)
    refuses("^algorithm for 'all_reduce' must be one of", half, "all_reduce", "pat", 8, 1e9, 1e-6)
    both = {"intra_latency": 1e-6, "inter_latency": 1e-6}
    refuses("^nodes must hold at least two ranks", collectives.hierarchical_half_bandwidth_size, 1, 1, 1e9, 1e9, **both)
    refuses("^system must be an NcclSystem", collectives.nccl_half_bandwidth_size, 8)
    refuses("^message_bytes must be a one-dimensional ascending table", measure, [2.0, 1.0], [1.0, 2.0])
    refuses("^message_bytes must be a one-dimensional ascending table", measure, 8.0, 1.0)
    refuses("^seconds must be one for each of the 2 sizes", measure, [1.0, 2.0], [1.0])
    refuses("^seconds must be greater than zero", measure, [1.0, 2.0], [0.0, 1.0])
    refuses("^message_bytes must begin below half", measure, [1.0, 2.0], [1.0, 2.0])
