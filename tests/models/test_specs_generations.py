"""Generations: well-known facts, and growth as a product of width and narrowing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import specs
from tests.tables import every_row

PEAKS = st.floats(1e9, 1e18)
BITS = st.sampled_from([64, 32, 16, 8, 6, 4])

# Data sheets and press of the launches: the first with tensor cores has 125 TFLOP/s, and so on.
KNOWN = [
    ("Fermi", 2010, 32, 1.03), ("Kepler", 2012, 32, 3.95), ("Maxwell", 2015, 32, 6.8), ("Pascal", 2016, 16, 21.2),
    ("Volta", 2017, 16, 125), ("Ampere", 2020, 16, 312), ("Hopper", 2022, 8, 1978.9), ("Blackwell", 2024, 4, 9000),
    ("Blackwell Ultra", 2025, 4, 13500), ("Rubin", 2026, 4, 35000),
]  # fmt: skip


def test_generations_match_known_list():
    found = [(one.name, one.year, min(specs.by_bits(one.peaks))) for one in specs.generations()]
    assert found == [row[:3] for row in KNOWN]
    for one, (*_, tera) in zip(specs.generations(), KNOWN, strict=True):
        assert isinstance(one, specs.Generation)
        assert one.peaks[one.narrowest] == pytest.approx(tera * 1e12)
        assert one.sources.keys() == one.peaks.keys() and one.first


def test_time_and_bandwidth_only_grow():
    years, rates = ([getattr(one, name) for one in specs.generations()] for name in ("year", "memory_bandwidth"))
    assert years == sorted(years) and rates == sorted(rates)
    best = [one.peaks[one.narrowest] for one in specs.generations()]
    assert best == sorted(best)


def test_pascal_had_twice_the_rate_at_half_the_width():
    pascal = specs.generations()[3]
    assert pascal.peaks["fp16"] == 2 * pascal.peaks["fp32"] == 4 * pascal.peaks["fp64"]
    assert pascal.memory_bandwidth == 732e9


@given(st.dictionaries(BITS, PEAKS, min_size=1), st.dictionaries(BITS, PEAKS, min_size=1))
def test_growth_is_growth_at_one_width_times_narrowing(old, new):
    width = min(old)
    if width not in new:
        with pytest.raises(ValueError, match=f"the {width} bits"):
            specs.narrowing(old, new)
        return
    headline = new[min(new)] / old[width]
    assert specs.narrowing(old, new) * (new[width] / old[width]) == pytest.approx(headline)
    assert specs.narrowing(new, new) == 1.0


def test_formats_halve_up_to_b200():
    volta, blackwell = specs.generations()[4], specs.generations()[7]
    assert specs.narrowing(specs.by_bits(volta.peaks), specs.by_bits(blackwell.peaks)) == 4.0
    assert blackwell.peaks["bf16"] / volta.peaks["fp16"] == 18.0
    ultra = specs.generations()[8]
    assert specs.narrowing({8: 1.0}, specs.by_bits(ultra.peaks)) == 3.0


def test_by_bits_leaves_tf32_out():
    volta, ampere = (specs.by_bits(one.peaks) for one in specs.generations()[4:6])
    assert ampere[32] / volta[32] == pytest.approx(19.5 / 15.7)  # the data sheets' fp32
    assert specs.by_bits({"tf32": 156e12}) == {}


def test_totals_with_one_reading_only():
    found = {}
    for name in ("H100 SXM", "MI250X", "GB200"):
        chip = specs.accelerator(name)
        dense = {p: chip.peak_flops_dense(p) for p in chip.precisions_dense}
        sparse = {p: chip.peak_flops_sparse(p) for p in chip.precisions_sparse}
        totals = [specs.readings(1000 * x, 1000, dense, sparse) for x in (*dense.values(), *sparse.values())]
        found[name] = [readings[0] for readings in totals if len(readings) == 1]
    assert found["H100 SXM"] == ["fp64 dense", "tf32 dense"] and found["MI250X"] == []
    assert "fp4 sparse" in found["GB200"]


def test_narrowest():
    assert specs.narrowest(specs.accelerator("V100").precisions_dense) == "fp16"
    assert specs.narrowest(specs.accelerator("A100 80GB").precisions_dense) == "bf16"  # not int4
    assert specs.narrowest(specs.accelerator("MI355X").precisions_dense) == "fp4"
    assert specs.narrowest(("fp64", "tf32")) == "tf32"
    with pytest.raises(ValueError, match="floating-point format, got int8"):
        specs.narrowest(("int8",))
    with pytest.raises(ValueError, match="got none"):
        specs.narrowest(())


@every_row(
    ("old", "new", "error", "words"),
    [
        ({}, {16: 1}, ValueError, "old_peaks must give at least one"),
        ({16: 1}, {}, ValueError, "new_peaks must give at least one"),
        ({16: 0}, {16: 1}, ValueError, r"old_peaks\[16\] must be greater than zero"),
        ({16: 1}, {16: math.nan}, ValueError, r"new_peaks\[16\] must be finite"),
        ({16.5: 1}, {16: 1}, ValueError, "bits in old_peaks must be a whole number"),
        ({"fp16": 1}, {16: 1}, TypeError, "bits in old_peaks must be a number"),
    ],
)
def test_narrowing_refuses(old, new, error, words):
    with pytest.raises(error, match=words):
        specs.narrowing(old, new)


def test_five_hundred_petaflops():
    """500 PFLOP/s of 256 H100 are sparse bf16 or dense fp8: the total does not tell."""
    h100 = specs.accelerator("H100 SXM")
    dense = {p: h100.peak_flops_dense(p) for p in h100.precisions_dense}
    sparse = {p: h100.peak_flops_sparse(p) for p in h100.precisions_sparse}
    found = specs.readings(500e15, 256, dense, sparse)
    assert found == ["fp8 dense", "int8 dense", "bf16 sparse", "fp16 sparse"]
    assert specs.readings(500e15, 200, dense, sparse) == []


@given(st.integers(1, 10**5), st.dictionaries(st.sampled_from(["bf16", "fp8", "fp4"]), PEAKS, min_size=1))
def test_readings_find_each_peak(devices, dense):
    for precision, peak in dense.items():
        assert f"{precision} dense" in specs.readings(devices * peak, devices, dense, {})
        assert specs.readings(1.03 * devices * peak, devices, {precision: peak}, {}) == []


@pytest.mark.parametrize(
    ("total", "devices", "dense", "words"),
    [(0, 1, {"bf16": 1}, "total must be"), (1, 0, {"bf16": 1}, "devices must be"), (1, 1, {"bf16": -1}, "'bf16'")],
)
def test_readings_refuse(total, devices, dense, words):
    with pytest.raises(ValueError, match=words):
        specs.readings(total, devices, dense, {})
    assert specs.readings(np.float64(2e15), np.int64(2), {"bf16": 1e15}, {}) == ["bf16 dense"]
