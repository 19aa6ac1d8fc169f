"""The picture of a measured roofline: legible, described, and true to its run."""

import re
from dataclasses import replace

import numpy as np
import pytest

from chip2cluster import draw, measure
from chip2cluster.draw import style
from tests.pictures import geometry

RUNS = {
    f"{load}, {threads}, {dtype}": measure.recorded_roofline(f"cpu roofline, {load}", threads=threads, dtype=dtype)
    for load in ("quiet", "loaded", "loaded again")
    for threads in (1, 2)
    for dtype in measure.cpu_benchmarks.DTYPES
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("width", [style.WIDTH, style.NARROW])
@pytest.mark.parametrize("name", RUNS)
def test_it_can_be_read_and_described(name, width):
    drawn = draw.cpu_roofline(RUNS[name], subtitle="a shared virtual machine, 2026-11-22", width=width)
    assert geometry.unreadable(drawn.svg) == []
    scale = style.SMALLEST[width] / width
    assert geometry.problems(geometry.texts(drawn.svg), width, drawn.height, scale) == []
    assert drawn.width == width and drawn.description.startswith(drawn.title)
    assert drawn.png()[:4] == b"\x89PNG"


def test_it_says_what_the_run_says():
    run = RUNS["quiet, 1, float64"]
    drawn = draw.cpu_roofline(run)
    assert f"{run.peak_flops / run.memory_bandwidth:.2g} FLOP/byte" in drawn.title
    assert "products of 128 to 2,048 rows, float64, 1 thread" in re.sub("<[^>]+>", "", drawn.svg)


def test_a_product_beyond_the_axis_widens_it():
    run = replace(RUNS["quiet, 1, float64"], gemm_sizes=np.array([128.0, 256, 512, 1024, 200_000]))
    drawn = draw.cpu_roofline(run)
    assert ">100,000<" in drawn.svg and geometry.unreadable(drawn.svg) == geometry.unreadable(drawn.narrow.svg) == []
    assert ">10,000<" not in draw.cpu_roofline(RUNS["quiet, 1, float64"]).svg


def test_what_is_no_run_is_named():
    with pytest.raises(ValueError, match="width must be one of 600, 340; got 100"):
        draw.cpu_roofline(RUNS["quiet, 1, float64"], width=100)
    with pytest.raises(TypeError, match="run must be a measure.CpuRoofline, got 3"):
        draw.cpu_roofline(3)


# --- the pictures of the explorers, with what a reader may bring -----------------------


def readable(drawn):
    return geometry.unreadable(drawn.svg) == geometry.unreadable(drawn.narrow.svg) == []


@pytest.mark.parametrize("count", [1, 2, 5, 12, 20])
def test_any_number_of_working_sets_can_be_read(count):
    run = RUNS["quiet, 1, float64"]
    sets, rates = 3000.0 * 2.0 ** np.arange(count), np.geomspace(2e11, 5e8, count)
    run = replace(run, working_set_bytes=sets, bandwidth=rates, best_bandwidth=rates)
    for chosen in {0, count // 2, count - 1}:
        assert readable(draw.working_sets(run, chosen, 1.0, 1e9, title="A title", subtitle="a machine"))


@pytest.mark.parametrize("given, says", [
    ((7, 1.0, 1e9), "chosen must be the number of one of 7 working sets, from 0, got 7"),
    ((0, 0.0, 1e9), "intensity and reached must be above zero"),
])  # fmt: skip
def test_a_working_set_that_is_not_there_is_named(given, says):
    with pytest.raises(ValueError, match=says):
        draw.working_sets(RUNS["quiet, 1, float64"], *given, title="A title")


@pytest.mark.parametrize("times", [[1.0], [2e-7, 2.0001e-7], [1e-9, 1e3], [3e-6] * 40])
def test_times_alike_and_far_apart_can_be_read(times):
    told = measure.five_statistics(times)
    limits = min(times) / 1.2, max(times) * 1.2
    drawn = draw.statistics(
        times, told, {name: (value, value) for name, value in told.items()}, limits, title="A title"
    )
    assert readable(drawn) and drawn.svg.count("<rect") >= 1


def test_other_names_and_limits_are_refused():
    with pytest.raises(ValueError, match="told and ranges must name the same"):
        draw.statistics([1.0], {"best": 1.0}, {"worst": (1.0, 1.0)}, (0.5, 2), title="A title")
    with pytest.raises(ValueError, match="limits must be two times above zero"):
        draw.statistics([1.0], {"best": 1.0}, {"best": (1.0, 1.0)}, (2, 0.5), title="A title")


@pytest.mark.parametrize("sizes", [[7.0, 9.0, 11.0], [1.0, 2.0**40], 8.0 * 2.0 ** np.arange(30)])
def test_any_sizes_can_be_read_with_a_line_and_without(sizes):
    times = 1e-6 + np.asarray(sizes) / 1e9
    used = np.arange(len(times)) > 0
    assert readable(draw.fit_residuals(sizes, times, used, times, title="A title"))
    assert readable(draw.fit_residuals(sizes, times, used, title="A title", subtitle="nothing fitted"))
    assert "stroke-dasharray" in draw.fit_residuals(sizes, times, used, -times, float(sizes[-1]), title="A title").svg


def test_a_fit_of_other_lengths_is_named():
    with pytest.raises(ValueError, match="must have one length"):
        draw.fit_residuals([1.0, 2.0], [1.0], [True, True], title="A title")
    with pytest.raises(ValueError, match="must be above zero"):
        draw.fit_residuals([0.0, 2.0], [1.0, 1.0], [True, True], title="A title")
