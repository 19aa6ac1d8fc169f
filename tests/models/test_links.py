"""Links against printed rates, their specifications' arithmetic and simulated wires."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chip2cluster
from chip2cluster import links, units

SIZES = st.floats(0, 1e15)
BANDWIDTHS = st.floats(1e3, 1e15)
LATENCIES = st.floats(0, 10)


# PCI-SIG: rates and encodings; x16 of generations 4 to 7 also as S. Bekman prints them.
@pytest.mark.parametrize(
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
def test_pcie_gives_the_printed_rates(generation, lane, x4, x16, x16_both):
    assert links.pcie(generation, 1).bandwidth_one_way / 1e9 == pytest.approx(lane, abs=6e-4)
    assert links.pcie(generation, 4).bandwidth_one_way / 1e9 == pytest.approx(x4, abs=6e-4)
    assert links.pcie(generation, 16).bandwidth_one_way / 1e9 == pytest.approx(x16, abs=6e-4)
    assert links.pcie(generation, 16).bandwidth_both_ways / 1e9 == pytest.approx(x16_both, abs=6e-4)


@pytest.mark.parametrize(("generation", "gpu_one_way"), [(1, 80), (2, 150), (3, 300), (4, 450), (5, 900), (6, 1800)])
def test_nvlink_gives_nvidias_sums(generation, gpu_one_way):
    link = links.nvlink(generation)
    assert link.bandwidth_one_way == gpu_one_way * 1e9
    assert link.bandwidth_both_ways == 2 * gpu_one_way * 1e9


@pytest.mark.parametrize(
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
def test_infiniband_gives_the_data_rate_of_a_port(rate, gigabits_4x):
    assert links.infiniband(rate).bandwidth_one_way * 8 / 1e9 == pytest.approx(gigabits_4x, abs=1e-3)
    assert links.infiniband(rate.lower(), lanes=1).bandwidth_one_way * 4 == links.infiniband(rate).bandwidth_one_way


@pytest.mark.parametrize(
    "rate", ["1GbE", "10GbE", "25GbE", "40GbE", "50GbE", "100GbE", "200GbE", "400GbE", "800GbE", "1.6TbE"]
)
def test_ethernet_lanes_and_encoding_yield_the_rate_in_the_name(rate):
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
def test_xgmi_gives_amds_figures(device, one_link, all_links):
    assert links.xgmi(device, links=1).bandwidth_one_way / 1e9 == pytest.approx(one_link)
    assert links.xgmi(device).bandwidth_one_way / 1e9 == pytest.approx(all_links)


@pytest.mark.parametrize(
    ("generation", "stack"),
    [("HBM1", 128), ("HBM2", 307.2), ("HBM2e", 460.8), ("HBM3", 819.2), ("HBM3e", 1228.8), ("HBM4", 2048)],
)
def test_hbm_gives_the_rate_of_a_stack(generation, stack):
    memory = links.hbm(generation)
    assert memory.bandwidth_one_way / 1e9 == pytest.approx(stack)
    assert memory.bandwidth_both_ways == memory.bandwidth_one_way  # the pins are shared


@pytest.mark.parametrize(
    ("pins", "clock", "printed"),
    [(5120, 1215e6, 1555.2), (5120, 1593e6, 2039.04), (5120, 2619e6, 3352.32), (8192, 3996e6, 8183.808)],
)
def test_memory_bandwidth_of_real_chips(pins, clock, printed):
    """A100 40 GB, A100 80 GB, H100 SXM, B200: memory clock, bus width, two bits a clock."""
    assert links.memory_bandwidth(pins, 2 * clock) / 1e9 == pytest.approx(printed)


def test_memory_bandwidth_of_a_graphics_card():
    assert links.memory_bandwidth(384, 21e9) == 1008e9  # RTX 4090


def test_worked_problems():
    assert links.pcie(5, 16).bandwidth_one_way / 1e9 == pytest.approx(63.0, rel=0.002)
    assert links.nvlink(2, links=18).bandwidth_both_ways == 900e9  # the ports of an NVSwitch
    assert links.nvlink(2, links=6).bandwidth_both_ways == 300e9  # two V100 joined by all their links
    assert 8 * links.nvlink(4).bandwidth_both_ways == 7.2e12  # HGX H100
    assert 8 * links.nvlink(4).bandwidth_one_way == 3.6e12
    assert 576 * links.nvlink(5).bandwidth_both_ways / 1e15 == pytest.approx(1.0, rel=0.05)  # GB200 SuperPOD
    # DGX-2: eight links through each of six pairs of switches, both directions.
    assert links.nvlink(2, links=8 * 6).bandwidth_both_ways == 2.4e12
    assert links.nvlink_c2c().bandwidth_both_ways == 900e9


def test_published_slips_are_caught_by_the_names():
    """A PCIe 4 x16 slot has 32 GB/s one way; NVLink 4 is 450 GB/s a GPU, not Gb/s a link."""
    slot = links.pcie(4, 16)
    assert slot.bandwidth_one_way == pytest.approx(31.5e9, rel=1e-3)
    assert slot.bandwidth_both_ways == pytest.approx(63e9, rel=1e-3)
    assert links.nvlink(4).bandwidth_one_way == 8 * units.parse("450 Gb/s")
    assert links.infiniband("NDR").bandwidth_one_way == 8 * units.parse("50 Gb/s")


def test_the_pam4_encoding_is_the_product_of_its_two_stages():
    """256b/257b transcoding, then RS(544,514) on 10-bit symbols."""
    assert links.infiniband("NDR").encoding_efficiency == pytest.approx(256 / 257 * 514 / 544, rel=1e-15)


def test_a_flit_holds_its_parts():
    """256 bytes: 236 of transactions, 6 of link data, 8 of CRC, 6 of FEC."""
    assert 236 + 6 + 8 + 6 == 256
    assert links.pcie(6, 16).encoding_efficiency == (236 + 6) / 256


@pytest.mark.parametrize("spelling", [5, 5.0, "5", "5.0", " 5.0 ", np.int64(5), np.float32(5)])
def test_a_generation_has_many_spellings(spelling):
    assert links.pcie(spelling, 16) == links.pcie(5, 16)


def test_names():
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
def test_widths_broadcast_and_scale(make):
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
        if family in ("sources", "encodings"):
            continue
        for row in rows.values():
            used.add(row["source"])
            assert row["confidence"] in ("confirmed", "secondary", "memory", "low")
            assert row.get("encoding", "none counted") in stored["encodings"]
    assert used <= set(stored["sources"])


def test_a_link_names_its_source():
    source = links.pcie(5, 16).source("signal_rate")
    assert "PCI-SIG" in source.citation
    assert (source.as_of, source.confidence) == ("2019", "confirmed")
    assert links.nvlink(6).source().confidence == "low"  # announced, not measured
    with pytest.raises(ValueError, match="field must be one of signal_rate"):
        links.pcie(5, 16).source("latency")


# ---------------------------------------------------------------- alpha and beta


def test_published_transfers():
    # 16.8 MB over a TPU's 90 GB/s takes 186 us; a gigabyte over PCIe 5 x16 about 16 ms.
    assert links.transfer_time(16_777_216, 90e9) * 1e6 == pytest.approx(186.4, abs=0.1)
    assert links.transfer_time(1e9, links.pcie(5, 16).bandwidth_one_way) * 1e3 == pytest.approx(15.87, abs=0.01)


def test_a_wire_simulated_byte_by_byte_agrees():
    """Bytes leave every tenth of a nanosecond and arrive a flight time later."""
    bytes_sent, gap, flight = 5000, 1e-10, 2e-6
    arrivals = np.cumsum(np.full(bytes_sent, gap)) + flight
    assert links.transfer_time(bytes_sent, 1 / gap, flight) == pytest.approx(arrivals[-1], rel=1e-12)


def test_a_straight_line_fit_recovers_latency_and_bandwidth():
    sizes = np.logspace(2, 9, 40)
    slope, intercept = np.polyfit(sizes, links.transfer_time(sizes, 45e9, 6.6e-6), 1)
    assert 1 / slope == pytest.approx(45e9, rel=1e-9)
    assert intercept == pytest.approx(6.6e-6, rel=1e-6)


@given(SIZES, SIZES, BANDWIDTHS, LATENCIES)
def test_one_message_beats_two(first, second, bandwidth, latency):
    together = links.transfer_time(first + second, bandwidth, latency)
    apart = links.transfer_time(first, bandwidth, latency) + links.transfer_time(second, bandwidth, latency)
    # Below the smallest normal float the last digits are gone.
    assert together <= apart * (1 + 1e-12) + 1e-300
    assert apart - together == pytest.approx(latency, rel=1e-6, abs=1e-9 * apart)


@given(st.floats(1, 1e15), BANDWIDTHS, LATENCIES, st.floats(1.001, 1e3))
def test_bounds_and_directions(size, bandwidth, latency, factor):
    time = links.transfer_time(size, bandwidth, latency)
    effective = links.effective_bandwidth(size, bandwidth, latency)
    assert time >= latency
    assert 0 < effective <= bandwidth * (1 + 1e-15)
    assert links.transfer_time(size * factor, bandwidth, latency) >= time
    assert links.transfer_time(size, bandwidth * factor, latency) <= time
    assert links.effective_bandwidth(size * factor, bandwidth, latency) >= effective * (1 - 1e-12)
    assert links.effective_bandwidth(size, bandwidth, latency * factor) <= effective * (1 + 1e-12)


@given(st.floats(1, 1e12), BANDWIDTHS, LATENCIES, st.floats(1e-3, 1e3))
def test_time_does_not_depend_on_the_unit_of_bytes(size, bandwidth, latency, factor):
    """Bits and bits/s give the seconds of bytes and bytes/s."""
    scaled = links.transfer_time(size * factor, bandwidth * factor, latency)
    assert scaled == pytest.approx(links.transfer_time(size, bandwidth, latency), rel=1e-12)


@given(BANDWIDTHS, st.floats(1e-9, 10), st.floats(1e-3, 0.999))
def test_message_sizes_reach_their_share(bandwidth, latency, share):
    half = links.half_bandwidth_message_size(latency, bandwidth)
    assert links.effective_bandwidth(half, bandwidth, latency) == pytest.approx(bandwidth / 2, rel=1e-12)
    size = links.message_size_for(share, latency, bandwidth)
    assert links.effective_bandwidth(size, bandwidth, latency) == pytest.approx(share * bandwidth, rel=1e-9)
    assert links.message_size_for(0.5, latency, bandwidth) == pytest.approx(half, rel=1e-15)


TWO = (1.5e9, 3e10)
CALLS = [
    (links.transfer_time, (TWO, (1e9, 2e9), (0.0, 1e-6))),
    (links.effective_bandwidth, (TWO, (1e9, 2e9), (1e-5, 1e-6))),
    (links.half_bandwidth_message_size, ((1e-5, 1e-6), (1e9, 2e9))),
    (links.message_size_for, ((0.5, 0.9), (1e-5, 1e-6), (1e9, 2e9))),
    (lambda n: links.payload_efficiency("roce_v2", n), ((256, 4096),)),
    (links.memory_bandwidth, ((1024, 5120), (2e9, 5e9))),
]


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_scalars_and_arrays_agree(function, arguments):
    arrays = [np.array(pair) for pair in arguments]
    together = function(*arrays)
    for index in range(2):
        alone = function(*[pair[index] for pair in arguments])
        assert type(alone) is float
        assert together[index] == alone
        assert function(*[np.float64(pair[index]) for pair in arguments]) == alone
    table = function(arrays[0][:, None], *arrays[1:])
    assert table.shape == ((2, 2) if len(arrays) > 1 else (2, 1))
    before = [array.copy() for array in arrays]
    function(*arrays)
    assert all((array == old).all() for array, old in zip(arrays, before, strict=True))


# ---------------------------------------------------------------- packets


@pytest.mark.parametrize(
    ("protocol", "payload", "printed"),
    [
        ("tcp", 1460, 0.9493),  # 949 Mb/s of a gigabit, the textbook number for a 1500-byte MTU
        ("infiniband", 4096, 0.9937),
        ("roce_v2", 4096, 0.9804),
        ("pcie", 256, 0.9143),
    ],
)
def test_payload_share(protocol, payload, printed):
    assert links.payload_efficiency(protocol, payload) == pytest.approx(printed, abs=5e-5)


def test_payload_share_of_pcie_is_what_practice_sees():
    """85 to 90 per cent with the usual 128 to 256 bytes a packet."""
    assert 0.84 < links.payload_efficiency("pcie", 128) < links.payload_efficiency("pcie", 256) < 0.92


@given(st.sampled_from(["pcie", "infiniband", "roce_v2", "tcp"]), st.integers(1, 10**6))
def test_payload_share_is_that_of_counted_bytes(protocol, payload):
    """Invert: the header length that the share implies is the same for every payload."""
    share = links.payload_efficiency(protocol, payload)
    assert 0 < share < 1
    headers = payload / share - payload
    assert headers == pytest.approx({"pcie": 24, "infiniband": 26, "roce_v2": 82, "tcp": 78}[protocol], abs=1e-6)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: links.pcie(0, 16), ValueError, "generation must be one of 1, 2, 3, 4, 5, 6, 7, got 0"),
        (lambda: links.pcie(8, 16), ValueError, "got 8"),
        (lambda: links.pcie(4.5, 16), ValueError, "got 4.5"),
        (lambda: links.pcie(float("nan"), 16), ValueError, "generation"),
        (lambda: links.pcie("five", 16), ValueError, "got 'five'"),
        (lambda: links.pcie(True, 16), TypeError, "generation"),
        (lambda: links.pcie(None, 16), TypeError, "generation"),
        (lambda: links.pcie([4, 5], 16), TypeError, "generation"),
        (lambda: links.pcie(5, 3), ValueError, "lanes of PCIe 5.0 must be one of 1, 2, 4, 8, 12, 16, 32, got 3"),
        (lambda: links.pcie(6, 32), ValueError, "lanes of PCIe 6.0 must be one of 1, 2, 4, 8, 16, got 32"),
        (lambda: links.pcie(5, [16, 3]), ValueError, "lanes"),
        (lambda: links.pcie(5, 0), ValueError, "lanes must be at least 1"),
        (lambda: links.pcie(5, -16), ValueError, "lanes"),
        (lambda: links.pcie(5, 1.5), ValueError, "lanes must be a whole number"),
        (lambda: links.pcie(5, "16"), TypeError, "lanes"),
        (lambda: links.pcie(5, True), TypeError, "lanes"),
        (lambda: links.nvlink(7), ValueError, "generation must be one of 1, 2, 3, 4, 5, 6, got 7"),
        (lambda: links.nvlink(4, 0), ValueError, "links must be at least 1"),
        (lambda: links.nvlink(4, 2.5), ValueError, "links must be a whole number"),
        (lambda: links.infiniband("ZDR"), ValueError, "rate must be one of SDR, DDR, QDR"),
        (lambda: links.infiniband(400), TypeError, "rate must be one of SDR"),
        (lambda: links.infiniband("NDR", 3), ValueError, "lanes of InfiniBand must be one of 1, 2, 4, 8, 12"),
        (lambda: links.ethernet("400G"), ValueError, "rate must be one of 1GbE"),
        (lambda: links.ethernet(400e9), TypeError, "rate must be one of 1GbE"),
        (lambda: links.roce("56GbE"), ValueError, "rate must be one of 1GbE"),
        (lambda: links.xgmi("H100"), ValueError, "device must be one of MI250X"),
        (lambda: links.xgmi("MI300X", 0), ValueError, "links must be at least 1"),
        (lambda: links.hbm("HBM9"), ValueError, "generation must be one of HBM1"),
        (lambda: links.hbm(3), TypeError, "generation must be one of HBM1"),
        (lambda: links.hbm("HBM3", 0), ValueError, "stacks must be at least 1"),
        (lambda: links.hbm("HBM3", bit_rate_per_pin=0), ValueError, "bit_rate_per_pin must be greater than zero"),
        (lambda: links.memory_bandwidth(0, 1e9), ValueError, "pins must be at least 1"),
        (lambda: links.memory_bandwidth(1024, -1), ValueError, "bit_rate_per_pin"),
        (lambda: links.transfer_time(-1, 1e9), ValueError, "message_bytes must be zero or more, got -1"),
        (lambda: links.transfer_time(float("nan"), 1e9), ValueError, "message_bytes must be finite"),
        (lambda: links.transfer_time(1, 0), ValueError, "bandwidth_one_way must be greater than zero"),
        (lambda: links.transfer_time(1, np.inf), ValueError, "bandwidth_one_way must be finite"),
        (lambda: links.transfer_time(1, 1e9, -1e-6), ValueError, "latency must be zero or more"),
        (lambda: links.transfer_time("1 GB", 1e9), TypeError, "message_bytes must be a number"),
        (lambda: links.transfer_time(True, 1e9), TypeError, "message_bytes"),
        (lambda: links.effective_bandwidth(0, 1e9), ValueError, "message_bytes must be above zero"),
        (lambda: links.effective_bandwidth([1, 0], 1e9), ValueError, "message_bytes must be above zero"),
        (lambda: links.half_bandwidth_message_size(-1, 1e9), ValueError, "latency"),
        (lambda: links.half_bandwidth_message_size(1, 0), ValueError, "bandwidth_one_way"),
        (lambda: links.message_size_for(1, 1e-6, 1e9), ValueError, "efficiency must be below 1"),
        (lambda: links.message_size_for(0, 1e-6, 1e9), ValueError, "efficiency must be greater than zero"),
        (lambda: links.payload_efficiency("udp", 1), ValueError, "protocol must be one of 'pcie', 'infiniband'"),
        (lambda: links.payload_efficiency(3, 1), TypeError, "protocol must be one of pcie"),
        (lambda: links.payload_efficiency("tcp", 0), ValueError, "payload_bytes must be greater than zero"),
    ],
)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_a_message_of_no_bytes_costs_the_latency():
    assert links.transfer_time(0, 1e9, 2e-6) == 2e-6
    assert links.effective_bandwidth(0, 1e9, 2e-6) == 0.0


def test_the_import_is_light():
    code = (
        "import sys; from chip2cluster import links, hierarchy; "
        "print([m for m in ('scipy', 'networkx', 'pandas', 'matplotlib', 'IPython') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_table_prints_what_the_standards_say():
    shown = links.table([links.pcie(5, 16), links.nvlink(4), links.infiniband("QDR")])
    assert list(shown.index) == ["PCIe 5.0 x16", "NVLink 4 x18", "InfiniBand QDR 4x"]
    assert list(shown["one way (GB/s)"].round(2)) == [63.02, 450.0, 4.0]
    assert list(shown["both ways (GB/s)"].round(2)) == [126.03, 900.0, 8.0]
    assert list(shown["on the wire (Gb/s each)"]) == [32.0, 200.0, 10.0] and list(shown["width"]) == [16, 18, 4]
    with pytest.raises(ValueError, match="at least one link"):
        links.table([])
