"""Comparison table of the paths to an accelerator, against datasheets."""

import math

import pytest

from chip2cluster import hierarchy

# Vendors' figures in GB/s one way (bidirectional sums halved): own memory, neighbours, host, other nodes.
SHEETS = {
    "DGX A100": (2039, 300, 31.508, 25),
    "DGX H100": (3350, 450, 63.015, 50),
    "DGX B200": (8000, 900, 63.015, 50),
    "GH200": (4000, None, 384, 50),
    "MI300X platform": (5300, 448, 63.015, 50),
}


def test_compare_matches_the_datasheets():
    table = hierarchy.compare(SHEETS)
    assert list(table.index) == list(SHEETS) and list(table["accelerators"]) == [8, 8, 8, 1, 8]
    for name, sheet in SHEETS.items():
        for rate, printed in zip(table.loc[name].iloc[1:], sheet, strict=True):
            assert math.isnan(rate) if printed is None else rate == pytest.approx(printed, rel=1e-4)


def test_compare_defaults_to_all_systems():
    assert list(hierarchy.compare().index) == [system.name for system in hierarchy.systems()]
    assert list(hierarchy.compare([hierarchy.system("tpu v4")]).index) == ["TPU v4 host"]
    assert list(hierarchy.compare([]).columns) == list(hierarchy.compare().columns)


def test_compare_refuses_unknown_systems():
    with pytest.raises(ValueError, match="DGX H10O"):
        hierarchy.compare(["DGX H10O"])
