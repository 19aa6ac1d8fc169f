"""Pictures of layouts: what they show is what the model says, and every word can be read."""

import re

import pytest
from pandas import DataFrame

from chip2cluster import draw, specs, transformer
from chip2cluster.draw import palette
from chip2cluster.draw.pictures.memory_bars import KINDS
from chip2cluster.parallelism import AxisTime, Layout, StageMemory, Tier, axis_times, memory_by_stage, schedule
from tests.pictures import geometry

H100 = specs.accelerator("H100 SXM")
LLAMA, DEEPSEEK = (transformer.model(name).config for name in ("Llama 3.1 405B", "DeepSeek-V3"))
CLUSTER = Tier("node", 8, 450e9, 2e-6), Tier("network", 16384, 50e9, 5e-6)


def stages(layout, m=16, **options):
    return memory_by_stage(LLAMA, layout, 8192, m, dropout=False, **options)


def readable(picture):
    assert picture.title in picture.description
    return geometry.problems(geometry.texts(picture.svg), picture.width, picture.height) == []


@pytest.mark.parametrize("layout", [
    Layout(8, 16, 128, zero_stage=1), Layout(8, 8, 8, zero_stage=3, recompute="full"), Layout(8, 4, 8), Layout(8, 1, 64, zero_stage=3),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("memory_bytes", [None, 80e9, 288e9])
def test_memory(layout, memory_bytes):
    needs = stages(layout)
    picture = draw.memory_bars(needs, memory_bytes=memory_bytes, subtitle="Llama 3.1 405B")
    assert readable(picture)
    totals = [need.total for need in needs]
    assert f"tage {totals.index(max(totals))} " in picture.title
    assert ("does not fit" in picture.title) == (memory_bytes is not None and max(totals) > memory_bytes)
    words = [text.words for text in geometry.texts(picture.svg)]
    assert all(f"stage {number}" in words for number in range(layout.pipeline))
    for kind, (_, name) in KINDS.items():
        assert (name in words) == any(getattr(need, kind) for need in needs)


def test_the_bars_are_as_long_as_the_bytes():
    picture = draw.memory_bars([StageMemory(10e9, 20e9, 30e9, 40e9, 0, 0), StageMemory(10e9, 20e9, 30e9, 20e9, 0, 0)])
    bars = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)" height="(?!12")', picture.svg)]
    assert len(bars) == 8 and [round(bar / bars[0], 1) for bar in bars[:4]] == pytest.approx([1, 2, 3, 4], abs=0.1)


TIMES = dict(forward_seconds=0.01, backward_seconds=0.01, weight_seconds=0.01)
RUNS = [("1f1b", 4, 8, None), ("gpipe", 16, 64, None), ("interleaved_1f1b", 4, 8, 2), ("interleaved_1f1b", 8, 16, 4),
        ("zb_h1", 2, 2, None), ("zb_h2", 8, 16, None), ("dualpipe", 8, 20, None), ("1f1b", 1, 1, None), ("zb_h2", 16, 16, None)]  # fmt: skip


@pytest.mark.parametrize("name, p, m, chunks", RUNS)
def test_pipeline(name, p, m, chunks):
    run = schedule(name, p, m, chunks, **TIMES)
    picture = draw.pipeline(run, subtitle=name)
    assert readable(picture)
    assert f"Waiting takes {100 * run.bubble_over_makespan:.0f} %".replace("-0", "0") in picture.title
    boxes = re.findall(r"M[\d.]+ [\d.]+h([\d.]+)", picture.svg)
    assert len(boxes) >= len(run.slots) + p  # one for each pass, one behind each row
    words = [text.words for text in geometry.texts(picture.svg)]
    assert all(f"device {device}" in words for device in range(p))


def test_a_pipeline_is_seen_growing():
    run = schedule("1f1b", 4, 8, **TIMES)
    few, all_of_it = draw.pipeline(run, until=0.05).svg, draw.pipeline(run).svg
    assert few.count("h") < all_of_it.count("h") and readable(draw.pipeline(run, until=0.05))


@pytest.mark.parametrize("config, layout", [
    (LLAMA, Layout(8, 16, 128, chunks=7, zero_stage=1)), (LLAMA, Layout(16, 8, 64, 2, zero_stage=3)),
    (DEEPSEEK, Layout(1, 16, 128, expert=64, zero_stage=1)), (LLAMA, Layout()),
], ids=["Llama", "tensor leaves the node", "DeepSeek", "one device"])  # fmt: skip
def test_axes(config, layout):
    times = axis_times(config, layout, H100, CLUSTER, sequence=8192, global_batch=2048, kernel_efficiency=0.6)
    picture = draw.communication_by_axis(times, CLUSTER, subtitle="on H100")
    assert readable(picture)
    words = [text.words for text in geometry.texts(picture.svg)]
    assert [axis for axis in times if axis in words] == [axis for axis, one in times.items() if one.seconds]
    exposed = max(times.values(), key=lambda one: one.exposed_seconds)
    costs = exposed.exposed_seconds > 0
    assert picture.title.startswith(f"{exposed.axis.capitalize()} costs most" if costs else "All messages are hidden")


def test_bars_of_axes_use_the_width():
    times = axis_times(LLAMA, Layout(16, 8, 64, 2), H100, CLUSTER, sequence=8192, global_batch=2048)
    picture = draw.communication_by_axis(times, CLUSTER)
    for drawn, part in ((picture, 0.7), (picture.narrow, 0.85)):
        (left, right), *_ = re.findall(rf'points="([\d.]+),[\d.]+ ([\d.]+),[\d.]+"[^>]*{palette.GREY}', drawn.svg)
        assert float(right) - float(left) > part * drawn.width
        longest = max(float(wide) for wide in re.findall(r'<rect [^>]*width="([\d.]+)"', drawn.svg))
        assert longest > 0.5 * part * drawn.width


def test_what_cannot_be_drawn_is_refused():
    need = StageMemory(1, 1, 1, 1, 1, 1)
    for bad in ([], [need] * 17):
        with pytest.raises(ValueError, match=f"one to 16 stages, got {len(bad)}"):
            draw.memory_bars(bad)
    with pytest.raises(ValueError, match="up to 16 devices, got 17"):
        draw.pipeline(schedule("1f1b", 17, 4, **TIMES))
    with pytest.raises(ValueError, match="tiers must hold 'rack', where axis 'tensor' lies, got 'node', 'network'"):
        draw.communication_by_axis({"tensor": AxisTime("tensor", "rack", 1.0, 1.0, 1.0)}, CLUSTER)


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("width", [600, 340])
def test_cut_matrices(ranks, width):
    picture = draw.sharded_matrices(ranks, width=width)
    assert readable(picture)
    words = [text.words for text in geometry.texts(picture.svg)]
    assert all(f"rank {rank}" in words for rank in range(ranks)) and f"rank {ranks}" not in words


@pytest.mark.parametrize("ranks", [1, 5, "two"])
def test_cut_matrices_has_two_to_four_ranks(ranks):
    with pytest.raises(ValueError, match="ranks must be 2 to 4"):
        draw.sharded_matrices(ranks)


@pytest.mark.parametrize("width", [600, 340])
@pytest.mark.parametrize("rows", [[[float("nan"), 30.0, 40.0], [50.0, 55.0, 45.0]], [[60.0, 59.0, 58.0]] * 8])
def test_rooms(rows, width):
    table = DataFrame(
        rows, columns=["none", "selective", "full"], index=[24.0 + 8 * number for number in range(len(rows))]
    )
    picture = draw.rate_by_memory(table, subtitle="a model on so many devices", width=width)
    assert readable(picture)
    best = table.idxmax(axis=1)
    assert f"{best.iloc[0]} with 24 GB" in picture.title and best.iloc[-1] in picture.title
    words = [text.words for text in geometry.texts(picture.svg)]
    assert {"none", "selective", "full"} <= set(words)


def test_rooms_needs_two_or_three_lines():
    with pytest.raises(ValueError, match="two or three columns"):
        draw.rate_by_memory(DataFrame({"full": [40.0]}, index=[80.0]))
