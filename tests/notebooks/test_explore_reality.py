"""The explorer of the comparison: each state says what the package says, with source and reason."""

import re

import pytest

from chip2cluster import draw, explore, reality
from chip2cluster.chapters.reality.explorers.reality import EVERY, _what
from chip2cluster.draw.pictures import parity

NAMES = [kind.name for kind in reality.kinds()]


@pytest.fixture(autouse=True)
def unrendered(monkeypatch):
    """matplotlib takes longer than all the rest."""
    parity._back.cache_clear()
    monkeypatch.setattr(parity, "inner_svg", lambda figure: "")
    yield
    parity._back.cache_clear()


@pytest.mark.parametrize("name", [EVERY, *NAMES])
def test_every_place_shows_one_prediction_with_its_source(name):
    view = explore.reality(name)
    count = reality.errors(None if name == EVERY else name)["count"]
    places = view._by_name["place"].choices(view.values)
    assert places[0] == 1 and count - places[-1] < (count - 20) / 40 and len(places) < 100
    for place in (places[0], places[len(places) // 2], places[-1]):
        point = reality.worst(count, None if name == EVERY else name)[place - 1]
        view.set(place=place)
        said = view.sentence
        assert _what(point) in said and f"Source: {point.row.publication.title}, " in said
        printed = re.search(r"Measured: ([\d.,]*\d) (\S+); predicted: ([\d.,]*\d), (.+?)\. ", said)
        assert printed[2] == point.kind.unit
        for text, value in ((printed[1], point.row.measured), (printed[3], point.predicted)):
            half = 0.5 * 10.0 ** -len(text.replace(",", "").partition(".")[2])
            assert abs(float(text.replace(",", "")) - value / point.kind.scale) <= half * (1 + 1e-9)
        way = "high" if point.ratio > 1 else "low"
        if point.factor >= 1.5:
            assert printed[4] == f"{point.factor:.1f} times too {way}"
        elif printed[4] != "as measured":
            assert printed[4] == f"{100 * abs(point.ratio - 1):.1f} % too {way}"
        assert (point.why in said) or point.factor <= 1.15
        assert said in view.alt and view.current.picture.title in view.alt


@pytest.mark.parametrize("place", [1, 20, 2340])
def test_table_is_the_summary_around_the_chosen_kind(place):
    view, shown = explore.reality(place=place), reality.summary()
    rows, followed = view.table, reality.worst(place)[-1].kind
    kinds = [kind for kind in reality.kinds() if kind.forecasts]
    first = [kind.short for kind in kinds].index(rows[0]["kind"])
    assert view.current.table.marked + first == kinds.index(followed) and len(rows) == 10
    part = slice(first, first + len(rows))
    assert [row["forecasts"] for row in rows] == list(shown["forecasts"])[part]
    assert [row["a constant"] for row in rows] == list(shown["a constant"])[part]
    assert [row["median factor"] for row in rows] == list(shown["median factor"])[part]
    assert [row["within 1.5 (%)"] for row in rows] == list(shown["within 1.5 (%), asked 90"])[part]
    assert [row["band"] for row in rows] == ["in" if kind.meets else "out" for kind in kinds][part]


def test_a_kind_is_found_by_its_short_title_too():
    assert explore.reality("several nodes").sentence == explore.reality("nodes").sentence


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_a_kind_has_the_followed_prediction_marked(name):
    view = explore.reality(name)
    for place in view._by_name["place"].choices(view.values):
        row = view.set(place=place).table[view.current.table.marked]
        point = reality.worst(place, name)[-1]
        assert row["place"] == place and row["factor"] == point.factor
        assert row[f"measured ({point.kind.unit})"] == point.row.measured / point.kind.scale
        assert len(view.table) == 7


def test_a_row_that_does_not_count_is_never_followed():
    fitted = {(point.kind.name, point.row.id) for point in reality.records() if not point.row.counts}
    counted = {(point.kind.name, point.row.id) for point in reality.worst(reality.errors()["count"])}
    assert fitted and fitted.isdisjoint(counted)


def test_another_kind_starts_at_its_worst_prediction():
    view = explore.reality("training", place=130)
    assert view.set(kind="ring").values["place"] == 1 and "not offered" in view.note


# The picture


@pytest.mark.parametrize("width", [draw.style.WIDTH, draw.style.NARROW])
def test_a_mark_lies_on_the_line_exactly_where_it_is_right(width):
    for value in (0.5, 3.0, 900.0):
        place = parity.Place(width, 13)
        x, y = place.pixel((0.1, 1000.0), value)
        left, bottom, right, top = place.box
        assert (x - left) / (right - left) == pytest.approx((y - bottom) / (top - bottom))


def test_kinds_differ_by_more_than_colour():
    """Inside a family by their shape; so no two of a colour look alike in black and white."""
    families = [kind.family for kind in reality.kinds()]
    names = list(dict.fromkeys(families))
    looks = parity._looks([draw.Group(kind.short, names.index(kind.family)) for kind in reality.kinds()])
    assert len(set(looks)) == len(looks)
    assert len({color for color, _ in looks}) == len(names)


def test_what_cannot_be_told_apart_is_refused():
    marks = [draw.Mark(0, 1.0, 1.0)]
    with pytest.raises(ValueError, match="at least one prediction"):
        draw.parity([], 0, groups=[draw.Group("a", 0)])
    with pytest.raises(ValueError, match="tells 7 groups of 5 families apart, got group 8 of family 0"):
        draw.parity(marks, 0, groups=[draw.Group("a", 0)] * 8)
    with pytest.raises(ValueError, match="got group 1 of family 5"):
        draw.parity(marks, 0, groups=[draw.Group("a", 5)])


def test_a_long_text_is_cut_and_a_short_one_is_not():
    assert parity.fitting("short", 600) == "short"
    cut = parity.fitting("176 billion parameters, " * 10, 600)
    assert cut.endswith(" …") and draw.style.TEXT == 13 and len(cut) < 120
