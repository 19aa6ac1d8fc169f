"""Measured kernels: printed fractions, sources, and no rate above its datasheet."""

import pytest

from chip2cluster import roofline, specs
from tests.tables import every_row


@every_row(
    "chip, kind, precision, printed",
    [  # as printed by the sources: fractions of S. Bekman's table, of gpu-stream and BabelStream
        ("A100 SXM 80GB", "matrix product", "bf16", 0.869),
        ("H100 SXM", "matrix product", "bf16", 0.803),
        ("B200", "matrix product", "bf16", 0.776),
        ("MI300X", "matrix product", "bf16", 0.514),
        ("B200", "matrix product", "fp8", 0.763),
        ("H100 SXM", "triad", None, 0.887),
        ("GH200 96GB", "triad", None, 0.946),
        ("H200 SXM", "triad", None, 0.865),
    ],
)
def test_shares_as_printed(chip, kind, precision, printed):
    best = max(row.share for row in roofline.measurements(chip, kind, precision))
    assert best == pytest.approx(printed, abs=0.004)


def test_measurements_stay_below_datasheet_and_cite_sources():
    rows = roofline.measurements()
    assert len(rows) > 40
    for row in rows:
        assert 0 < row.share < 1, row
        assert specs.accelerator(row.chip).name == row.chip and row.setting and row.software
        assert row.source.citation and row.source.as_of and row.source.confidence in ("confirmed", "secondary")


def test_the_measured_ridge_lies_near_the_printed_one():
    # Both roofs are 10 to 20 % lower, so the ridge point hardly moves.
    roofs = roofline.measured_roofs("H100 SXM")
    chip = specs.accelerator("H100 SXM")
    printed = roofline.ridge_point(chip.peak_flops_dense("bf16"), chip.memory_bandwidth)
    measured = roofline.ridge_point(roofs.peak_flops, roofs.memory_bandwidth)
    assert 0.85 < measured / printed < 1
    assert roofs.triad.software == "BabelStream" and roofs.product.precision == "bf16"


def test_missing_measurement_raises():
    mine = specs.own("My card", dense={"bf16": "400 TFLOP/s"}, memory="48 GB", memory_bandwidth="0.9 TB/s")
    assert roofline.measurements(mine) == ()
    with pytest.raises(
        LookupError, match="no matrix product of the My card was measured in bf16; both .* A100 SXM 80GB"
    ):
        roofline.measured_roofs(mine)
    with pytest.raises(LookupError, match="no triad of the B200"):
        roofline.measured_roofs("B200")
    with pytest.raises(ValueError, match="kind must be one of 'matrix product', 'triad', 'attention', got 'gemm'"):
        roofline.measurements(kind="gemm")
    with pytest.raises(specs.UnknownAccelerator):
        roofline.measurements("H1000")


def test_the_table_sorts_by_share():
    table = roofline.measured_table("matrix product", "bf16")
    assert table["chip"].iloc[0] == "Gaudi 2" and table["share (%)"].is_monotonic_decreasing
    assert {"measured (TFLOP/s)", "sheet (TFLOP/s)"} <= set(table)
