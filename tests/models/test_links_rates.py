"""Three rates of one wire: sheet, payload and measured, in the order in which they must stand."""

import pytest

from chip2cluster import links
from tests.tables import every_row


@every_row("name", links.measured_links())
def test_rates_fall_from_sheet_to_payload_to_measured(name):
    wire = links.rates(name)
    assert wire.link == name
    if wire.payload_one_way is not None:
        assert wire.payload_one_way < wire.sheet_one_way
        assert wire.payload_source.citation and wire.payload_by in ("sm", "any")
    for one in wire.measured:
        assert 0 < one.low <= one.high < wire.sheet_one_way
        assert one.by in ("copy engine", "sm", "nic") and one.system and one.tool and one.source.citation
        if wire.payload_one_way is not None and wire.payload_by in (one.by, "any"):
            assert one.high <= wire.payload_one_way


def test_rates_sheet_equals_the_link_bandwidth():
    assert links.rates("NVLink 4").sheet_one_way == links.nvlink(4).bandwidth_one_way == 450e9
    assert links.rates("PCIe 5 x16").sheet_one_way == links.pcie(5, 16).bandwidth_one_way
    assert links.rates("InfiniBand NDR 4x").sheet_one_way == 50e9


def test_payload_of_nvlink_3_is_20_of_25():
    """NVIDIA's calculation: 25 GB/s per link, 20 with the SMs' packets, 240 for twelve, 230 measured."""
    wire = links.rates("nvlink 3")
    assert wire.payload_one_way / wire.sheet_one_way == pytest.approx(20 / 25)
    assert wire.payload_one_way == 12 * 20e9
    assert wire.measured_by("sm")[0] == pytest.approx(230e9, rel=0.005)


@pytest.mark.parametrize(
    ("name", "copies", "kernels"),
    [
        ("NVLink 3", (0.90, 0.93), (0.76, 0.79)),
        ("NVLink 4", (0.80, 0.89), (0.80, 0.82)),
        ("NVLink 5", (0.82, 0.86), (0.74, 0.76)),
    ],
)
def test_copy_engines_are_faster_than_kernels(name, copies, kernels):
    wire = links.rates(name)
    for engine, (least, most) in (("copy engine", copies), ("sm", kernels)):
        low, high = (rate / wire.sheet_one_way for rate in wire.measured_by(engine))
        assert least < low <= high < most
    assert wire.measured_by("copy engine")[1] > wire.measured_by("sm")[1]


def test_payload_of_nvlink_4_matches_nccl():
    """18 links of 20.6 GB/s in NCCL's table, 367.6 measured: 82 % of the sheet's 450."""
    wire = links.rates("NVLink 4")
    assert wire.payload_one_way == pytest.approx(18 * 20.6e9)
    assert wire.measured_by("sm")[1] / wire.payload_one_way == pytest.approx(1, abs=0.01)


def test_pcie_payload_follows_from_its_packets():
    wire = links.rates("PCIe 4 x16")
    assert wire.payload_one_way == pytest.approx(wire.sheet_one_way * links.payload_efficiency("pcie", 256))


def test_rates_table_has_a_row_for_each_engine():
    table = links.rates_table()
    assert len(table) == sum(len({one.by for one in links.rates(name).measured}) for name in links.measured_links())
    assert table.loc[("NVLink 4", "SM"), "measured, highest (GB/s)"] == pytest.approx(367.6)
    assert table["highest of sheet (%)"].between(70, 100).all()
    assert table.loc[("NVLink 4", "copy engine"), "payload (GB/s)"] != table.loc[("NVLink 4", "SM"), "payload (GB/s)"]


def test_unmeasured_link_error_lists_the_links():
    with pytest.raises(ValueError, match="^link must be one of NVLink 2, NVLink 3, .*got 'NVLink 9'"):
        links.rates("NVLink 9")
    with pytest.raises(TypeError, match="^link must be one of"):
        links.rates(4)
    with pytest.raises(ValueError, match="^engine of NVLink 4 must be one of 'copy engine', 'sm', got 'nic'"):
        links.rates("NVLink 4").measured_by("nic")
    with pytest.raises(ValueError, match="^engine of NVLink 2 has not been measured"):
        links.rates("NVLink 2").measured_by("sm")


def test_copy_engines_stay_below_their_payload_rate():
    """Unidirectional at most 94 %; eight A100 reach 92. H200 bidirectional 783.7 of 900, below 89 %."""
    for name in ("NVLink 3", "NVLink 4", "NVLink 5"):
        wire = links.rates(name)
        assert wire.payload_of("copy engine") / wire.sheet_one_way == pytest.approx(16 / 17)
        assert wire.measured_by("copy engine")[1] < wire.payload_of("copy engine")
        assert wire.payload_of("sm") == wire.payload_one_way < wire.payload_of("copy engine")
    assert links.payload_efficiency("nvlink_both_ways", 256) > 783.73 / 900
    assert links.rates("InfiniBand NDR 4x").payload_of("nic") == links.rates("InfiniBand NDR 4x").payload_one_way
    assert links.rates("NVLink-C2C").payload_of("sm") is None
    with pytest.raises(ValueError, match="^engine must be one of 'copy engine', 'sm', 'nic', got 'dma'"):
        links.rates("NVLink 4").payload_of("dma")
