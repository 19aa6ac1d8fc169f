"""NCCL's protocols and its choice: constants, latencies, published runs, and what must always hold."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives
from chip2cluster.collectives import NcclSystem, nccl_changes, nccl_choice, nccl_protocol, nccl_protocols, nccl_time

HOPPER = NcclSystem("hopper", 8, 360e9, switch_adds=True)
AMPERE = NcclSystem("ampere", 8, 235e9)
# Four NICs of 200 Gb/s, each with at most 24 GB/s.
TWO_NODES = NcclSystem("hopper", 4, 4 * 24e9, 2, version="2.20")
SYSTEMS = st.builds(
    NcclSystem,
    st.sampled_from(["volta", "ampere", "hopper"]),
    st.integers(2, 16),
    st.floats(1e9, 1e12),
    st.integers(1, 64),
    version=st.sampled_from(collectives.nccl_versions()),
    cpu=st.sampled_from(["intel", "amd"]),
) | st.builds(NcclSystem, st.just("hopper"), st.integers(2, 8), st.floats(1e9, 1e12), switch_adds=st.just(True))
SIZES = st.floats(0, 1e12)


# One hop


def test_protocol_latencies_match_the_source():
    """LL, LL128 and Simple of a ring, microseconds, from tuning.cc of 2.18, 2.20 and 2.27."""
    for version in collectives.nccl_versions():
        assert [p.latency * 1e6 for p in nccl_protocols("nvlink", version)] == pytest.approx([0.6, 1.9, 3.4])
        assert [p.latency * 1e6 for p in nccl_protocols("network", version)] == pytest.approx([2.7, 4.0, 14.0])
    assert [p.latency * 1e6 for p in nccl_protocols("pcie")] == pytest.approx([1.0, 2.5, 5.7])


def test_ll_uses_half_of_the_link():
    assert nccl_protocol("LL").data_share == 0.5
    assert nccl_protocol("LL128").data_share == 0.9375  # 120 bytes of 128
    assert nccl_protocol("Simple").data_share == 1.0
    for version in collectives.nccl_versions():
        assert all(p.wire_share <= p.data_share for p in nccl_protocols("nvlink", version))


@pytest.mark.parametrize(
    ("link", "version"), [("nvlink", "2.18"), ("nvlink", "2.27"), ("network", "2.27"), ("pcie", "2.27")]
)
def test_no_protocol_has_both_best_latency_and_bandwidth(link, version):
    protocols = nccl_protocols(link, version)
    assert [p.latency for p in protocols] == sorted({p.latency for p in protocols})
    assert [p.wire_share for p in protocols] == sorted({p.wire_share for p in protocols})
    assert protocols[-1].wire_share == 1.0
    assert all(p.source.citation.startswith("NVIDIA/nccl, tag v" + version) for p in protocols)


def test_half_bandwidth_sizes_of_the_protocols():
    """3.4 us at 370 GB/s and 14 us at 50: 1.26 MB and 700 kB; with the latency of LL a tenth of it."""
    assert nccl_protocol("Simple").half_bandwidth_bytes(370e9) == pytest.approx(1.258e6)
    assert nccl_protocol("Simple", "network").half_bandwidth_bytes(50e9) == pytest.approx(700e3)
    assert nccl_protocol("LL").half_bandwidth_bytes(370e9) == pytest.approx(111e3)


@given(st.sampled_from(["LL", "LL128", "Simple"]), st.floats(1e9, 1e12), SIZES)
def test_protocol_time_is_latency_plus_bytes_over_rate(name, rate, size):
    hop = nccl_protocol(name)
    assert hop.time(size, rate) == pytest.approx(hop.latency + size / (hop.wire_share * rate))
    half = hop.half_bandwidth_bytes(rate)
    assert half / hop.time(half, rate) == pytest.approx(hop.wire_share * rate / 2)


# Latencies and choices of the tuner


def latencies(system):
    return {(c.algorithm, c.protocol): pytest.approx(c.latency * 1e6) for c in system.curves}


def test_curve_latencies_of_8_and_of_2_times_4_gpus():
    """Worked from the library's formulas by hand, microseconds."""
    node = latencies(HOPPER)
    assert node["ring", "LL"] == 15.0 and node["ring", "LL128"] == 40.6 and node["ring", "Simple"] == 56.0
    assert node["tree", "LL"] == 15.2 and node["tree", "LL128"] == 31.5 and node["tree", "Simple"] == 64.4
    assert node["nvls", "Simple"] == 25.0
    two = latencies(TWO_NODES)
    assert two["ring", "LL"] == 27.4 and two["ring", "LL128"] == 49.0 and two["tree", "LL"] == 20.4


