"""Links against printed rates and the arithmetic of their specifications."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import chip2cluster
from chip2cluster import links, units
from tests.tables import every_row


# PCI-SIG: rates and encodings; x16 of generations 4 to 7 also as S. Bekman lists them.
@every_row(
    ("generation", "lane", "x4", "x16", "x16_both"),
    [
        (1, 0.25, 1.0, 4.0, 8.0),
        (2, 0.5, 2.0, 8.0, 16.0),
        (3, 0.985, 3.938, 15.754, 31.508),
        (4, 1.969, 7.877, 31.508, 63.015),
        (5, 3.938, 15.754, 63.015, 126.031),
        (6, 7.5625, 30.25, 121.0, 242.0),
        (7, 15.125, 60.5, 242.0, 484.0),
    ],
)
def test_pcie_matches_the_published_rates(generation, lane, x4, x16, x16_both):
    assert links.pcie(generation, 1).bandwidth_one_way / 1e9 == pytest.approx(lane, abs=6e-4)
    assert links.pcie(generation, 4).bandwidth_one_way / 1e9 == pytest.approx(x4, abs=6e-4)
    assert links.pcie(generation, 16).bandwidth_one_way / 1e9 == pytest.approx(x16, abs=6e-4)
    assert links.pcie(generation, 16).bandwidth_both_ways / 1e9 == pytest.approx(x16_both, abs=6e-4)


@every_row(("generation", "gpu_one_way"), [(1, 80), (2, 150), (3, 300), (4, 450), (5, 900), (6, 1800)])
def test_nvlink_matches_nvidias_figures(generation, gpu_one_way):
    link = links.nvlink(generation)
    assert link.bandwidth_one_way == gpu_one_way * 1e9
    assert link.bandwidth_both_ways == 2 * gpu_one_way * 1e9


@every_row(
    ("rate", "gigabits_4x"),
    [
        ("SDR", 8),
        ("DDR", 16),
        ("QDR", 32),
        ("FDR10", 40),
        ("FDR", 54.545),
        ("EDR", 100),
        ("HDR", 200),
        ("NDR", 400),
        ("XDR", 800),
    ],
)
def test_infiniband_matches_the_data_rate_of_a_port(rate, gigabits_4x):
    assert links.infiniband(rate).bandwidth_one_way * 8 / 1e9 == pytest.approx(gigabits_4x, abs=1e-3)
    assert links.infiniband(rate.lower(), lanes=1).bandwidth_one_way * 4 == links.infiniband(rate).bandwidth_one_way


@every_row("rate", ["1GbE", "10GbE", "25GbE", "40GbE", "50GbE", "100GbE", "200GbE", "400GbE", "800GbE", "1.6TbE"])
def test_ethernet_lanes_and_encoding_give_the_named_rate(rate):
    assert links.ethernet(rate).bandwidth_one_way == units.parse(rate.replace("bE", "b/s"), "B/s")
    assert links.roce(rate).bandwidth_one_way == links.ethernet(rate).bandwidth_one_way


@pytest.mark.parametrize(
    ("device", "one_link", "all_links"),
    [
        ("MI250X", 50, 400),
        ("MI300X", 64, 448),
        ("MI325X", 64, 448),
        ("MI350X", 76.8, 537.6),
        ("MI355X", 76.8, 537.6),
    ],
)
def test_xgmi_matches_amds_figures(device, one_link, all_links):
    assert links.xgmi(device, links=1).bandwidth_one_way / 1e9 == pytest.approx(one_link)
    assert links.xgmi(device).bandwidth_one_way / 1e9 == pytest.approx(all_links)


@every_row(
    ("generation", "stack"),
    [("HBM1", 128), ("HBM2", 307.2), ("HBM2e", 460.8), ("HBM3", 819.2), ("HBM3e", 1228.8), ("HBM4", 2816)],
)
def test_hbm_matches_the_rate_of_a_stack(generation, stack):
    memory = links.hbm(generation)
    assert memory.bandwidth_one_way / 1e9 == pytest.approx(stack)
    assert memory.bandwidth_both_ways == memory.bandwidth_one_way  # the pins are shared


@pytest.mark.parametrize(
    ("pins", "clock", "printed"),
    [(5120, 1215e6, 1555.2), (5120, 1593e6, 2039.04), (5120, 2619e6, 3352.32), (8192, 3996e6, 8183.808)],
)
def test_memory_bandwidth_of_real_chips(pins, clock, printed):
    """A100 40 GB, A100 80 GB, H100 SXM, B200: memory clock, bus width, two bits per clock."""
    assert links.memory_bandwidth(pins, 2 * clock) / 1e9 == pytest.approx(printed)


def test_memory_bandwidth_of_a_graphics_card():
    assert links.memory_bandwidth(384, 21e9) == 1008e9  # RTX 4090


def test_link_rates_of_worked_problems():
    assert links.pcie(5, 16).bandwidth_one_way / 1e9 == pytest.approx(63.0, rel=0.002)
    assert links.nvlink(2, links=18).bandwidth_both_ways == 900e9  # the ports of an NVSwitch
    assert links.nvlink(2, links=6).bandwidth_both_ways == 300e9  # two V100 joined by all their links
    assert 8 * links.nvlink(4).bandwidth_both_ways == 7.2e12  # HGX H100
    assert 8 * links.nvlink(4).bandwidth_one_way == 3.6e12
    assert 576 * links.nvlink(5).bandwidth_both_ways / 1e15 == pytest.approx(1.0, rel=0.05)  # GB200 SuperPOD
    # DGX-2: eight links through each of six pairs of switches, both directions.
    assert links.nvlink(2, links=8 * 6).bandwidth_both_ways == 2.4e12
    assert links.nvlink_c2c().bandwidth_both_ways == 900e9


def test_one_way_and_both_ways_resolve_published_mistakes():
    """A PCIe 4 x16 slot has 32 GB/s one way; NVLink 4 is 450 GB/s a GPU, not Gb/s a link."""
    slot = links.pcie(4, 16)
    assert slot.bandwidth_one_way == pytest.approx(31.5e9, rel=1e-3)
    assert slot.bandwidth_both_ways == pytest.approx(63e9, rel=1e-3)
    assert links.nvlink(4).bandwidth_one_way == 8 * units.parse("450 Gb/s")
    assert links.infiniband("NDR").bandwidth_one_way == 8 * units.parse("50 Gb/s")


def test_pam4_encoding_is_the_product_of_its_stages():
    """256b/257b transcoding, then RS(544,514) on 10-bit symbols."""
    assert links.infiniband("NDR").encoding_efficiency == pytest.approx(256 / 257 * 514 / 544, rel=1e-15)


def test_pcie_flit_consists_of_its_parts():
    """256 bytes: 236 of transactions, 6 of link data, 8 of CRC, 6 of FEC."""
    data, checks = 236 + 6, 8 + 6
    assert links.pcie(6, 16).encoding_efficiency == data / (data + checks)


@every_row("spelling", [5, 5.0, "5", "5.0", " 5.0 ", np.int64(5), np.float32(5)])
def test_pcie_accepts_spellings_of_a_generation(spelling):
    assert links.pcie(spelling, 16) == links.pcie(5, 16)


def test_link_names():
    assert links.pcie("4.0", 8).name == "PCIe 4.0 x8"
    assert links.infiniband("hdr").name == "InfiniBand HDR 4x"
    assert links.hbm("hbm3E", stacks=8).name == "HBM3e x8"
    assert links.pcie(3, [1, 4]).name == "PCIe 3.0 xn"


@pytest.mark.parametrize(
    "make",
    [
        lambda width: links.pcie(4, width),
        lambda width: links.nvlink(4, width),
        lambda width: links.infiniband("NDR", width),
        lambda width: links.xgmi("MI300X", width),
        lambda width: links.hbm("HBM3", width),
    ],
)
def test_link_bandwidth_broadcasts_over_widths(make):
    widths = np.array([1, 2, 4, 8])
    many = make(widths)
    assert isinstance(many.bandwidth_one_way, np.ndarray)
    for width, one_way, both in zip(widths, many.bandwidth_one_way, many.bandwidth_both_ways, strict=True):
        single = make(width)
        assert type(single.bandwidth_one_way) is float
        assert (single.bandwidth_one_way, single.bandwidth_both_ways) == (one_way, both)
        assert one_way == width * make(1).bandwidth_one_way
        assert single.bandwidth_one_way_per_element * single.width == pytest.approx(one_way, rel=1e-15)


def test_links_are_frozen():
    with pytest.raises(AttributeError):
        links.pcie(5, 16).bandwidth_one_way = 1.0


# ---------------------------------------------------------------- provenance


def test_every_stored_row_has_a_source_and_a_known_encoding():
    stored = json.loads((Path(chip2cluster.__file__).parent / "data" / "links.json").read_text(encoding="utf-8"))
    used = set()
    for family, rows in stored.items():
        if family in ("sources", "encodings", "rates"):
            continue
        for row in rows.values():
            used.add(row["source"])
            assert row["confidence"] in ("confirmed", "secondary", "memory", "low")
            assert row.get("encoding", "none counted") in stored["encodings"]
    for wire in stored["rates"].values():
        stated = [payload for payload in [wire.get("payload", {})] if "rate" in payload]
        for row in wire["measured"] + stated:
            used.add(row["source"])
            assert row["confidence"] in ("confirmed", "secondary", "memory", "low")
    assert used <= set(stored["sources"])


def test_link_has_a_source():
    source = links.pcie(5, 16).source("signal_rate")
    assert "PCI-SIG" in source.citation
    assert (source.as_of, source.confidence) == ("2019", "confirmed")
    assert links.nvlink(6).source().confidence == "low"  # announced, not measured
    with pytest.raises(ValueError, match="field must be one of signal_rate"):
        links.pcie(5, 16).source("latency")


def test_import_of_links_is_light():
    code = (
        "import sys; from chip2cluster import links, hierarchy; "
        "print([m for m in ('scipy', 'networkx', 'pandas', 'matplotlib', 'IPython') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_table_matches_the_standards():
    table = links.table([links.pcie(5, 16), links.nvlink(4), links.infiniband("QDR")])
    assert list(table.index) == ["PCIe 5.0 x16", "NVLink 4 x18", "InfiniBand QDR 4x"]
    assert list(table["one way (GB/s)"].round(2)) == [63.02, 450.0, 4.0]
    assert list(table["both ways (GB/s)"].round(2)) == [126.03, 900.0, 8.0]
    assert list(table["signal (Gb/s each)"]) == [32.0, 200.0, 10.0] and list(table["width"]) == [16, 18, 4]
    with pytest.raises(ValueError, match="at least one link"):
        links.table([])
