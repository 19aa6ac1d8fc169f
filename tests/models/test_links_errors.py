"""Bad input to links is named."""

import numpy as np
import pytest

from chip2cluster import links
from tests.tables import every_row


@every_row(
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
def test_invalid_arguments_are_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
