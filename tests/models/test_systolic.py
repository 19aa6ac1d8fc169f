"""The systolic array in closed form: published numbers, another tool, properties, bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import systolic
from tests.tables import every_row

SCALESIM = json.loads((Path(__file__).parent / "data" / "scalesim_cycles.json").read_text())["cases"]
BOTH = pytest.mark.parametrize("dataflow", systolic.DATAFLOWS)
size, side = st.integers(1, 5000), st.integers(1, 300)
sizes, sides = st.tuples(size, size, size), st.tuples(side, side)
flows, truths = st.sampled_from(systolic.DATAFLOWS), st.booleans()


# --- published numbers -----------------------------------------------------------------


@every_row(
    ("chip", "side", "arrays", "clock_hz", "published"),
    [
        ("TPU v1, Jouppi et al., ISCA 2017", 256, 1, 700e6, 92e12),
        ("TPU v2, Google Cloud", 128, 2, 700e6, 46e12),
        ("TPU v3, Google Cloud", 128, 4, 940e6, 123e12),
        ("TPU v4, Google Cloud", 128, 8, 1050e6, 275e12),
        ("TPU v5e, Google Cloud", 128, 4, 1500e6, 197e12),
        ("TPU v5p, Google Cloud", 128, 8, 1750e6, 459e12),
        ("TPU v4 pod of 4096 chips, Google Cloud: 1.1 EFLOP/s", 128, 4096 * 8, 1050e6, 1.1264e18),
    ],
)
def test_peak_ops_match_every_tpu(chip, side, arrays, clock_hz, published):
    assert systolic.peak_ops(side, side, clock_hz, arrays) == pytest.approx(published, rel=0.004), chip


def test_tiles_of_a_600_by_600_matrix_on_tpu_v1():
    # Jouppi et al. 2017, section 7: 9 steps in 18 us with 256 x 256 cells; with
    # 512 x 512 only 4 steps, each four times longer, 32 us.
    small, large = (systolic.tiles(200, 600, 600, side, side) for side in (256, 512))
    assert (small, large) == (9, 4)
    used_small, used_large = (systolic.padded_utilization(200, 600, 600, side, side) for side in (256, 512))
    assert used_small / used_large == pytest.approx(32 / 18)


def test_cycles_with_overlap_are_the_stream_or_the_rows():
    # Jouppi et al. 2017, section 2: B x 256 inputs take B pipelined cycles; double
    # buffering hides the 256 cycles that shift a tile of weights in.
    def tile_cost(batch):
        more, fewer = (systolic.cycles(batch, 256, 256 * tiles, 256, 256, overlap=True) for tiles in (9, 8))
        return more - fewer

    assert [tile_cost(batch) for batch in (2048, 257, 256, 255, 8)] == [2048, 257, 256, 256, 256]


def test_cycles_of_eight_rows_on_128_by_128_cells():
    # The JAX scaling book: bf16[8,128] @ bf16[128,128] every 8 cycles.
    steps = systolic.cycles(np.arange(8, 4096, 8), 128, 128, 128, 128)
    assert set(np.diff(steps)) == {8}


@every_row(("dataflow", "m", "n", "k", "rows", "cols", "cycles", "mapping_efficiency"), SCALESIM)
def test_cycles_match_scalesim(dataflow, m, n, k, rows, cols, cycles, mapping_efficiency):
    ours = systolic.cycles(m, n, k, rows, cols, dataflow)
    if dataflow == "output_stationary":  # SCALE-Sim does not count the cycles that shift results out
        ours -= rows * systolic.tiles(m, n, k, rows, cols, dataflow)
    assert ours == cycles
    assert systolic.padded_utilization(m, n, k, rows, cols, dataflow) == pytest.approx(mapping_efficiency)


# --- why multiples of the array's side --------------------------------------------------


def test_utilization_peaks_at_multiples_of_128():
    width = np.arange(1, 1025)
    used = systolic.utilization(4096, width, 1024, 128, 128, overlap=True)
    peaks = 1 + np.flatnonzero((used[1:-1] > used[:-2]) & (used[1:-1] > used[2:])) + 1
    assert peaks.tolist() == list(range(128, 1024, 128))


def test_padding_loss_of_one_more_column():
    assert systolic.padding_loss(1, 128, 128, 128, 128) == 0
    assert systolic.padding_loss(1, 129, 128, 128, 128) == pytest.approx(127 / 256)
    assert systolic.cycles(999, 129, 128, 128, 128) == 2 * systolic.cycles(999, 128, 128, 128, 128)


def test_small_arrays_lose_less_than_one_large_array():
    width = np.arange(1, 2049)
    small = systolic.padded_utilization(1, width, width, 128, 128)
    large = systolic.padded_utilization(1, width, width, 256, 256)
    assert systolic.peak_ops(128, 128, 700e6, arrays=4) == systolic.peak_ops(256, 256, 700e6)
    assert (small >= large).all()
    assert small.mean() > large.mean() + 0.05


@settings(deadline=None)
@given(size, side)
def test_padded_size_is_the_next_multiple(size, block):
    padded = systolic.padded_size(size, block)
    assert padded % block == 0 and padded - block < size <= padded


# --- properties --------------------------------------------------------------------------


@settings(deadline=None)
@given(sizes, sides, flows, truths)
def test_utilization_is_within_bounds(shape, array, dataflow, overlap):
    used = systolic.utilization(*shape, *array, dataflow, overlap=overlap)
    assert 0 < used <= systolic.padded_utilization(*shape, *array, dataflow) <= 1
    # Every cell does at most one multiply-accumulate in a cycle.
    assert systolic.cycles(*shape, *array, dataflow, overlap=overlap) * np.prod(array) >= np.prod(shape)


@settings(deadline=None)
@given(sizes, sides, flows, truths)
def test_utilization_is_useful_work_over_cell_cycles(shape, array, dataflow, overlap):
    used = systolic.utilization(*shape, *array, dataflow, overlap=overlap)
    work = used * np.prod(array) * systolic.cycles(*shape, *array, dataflow, overlap=overlap)
    assert work == pytest.approx(np.prod(shape))


@settings(deadline=None)
@given(sizes, sides, flows, st.integers(0, 2))
def test_cycles_are_monotone_and_overlap_never_slower(shape, array, dataflow, axis):
    more = [value + (index == axis) for index, value in enumerate(shape)]
    for overlap in (False, True):
        before, after = (systolic.cycles(*s, *array, dataflow, overlap=overlap) for s in (shape, more))
        assert after >= before
    assert before <= systolic.cycles(*shape, *array, dataflow)


@settings(deadline=None)
@given(sizes, sides, flows)
def test_overlap_does_not_change_a_single_tile(shape, array, dataflow):
    plain, overlapped = (systolic.cycles(*shape, *array, dataflow, overlap=overlap) for overlap in (False, True))
    assert (plain == overlapped) == (systolic.tiles(*shape, *array, dataflow) == 1) or array == (1, 1)


@BOTH
def test_utilization_of_a_long_stream_is_the_padded_one(dataflow):
    shape = (10**9, 300, 200) if dataflow == "weight_stationary" else (200, 300, 10**9)
    used = systolic.utilization(*shape, 128, 128, dataflow, overlap=True)
    assert used == pytest.approx(systolic.padded_utilization(*shape, 128, 128, dataflow), rel=1e-6)


@settings(deadline=None)
@given(sizes, sides)
def test_cycles_of_the_transposed_product_are_equal(shape, array):
    m, n, k = shape
    there = systolic.padded_utilization(m, n, k, *array, "output_stationary")
    back = systolic.padded_utilization(n, m, k, *array[::-1], "output_stationary")
    assert there == pytest.approx(back)


@settings(deadline=None)
@given(side, side, st.floats(1e6, 1e10), st.integers(1, 64))
def test_peak_ops_scale_with_clock_cells_and_arrays(rows, cols, clock_hz, arrays):
    peak = systolic.peak_ops(rows, cols, clock_hz, arrays)
    assert systolic.peak_ops(2 * rows, cols, clock_hz, arrays) == pytest.approx(2 * peak)
    assert systolic.peak_ops(rows, cols, 3 * clock_hz, arrays) == pytest.approx(3 * peak)
    assert systolic.peak_ops(rows, cols, clock_hz) * arrays == pytest.approx(peak)


# --- scalars and arrays ------------------------------------------------------------------

SHAPED = [systolic.tiles, systolic.cycles, systolic.utilization, systolic.padded_utilization, systolic.padding_loss]


@pytest.mark.parametrize("function", SHAPED)
@BOTH
def test_functions_broadcast_and_agree_with_scalars(function, dataflow):
    m, n, k = np.array([1, 127, 128, 600]), np.array([[5], [129]]), 256
    table = function(m, n, k, 128, [[64], [128]], dataflow)
    assert table.shape == (2, 4)
    assert table.dtype == (np.int64 if function in (systolic.tiles, systolic.cycles) else np.float64)
    for (i, j), value in np.ndenumerate(table):
        scalar = function(int(m[j]), int(n[i, 0]), k, 128, (64, 128)[i], dataflow)
        assert scalar == value and type(scalar) is (int if table.dtype == np.int64 else float)


def test_small_functions_broadcast_and_keep_plain_scalars():
    assert systolic.tile_cycles([1, 128], 128, [[128], [64]]).tolist() == [[383, 510], [319, 446]]
    assert systolic.peak_ops([128, 256], [128, 256], 1e9, [4, 1]).tolist() == [2 * 2**16 * 1e9] * 2
    assert type(systolic.tile_cycles(np.int32(8), 8.0, np.float32(8))) is int
    assert type(systolic.padded_size(np.int64(3), 2)) is int
    assert type(systolic.peak_ops(np.int64(8), 8, np.float32(1e9))) is float
    assert systolic.cycles([], 1, 1, 1, 1).shape == (0,)


@settings(deadline=None)
@given(st.lists(size, min_size=1, max_size=5), flows, truths)
def test_overlapped_cycles_of_an_array_agree_with_scalars(lengths, dataflow, overlap):
    table = systolic.cycles(lengths, 700, lengths, 128, 64, dataflow, overlap=overlap)
    assert table.tolist() == [systolic.cycles(x, 700, x, 128, 64, dataflow, overlap=overlap) for x in lengths]


# --- bad input ---------------------------------------------------------------------------

BAD = [
    (0, ValueError), (-3, ValueError), (2.5, ValueError), (float("nan"), ValueError), (float("inf"), ValueError),
    ([8, 0], ValueError), (True, TypeError), ("8", TypeError), (None, TypeError), (1 + 2j, TypeError),
]  # fmt: skip


@every_row("function", SHAPED)
@every_row("name", ["m", "n", "k", "rows", "cols"])
def test_invalid_sizes_are_refused(function, name):
    sizes = dict(m=8, n=8, k=8, rows=8, cols=8)
    for value, error in BAD:
        with pytest.raises(error, match=f"^{name} must"):
            function(**sizes | {name: value})


@every_row(
    ("function", "names"),
    [
        (systolic.tile_cycles, ("streamed", "rows", "cols")),
        (systolic.padded_size, ("size", "block")),
        (systolic.peak_ops, ("rows", "cols", "clock_hz", "arrays")),
    ],
)
@every_row(("value", "error"), BAD)
def test_other_invalid_arguments_are_refused(function, names, value, error):
    for position, name in enumerate(names):
        if name == "clock_hz" and value == 2.5:  # a clock need not be whole
            continue
        arguments = [8] * len(names)
        arguments[position] = value
        with pytest.raises(error, match=name):
            function(*arguments)


@every_row("function", SHAPED)
@every_row("dataflow", ["input_stationary", "", None, 1])
def test_unknown_dataflow_error_lists_the_dataflows(function, dataflow):
    with pytest.raises(ValueError, match="dataflow.*weight_stationary.*output_stationary"):
        function(8, 8, 8, 8, 8, dataflow)


@every_row("function", [systolic.cycles, systolic.utilization])
@every_row("overlap", [1, "yes", None])
def test_overlap_must_be_a_bool(function, overlap):
    with pytest.raises(TypeError, match="overlap"):
        function(8, 8, 8, 8, 8, overlap=overlap)


def test_inexact_counts_are_refused():
    assert systolic.cycles(10**9, 10**9, 10**9, 1, 1) == 10**18 * (10**9 + 1)
    with pytest.raises(ValueError, match="too large"):
        systolic.cycles([10**9], 10**9, 10**9, 1, 1)
