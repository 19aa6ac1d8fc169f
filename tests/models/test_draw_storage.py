"""Pictures of stripes, of a shuffle and of a long run: legible, described, and true to their models."""

import re

import numpy as np
import pytest

from chip2cluster import draw, loading
from chip2cluster.draw import palette
from chip2cluster.reliability import RunPlan, simulate_run
from chip2cluster.storage import StripeLayout, read_setstripe
from tests.pictures import geometry

DAY = 86400.0
MIB = 2**20
BIG = {"interval": 1200, "checkpoint_seconds": 60, "restart_seconds": 600, "node_mtbf": 264 * DAY, "nodes": 2048}
RACKS = {"spares": 16, "repair_seconds": DAY, "group_nodes": 32, "group_mtbf": 400 * DAY}
RUNS = {
    "days": RunPlan(54 * DAY, **BIG),
    "weeks and waits": RunPlan(54 * DAY, **BIG, **RACKS),
    "hours": RunPlan(36000, 900, 60, 300, 7200),
    "seconds": RunPlan(20, 5, 1, 1, 15),
    "no failure": RunPlan(3600, 900, 60, 60, 1e12),
    "years": RunPlan(2000 * DAY, 6 * 3600, 600, 3600, 10 * DAY),
}
PROGRESSIVE = read_setstripe("-E 4M -c 1 -E 256M -c 4 -E -1 -c -1", ost_count=12)
PICTURES = {
    **{f"run of {name}": lambda plan=plan: draw.run_timeline(simulate_run(plan, 2)) for name, plan in RUNS.items()},
    "few stripes": lambda: draw.stripes(StripeLayout(MIB, 4, 3, 8), 9 * MIB + 77),
    "one byte": lambda: draw.stripes(StripeLayout(MIB, 1), 1),
    "many stripes": lambda: draw.stripes(StripeLayout(MIB, 48, 11, 96), 10**12),
    "very many targets": lambda: draw.stripes(StripeLayout(65536, -1, 0, 256), 10**9),
    "high numbers": lambda: draw.stripes(StripeLayout(MIB, 24, 200, 256), 10**9),
    "a small progressive file": lambda: draw.stripes(PROGRESSIVE, MIB),
    "a large progressive file": lambda: draw.stripes(PROGRESSIVE, 2**34),
    "a shuffle": lambda: draw.shuffle_map(20, 5, seed=3),
    "a hundred items": lambda: draw.shuffle_map(100, 10, seed=1),
    "no shuffle": lambda: draw.shuffle_map(30, 1),
    "one item": lambda: draw.shuffle_map(1, 1, seed=0),
    "a full shuffle": lambda: draw.shuffle_map(1234, 5000),
    "shards at random": lambda: draw.shuffle_map(60, 6, shards=6, seed=2),
    "saved often": lambda: draw.checkpoint_interval(simulate_run(RUNS["days"], 1, until=2 * DAY)),
    "saved seldom": lambda: draw.checkpoint_interval(simulate_run(RunPlan(1e6, 43200, 1200, 600, 600), 1, until=4800)),
    "an early start": lambda: draw.shuffle_map(300, 100, initial=4),
}


def words(picture):
    return " ".join(text.words for text in geometry.texts(picture.svg))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", PICTURES)
def test_they_can_be_read_and_described(name):
    wide = PICTURES[name]()
    for picture in (wide, wide.narrow):
        look_at(picture)
    assert (wide.narrow.width, wide.narrow.title) == (draw.style.NARROW, wide.title)


def look_at(picture):
    assert geometry.unreadable(picture.svg) == []
    assert min(text.size for text in geometry.texts(picture.svg)) >= 13
    assert picture.description.startswith(picture.title) and len(picture.description) > 1.5 * len(picture.title)
    assert set(re.findall(r"#[0-9a-f]{6}", picture.svg.partition("</style>")[2])) <= {*palette.DARK}
    assert len(picture.svg) < 150_000


@pytest.mark.parametrize("name", ["weeks and waits", "few stripes", "a shuffle", "saved often"])
def test_matplotlib_draws_the_same(name):
    picture = PICTURES[f"run of {name}" if name in RUNS else name]()
    assert picture.png(1)[:4] == b"\x89PNG"


def bars(picture, color):
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="(#\w+)"', picture.svg)
    return np.array([[float(number) for number in bar[:4]] for bar in found if bar[4] == color])


