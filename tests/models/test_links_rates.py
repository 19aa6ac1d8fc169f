"""Three rates of one wire: sheet, payload and measured, in the order in which they must stand."""

import pytest

from chip2cluster import links
from tests.tables import every_row


@every_row("name", links.wires())
def test_sheet_above_payload_above_measured(name):
    wire = links.rates(name)
    assert wire.wire == name
    if wire.payload_one_way is not None:
        assert wire.payload_one_way < wire.sheet_one_way
        assert wire.payload_source.citation and wire.payload_by in ("sm", "any")
    for one in wire.measured:
        assert 0 < one.low <= one.high < wire.sheet_one_way
        assert one.by in ("copy engine", "sm", "nic") and one.system and one.tool and one.source.citation
        if wire.payload_one_way is not None and wire.payload_by in (one.by, "any"):
            assert one.high <= wire.payload_one_way


def test_the_sheet_is_the_links_own():
    assert links.rates("NVLink 4").sheet_one_way == links.nvlink(4).bandwidth_one_way == 450e9
    assert links.rates("PCIe 5 x16").sheet_one_way == links.pcie(5, 16).bandwidth_one_way
    assert links.rates("InfiniBand NDR 4x").sheet_one_way == 50e9


def test_packets_of_128_bytes_leave_20_of_25_on_nvlink_3():
    """NVIDIA's own reckoning: 25 GB/s a link, 20 with the SMs' packets, 240 for twelve, 230 reached."""
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
def test_copy_engines_reach_more_of_nvlink_than_kernels(name, copies, kernels):
    wire = links.rates(name)
    for engine, (least, most) in (("copy engine", copies), ("sm", kernels)):
        low, high = (rate / wire.sheet_one_way for rate in wire.measured_by(engine))
        assert least < low <= high < most
    assert wire.measured_by("copy engine")[1] > wire.measured_by("sm")[1]


def test_the_ring_on_hopper_is_the_librarys_count():
    """18 links of 20.6 GB/s in NCCL's table, 367.6 measured: 82 % of the sheet's 450."""
    wire = links.rates("NVLink 4")
    assert wire.payload_one_way == pytest.approx(18 * 20.6e9)
    assert wire.measured_by("sm")[1] / wire.payload_one_way == pytest.approx(1, abs=0.01)


def test_pcie_payload_is_that_of_its_packets():
    wire = links.rates("PCIe 4 x16")
    assert wire.payload_one_way == pytest.approx(wire.sheet_one_way * links.payload_efficiency("pcie", 256))


def test_the_table_has_a_row_for_each_engine():
    table = links.rates_table()
    assert len(table) == sum(len({one.by for one in links.rates(name).measured}) for name in links.wires())
    assert table.loc[("NVLink 4", "SM"), "measured, most (GB/s)"] == pytest.approx(367.6)
    assert table["best of sheet (%)"].between(70, 100).all()
    assert table.loc[("NVLink 4", "copy engine"), "payload (GB/s)"] != table.loc[("NVLink 4", "SM"), "payload (GB/s)"]


def test_what_was_not_measured_is_refused_with_what_was():
    with pytest.raises(ValueError, match="^wire must be one of NVLink 2, NVLink 3, .*got 'NVLink 9'"):
        links.rates("NVLink 9")
    with pytest.raises(TypeError, match="^wire must be one of"):
        links.rates(4)
    with pytest.raises(ValueError, match="^engine of NVLink 4 must be one of 'copy engine', 'sm', got 'nic'"):
        links.rates("NVLink 4").measured_by("nic")
    with pytest.raises(ValueError, match="^engine of NVLink 2 has not been measured"):
        links.rates("NVLink 2").measured_by("sm")


def test_copy_engines_stay_below_their_packets_of_256_bytes():
    """One way at most 94 %; eight A100 reach 92. H200 with both ways busy 783.7 of 900, below 89 %."""
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
