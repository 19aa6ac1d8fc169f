"""Requests in flight and the parts of a node, against brute force and datasheets."""

import sys

import numpy as np
import pytest

from chip2cluster import draw, hierarchy, links, topology
from chip2cluster.draw.palette import COMMUNICATION


@pytest.mark.parametrize(
    "latency, size, rate", [(2e-6, 40e3, 50e9), (421e-9, 353e3, 3.35e12), (1e-6, 5e6, 50e9), (0.0, 64, 1e9)]
)
def test_requests_in_flight_match_brute_force(latency, size, rate):
    def pauses(many):
        run = hierarchy.flight(60, many, size, rate, latency)
        return run.last_byte[-1] - run.first_byte[0] > 60 * size / rate * (1 + 1e-9)

    least = hierarchy.requests_in_flight(size, rate, latency)
    assert not pauses(least) and (least == 1 or pauses(least - 1))


def test_flight_with_one_in_flight_is_a_sum_of_transfers():
    ends = [hierarchy.flight(12, many, 30e3, 50e9, 2e-6).last_byte[-1] for many in range(1, 13)]
    assert ends[0] == pytest.approx(12 * links.transfer_time(30e3, 50e9, 2e-6))
    assert ends == sorted(ends, reverse=True) and ends[-1] == pytest.approx(2e-6 + 12 * 30e3 / 50e9)


def test_requests_in_flight_of_arrays_and_invalid_arguments():
    assert hierarchy.requests_in_flight(np.array([30e3, 64]), 50e9, 2e-6).tolist() == [5, 1564]
    for arguments in ((0, 1e9, 1e-6), (64, -1, 1e-6), (64, 1e9, -1e-6)):
        with pytest.raises(ValueError, match="must be"):
            hierarchy.requests_in_flight(*arguments)
    with pytest.raises(ValueError, match="in_flight"):
        hierarchy.flight(4, 0, 64, 1e9, 1e-6)


def test_measure_memory_returns_a_plausible_tier(monkeypatch):
    mine = hierarchy.measure_memory()
    # Wide enough for any busy machine, narrow enough to detect bytes confused with words or ns with µs.
    assert (
        1e8 < mine.bandwidth_one_way < 1e12 and "Measured on this machine" in mine.source("bandwidth_one_way").citation
    )
    assert mine.latency_seconds is None or 1e-9 < mine.latency_seconds < 1e-4
    assert mine.name == "your memory (measured)" and mine.capacity_bytes is None
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ModuleNotFoundError, match="run `import numpy` in a cell"):
        hierarchy.measure_memory()


def test_node_of_a_dgx_h100():
    box = hierarchy.node("hgx h100")
    # NVIDIA's sheet: eight GPUs, two sockets, eight single-port ConnectX-7 for the GPUs, eight drives of 3.84 TB.
    assert (box.sockets, box.accelerators, box.adapters, box.drives) == (2, 8, 8, 8)
    assert "user guide" in box.source("adapters").citation
    with pytest.raises(ValueError, match="are known, got 'GH200'"):
        hierarchy.node("GH200")
    with pytest.raises(ValueError, match="field must be one of"):
        box.source("fans")


def test_picture_of_a_node_has_every_link():
    svg, wires = draw.node_diagram("DGX H100").svg, topology.nvswitch_node("DGX H100").graph
    assert svg.count("GPU ") >= 8 and svg.count(">NVSwitch<") == 4 and svg.count(">adapter<") == 8
    links_of_adapters = 8
    assert svg.count(f'stroke="{COMMUNICATION}"') - links_of_adapters == wires.number_of_edges() == 32


def test_picture_of_overlap_states_pauses():
    assert "from the first byte on without a pause" in draw.overlap(10, 5, 353e3, 3.35e12, 421e-9).description
    assert "with pauses" in draw.overlap(10, 3, 353e3, 3.35e12, 421e-9).description
    with pytest.raises(ValueError, match="2 to 8, got 9"):
        draw.overlap(10, 9, 353e3, 3.35e12, 421e-9)