def test_columns_of_a_run_add_up_to_its_time():
    run = simulate_run(RUNS["days"], 1)
    picture = draw.run_timeline(run)
    columns = bars(picture, palette.BLUE)
    columns = columns[(columns[:, 1] > 100) & (columns[:, 1] + columns[:, 3] < 225)][:64]
    area = columns[:, 3].sum() / 112 * DAY  # a whole day is 112 px high
    assert area == pytest.approx(run.spent["work"], rel=5e-3)
    assert picture.title == "506 failures in 63.7 days: 85 % of the time is work"
    assert "Day 63, in which most was lost" in words(picture) and "waits for nodes" not in words(picture)


def test_bars_of_targets_are_as_high_as_they_hold():
    picture = draw.stripes(StripeLayout(MIB, 4, 3, 8), 9 * MIB)
    heights = np.concatenate([bars(picture, shade) for shade in palette.BLUES])
    heights = heights[heights[:, 1] > 170]  # below the file
    assert sorted(heights[heights[:, 3] > 40][:, 3] / 152) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1], rel=1e-3)
    assert "3 4 5 6 3 4 5 6 3" in words(picture)


def test_the_time_of_a_run_is_drawn_to_scale():
    """The dark parts were done in vain: as much of the strip as of the time."""
    plan = RunPlan(1e6, 3600, 60, 600, node_mtbf=11124)
    run = simulate_run(plan, 8, until=90000)
    drawn = bars(draw.checkpoint_interval(run), palette.BROKEN)
    drawn = drawn[drawn[:, 3] > 20]  # not the key
    assert drawn[:, 2].sum() / 528 * run.seconds == pytest.approx(run.spent["lost"], rel=0.01)


def test_dots_are_one_shuffle():
    picture = draw.shuffle_map(20, 5, seed=3)
    out = loading.ShuffleBuffer(20, 5, 3).run()
    dots = np.array(re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', picture.svg), float)[:20]
    side = 330 / 20
    assert np.round((dots[:, 0] - 70) / side - 0.5).tolist() == list(range(20))
    assert np.round((dots[:, 1] - dots[:, 1].min()) / side).tolist() == out.tolist()


def test_shades_are_the_chances():
    """Shade times area, over all tiles of a row, is the chance that the item comes out at all."""
    picture = draw.shuffle_map(40, 8)
    rows = {}
    for path, share in re.findall(r'<path d="(M[^"]+)" fill="#\w+" fill-opacity="([\d.]+)"', picture.svg):
        for y, width in re.findall(r"M[\d.]+ ([\d.]+)h([\d.]+)v-8.2", path):
            rows[y] = rows.get(y, 0.0) + float(width) / (330 / 40) * float(share)
    largest = loading.shuffle_probabilities(40, 8).max()
    assert len(rows) == 40 and np.array(list(rows.values())) * largest == pytest.approx(1, abs=0.35)


@pytest.mark.parametrize("call, error, says", [
    (lambda: draw.stripes("layout", 5), TypeError, "layout must be a StripeLayout or a ProgressiveLayout"),
    (lambda: draw.stripes(StripeLayout(1, 1), 0), ValueError, "file_size must be greater than zero"),
    (lambda: draw.stripes(StripeLayout(1, 1), -1), ValueError, "file_size must be at least 0"),
    (lambda: draw.stripes(StripeLayout(1, 300), 5), ValueError, "layout must have at most 256 targets, got 300"),
    (lambda: draw.stripes(StripeLayout(1, 1), 5, most=4), ValueError, "most must be at least the 5 bytes of the fullest target"),
    (lambda: draw.checkpoint_interval(simulate_run(RunPlan(20, 5, 1, 1, 15), 2)), ValueError, "interval must be 30 to 43200 s, got 5"),
    (lambda: draw.shuffle_map(0, 1), ValueError, "items must be at least 1"),
    (lambda: draw.shuffle_map(5, 0), ValueError, "buffer must be at least 1"),
    (lambda: draw.shuffle_map(101, 5, seed=1), ValueError, "seed: a shuffle is drawn for at most 100 items, got 101"),
    (lambda: draw.run_timeline(simulate_run(RunPlan(1e10, 1e6, 1, 1, 1e9), 1)), ValueError, "run must last at most 70 years"),
])  # fmt: skip
def test_bad_arguments_are_named(call, error, says):
    with pytest.raises(error, match=f"^{says}"):
        call()
