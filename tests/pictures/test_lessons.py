"""Pictures that stand on a page and in no explorer: they can be read, wide and narrow, by day and in the dark."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from pandas import DataFrame

from chip2cluster import draw, links, measure, utilization
from chip2cluster.chapters.links.exercises.topology_matrices import DGX_1V, FOUR_H100, SUMMIT
from chip2cluster.draw import palette, style
from tests.pictures import geometry
from tests.pictures.test_colours import contrast, twin

CACHE = [[0.0, 1.0], [0.0, 0.0], [0.69, 1.0]], [[4.0, 0.0], [0.0, 4.0], [2.0, 6.0]]
STEP = [[2, 1, 3], [4, 5, 2]], [[6, 1, 2], [3, 7, 8]], [[10, 20, 30], [40, 50, 60]], [9, 4]
ROOMS = DataFrame(
    {"none": [np.nan, 13.3, 53.3, 58.7], "selective": [32.7, 47.0, 57.0, 57.3], "full": [44.2, 45.0, 45.1, 45.1]},
    index=[24.0, 32.0, 80.0, 192.0],
)
PICTURES = {
    "node_diagram": lambda: draw.node_diagram("DGX H100"),
    "overlap": lambda: draw.overlap(10, 5, 353e3, 3.35e12, 421e-9),
    "overlap, with pauses": lambda: draw.overlap(4, 8, 1e6, 50e9, 20e-6),
    "attention": lambda: draw.attention([1.0, 0.0], *CACHE),
    "attention, the largest": lambda: draw.attention([-9.25] * 2, [[8.88] * 2] * 6, [[-7.77] * 2] * 6),
    "launch": draw.launch,
    "launch, the smallest": lambda: draw.launch(blocks=1, threads_per_block=33, sms=1, blocks_per_sm=1),
    "divergence": lambda: draw.divergence(16, 32),
    "divergence, a ragged tail": lambda: draw.divergence(0, 80, threads=80, cycles_if=30, cycles_else=1),
    "array_step": lambda: draw.array_step(*STEP),
    "array_step, the largest": lambda: draw.array_step([[1] * 3] * 3, [[100] * 3] * 3, [[900] * 3] * 3, [10, 20, 30], (2, 2)),
    "queue_pairs": draw.queue_pairs,
    "striped_read": draw.striped_read,
    "node_tree": lambda: draw.node_tree(links.node_matrix(DGX_1V)),
    "node_tree, other adapters": lambda: draw.node_tree(links.node_matrix(SUMMIT)),
    "node_tree, four": lambda: draw.node_tree(links.node_matrix(FOUR_H100)),
    "buckets": lambda: draw.buckets([0.2, 0.4, 0.6, 0.8, 1.0], [0.25] * 5, subtitle="five buckets"),
    "buckets, one": lambda: draw.buckets([1.0], [0.4]),
    "buckets, hidden": lambda: draw.buckets([0.002, 0.02], [0.001, 0.001]),
    "late_rank": lambda: _late([0.011] * 4, [1.622, 1.203, 1.19, 1.211], 0.146, subtitle="a log"),
    "late_rank, data": lambda: _late([0.01] * 7 + [0.5], [1.2] * 8, 0.15, subtitle="a log of eight"),
    "late_rank, together": lambda: _late([0.0], [0.02], 0.001),
    "rails": draw.rails,
    "sharded_matrices": lambda: draw.sharded_matrices(2),
    "sharded_matrices, four": lambda: draw.sharded_matrices(4),
    "rate_by_memory": lambda: draw.rate_by_memory(ROOMS, subtitle="Llama 3 70B on 64 GPUs like an H100"),
    "gpu_comparison": lambda: draw.gpu_comparison(measure.recorded_gpu("products")),
    "gpu_comparison, a rate below 1 %": lambda: draw.gpu_comparison(_own("training", [(1, 0.004), (8, 0.12)])),
    "gpu_comparison, times": lambda: draw.gpu_comparison(_own("launches", [(4, 9e-6), (2**26, 5e-5)]), "one by one"),
    "gpu_comparison, one point": lambda: draw.gpu_comparison([_own("steps", [(1024, 5e14)])]),
    "gpu_comparison, power": lambda: draw.gpu_comparison(_own("power", [(second, 695.0) for second in range(60)], "bf16 product, random")),
    "rate_by_memory, two lines": lambda: draw.rate_by_memory(ROOMS[["selective", "full"]]),
}  # fmt: skip
BOX = re.compile(r"M(\S+) (\S+)h(\S+)v-(\S+)h\S+z")


def _own(experiment, points, name=None):
    name = name or measure.recorded_gpu(experiment).names[0]
    rows = tuple({"series": name, "x": x, "y": y} for x, y in points)
    return measure.GpuSeries(experiment, "NVIDIA GeForce RTX 5090 Laptop GPU", rows)


def _late(*seconds, **words):
    return draw.late_rank(utilization.ranks_step(*seconds), **words)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_read_at_both_widths(name):
    wide = PICTURES[name]()
    assert wide.description.startswith(wide.title) and (wide.width, wide.narrow.width) == (style.WIDTH, style.NARROW)
    for picture in (wide, wide.narrow):
        smallest = style.SMALLEST[picture.width] / picture.width
        assert not geometry.problems(geometry.texts(picture.svg), picture.width, picture.height, smallest)
        assert (picture.title, picture.description) == (wide.title, wide.description)
        assert picture.png(1)[:4] == b"\x89PNG"


def grounds(svg):
    """Words, the colour of their letters, and that of the last box that was drawn under the middle of them."""
    under = [(-np.inf, -np.inf, np.inf, np.inf, palette.PAPER)]
    lines = iter(geometry.texts(svg))
    for element in ElementTree.fromstring(svg).iter():
        fill = element.get("fill")
        if element.tag == f"{geometry.SVG}path" and fill in palette.DARK:
            boxes = (map(float, found) for found in BOX.findall(element.get("d")))
            under += [(x, y - tall, x + wide, y, fill) for x, y, wide, tall in boxes]
        elif element.tag == f"{geometry.SVG}rect" and fill in palette.DARK:
            x, y, wide, tall = (float(element.get(name)) for name in ("x", "y", "width", "height"))
            under.append((x, y, x + wide, y + tall, fill))
        elif element.tag == f"{geometry.SVG}text" and (element.text or "").strip():
            x, y = next(lines).corners.mean(axis=0)
            ground = next(
                fill for left, top, right, foot, fill in reversed(under) if left <= x <= right and top <= y <= foot
            )
            yield element.text, fill, ground


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_a_dark_twin_of_every_colour(name):
    wide = PICTURES[name]()
    for picture in (wide, wide.narrow):
        used = geometry.colours(picture.svg)
        assert palette.INK in used and used <= palette.DARK.keys()
        for words, letters, ground in grounds(picture.svg):
            for look in (str, twin):
                assert contrast(look(letters), look(ground)) >= 4.5, (words, letters, ground)


def test_the_attention_says_what_is_read_and_what_comes_out():
    picture = PICTURES["attention"]()
    assert picture.title == "One token reads the whole cache: 12 numbers, 2 FLOP with each"
    assert "share 0.50, value (2, 6). The result is (2, 4)." in picture.description


def test_a_launch_says_who_runs_where():
    picture = PICTURES["launch"]()
    assert picture.title == "6 blocks of 4 warps on 2 SMs: 4 blocks run, 2 wait"
    assert "SM 0 holds blocks 0, 2; SM 1 holds blocks 1, 3." in picture.description
    assert PICTURES["launch, the smallest"]().title == "1 block of 2 warps on 1 SM: 1 block runs"


def test_a_branch_says_what_each_warp_pays():
    said = PICTURES["divergence"]().description
    assert "cut 16, warp 0: 16 threads take the first path, 16 the second, 12 cycles" in said
    assert "cut 32, warp 0: 32 threads take the first path, 0 the second, 8 cycles" in said
    assert (
        "cut 80, warp 2: 16 threads take the first path, 0 the second"
        in PICTURES["divergence, a ragged tail"]().description
    )


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="up to 6 tokens"):
        draw.attention([1.0], [[1.0]] * 7, [[1.0]] * 7)
    with pytest.raises(ValueError, match="blocks must be from 1 to 6"):
        draw.launch(blocks=7)
    with pytest.raises(ValueError, match="two cuts"):
        draw.divergence(16)
    with pytest.raises(ValueError, match="up to 96 threads"):
        draw.divergence(16, 32, threads=128)
