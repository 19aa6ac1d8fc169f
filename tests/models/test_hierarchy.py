"""Memory hierarchy of each system against published totals, physics and brute force."""

import json
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chip2cluster
from chip2cluster import collectives, hierarchy, links
from tests.tables import every_row

NAMES = [system.name for system in hierarchy.systems()]
FIELDS = ("capacity_bytes_per_instance", "bandwidth_one_way", "latency_seconds")
SYSTEMS = st.sampled_from(NAMES)


def test_system_names_and_aliases_are_unique():
    taken = [name.casefold() for system in hierarchy.systems() for name in (system.name, *system.aliases)]
    assert len(set(taken)) == len(taken)
    for system in hierarchy.systems():
        assert hierarchy.system(system.name.upper()) is system
        assert hierarchy.system(system) is system
        for alias in system.aliases:
            assert hierarchy.system(f"  {alias.lower()} ") is system


@every_row("name", NAMES)
def test_tiers_run_from_registers_to_remote_storage(name):
    tiers = hierarchy.system(name).tiers
    assert "registers" in tiers[0].name
    assert tiers[-1].name == "remote storage"
    assert tiers[-1].capacity_bytes == inf
    assert len({tier.name for tier in tiers}) == len(tiers) >= 7


@every_row("name", NAMES)
def test_tiers_get_slower_outwards(name):
    tiers = hierarchy.system(name).tiers
    # Drives and file servers differ from site to site; up to the network the order is physics.
    network = [tier for tier in tiers if "NVMe" not in tier.name and tier.name != "remote storage"]
    bandwidths = [tier.bandwidth_one_way for tier in network if tier.bandwidth_one_way is not None]
    latencies = [tier.latency_seconds for tier in tiers if tier.latency_seconds is not None]
    assert bandwidths == sorted(bandwidths, reverse=True)
    assert latencies == sorted(latencies)
    for tier in tiers:
        for number in (tier.capacity_bytes, tier.bandwidth_one_way, tier.latency_seconds):
            assert number is None or number > 0
        assert tier.instances >= 1


def test_tier_latencies_respect_clock_and_light():
    """Registers respond in a few cycles; a tier outside the node is at least metres away."""
    for system in hierarchy.systems():
        for tier in system.tiers:
            if tier.latency_seconds is not None:
                assert tier.latency_seconds > 1 / 2.5e9
                if tier.scope == "cluster":
                    assert tier.latency_seconds > 2 * 2.0 / 2e8  # two metres of cable, round trip


@every_row(
    ("system", "tier", "printed", "tolerance"),
    [
        ("DGX H100", "registers", 33e6, 0.06),  # "33 MB", 132 x 256 KiB, in MiB
        ("DGX H100", "L1 and shared memory", 33e6, 0.06),
        ("DGX H100", "L2", 50 * 2**20, 0),
        ("DGX H100", "HBM", 80e9, 0),
        ("DGX H100", "node HBM over NVLink", 640e9, 0),
        ("DGX H100", "local NVMe", 30e12, 0.03),
        ("DGX A100", "L2", 40 * 2**20, 0),
        ("DGX A100", "node HBM over NVLink", 640e9, 0),
        ("DGX B200", "node HBM over NVLink", 1440e9, 0),
        ("GH200", "host memory over NVLink-C2C", 480e9, 0),
        ("MI300X platform", "Infinity Cache", 256 * 2**20, 0),
        ("MI300X platform", "node HBM over xGMI", 1.5e12, 0.03),
        ("TPU v4 host", "HBM", 32 * 2**30, 0),
        ("TPU v5p host", "VMEM", 128 * 2**20, 0),
        ("TPU v5p host", "pod HBM over ICI", 860e12, 0.02),  # 8960 chips of 96 GB
    ],
)
def test_capacities_match_the_vendors(system, tier, printed, tolerance):
    assert hierarchy.system(system).tier(tier).capacity_bytes == pytest.approx(printed, rel=tolerance or 1e-15)


