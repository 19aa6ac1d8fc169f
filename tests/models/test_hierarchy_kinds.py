"""Kinds of memory and access methods: published figures and identities."""

import numpy as np
import pytest

from chip2cluster import hierarchy, links

WAY = dict(bandwidth_one_way=384e9, memory_bandwidth=4e12)


def test_energies_match_the_published_ones():
    known = {kind.name: kind for kind in hierarchy.kinds()}
    assert known["SRAM on the chip"].joules_per_bit[0] == pytest.approx(100e-12 / 64, rel=0.03)  # 100 pJ for 64 bits
    assert known["DDR"].joules_per_bit == pytest.approx((1.3e-9 / 64, 2.6e-9 / 64), rel=0.03)
    assert known["HBM"].joules_per_bit[0] == pytest.approx(3.9e-12)
    assert known["DDR behind CXL"].joules_per_bit[0] - known["DDR"].joules_per_bit[0] == pytest.approx(5 * 1.3e-12)


def test_every_range_is_ascending_and_has_a_source():
    for kind in hierarchy.kinds():
        for name in ("joules_per_bit", "dollars_per_byte", "latency_seconds"):
            ends = getattr(kind, name)
            assert (ends is None) == (not kind.sources(name))
            assert ends is None or 0 < ends[0] <= ends[1]
    with pytest.raises(ValueError, match="name must be"):
        hierarchy.kinds()[0].sources("price")


def test_reading_joules_are_bits_times_energy():
    low, high = hierarchy.reading_joules([1e9, 2e9], "DDR")
    assert low == pytest.approx([0.16, 0.32]) and high == pytest.approx([0.32, 0.64])
    with pytest.raises(ValueError, match="HBM"):
        hierarchy.reading_joules(1.0, "drum")


def test_page_bandwidth_is_that_of_a_message():
    for size in (4096, 65536, 2**21):
        ours = hierarchy.page_bandwidth(size, 30e-6, 63e9)
        assert ours == pytest.approx(links.effective_bandwidth(size, 63e9, 30e-6))


def test_access_once_by_copy_or_remote_takes_the_link_time():
    ways = hierarchy.access_seconds(1e9, 1.0, 1, **WAY)
    assert ways.remote == pytest.approx(1e9 / 384e9)
    assert ways.copy == pytest.approx(1e9 / 384e9 + 1e9 / 4e12)
    assert ways.shared < ways.remote < ways.copy < ways.migrate


def test_remote_access_is_faster_for_few_passes():
    passes = np.arange(1, 20)
    for share in (0.1, 0.3, 1.0):
        ways = hierarchy.access_seconds(1e9, share, passes, **WAY)
        crossing = 1 / (share * (1 - 384e9 / 4e12))  # copy = remote, solved by hand
        assert ((ways.remote < ways.copy) == (passes < crossing)).all()


def test_migration_without_fault_cost_copies_touched_data():
    ways = hierarchy.access_seconds(1e9, 0.25, 3, fault_seconds=0, **WAY)
    assert ways.migrate == pytest.approx(0.25e9 / 384e9 + 0.75e9 / 4e12)


@pytest.mark.parametrize("bad", [dict(touched_share=1.5), dict(touched_share=0), dict(passes=1.5), dict(data_bytes=-1)])
def test_access_seconds_refuses_invalid_arguments(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        hierarchy.access_seconds(**(dict(data_bytes=1e9, touched_share=0.5, passes=1) | WAY | bad))


def test_access_table_agrees_with_access_seconds():
    table = hierarchy.access_table(1e9, {"half, twice": (0.5, 2)}, page_bytes=2**21, **WAY)
    ways = hierarchy.access_seconds(1e9, 0.5, 2, page_bytes=2**21, **WAY)
    assert table.loc["half, twice"].tolist() == pytest.approx(
        [1e3 * s for s in (ways.copy, ways.migrate, ways.remote, ways.shared)]
    )