@pytest.mark.parametrize(("version", "microseconds"), [("2.18", 27.4), ("2.20", 27.4), ("2.27", 24.0)])
def test_older_versions_add_two_network_steps(version, microseconds):
    """tuning.cc: 2 N steps between N nodes up to 2.21, 2 (N - 1) from 2.23 on; 2.7 us each, and 1 us inside."""
    assert latencies(NcclSystem("hopper", 4, 96e9, 2, version=version))["ring", "LL"] == microseconds
    assert latencies(NcclSystem("hopper", 8, 360e9, version=version))["ring", "LL"] == 15.0


def test_plugin_latency_is_added_to_steps_between_nodes():
    """tuning.cc, by hand for 2 nodes of 8 and AWS's 75 us: 6.8 + 2 (7 * 0.6 + 5 + 75); with Simple one more flush."""
    plain, cloud = (NcclSystem("ampere", 8, 50e9, 2, network_latency=declared) for declared in (0.0, 75e-6))
    assert latencies(cloud)["tree", "LL"] == 175.2
    assert latencies(cloud)["tree", "Simple"] == 8.4 + 2 * (7 * 4 + 14 + 150)
    assert latencies(cloud)["ring", "LL"].expected - latencies(plain)["ring", "LL"].expected == pytest.approx(150)
    assert nccl_time(8, cloud) == pytest.approx(164.3e-6, rel=0.1)  # two AWS p4de, measured
    inside = NcclSystem("hopper", 8, 360e9, network_latency=75e-6)
    assert inside.curves == NcclSystem("hopper", 8, 360e9).curves


def test_large_trees_were_expensive_in_some_versions():
    """2.19 to 2.21 counted 28 us for a hop of a tree with Simple, anywhere; before and after it was 4 and 14."""
    by_version = {v: latencies(NcclSystem("hopper", 4, 96e9, 2, version=v)) for v in collectives.nccl_versions()}
    assert [by_version[v]["tree", "Simple"] for v in by_version] == [52.0, 224.0, 60.4]


def test_nccl_choice_matches_the_log_of_8_h200():
    """NCCL 2.27.7 logged RING/LL up to 1 MiB and NVLS/SIMPLE from 2 MiB."""
    for ring in (355e9, 360e9, 370e9):
        system = NcclSystem("hopper", 8, ring, switch_adds=True)
        assert nccl_changes(system) == ((8, "ring", "LL"), (2**21, "nvls", "Simple"))


def test_all_three_protocols_are_chosen_without_nvls():
    assert [change[1:] for change in nccl_changes(NcclSystem("hopper", 8, 360e9))] == [
        ("ring", "LL"),
        ("ring", "LL128"),
        ("ring", "Simple"),
    ]
    assert [change[0] for change in nccl_changes(AMPERE)] == [8, 2**22, 2**25]


def test_a100_run_changes_protocol_before_the_tuner():
    """Its bandwidth falls between 8 and 16 MiB: the library's smallest estimate is not the fastest method."""
    run = collectives.nccl_run("a100-8-allreduce")
    rows = dict(zip(run.message_bytes, run.bus_bandwidth, strict=True))
    assert rows[2**24] < rows[2**23]
    assert nccl_choice(2**24, AMPERE) == ("ring", "LL128")


def test_nccl_time_predicts_21_rows_without_fitting():
    """Two nodes of four H100, NCCL 2.20.5 as printed, 24 GB/s per NIC as the maintainers report."""
    table = collectives.nccl_tests_table()
    error = np.log(nccl_time(table.message_bytes, TWO_NODES) / table.seconds)
    assert np.sqrt((error**2).mean()) < 0.083
    assert abs(error).max() < 0.14
    straight = collectives.fit_alpha_beta(table.message_bytes, table.seconds, 8).predict(table.message_bytes)
    assert np.sqrt((np.log(straight / table.seconds) ** 2).mean()) > 3 * np.sqrt((error**2).mean())


def test_jumps_of_the_21_rows_are_those_of_the_tuner():
    """First jump from 32 to 64 KiB, where the library gives its tree less of the link; ring from 128 KiB, LL128 from 512."""
    table = collectives.nccl_tests_table()
    steps = table.seconds[1:] / table.seconds[:-1]
    assert steps[12] > 1.15 > steps[:12].max()
    estimate = nccl_time(table.message_bytes, TWO_NODES, "tree", "LL")
    assert estimate[13] / estimate[12] > 1.15
    assert nccl_changes(TWO_NODES, 2**23) == ((8, "tree", "LL"), (131072, "ring", "LL"), (524288, "ring", "LL128"))