@every_row(
    ("system", "tier", "printed", "tolerance"),
    [
        ("DGX A100", "HBM", 2.039e12, 0),
        ("DGX A100", "L1 and shared memory", 19.5e12, 0.002),
        ("DGX A100", "L2", 7.219e12, 0.001),
        ("DGX A100", "node HBM over NVLink", 300e9, 0),
        ("DGX A100", "host memory", 31.5e9, 0.001),
        ("DGX A100", "cluster HBM over InfiniBand", 25e9, 0),
        ("DGX H100", "HBM", 3.35e12, 0),
        ("DGX H100", "node HBM over NVLink", 450e9, 0),
        ("DGX H100", "host memory", 63e9, 0.001),
        ("DGX H100", "cluster HBM over InfiniBand", 50e9, 0),
        ("DGX B200", "HBM", 8e12, 0),
        ("DGX B200", "node HBM over NVLink", 900e9, 0),
        ("GH200", "host memory over NVLink-C2C", 384e9, 0),  # the LPDDR5X behind a wire of 450e9
        ("MI300X platform", "LDS", 81.7e12, 0.001),
        ("MI300X platform", "Infinity Cache", 17.2e12, 0.001),
        ("MI300X platform", "node HBM over xGMI", 448e9, 0),
        ("TPU v4 host", "pod HBM over ICI", 300e9, 0),
        ("TPU v5p host", "HBM", 2.765e12, 0),
        ("TPU v5p host", "pod HBM over ICI", 600e9, 0),
        ("TPU v5p host", "cluster HBM over data-centre network", 50e9 / 8, 0),
    ],
)
def test_bandwidths_match_the_vendors(system, tier, printed, tolerance):
    assert hierarchy.system(system).tier(tier).bandwidth_one_way == pytest.approx(printed, rel=tolerance or 1e-15)


def test_h100_bandwidth_ratios_between_tiers_are_below_ten():
    """HBM to NVLink to network is 7.4 and 9 times, not "more than an order of magnitude"."""
    tier = hierarchy.system("DGX H100").tier
    hbm, nvlink, network = (
        tier(name).bandwidth_one_way for name in ("HBM", "node HBM over NVLink", "cluster HBM over InfiniBand")
    )
    assert hbm / nvlink == pytest.approx(7.44, abs=0.01)
    assert nvlink / network == 9


def test_register_capacity_is_megabytes():
    registers = hierarchy.system("DGX H100").tier("registers")
    assert registers.capacity_bytes_per_instance == 65536 * 4  # 256 KiB an SM
    assert registers.capacity_bytes > 500 * 64e3


def test_latencies_match_a_second_measurement():
    """Another tool, another card of the same chip: within a third."""
    h100, a100 = hierarchy.system("DGX H100").tier, hierarchy.system("DGX A100").tier
    # gpu-benches, H100 PCIe at 1755 MHz: 34, 266 and 650 cycles; L1 and shared memory differ by 5 cycles.
    assert h100("L1 and shared memory").latency_seconds == pytest.approx(34.2 / 1.755e9, rel=0.35)
    assert h100("L2").latency_seconds == pytest.approx(265.5 / 1.755e9, rel=0.35)
    assert h100("HBM").latency_seconds == pytest.approx(650 / 1.755e9, rel=0.35)
    # MT4G, A100 PCIe 40 GB at 1410 MHz: 221 and 640 cycles.
    assert a100("L2").latency_seconds == pytest.approx(221 / 1.41e9, rel=0.35)
    assert a100("HBM").latency_seconds == pytest.approx(640 / 1.41e9, rel=0.35)


# ---------------------------------------------------------------- provenance


@every_row("name", NAMES)
def test_every_number_has_a_source_or_a_reason(name):
    for tier in hierarchy.system(name).tiers:
        for field in FIELDS:
            source = tier.source(field)
            assert source.as_of.startswith("20")
            assert source.confidence in ("confirmed", "secondary", "memory", "low")
            assert source.citation.startswith("unknown: ") == (getattr(tier, field) is None)
        assert tier.source("capacity_bytes") == tier.source("capacity_bytes_per_instance")


def test_derived_rate_has_the_weaker_confidence():
    drive = hierarchy.system("DGX H100").tier("local NVMe").source("bandwidth_one_way")
    assert drive.confidence == "low"
    assert "Derived" in drive.citation
    assert "PCI-SIG" in drive.citation


