"""Chains of small kernels beside those that a C program launched on an H100 and an H200."""

import numpy as np
import pytest

from chip2cluster import measure, roofline

LAUNCH = {"H100 SXM": 3.4e-6, "H200": 4.4e-6}  # seconds: empty kernels one after another; the host decides, not the GPU


def chain(card, way):
    rows = [row for row in measure.recorded_table("launches_from_c", card) if row["series"] == way]
    return np.array([row["kernel_seconds"] for row in rows]), np.array([row["y"] for row in rows]), len(rows)


@pytest.mark.parametrize("card", LAUNCH)
def test_graph_time_with_its_gap_is_what_was_measured(card):
    kernel, measured, points = chain(card, "graph")
    assert points == 19
    model = measure.graph_time(kernel, 1e-5, 500, gap_seconds=measure.GRAPH_GAP) / 500
    assert model == pytest.approx(measured, rel=0.05)
    bound = measure.graph_time(kernel, 1e-5, 500) / 500
    assert (bound < measured).all() and measured[0] > 3 * bound[0]


def test_launched_time_with_its_gap_is_what_was_measured():
    kernel, measured, _ = chain("H100 SXM", "one by one")
    model = measure.launched_time(kernel, LAUNCH["H100 SXM"], 500, gap_seconds=measure.STREAM_GAP) / 500
    assert model == pytest.approx(measured, rel=0.05)
    waiting, measured, _ = chain("H100 SXM", "waits after each")
    model = measure.launched_time(waiting, LAUNCH["H100 SXM"], 500, waits=True, wake_seconds=measure.WAKE) / 500
    assert model == pytest.approx(measured, rel=0.07)
    assert np.median(measured / (measure.launched_time(waiting, LAUNCH["H100 SXM"], 500, waits=True) / 500)) > 1.7


def test_launch_gaps_are_zero_by_default():
    kernel = np.array([1e-6, 3e-6, 9e-6])
    assert measure.launched_time(kernel, 5e-6, 10) == pytest.approx(
        10 * np.maximum(kernel, 5e-6) + np.minimum(kernel, 5e-6)
    )
    assert measure.launched_time(3e-6, 5e-6, 1, gap_seconds=1e-6) == pytest.approx(8e-6)  # one kernel has no gap
    assert measure.graph_time(3e-6, 5e-6, 1, gap_seconds=1e-6) == pytest.approx(8e-6)
    for bad in (-1e-6, float("nan")):
        with pytest.raises(ValueError, match="gap_seconds"):
            measure.graph_time(3e-6, 5e-6, 10, gap_seconds=bad)


def test_roofline_floor_explains_small_products():
    """Recorded bf16 squares on an H100: without a floor the bound is up to 700 times too high, with it at most 6 times."""
    rows = [row for row in measure.recorded_gpu("products").rows if row["series"] == "bf16, warm"]
    kernels = [roofline.gemm(int(row["m"]), int(row["n"]), int(row["k"])) for row in rows]
    peak, memory, floor = 989.4e12, 3.35e12, roofline.MEASURED_FLOOR
    bare = np.array(
        [row["median_seconds"] / kernel.time(peak, memory) for row, kernel in zip(rows, kernels, strict=True)]
    )
    held = np.array(
        [
            row["median_seconds"] / kernel.time(peak, memory, floor_seconds=floor)
            for row, kernel in zip(rows, kernels, strict=True)
        ]
    )
    assert bare.max() > 600 and held.min() > 1 and held.max() < 6 and np.median(held) < 2
    rates = [
        roofline.attainable(kernel.intensity, peak, memory, flops=kernel.flops, floor_seconds=floor)
        for kernel in kernels
    ]
    assert rates == pytest.approx([kernel.flops / kernel.time(peak, memory, floor_seconds=floor) for kernel in kernels])
    with pytest.raises(ValueError, match="flops must be given with floor_seconds"):
        roofline.attainable(1.0, peak, memory, floor_seconds=floor)
