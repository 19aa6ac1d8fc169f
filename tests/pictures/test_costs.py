"""Costs that add up or cross, factors, joules by batch, and steps of a replica: they can be read at both widths, and say in words what they show."""

import re
from itertools import pairwise

import pytest

from chip2cluster import draw, economics, serving
from chip2cluster.draw import style
from chip2cluster.draw.pictures.factor_chart import Printed
from tests.pictures import geometry

OWNED = economics.own_cost(35e3, 4, used_fraction=0.5, mean_watts=1300, pue=1.3, dollars_per_kwh=0.12)
LONG = {f"a part with a long name, number {number}": 10.0**number for number in range(8)}


def batches(name):
    rows = economics.measured_answers(name)
    return draw.Batches(
        f"{name} on {rows[0].devices} {rows[0].chip}",
        tuple(row.mean_sequences for row in rows),
        tuple(row.joules_per_output_token for row in rows),
        tuple(row.median_seconds_between_tokens for row in rows),
    )


def stretch(policy, seconds=None, **shown):
    """Steps of a small simulation."""
    if seconds is None:
        chip = serving.replica(serving.deploy("Llama 3 8B", "H100 SXM"), policy=policy, step_tokens=1024)
    else:
        chip = serving.Replica(step_seconds=lambda batch: seconds, cache_blocks=100, policy=policy)
    run = serving.simulate(serving.poisson_requests(8, 60, 700, 60, seed=1), [chip] * 2)
    return draw.serving_steps(run, chip.cache_blocks, **shown)


HOUR_BY_USE = tuple((percent / 100, 107 / percent + 0.15) for percent in range(1, 101))
STEPS = (
    draw.Factor("30,840,000 GPU-hours", "30,840,000 h", 8774, 8774),
    draw.Factor("× 369 g/kWh, United States", "8,774 t", 714, 16942, assumed=True),
)
PICTURES = {
    "buy_or_rent": lambda: draw.buy_or_rent(HOUR_BY_USE, 2.99, 0.377, 0.5, energy=0.15, subtitle="Kept for 4 years"),
    "buy_or_rent, off the axis": lambda: draw.buy_or_rent(HOUR_BY_USE, 2.99, 0.377, 0.01),
    "buy_or_rent, never": lambda: draw.buy_or_rent(HOUR_BY_USE, 0.1, float("inf"), 1.0, energy=0.15),
    "factor_chart": lambda: draw.factor_chart(STEPS, 8774, "tonnes", (100, 99999), printed=Printed(8930)),
    "factor_chart, six": lambda: draw.factor_chart(STEPS * 3, 8774, "tonnes", (8000, 9000)),
    "serving_steps": lambda: stretch("prefill_first", subtitle="Two replicas, 8 requests a second", steps=150),
    "serving_steps, one step": lambda: stretch("chunked", replica=1, first=5, steps=1),
    "serving_steps, slow": lambda: stretch("chunked", 3.0, steps=400),
    "serving_steps, waits": lambda: stretch(
        "chunked",
        0.1,
        steps=40,
        step_seconds=0.2,
        waits=[draw.Wait("a gap of 2 s between two tokens", 1.0, 3.0), draw.Wait("longest wait: 9 s", -3.0, 6.0)],
    ),
    "serving_steps, fast": lambda: stretch("chunked", 2e-5, steps=2, first=3),
    "cost": lambda: draw.cost(OWNED.parts, "$ an hour", losses=["unused"], subtitle="Used half of all hours"),
    "cost, eight parts": lambda: draw.cost(LONG, "kWh"),
    "cost, one part": lambda: draw.cost({"devices": 1e-4}, "$ an answer"),
    "token_energy": lambda: draw.token_energy(
        [batches(name) for name in ("Llama 3.1 8B", "Llama 3.1 70B", "Llama 3.1 405B")], (1, 4), subtitle="Measured"
    ),
    "token_energy, one point": lambda: draw.token_energy([draw.Batches("alone", (1.0,), (2.0,), (0.02,))]),
    "token_energy, wide": lambda: draw.token_energy([draw.Batches("far", (1, 2**16), (1e3, 1e-3), (0.02, 30.0))]),
}


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", PICTURES)
def test_texts_are_large_enough_inside_and_apart(name, narrow):
    picture = PICTURES[name]()
    picture = picture.narrow if narrow else picture
    texts = geometry.texts(picture.svg)
    scale = style.SMALLEST[picture.width] / picture.width
    assert texts and not geometry.problems(texts, picture.width, picture.height, scale)
    assert picture.png(1)[:4] == b"\x89PNG"


def test_a_cost_says_every_part_and_their_sum():
    picture = PICTURES["cost"]()
    assert picture.title == "2.20 $ an hour, 45 % of it capital"
    assert "capital 1.00; interest 0; staff_and_space 0; unused 1.00; energy 0.20; in all 2.20" in picture.description