def test_data_file_uses_all_sources():
    stored = json.loads((Path(chip2cluster.__file__).parent / "data" / "systems.json").read_text(encoding="utf-8"))
    entries = [tier[field] for system in stored["systems"] for tier in system["tiers"] for field in FIELDS]
    entries += [part for system in stored["systems"] for part in system.get("node", {}).values()]
    assert {entry["source"] for entry in entries if "source" in entry} == set(stored["sources"])
    assert all(("unknown" in entry) != ("source" in entry) for entry in entries)


# ---------------------------------------------------------------- time to move


def test_time_to_move_a_gigabyte_on_an_h100():
    ladder = hierarchy.time_to_move("DGX H100", 1e9)
    assert list(ladder) == [tier.name for tier in hierarchy.system("DGX H100").tiers]
    assert ladder["HBM"].seconds * 1e6 == pytest.approx(298.9, abs=0.1)
    assert ladder["node HBM over NVLink"].seconds * 1e3 == pytest.approx(2.22, abs=0.01)
    assert ladder["host memory"].seconds * 1e3 == pytest.approx(15.87, abs=0.01)
    assert ladder["cluster HBM over InfiniBand"].seconds * 1e3 == pytest.approx(20.0, abs=0.02)
    assert ladder["remote storage"] == hierarchy.MoveTime(0.2, is_lower_bound=True)


def test_time_to_move_keeps_unknown_values():
    ladder = hierarchy.time_to_move("DGX B200", 1e9)
    assert ladder["L2"].seconds is None  # no published bandwidth
    assert ladder["HBM"] == hierarchy.MoveTime(1e9 / 8e12, is_lower_bound=True)  # no published latency


@given(SYSTEMS, st.floats(0, 1e15))
def test_time_to_move_equals_transfer_time(name, size):
    for tier in hierarchy.system(name).tiers:
        move = hierarchy.time_to_move(name, size)[tier.name]
        if tier.bandwidth_one_way is None:
            assert move.seconds is None
        else:
            ways = tier.protocols or [tier]
            expected = min(links.transfer_time(size, one.bandwidth_one_way, one.latency_seconds or 0.0) for one in ways)
            assert move.seconds == pytest.approx(expected, rel=1e-15)
            assert type(move.seconds) is float
        assert move.is_lower_bound == (tier.latency_seconds is None)


@every_row("name", NAMES)
def test_no_protocol_has_both_best_latency_and_bandwidth(name):
    """Constants of NCCL: LL has the lowest latency and half of the bandwidth, Simple the full bandwidth."""
    for tier in hierarchy.system(name).tiers:
        assert bool(tier.protocols) == ("nccl" in tier.source("latency_seconds").citation)
        if tier.protocols:
            kind = {"node": "nvlink", "host": "pcie", "cluster": "network"}[tier.name.split()[0]]
            first, _, last = tier.protocols
            assert first.latency_seconds == tier.latency_seconds < last.latency_seconds
            assert 2 * first.bandwidth_one_way == tier.bandwidth_one_way == last.bandwidth_one_way
            for ours, theirs in zip(tier.protocols, collectives.nccl_protocols(kind), strict=True):
                assert (ours.name, ours.latency_seconds) == (theirs.name, pytest.approx(theirs.latency))
                assert ours.bandwidth_one_way == pytest.approx(theirs.wire_share * tier.bandwidth_one_way)


def test_time_to_move_chooses_the_protocol_by_size():
    few, many = (hierarchy.time_to_move("DGX H100", size)["node HBM over NVLink"].seconds for size in (1, 1e9))
    assert few == pytest.approx(0.6e-6, rel=1e-4) and many == pytest.approx(3.4e-6 + 1e9 / 450e9)


@given(SYSTEMS, st.floats(1, 1e14), st.floats(1.01, 100))
def test_time_to_move_is_monotone(name, size, factor):
    small, large = hierarchy.time_to_move(name, size), hierarchy.time_to_move(name, size * factor)
    for tier in small:
        if small[tier].seconds is not None:
            assert small[tier].seconds < large[tier].seconds <= small[tier].seconds * factor * (1 + 1e-12)


@every_row("name", NAMES)
def test_time_to_move_broadcasts(name):
    sizes = np.array([[0.0, 1.0], [1e6, 2.0**40]])
    table = hierarchy.time_to_move(name, sizes)
    for tier, move in table.items():
        for index, size in np.ndenumerate(sizes):
            alone = hierarchy.time_to_move(name, size)[tier]
            assert alone == hierarchy.MoveTime(
                None if move.seconds is None else move.seconds[index], move.is_lower_bound
            )
            assert alone == hierarchy.time_to_move(name, np.float32(size))[tier]


