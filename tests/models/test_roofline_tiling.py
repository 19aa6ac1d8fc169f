"""Traffic of tiled products and attention, against brute force, bounds and measurements."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import hierarchy, roofline

small, sizes = st.integers(1, 40), st.integers(1, 20000)


@given(small, small, small, st.integers(1, 50), st.integers(1, 50))
def test_blocked_traffic_counted_load_by_load(m, n, k, block_m, block_n):
    moved = 0
    for row in range(0, m, block_m):
        for column in range(0, n, block_n):
            down, across = min(block_m, m - row), min(block_n, n - column)
            moved += k * (down + across) + down * across  # a stripe of A, a stripe of B, the block itself
    kernel = roofline.blocked_gemm(m, n, k, block_m, block_n)
    assert kernel.bytes_moved == 2 * moved and kernel.flops == 2 * m * n * k


@given(sizes, sizes, sizes)
def test_one_block_is_the_compulsory_traffic(m, n, k):
    assert roofline.blocked_gemm(m, n, k, m, n) == roofline.gemm(m, n, k)


@given(sizes, sizes, sizes, st.integers(1, 4096), st.integers(1, 4096))
def test_traffic_lies_between_the_bounds(m, n, k, block_m, block_n):
    # The blocked order needs space for a block of C, a column of A and a row of B.
    cache = 2 * (block_m * block_n + block_m + block_n)
    least = roofline.gemm_least_traffic(m, n, k, cache)
    blocked = roofline.blocked_gemm(m, n, k, block_m, block_n)
    assert roofline.gemm(m, n, k).bytes_moved <= least.bytes_moved <= blocked.bytes_moved * (1 + 1e-9)


def test_large_product_on_h100_needs_its_cache():
    # With traffic per tile the memory roof would be far below the measurement; per wave it does not limit.
    chip = dict(peak_flops=989.4e12, memory_bandwidth=3.35e12)
    measured = roofline.measured_roofs("H100 SXM").peak_flops
    tile, wave = (roofline.blocked_gemm(8192, 8192, 8192, *block) for block in ((128, 256), (2048, 2048)))
    assert roofline.attainable(tile.intensity, **chip) < 0.4 * measured
    assert roofline.is_compute_bound(wave.intensity, **chip)
    assert 2 < wave.bytes_moved / roofline.gemm(8192, 8192, 8192).bytes_moved < 4


@given(st.integers(1, 300), st.integers(1, 4), st.integers(1, 64), st.integers(1, 300))
def test_attention_per_cache_counted_block_by_block(sequence, heads, width, block):
    rows = 0
    for first in range(0, sequence, block):
        rows += 2 * min(block, sequence - first) + 2 * sequence  # queries in, results out; all keys and values
    kernel = roofline.attention_prefill_per_cache(sequence, heads, width, block)
    assert kernel.bytes_moved == 2 * heads * width * rows
    assert kernel.flops == roofline.attention_prefill(sequence, heads, width).flops


@given(st.integers(1, 10**5), st.integers(1, 10**4))
def test_block_size_bounds_attention_intensity(sequence, block):
    inner = roofline.attention_prefill_per_cache(sequence, 8, 128, block)
    assert inner.intensity <= min(block, sequence) * (1 + 1e-9)
    assert inner.bytes_moved >= roofline.attention_prefill(sequence, 8, 128).bytes_moved * (1 - 1e-12)
    if block >= sequence:
        assert inner.intensity == pytest.approx(roofline.attention_prefill(sequence, 8, 128).intensity)


def test_cache_roof_does_not_bind_the_best_attention_kernel():
    # FlashAttention-3 on an H100, 16,384 tokens: 648 TFLOP/s measured, blocks of 128 queries. The L2 cache reads 7.6 TB/s
    # there; with the 5.5 TB/s of the smaller PCIe card the roof would seem to bind.
    cache = hierarchy.system("DGX H100").tier("L2").bandwidth_one_way
    intensity = roofline.attention_prefill_per_cache(16384, 16, 128).intensity
    roof, smaller = (roofline.attainable(intensity, 989.4e12, rate) for rate in (cache, 5.5e12))
    best = max(row.rate for row in roofline.measurements("H100 SXM", "attention"))
    assert best < 0.7 * roof and 0.9 * smaller < best < smaller


def test_causal_halves_work_and_reads():
    whole, half = (roofline.attention_prefill_per_cache(8192, 8, 128, causal=mask) for mask in (False, True))
    assert half.flops == whole.flops / 2
    once = 2 * 2 * 8 * 128 * 8192
    assert half.bytes_moved - once == (whole.bytes_moved - once) / 2


def test_arrays_and_refusals():
    assert roofline.blocked_gemm([100, 200], 100, 100, 10, [[10], [20]]).bytes_moved.shape == (2, 2)
    assert isinstance(roofline.gemm_least_traffic(10, 10, 10, 100).intensity, float)
    assert math.isclose(roofline.gemm_least_traffic(10, 10, 10, 1e9).bytes_moved, 600)
    with pytest.raises(ValueError, match="block_m must be at least 1"):
        roofline.blocked_gemm(10, 10, 10, 0, 10)
    with pytest.raises(ValueError, match="cache_bytes must be greater than zero"):
        roofline.gemm_least_traffic(10, 10, 10, 0)
    with pytest.raises(ValueError, match="query_block must be at least 1"):
        roofline.attention_prefill_per_cache(10, 1, 1, 0)