def test_bars_follow_one_another_and_the_sum_holds_them():
    import re

    bars = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', PICTURES["cost"]().svg)
    spans = [(float(x), float(x) + float(width)) for x, _, width in bars]
    assert spans[3][0] == pytest.approx(spans[0][1], abs=0.2)
    assert spans[-1] == pytest.approx((spans[0][0], spans[4][1]), abs=0.3)


def test_the_joules_say_what_the_batch_does():
    picture = PICTURES["token_energy"]()
    assert picture.title == "112 times the chats: a tenth of the joules, and 6.4 times the wait"
    assert "Llama 3.1 8B on 1 H100 SXM: 0.45 J with 8 chats" in picture.description
    assert "Followed: Llama 3.1 70B on 4 H100 SXM, 96 chats: 0.65 J, 25 ms between tokens." in picture.description


def test_the_steps_say_what_the_longest_one_held():
    picture = stretch("prefill_first", steps=150)
    assert picture.title.startswith("Steps of ")
    assert "tokens of prompts" in picture.title and "150 steps over" in picture.description


def test_equal_steps_can_be_counted():
    """Three steps of one length and kind lie apart in the picture, so a reader sees three waits and not one."""
    import re

    run = serving.simulate(serving.Requests([0.0], 1, 9), serving.Replica(step_seconds=lambda _: 1.0, cache_blocks=9))
    drawn = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', draw.serving_steps(run, 9, first=2, steps=3).svg
    )
    tallest = [(float(x), float(wide)) for x, y, wide in drawn if y == min((y for _, y, _ in drawn), key=float)]
    assert len(tallest) == 3
    assert all(x + wide < after for (x, wide), (after, _) in pairwise(tallest))


def test_marked_waits_lie_where_they_happen():
    """Ends inside the axis are where their times are; a wait that goes on ends at the edge, with an arrow."""
    chip = serving.Replica(step_seconds=lambda _: 0.1, cache_blocks=9)
    run = serving.simulate(serving.Requests([0.0], 100, 5), chip)
    waits = [draw.Wait("inside", 0.1, 0.3), draw.Wait("outside", -1.0, 5.0)]
    svg = draw.serving_steps(run, 9, seconds=2.0, step_seconds=0.2, waits=waits).svg
    lines = [one.split() for one in re.findall(r'<polyline points="([^"]+)" fill="none" stroke="#1f2430"', svg)]
    flat = [tuple(float(point.split(",")[0]) for point in one) for one in lines if one[0][-5:] == one[-1][-5:]]
    assert flat == [(89.7, 141.1), (64.0, 578.0)]  # 0.1 to 0.3 of 2 s on 514 px from 64, and the whole axis
    assert sorted(len(one) for one in lines) == [2, 2, 2, 2, 3, 3]  # two arrows
    for given, says in (
        ({"seconds": 0.1}, "seconds and step_seconds must be at least"),
        ({"step_seconds": 0.05}, "seconds and step_seconds must be at least"),
        ({"waits": waits * 2}, "waits must be at most two, got 4"),
    ):
        with pytest.raises(ValueError, match=says):
            draw.serving_steps(run, 9, **given)


def test_what_cannot_be_drawn_is_named():
    with pytest.raises(ValueError, match="steps must be from 1 to 800"):
        stretch("chunked", 1.0, steps=801)
    with pytest.raises(ValueError, match="replica 2 has no step number 0"):
        stretch("chunked", 1.0, replica=2)
    with pytest.raises(ValueError, match="has no step number -1"):
        stretch("chunked", 1.0, first=-1)
    run = serving.simulate(serving.Requests([0.0], 100, 5), serving.Replica(step_seconds=lambda _: 1.0, cache_blocks=9))
    with pytest.raises(ValueError, match="cache_blocks must be at least the 7 in use, got 6"):
        draw.serving_steps(run, 6)
    one = draw.Batches("one", (1.0,), (1.0,), (1.0,))
    for parts in ({}, {"a": -1.0}, {"a": 0.0}, {str(number): 1.0 for number in range(9)}):
        with pytest.raises(ValueError, match="parts must be 1 to 8 amounts"):
            draw.cost(parts, "$")
    with pytest.raises(ValueError, match="losses must be names of parts, got 'b'"):
        draw.cost({"a": 1.0}, "$", losses=["b"])
    with pytest.raises(ValueError, match="series must be one to 3"):
        draw.token_energy([])
    with pytest.raises(ValueError, match="as many sequences as joules"):
        draw.token_energy([draw.Batches("two", (1.0, 2.0), (1.0,), (1.0,))])
    with pytest.raises(ValueError, match="all above zero"):
        draw.token_energy([draw.Batches("none", (1.0,), (0.0,), (1.0,))])
    with pytest.raises(ValueError, match="chosen must be a series and a point"):
        draw.token_energy([one], (0, 3))
    with pytest.raises(ValueError, match="width must be one of"):
        draw.token_energy([one], width=100)