# ---------------------------------------------------------------- which tier


@every_row(
    ("system", "working_set", "tier"),
    [
        ("DGX H100", 1, "registers"),
        ("DGX H100", 34_603_008, "registers"),
        ("DGX H100", 34_603_009, "L2"),
        ("DGX H100", 16e9, "HBM"),  # an 8-billion-parameter model in 16 bits
        ("DGX H100", 140e9, "node HBM over NVLink"),  # a 70-billion-parameter model
        ("DGX H100", 1120e9, "host memory"),  # and its training state, 16 bytes a parameter
        ("DGX H100", 1e15, "remote storage"),
        ("GH200", 140e9, "host memory over NVLink-C2C"),
        ("MI300X platform", 140e9, "HBM"),
        ("TPU v5p host", 140e9, "pod HBM over ICI"),
        ("TPU v4 host", 100e6, "CMEM"),
    ],
)
def test_tier_for_known_working_sets(system, working_set, tier):
    assert hierarchy.tier_for(system, working_set).name == tier


@given(SYSTEMS, st.floats(1, 1e18))
def test_tier_for_is_the_first_that_fits(name, working_set):
    fits = [
        tier
        for tier in hierarchy.system(name).tiers
        if tier.capacity_bytes is not None and tier.capacity_bytes >= working_set
    ]
    assert hierarchy.tier_for(name, working_set) is fits[0]


def test_tier_for_broadcasts():
    tiers = hierarchy.tier_for("DGX A100", [[1e3, 3e7], [1e10, 1e15]])
    assert [[tier.name for tier in row] for row in tiers] == [["registers", "L2"], ["HBM", "remote storage"]]
    assert hierarchy.tier_for("DGX A100", np.float32(1e10)) is tiers[1, 0]


# ---------------------------------------------------------------- bad input


@every_row(
    ("call", "error", "words"),
    [
        (lambda: hierarchy.system("DGX H1000"), ValueError, "did you mean 'DGX H100'"),
        (lambda: hierarchy.system(""), ValueError, "system must be one of 'DGX A100', 'DGX H100'"),
        (lambda: hierarchy.system(None), TypeError, "system must be a name or a System, got None"),
        (lambda: hierarchy.system(100), TypeError, "got 100"),
        (lambda: hierarchy.time_to_move("VAX", 1), ValueError, "system must be one of"),
        (lambda: hierarchy.time_to_move("DGX H100", -1), ValueError, "message_bytes must be zero or more, got -1"),
        (lambda: hierarchy.time_to_move("DGX H100", np.nan), ValueError, "message_bytes must be finite"),
        (lambda: hierarchy.time_to_move("DGX H100", True), TypeError, "message_bytes must be a number"),
        (lambda: hierarchy.time_to_move("DGX H100", "1 GB"), TypeError, "message_bytes must be a number"),
        (lambda: hierarchy.tier_for("VAX", 1), ValueError, "system must be one of"),
        (lambda: hierarchy.tier_for("DGX H100", 0), ValueError, "working_set_bytes must be greater than zero"),
        (lambda: hierarchy.tier_for("DGX H100", [1, -1]), ValueError, "working_set_bytes must be greater than zero"),
        (lambda: hierarchy.tier_for("DGX H100", np.inf), ValueError, "working_set_bytes must be finite"),
        (lambda: hierarchy.tier_for("DGX H100", None), TypeError, "working_set_bytes must be a number"),
        (lambda: hierarchy.system("DGX H100").tier("L3"), ValueError, "name must be a tier of DGX H100 (registers,"),
        (lambda: hierarchy.system("DGX H100").tier(3), ValueError, "got 3"),
        (lambda: hierarchy.system("DGX H100").tiers[0].source("colour"), ValueError, "field must be one of capacity"),
    ],
)
def test_invalid_arguments_are_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_systems_are_frozen():
    with pytest.raises(AttributeError):
        hierarchy.system("DGX H100").year = 1999
    with pytest.raises(AttributeError):
        hierarchy.system("DGX H100").tiers[0].instances = 1
