"""The nodes of a machine: each has one square of its own, in the picture and in its PNG, and what it does can be read."""

import io
import re

import numpy as np
import pytest

from chip2cluster import capstone, draw
from chip2cluster.draw import palette, style
from chip2cluster.draw.pictures.node_map import AREA, LOOKS, planned
from tests.pictures import geometry

DAY = 86400.0


def count(svg, color):
    """Squares of a colour, dash by dash, without those of the key."""
    found = 0
    for path, dash in re.findall(
        rf'<path d="([^"]+)" fill="none" stroke="{color}"[^>]*stroke-dasharray="([^"]+)"', svg
    ):
        side, gap = map(float, dash.split())
        found += sum(round((float(length) - side) / (side + gap)) + 1 for length in re.findall(r"h([\d.]+)", path))
    return found - 1


@pytest.mark.parametrize("width", [style.WIDTH, style.NARROW])
@pytest.mark.parametrize("nodes, group", [(1, None), (17, 4), (64, 8), (512, 32), (2112, 32), (4352, 64)])
def test_every_node_has_a_square_of_its_own_in_the_area(nodes, group, width):
    states = np.random.default_rng(nodes).integers(0, 4, nodes)
    picture = draw.node_map(states, group=group, width=width)
    for number, name in enumerate(("working", "idle", "broken", "lent")):
        assert count(picture.svg, LOOKS[name][0]) == (states == number).sum(), name
    plan = planned(nodes, group or 32, width - 16, AREA[width])
    places = [plan.place(square, 8, 500) for square in range(nodes)]
    assert plan.per == 1 and len(set(places)) == nodes
    assert all(8 <= x <= width - 8 - plan.pitch + 1e-6 and 500 - AREA[width] <= y <= 500 for x, y in places)
    lines = geometry.texts(picture.svg)
    assert not geometry.problems(lines, picture.width, picture.height, style.SMALLEST[width] / width)


def test_of_nodes_that_share_a_square_the_worst_is_seen():
    states = np.zeros(60_000, dtype=int)
    states[12_345] = 2
    picture = draw.node_map(states)
    assert planned(60_000, 32, 584, AREA[600]).per > 1 and count(picture.svg, LOOKS["broken"][0]) == 1
    assert "59,999 working, 0 idle spare, 0 lent to others, 1 broken" in picture.description


def test_the_png_shows_what_the_svg_says():
    from PIL import Image

    picture = draw.node_map([0] * 62 + [2, 1])
    pixels = np.array(Image.open(io.BytesIO(picture.png(2))).convert("RGB")).reshape(-1, 3)
    for name in ("working", "idle", "broken"):
        color = np.array(list(bytes.fromhex(LOOKS[name][0][1:])))
        assert (np.abs(pixels - color).max(axis=1) <= 2).sum() > 20, name


@pytest.mark.parametrize("states", [[], [4], [-1], [[0, 1]]])
def test_no_nodes_and_states_that_there_are_not_are_refused(states):
    with pytest.raises(ValueError, match="states must hold numbers from 0 to 3"):
        draw.node_map(states)


@pytest.fixture(scope="module")
def play():
    failures = capstone.FailureRates(node_mtbf=10 * DAY, group_nodes=8, group_mtbf=20 * DAY)
    asked = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, failures=failures)
    return capstone.play(capstone.Design(chip="H100 SXM", nodes=16, spares=10), asked, seed=3)


def test_a_replay_draws_no_run_twice_and_none_beyond_its_axis(play):
    for plays in ([], [play] * 3):
        with pytest.raises(ValueError, match=f"plays must be one or two, got {len(plays)}"):
            draw.replay(plays, 1, days=5)
    for day in (-1, 6):
        with pytest.raises(ValueError, match="day must be 0 to 5"):
            draw.replay([play], day, days=5)


@pytest.mark.parametrize("day", [0, 1, 7, 30])
def test_a_replay_can_be_read_before_its_start_and_after_its_end(play, day):
    picture = draw.replay([play, play], day, days=30, names=("one", "the same"))
    for form in (picture, picture.narrow):
        lines = geometry.texts(form.svg)
        assert not geometry.problems(lines, form.width, form.height, style.SMALLEST[form.width] / form.width)
    broken = int((play.states_at(min(day * DAY, play.nodes_run.played)) == 2).sum())
    assert f"{broken} broken" in picture.description and count(picture.svg, LOOKS["broken"][0]) == broken


def test_impossible_machine_says_why_and_shows_its_nodes():
    asked = capstone.Scenario(model="Llama 3.1 405B", tokens=1e12, global_batch=512)
    picture = draw.cluster(capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=4), asked))
    assert picture.title == "It cannot run: memory" and "no layout of 32 chips" in picture.description
    assert count(picture.svg, palette.WAITING) == 4
    for form in (picture, picture.narrow):
        lines = geometry.texts(form.svg)
        assert not geometry.problems(lines, form.width, form.height, style.SMALLEST[form.width] / form.width)
