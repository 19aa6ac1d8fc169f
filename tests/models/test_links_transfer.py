"""Time, share and size of a message against simulated wires and counted bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import links
from tests.tables import every_row

SIZES = st.floats(0, 1e15)
BANDWIDTHS = st.floats(1e3, 1e15)
LATENCIES = st.floats(0, 10)


def test_transfer_time_of_published_examples():
    # 16.8 MB over a TPU's 90 GB/s takes 186 us; a gigabyte over PCIe 5 x16 about 16 ms.
    assert links.transfer_time(16_777_216, 90e9) * 1e6 == pytest.approx(186.4, abs=0.1)
    assert links.transfer_time(1e9, links.pcie(5, 16).bandwidth_one_way) * 1e3 == pytest.approx(15.87, abs=0.01)


def test_transfer_time_matches_a_byte_simulation():
    """Bytes leave every tenth of a nanosecond and arrive one latency later."""
    bytes_sent, gap, flight = 5000, 1e-10, 2e-6
    arrivals = np.cumsum(np.full(bytes_sent, gap)) + flight
    assert links.transfer_time(bytes_sent, 1 / gap, flight) == pytest.approx(arrivals[-1], rel=1e-12)


def test_fit_of_transfer_times_recovers_the_link():
    sizes = np.logspace(2, 9, 40)
    slope, intercept = np.polyfit(sizes, links.transfer_time(sizes, 45e9, 6.6e-6), 1)
    assert 1 / slope == pytest.approx(45e9, rel=1e-9)
    assert intercept == pytest.approx(6.6e-6, rel=1e-6)


@given(SIZES, SIZES, BANDWIDTHS, LATENCIES)
def test_one_message_is_faster_than_two(first, second, bandwidth, latency):
    together = links.transfer_time(first + second, bandwidth, latency)
    apart = links.transfer_time(first, bandwidth, latency) + links.transfer_time(second, bandwidth, latency)
    # Below the smallest normal float the last digits are lost.
    assert together <= apart * (1 + 1e-12) + 1e-300
    assert apart - together == pytest.approx(latency, rel=1e-6, abs=1e-9 * apart)


@given(st.floats(1, 1e15), BANDWIDTHS, LATENCIES, st.floats(1.001, 1e3))
def test_transfer_time_bounds_and_monotonicity(size, bandwidth, latency, factor):
    time = links.transfer_time(size, bandwidth, latency)
    effective = links.effective_bandwidth(size, bandwidth, latency)
    assert time >= latency
    assert 0 < effective <= bandwidth * (1 + 1e-15)
    assert links.transfer_time(size * factor, bandwidth, latency) >= time
    assert links.transfer_time(size, bandwidth * factor, latency) <= time
    assert links.effective_bandwidth(size * factor, bandwidth, latency) >= effective * (1 - 1e-12)
    assert links.effective_bandwidth(size, bandwidth, latency * factor) <= effective * (1 + 1e-12)


@given(st.floats(1, 1e12), BANDWIDTHS, LATENCIES, st.floats(1e-3, 1e3))
def test_transfer_time_ignores_the_unit_of_data(size, bandwidth, latency, factor):
    """Bits and bits/s give the seconds of bytes and bytes/s."""
    scaled = links.transfer_time(size * factor, bandwidth * factor, latency)
    assert scaled == pytest.approx(links.transfer_time(size, bandwidth, latency), rel=1e-12)


@given(BANDWIDTHS, st.floats(1e-9, 10), st.floats(1e-3, 0.999))
def test_message_size_for_reaches_the_efficiency(bandwidth, latency, share):
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


@every_row(("function", "arguments"), CALLS)
def test_transfer_functions_of_scalars_and_arrays_agree(function, arguments):
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


@every_row(
    ("protocol", "payload", "printed"),
    [
        ("tcp", 1460, 0.9493),  # 949 Mb/s of a gigabit, the textbook number for a 1500-byte MTU
        ("infiniband", 4096, 0.9937),
        ("roce_v2", 4096, 0.9804),
        ("pcie", 256, 0.9143),
        ("nvlink", 256, 0.9412),  # printed by WikiChip, as 88.9 and 66.7 % for both ways
        ("nvlink_both_ways", 256, 0.8889),
        ("nvlink_both_ways", 64, 0.6667),
        ("nvlink_both_ways", 128, 0.8),  # NVIDIA's 20 of 25 GB/s a link, for copies by the SMs
    ],
)
def test_payload_efficiency_of_the_standards(protocol, payload, printed):
    assert links.payload_efficiency(protocol, payload) == pytest.approx(printed, abs=5e-5)


def test_payload_efficiency_of_pcie_matches_practice():
    """85 to 90 percent with the usual 128 to 256 bytes per packet."""
    assert 0.84 < links.payload_efficiency("pcie", 128) < links.payload_efficiency("pcie", 256) < 0.92


@given(st.sampled_from(["pcie", "nvlink", "nvlink_both_ways", "infiniband", "roce_v2", "tcp"]), st.integers(1, 10**6))
def test_payload_efficiency_matches_counted_bytes(protocol, payload):
    """The header length that the fraction implies is the same for every payload."""
    share = links.payload_efficiency(protocol, payload)
    assert 0 < share < 1
    headers = payload / share - payload
    counted = {"pcie": 24, "nvlink": 16, "nvlink_both_ways": 32, "infiniband": 26, "roce_v2": 82, "tcp": 78}
    assert headers == pytest.approx(counted[protocol], abs=1e-6)


def test_transfer_time_of_zero_bytes_is_the_latency():
    assert links.transfer_time(0, 1e9, 2e-6) == 2e-6
    assert links.effective_bandwidth(0, 1e9, 2e-6) == 0.0