def test_table_rows_give_the_curve_of_ring_and_ll():
    """128 and 256 KiB: a line through them has a latency of 27.8 us, the library's 27.4."""
    table = collectives.nccl_tests_table()
    fit = collectives.fit_alpha_beta(table.message_bytes[14:16], table.seconds[14:16], 8)
    line = next(c for c in TWO_NODES.curves if (c.algorithm, c.protocol) == ("ring", "LL"))
    assert fit.collective_latency == pytest.approx(line.latency, rel=0.02)
    assert fit.algorithm_bandwidth == pytest.approx(line.bandwidth, rel=0.15)


@pytest.mark.parametrize(
    ("run", "system"),
    [
        ("a100-8-allreduce", AMPERE),
        ("h200-8-allreduce", HOPPER),
        ("azure-h100-8-allreduce", HOPPER),
        ("azure-h200-8-allreduce", HOPPER),
    ],
)
def test_measured_nodes_take_1_to_3_times_the_estimate(run, system):
    run = collectives.nccl_run(run)
    ratio = run.seconds / nccl_time(run.message_bytes, system)
    assert ratio.min() > 0.99 and ratio.max() < 3.2
    assert ratio[-1] < 1.1  # long messages are nearest


# Properties


@given(SYSTEMS, SIZES)
def test_nccl_time_is_the_minimum_over_the_methods(system, size):
    every = [nccl_time(size, system, c.algorithm, c.protocol) for c in system.curves]
    assert nccl_time(size, system) == min(every)
    assert nccl_time(size, system, *nccl_choice(size, system)) == min(every)
    assert nccl_time(size, system, "ring") == min(every[:3])
    assert nccl_time(size, system, protocol="LL") == min(every[0], every[3])


@given(SYSTEMS, SIZES, st.floats(1, 100))
def test_ring_and_nvls_times_grow_with_the_size(system, size, factor):
    for curve in system.curves:
        if curve.algorithm != "tree":
            method = curve.algorithm, curve.protocol
            assert nccl_time(size * factor, system, *method) >= nccl_time(size, system, *method)


@given(SYSTEMS, SIZES)
def test_ring_stays_below_its_bandwidth(system, size):
    ideal = collectives.ring_all_reduce_time(size, system.ranks, system.ring_bandwidth_one_way)
    assert nccl_time(size, system, "ring") >= ideal


@given(SYSTEMS, st.floats(1, 10), SIZES)
def test_nccl_time_falls_with_the_ring_bandwidth(system, factor, size):
    faster = NcclSystem(**{**fields(system), "ring_bandwidth_one_way": system.ring_bandwidth_one_way * factor})
    assert nccl_time(size, faster) <= nccl_time(size, system)


def fields(system):
    return {name: getattr(system, name) for name in NcclSystem.__dataclass_fields__}


@given(SYSTEMS, st.lists(st.floats(0, 1e11) | st.sampled_from([63.0, 64.0, 2.0**20, 2.0**29, 2.0**30]), min_size=1))
def test_nccl_time_of_arrays_equals_elements(system, sizes):
    together = nccl_time(sizes, system)
    assert together == pytest.approx([nccl_time(size, system) for size in sizes], rel=1e-12)
    assert type(nccl_time(sizes[0], system)) is float


def test_tree_time_need_not_be_monotone():
    """The correction of LL is 0.4 just below 1 MiB and 0.5 from there on."""
    assert nccl_time(2**20, HOPPER, "tree", "LL") < nccl_time(2**20 - 1, HOPPER, "tree", "LL")
    tree = next(c for c in HOPPER.curves if (c.algorithm, c.protocol) == ("tree", "LL"))
    assert nccl_time(2**30, HOPPER, "tree", "LL") == pytest.approx(tree.latency + 2**30 / tree.bandwidth)


