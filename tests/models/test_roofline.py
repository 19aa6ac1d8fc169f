"""Roofline: published results to the printed digit, properties, and bad input."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import roofline, specs
from tests.tables import every_row

rates = st.floats(1e9, 1e19)
bandwidths = st.floats(1e6, 1e14)
intensities = st.floats(0, 1e6)
sizes = st.integers(1, 10**6)
CHIP = {"peak_flops": 312e12, "memory_bandwidth": 2.0e12}


# --- published -----------------------------------------------------------------
def test_textbook_chip_to_the_printed_digit():
    # A textbook's evaluator prints these for 312 TFLOP/s and 2.0 TB/s.
    assert f"{roofline.ridge_point(**CHIP):.0f}" == "156"
    gemm, gemv = roofline.gemm(8192, 8192, 8192), roofline.gemv(8192, 8192)
    assert f"{gemm.intensity:.1f}" == "2730.7"
    assert f"{roofline.attainable(gemm.intensity, **CHIP) / 1e12:.1f}" == "312.0"
    assert f"{100 * roofline.fraction_of_peak(gemm.intensity, **CHIP):.1f}" == "100.0"
    assert f"{gemv.intensity:.1f}" == "1.0"
    assert f"{roofline.attainable(gemv.intensity, **CHIP) / 1e12:.1f}" == "2.0"
    assert f"{100 * roofline.fraction_of_peak(gemv.intensity, **CHIP):.1f}" == "0.6"
    assert roofline.is_compute_bound(gemm.intensity, **CHIP) and not roofline.is_compute_bound(gemv.intensity, **CHIP)


def test_feed_forward_threshold_is_160_and_the_sweep_agrees():
    assert roofline.batch_threshold(8192, 32768, **CHIP) == 160
    sweep = roofline.batch_sweep([1, 8, 64, 512, 4096], 8192, 32768, **CHIP)
    assert sweep.intensity == pytest.approx([1.00, 7.99, 63.38, 474.90, 2520.62], abs=0.005)
    assert sweep.compute_bound.tolist() == [False, False, False, True, True]


def test_neither_printed_operation_is_compute_bound():
    chip = {"peak_flops": 990e12, "memory_bandwidth": 3.35e12}
    assert roofline.ridge_point(**chip) == pytest.approx(295.5, abs=0.05)
    assert roofline.is_compute_bound([220, 2], **chip).tolist() == [False, False]
    assert roofline.attainable([220, 2], **chip) / 1e12 == pytest.approx([737, 6.7])


@pytest.mark.parametrize(
    "peak, bandwidth, printed",
    [(1e15, 3.35e12, 298), (990e12, 3.35e12, 295), (2250e12, 8e12, 281)],  # J. Austin et al., How to Scale Your Model
)
def test_ridges_of_the_scaling_book(peak, bandwidth, printed):
    assert math.floor(roofline.ridge_point(peak, bandwidth)) == printed


def test_scaling_book_int8_product_and_addition():
    # int8 [B, 16384] x [16384, 4096] on a TPU v5e; the book rounds 262.7 to 271.
    chip = {"peak_flops": 394e12, "memory_bandwidth": 8.1e11}
    assert roofline.batch_threshold(16384, 4096, **chip, bytes_per_element=1) == pytest.approx(263, rel=0.05)
    # Adding two arrays of 2**30 float32 on an H100 takes 3.84 ms there.
    add = roofline.elementwise(2**30, reads=2, bytes_per_element=4)
    assert add.time(67e12, 3.35e12) == pytest.approx(3.84e-3, rel=0.005)


def test_decode_attention_tends_to_the_group_size():
    # Published: the limit is the number of query heads that share a key-value head.
    for group in (1, 4, 8):
        kernel = roofline.attention_decode(10**7, heads=32, head_dim=128, kv_heads=32 // group)
        assert kernel.intensity == pytest.approx(group, rel=1e-5)
    batched = roofline.attention_decode(4096, 32, 128, 8, batch=[1, 64, 4096]).intensity
    assert np.ptp(batched) < 1e-12


def test_decode_of_one_sequence_ignores_peak():
    step = roofline.decode_step(8e9)
    chip = specs.accelerator("A100 SXM 80GB")
    peak, bandwidth = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    assert step.time(peak, bandwidth) == step.time(3 * peak, bandwidth) == 16e9 / bandwidth


def test_table_shows_the_published_figures():
    operations = {"product": roofline.gemm(8192, 8192, 8192), "vector": roofline.gemv(8192, 8192), "given": 2}
    table = roofline.table(operations, **CHIP)
    assert table.loc["product"].tolist() == [2730.67, 312.0, 100.0, "compute"]
    assert table.loc["vector"].tolist() == [1.0, 2.0, 0.6, "memory"]
    assert table.loc["given", "bound by"] == "memory"
    with pytest.raises(ValueError, match="bad: intensity must be zero or more, got -1"):
        roofline.table({"bad": -1}, **CHIP)
    with pytest.raises(ValueError, match="peak_flops"):
        roofline.table({}, 0, 1)


# --- properties ------------------------------------------------------------------
@given(intensities, rates, bandwidths)
def test_attainable_is_the_largest_rate_under_both_bounds(intensity, peak, bandwidth):
    rate = roofline.attainable(intensity, peak, bandwidth)
    assert rate <= peak and rate <= bandwidth * intensity
    assert rate == peak or rate == bandwidth * intensity
    assert roofline.attainable(2 * intensity, peak, bandwidth) >= rate
    assert roofline.attainable(intensity, 2 * peak, bandwidth) >= rate


@given(intensities, rates, bandwidths, st.floats(1e-3, 1e3))
def test_units_scale(intensity, peak, bandwidth, factor):
    scaled = roofline.attainable(intensity, factor * peak, factor * bandwidth)
    assert scaled == pytest.approx(factor * roofline.attainable(intensity, peak, bandwidth))
    assert roofline.ridge_point(factor * peak, factor * bandwidth) == pytest.approx(
        roofline.ridge_point(peak, bandwidth)
    )


@given(rates, bandwidths)
def test_both_roofs_meet_at_the_ridge(peak, bandwidth):
    ridge = roofline.ridge_point(peak, bandwidth)
    assert roofline.attainable(ridge, peak, bandwidth) == pytest.approx(peak)
    assert roofline.is_compute_bound(ridge, peak, bandwidth)
    assert not roofline.is_compute_bound(ridge * (1 - 1e-9), peak, bandwidth)


@given(sizes, sizes, sizes, st.sampled_from([0.5, 1, 2, 4]))
def test_gemm_is_counted_exactly_and_symmetric(m, n, k, size):
    kernel = roofline.gemm(m, n, k, size)
    exact = Fraction(2 * m * n * k) / (Fraction(size) * (m * k + k * n + m * n))
    assert kernel.intensity == pytest.approx(float(exact), rel=1e-12)
    assert kernel.intensity == pytest.approx(roofline.gemm(n, m, k, size).intensity)
    assert kernel.intensity < 2 * min(m, n, k) / size
    assert roofline.gemv(m, k, size) == roofline.gemm(m, 1, k, size)


def test_gemm_counts_what_an_instrumented_product_does():
    multiplications = additions = 0
    touched = set()
    m, n, k = 4, 3, 5
    for row in range(m):
        for column in range(n):
            for inner in range(k):
                touched |= {("A", row, inner), ("B", inner, column), ("C", row, column)}
                multiplications += 1
                additions += 1
    kernel = roofline.gemm(m, n, k, bytes_per_element=2)
    assert kernel.flops == multiplications + additions
    assert kernel.bytes_moved == 2 * len(touched)


@given(st.integers(8, 20000), st.integers(8, 80000), st.floats(1, 2000), st.sampled_from([1, 2, 4]))
def test_threshold_is_the_first_compute_bound_batch(d_in, d_out, ridge, size):
    peak, bandwidth = ridge * 2e12, 2e12
    batch = roofline.batch_threshold(d_in, d_out, peak, bandwidth, size)
    exact_ridge = Fraction(roofline.ridge_point(peak, bandwidth))

    def reaches(tokens):
        return Fraction(2 * tokens * d_in * d_out) >= exact_ridge * size * (
            tokens * d_in + d_in * d_out + tokens * d_out
        )

    if math.isinf(batch):
        assert not reaches(10**30)
    else:
        assert batch == int(batch) >= 1 and reaches(int(batch)) and (batch == 1 or not reaches(int(batch) - 1))


@given(sizes, st.integers(1, 64), st.integers(1, 256), st.integers(1, 8))
def test_attention_kernels(sequence, kv_heads, head_dim, group):
    heads = kv_heads * group
    fused = roofline.attention_prefill(sequence, heads, head_dim, kv_heads)
    plain = roofline.attention_prefill(sequence, heads, head_dim, kv_heads, fused=False)
    causal = roofline.attention_prefill(sequence, heads, head_dim, kv_heads, causal=True)
    assert plain.flops == fused.flops == 2 * causal.flops and plain.bytes_moved > fused.bytes_moved
    # A prompt of one token is a decode step over a cache of one token.
    assert roofline.attention_prefill(1, heads, head_dim, kv_heads) == roofline.attention_decode(
        1, heads, head_dim, kv_heads
    )
    assert roofline.attention_decode(sequence, heads, head_dim, kv_heads).intensity < group + 1e-9


@given(st.lists(st.tuples(intensities, rates, bandwidths), min_size=1, max_size=20))
def test_arrays_agree_with_scalars(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    for function in (roofline.attainable, roofline.fraction_of_peak, roofline.is_compute_bound):
        together = function(*columns)
        assert together.tolist() == [function(*row) for row in rows]


def test_scalars_come_back_plain_and_arrays_broadcast():
    for intensity in (2, 2.0, np.float32(2), np.int64(2), np.array(2.0)):
        assert type(roofline.attainable(intensity, 10, 3)) is float
        assert type(roofline.is_compute_bound(intensity, 10, 3)) is bool
    grid = roofline.attainable(np.ones((4, 1)), np.arange(1, 4) * 1e12, 1e12)
    assert grid.shape == (4, 3)
    assert roofline.gemm([[1], [2]], [3, 4], 5).intensity.shape == (2, 2)
    assert roofline.batch_threshold([8192, 256], 8192, **CHIP).shape == (2,)


@given(
    st.floats(1e9, 1e15),
    st.dictionaries(st.sampled_from(["L1", "L2", "HBM"]), st.tuples(st.floats(0, 1e12), bandwidths), min_size=1),
)
def test_hierarchy_takes_the_lowest_roof(flops, levels):
    moved = {level: pair[0] for level, pair in levels.items()}
    speed = {level: pair[1] for level, pair in levels.items()}
    roofs = roofline.hierarchical_attainable(flops, moved, 312e12, speed)
    assert roofs.attainable == min(roofs.by_level.values()) == roofs.by_level[roofs.binding] <= 312e12
    # The slowest part decides the time.
    slowest = max([flops / 312e12, *(moved[level] / speed[level] for level in levels)])
    assert flops / roofs.attainable == pytest.approx(slowest)


def test_hierarchy_takes_arrays():
    roofs = roofline.hierarchical_attainable(
        [1e9, 1e15], {"L2": 1e9, "HBM": [1e9, 0.0]}, 312e12, {"L2": 5e12, "HBM": 2e12}
    )
    assert roofs.binding.tolist() == ["HBM", "compute"] and roofs.attainable.tolist() == [2e12, 312e12]
    assert roofs.by_level["L2"].shape == (2,)


def test_one_level_hierarchy_is_the_plain_roofline():
    kernel = roofline.gemm(300, 200, 100)
    roofs = roofline.hierarchical_attainable(kernel.flops, {"HBM": kernel.bytes_moved}, 312e12, {"HBM": 2e12})
    assert roofs.attainable == pytest.approx(roofline.attainable(kernel.intensity, **CHIP))


def test_kernels_add_and_feed_forward_keeps_its_intensity():
    product, three = (roofline.feed_forward(96, 512, matrices=matrices) for matrices in (1, 3))
    assert product.intensity == pytest.approx(three.intensity)
    assert (product + product + product).bytes_moved == three.bytes_moved
    with pytest.raises(TypeError):
        product + 3


def test_efficiency_is_the_fraction_of_the_roof():
    assert roofline.efficiency(1e12, 1, 312e12, 2e12) == 0.5
    assert roofline.efficiency(156e12, 10**4, 312e12, 2e12) == 0.5
    assert roofline.efficiency(4e12, 1, 312e12, 2e12) == 2.0


def test_ridge_points_of_the_catalogue_are_plausible():
    for chip in specs.accelerators():
        for precision in chip.precisions_dense:
            assert 0.1 < roofline.ridge_point(chip.peak_flops_dense(precision), chip.memory_bandwidth) < 3000


# --- bad input -------------------------------------------------------------------
BAD = [
    (float("nan"), ValueError),
    (float("inf"), ValueError),
    (-1.0, ValueError),
    (True, TypeError),
    (None, TypeError),
    ("312", TypeError),
    ([1.0, -2.0], ValueError),
    ([1.0, float("nan")], ValueError),
    (["a"], TypeError),
    (1j, TypeError),
    (10**400, ValueError),
]
ARGUMENTS = {
    roofline.ridge_point: {"peak_flops": 1e12, "memory_bandwidth": 1e12},
    roofline.attainable: {"intensity": 2.0, "peak_flops": 1e12, "memory_bandwidth": 1e12},
    roofline.is_compute_bound: {"intensity": 2.0, "peak_flops": 1e12, "memory_bandwidth": 1e12},
    roofline.fraction_of_peak: {"intensity": 2.0, "peak_flops": 1e12, "memory_bandwidth": 1e12},
    roofline.kernel_time: {"flops": 1.0, "bytes_moved": 1.0, "peak_flops": 1e12, "memory_bandwidth": 1e12},
    roofline.efficiency: {"measured_flops": 1e11, "intensity": 2.0, "peak_flops": 1e12, "memory_bandwidth": 1e12},
    roofline.gemm: {"m": 2, "n": 3, "k": 4, "bytes_per_element": 2},
    roofline.gemv: {"m": 2, "k": 4, "bytes_per_element": 2},
    roofline.elementwise: {"elements": 2, "flops_per_element": 1, "reads": 1, "writes": 1, "bytes_per_element": 2},
    roofline.feed_forward: {"tokens": 2, "d_model": 4, "d_hidden": 8, "bytes_per_element": 2},
    roofline.attention_prefill: {
        "sequence": 2,
        "heads": 4,
        "head_dim": 8,
        "kv_heads": 2,
        "batch": 1,
        "bytes_per_element": 2,
    },
    roofline.attention_decode: {
        "context": 2,
        "heads": 4,
        "head_dim": 8,
        "kv_heads": 2,
        "batch": 1,
        "bytes_per_element": 2,
    },
    roofline.decode_step: {"parameters": 1e9, "batch": 1, "cache_bytes_per_sequence": 1.0, "bytes_per_element": 2},
    roofline.batch_sweep: {
        "batch": 2,
        "d_in": 8,
        "d_out": 8,
        "peak_flops": 1e12,
        "memory_bandwidth": 1e12,
        "bytes_per_element": 2,
    },
    roofline.batch_threshold: {
        "d_in": 8,
        "d_out": 8,
        "peak_flops": 1e12,
        "memory_bandwidth": 1e12,
        "bytes_per_element": 2,
    },
}
CALLS = [(function, name) for function, arguments in ARGUMENTS.items() for name in arguments]
OPTIONAL = {"d_hidden", "kv_heads"}
MAY_BE_ZERO = {"intensity", "flops", "bytes_moved", "measured_flops", "flops_per_element", "cache_bytes_per_sequence"}


@every_row("function, name", CALLS)
def test_bad_arguments_are_named(function, name):
    function(**ARGUMENTS[function])
    for value, error in BAD:
        if value is None and name in OPTIONAL:
            continue
        # gemv and gemm share a check, so the argument may carry the name of the shared one.
        with pytest.raises(error, match=name):
            function(**ARGUMENTS[function] | {name: value})
    zero_is_fine = name in MAY_BE_ZERO and not (function is roofline.efficiency and name == "intensity")
    if zero_is_fine or name in ("reads", "writes"):
        function(**ARGUMENTS[function] | {name: 0})
    else:
        with pytest.raises(ValueError, match=name):
            function(**ARGUMENTS[function] | {name: 0})
    if isinstance(ARGUMENTS[function][name], int) and name not in ("bytes_per_element", "flops_per_element"):
        with pytest.raises(ValueError, match="whole"):
            function(**ARGUMENTS[function] | {name: 2.5})


def test_mismatched_heads_levels_and_choices_raise():
    with pytest.raises(ValueError, match="kv_heads must divide heads"):
        roofline.attention_decode(10, heads=8, head_dim=4, kv_heads=3)
    with pytest.raises(ValueError, match=r"same levels, got \['HBM'\] and \['L2'\]"):
        roofline.hierarchical_attainable(1e9, {"HBM": 1.0}, 1e12, {"L2": 1.0})
    with pytest.raises(ValueError, match=r"bytes_by_level\['HBM'\] must be zero or more, got -1"):
        roofline.hierarchical_attainable(1e9, {"HBM": -1.0}, 1e12, {"HBM": 1.0})
    with pytest.raises(ValueError, match="matrices must be one of 1, 2, 3, got 4"):
        roofline.feed_forward(1, 8, matrices=4)
    with pytest.raises(ValueError, match="reads"):
        roofline.elementwise(5, reads=0, writes=0)
