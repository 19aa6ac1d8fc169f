"""The tiles of a GPU: against measured products, a brute-force count, and bounds."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import occupancy, specs, systolic

sizes, tiles = st.integers(1, 3000), st.integers(1, 300)


def bound(row, **more):
    chip = specs.accelerator(row.chip)
    roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    return systolic.gpu_useful_rate(row.size, row.size, row.size, *row.tile, 32, *roofs, **more)


# --- measured --------------------------------------------------------------------
def test_wave_quantization_predicts_the_drop_above_2048():
    # The model was not fitted to these rows: 156 below 2048, 107 to 116 above, on tiles of 128 x 128.
    rows = [row for row in systolic.odd_sizes() if row.tile == (128, 128)]
    assert len(rows) == 5
    for row in rows:
        assert row.flops_per_second == pytest.approx(bound(row, compute_units=128), rel=0.06)


def test_multiples_of_8_ran_slower_than_odd_sizes():
    by_size = {row.size: row for row in systolic.odd_sizes()}
    for even, odd in ((2056, 2057), (2072, 2073)):
        assert systolic.aligned(even) and not systolic.aligned(odd)
        assert by_size[even].flops_per_second < 0.85 * by_size[odd].flops_per_second
        assert by_size[even].flops_per_second < 0.65 * bound(by_size[even], compute_units=128)


def test_odd_sizes_have_a_chip_and_a_source():
    for row in systolic.odd_sizes():
        assert specs.accelerator(row.chip).kind == "gpu" and "181718" in row.source.citation


def test_one_more_tile_makes_a_second_wave():
    # 108 tiles fill an A100 once; one more column of tiles makes a second, nearly empty wave.
    full = systolic.tile_utilization(256 * 12, 128 * 9, 64, 256, 128, compute_units=108)
    assert full == 1.0
    assert systolic.tile_utilization(256 * 12, 128 * 10, 64, 256, 128, compute_units=108) == pytest.approx(120 / 216)


# --- brute force and bounds --------------------------------------------------------
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), *[st.integers(1, 9)] * 3)
def test_tile_utilization_matches_counted_multiplications(m, n, k, a, b, c):
    cells = sum(a * b * c for _ in product(range(0, m, a), range(0, n, b), range(0, k, c)))
    assert systolic.tile_utilization(m, n, k, a, b, c) == pytest.approx(m * n * k / cells)


@given(sizes, sizes, sizes, tiles, tiles, tiles, st.integers(1, 200))
def test_tile_utilization_is_a_product_of_two_factors(m, n, k, a, b, c, units):
    share = systolic.tile_utilization(m, n, k, a, b, c)
    assert 0 < share <= 1
    assert share <= systolic.padded_utilization(m, n, k, c, b) * (1 + 1e-12)  # an array does not pad m
    blocks = math.ceil(m / a) * math.ceil(n / b)
    waves = systolic.tile_utilization(m, n, k, a, b, c, compute_units=units)
    assert waves == pytest.approx(share * occupancy.wave_efficiency(blocks, units))


@given(sizes, sizes, sizes)
def test_tile_utilization_of_unit_tiles_is_one(m, n, k):
    assert systolic.tile_utilization(m, n, k, 1, 1) == 1.0


@given(st.integers(1, 10**6), st.sampled_from([0.5, 1, 2, 4]))
def test_aligned_is_a_whole_number_of_loads(size, width):
    assert systolic.aligned(size, width) == (size * width / 16 == int(size * width / 16))


def test_tile_functions_broadcast_and_refuse_invalid_sizes():
    rates = systolic.gpu_useful_rate([8, 4096], 4096, [[128], [129]], 128, 128, 64, 312e12, 2e12)
    assert rates.shape == (2, 2)
    assert rates[1, 1] == systolic.gpu_useful_rate(4096, 4096, 129, 128, 128, 64, 312e12, 2e12)
    assert isinstance(systolic.tile_utilization(np.int64(5), 5, 5, 4, 4), float)
    assert systolic.aligned(np.array([8, 9])).tolist() == [True, False]
    with pytest.raises(ValueError, match="tile_m must be at least 1, got 0"):
        systolic.tile_utilization(5, 5, 5, 0, 4)
    with pytest.raises(TypeError, match="k must be a number, got the truth value True"):
        systolic.gpu_useful_rate(5, 5, True, 4, 4, 4, 1e12, 1e12)
    with pytest.raises(ValueError, match="compute_units must be at least 1"):
        systolic.tile_utilization(5, 5, 5, 4, 4, compute_units=0)
    with pytest.raises(ValueError, match="bytes_per_element must be greater than zero"):
        systolic.aligned(8, 0)
