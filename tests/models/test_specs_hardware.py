"""Relations between figures that no single reading shows."""

import pytest

from chip2cluster import specs
from tests.models.catalogue import ALL


def test_matrix_clock_is_not_the_maximum_clock_on_hopper():
    h100 = specs.accelerator("H100 SXM")
    assert (h100.boost_clock_hz, h100.max_clock_hz) == (1830e6, 1980e6)
    assert 132 * 4 * 512 * 2 * h100.max_clock_hz == pytest.approx(1070e12, rel=1e-3)  # the common mistake


def test_pcie_cards_have_no_nvlink():
    cards = [a for a in ALL if (a.scale_up_link or "").startswith("PCIe")]
    known = {"T4", "A10", "L4", "L40S", "RTX 4090", "RTX PRO 6000 Server", "RTX PRO 6000 Workstation"}
    assert known <= {card.name for card in cards}
    for card in cards:
        assert "no NVLink" in card.source("scale_up_link").note


def test_gb200_domain_is_130_terabytes_per_second():
    assert 72 * specs.accelerator("GB200").scale_up_bandwidth_both_ways == pytest.approx(129.6e12)