def test_nccl_table_agrees_with_nccl_choice():
    table = collectives.nccl_table(HOPPER)
    taken = table["taken from (bytes)"].dropna()
    assert taken.to_dict() == {change[1:]: change[0] for change in nccl_changes(HOPPER)}
    ring = table.loc["ring"]
    assert ring["bus bandwidth (GB/s)"].tolist() == pytest.approx([141, 0.92 * 360, 360])  # LL: its own limit
    assert table.loc[("nvls", "Simple"), "bus bandwidth (GB/s)"] > 450  # the library, too, expects more than the wire
    # For trees as well, latency plus bytes over the rate is the time at the requested size.
    for size in (0, 100, 2.0**20, 2.0**33):
        for method, row in collectives.nccl_table(TWO_NODES, size).iterrows():
            seconds = 1e-6 * row["latency (µs)"] + 1.75 * size / (1e9 * row["bus bandwidth (GB/s)"])
            assert seconds == pytest.approx(nccl_time(size, TWO_NODES, *method))
    refuses("^message_bytes must be a single number", collectives.nccl_table, HOPPER, [1e6, 2e6])
    assert table["half of it at (MB)"].min() == pytest.approx(15.2e-6 * 360e9 * 0.92 / 3.8 / 2 / 1e6)


# Algorithms of the library


def test_nccl_lists_ring_tree_and_in_network_only():
    assert collectives.algorithms("all_reduce", library="nccl") == ("ring", "double_binary_tree", "in_network")
    for collective in collectives.algorithms():
        has = collectives.algorithms(collective, library="nccl")
        assert has and set(has) <= set(collectives.algorithms(collective))
        assert not {"recursive_doubling", "halving_doubling", "van_de_geijn", "rabenseifner"} & set(has)
    with pytest.raises(ValueError, match="^library must be one of 'nccl', got 'mpi'"):
        collectives.algorithms("all_reduce", library="mpi")
    with pytest.raises(ValueError, match="^library needs a collective"):
        collectives.algorithms(library="nccl")


# Invalid arguments


def refuses(match, call, *args, **kwargs):
    with pytest.raises((ValueError, TypeError), match=match):
        call(*args, **kwargs)


def test_unknown_method_error_lists_the_methods():
    refuses("^protocol must be one of 'LL', 'LL128', 'Simple', got 'RDMA'", nccl_protocol, "RDMA")
    refuses("^version must be one of '2.18', '2.20', '2.27', got '2.99'", nccl_protocols, "nvlink", "2.99")
    refuses("^version must be a text", nccl_protocols, "nvlink", 2.27)
    refuses("^link must be one of 'nvlink', 'network', got 'pcie'", nccl_protocols, "pcie", "2.18")
    refuses("^algorithm on this system must be one of 'ring', 'tree', got 'nvls'", nccl_time, 1e6, AMPERE, "nvls")
    refuses(
        "^algorithm .*'ring', 'tree', 'nvls', got 'recursive_doubling'", nccl_time, 1e6, HOPPER, "recursive_doubling"
    )
    refuses("^protocol on this system must be one of 'Simple', got 'LL'", nccl_time, 1e6, HOPPER, "nvls", "LL")
    refuses("^system must be an NcclSystem", nccl_time, 1e6, "hopper")


def test_nccl_system_refuses_unknown_values():
    refuses(
        "^gpu must be one of 'volta', 'ampere', 'hopper', got 'blackwell'",
        NcclSystem,
        "blackwell",
        8,
        7e11,
        version="2.18",
    )
    for product, gpu in (("A100", "ampere"), ("H100", "hopper"), ("H200", "hopper")):
        assert NcclSystem(product, 8, 360e9) == NcclSystem(gpu, 8, 360e9)
    refuses("^gpu must be one of 'volta'", NcclSystem, "H101", 8, 360e9)
    refuses("^cpu must be one of 'intel', 'amd'", NcclSystem, "hopper", 8, 360e9, cpu="arm")
    refuses("^switch_adds must be False for 2 nodes", NcclSystem, "hopper", 8, 360e9, 2, switch_adds=True)
    refuses("^switch_adds must be False for 1 nodes of 'ampere'", NcclSystem, "ampere", 8, 235e9, switch_adds=True)
    refuses("^switch_adds must be True or False", NcclSystem, "hopper", 8, 360e9, switch_adds=1)
    for bad in (1, 2.5, [8, 8], True):
        refuses("^ranks_per_node must", NcclSystem, "hopper", bad, 360e9)
    refuses("^nodes must be at least 1", NcclSystem, "hopper", 8, 360e9, 0)
    for bad in (0, nan, inf, [1e9, 2e9], "360"):
        refuses("^ring_bandwidth_one_way must", NcclSystem, "hopper", 8, bad)
    for bad in (-1, nan, "1", None, True):
        refuses("^message_bytes must", nccl_time, bad, HOPPER)
        refuses("^message_bytes must", nccl_choice, bad, HOPPER)
    refuses("^message_bytes must be a single number", nccl_choice, [1e6, 2e6], HOPPER)
    refuses("^largest_bytes must", nccl_changes, HOPPER, 0)
