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
    for dtype in measure.cpu.DTYPES
}


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
