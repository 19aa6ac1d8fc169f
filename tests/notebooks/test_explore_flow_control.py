"""The explorer of flow control: what it shows against what is known of the queue."""

import itertools

import pytest

from chip2cluster import draw, explore, links
from chip2cluster.chapters.links.explorers.flow_control import LEVELS, METHODS


@pytest.mark.parametrize("senders, trip", list(itertools.product((2, 4, 8), (1, 2))))
def test_a_pause_in_time_is_one_that_leaves_the_headroom(senders, trip):
    """The sentence states the level, and the table confirms it."""
    last = 1500 - (senders - 1) * 50 * trip
    for level in LEVELS:
        view = explore.flow_control(senders=senders, trip=trip, level=level)
        lost = view.table[1]["lost (kB)"]
        if level <= last:
            assert lost == 0 and "Nothing is lost" in view.sentence and "Nothing is lost" in view.alt
        elif level > last + (senders - 1) * 50 * trip / 8:
            assert lost > 0 and "are lost" in view.current.picture.title


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_marked_in_a_table_of_all_four(method):
    view = explore.flow_control(method)
    assert [row["flow control"] for row in view.table] == list(METHODS)
    assert view.current.table.marked == list(METHODS).index(method)
    assert all(
        row["longest queue (kB)"] <= 1500 + 1e-6 and 0 < row["port busy (%)"] <= 100 + 1e-9 for row in view.table
    )
    assert view.table[3]["lost (kB)"] == 0  # credits never lose
    assert ("told from here" in view.current.picture.svg) == (METHODS[method] in ("pause", "mark"))


def test_sentence_does_not_reveal_the_highest_safe_level():
    """It stands on the page as a question."""
    for level in LEVELS:
        assert " 800" not in explore.flow_control(level=level).sentence or level == 800
    sentence = explore.flow_control(senders=16, trip=8).sentence
    assert "grows by 6,000 kB more: no level is low enough" in sentence and "half of the level" in sentence


def test_credits_hand_out_all_the_room():
    """The queue stands at what is not on the way, and what is on the way would have been enough."""
    view = explore.flow_control("credits")
    assert view.table[3]["longest queue (kB)"] == pytest.approx(1500 - 50 * 2)
    assert "100 kB of them are in flight" in view.sentence


@pytest.mark.parametrize("method, lost", [("no flow control", True), ("credits", False)])
def test_the_thick_stretch_says_what_it_is(method, lost):
    assert ("lost here" in explore.flow_control(method).current.picture.svg) == lost


def test_drop_tail_loses_the_surplus_of_80_microseconds():
    assert explore.flow_control().table[0]["lost (kB)"] == pytest.approx(7 * 50 * 80 - 1500)


def test_a_picture_needs_a_queue():
    with pytest.raises(ValueError, match="as long, got 2 and 1"):
        draw.queue([0, 1], [0], 1e6, title="x")
    full = links.queue_run("drop", 4, 50e9, 2e-6, 1e5, 1e5, 1e-5)
    drawn = draw.queue(full.seconds, full.queue_bytes, 1e5, title="full")
    assert drawn.svg.count('stroke-width="8"') == 1 and drawn.png()[:4] == b"\x89PNG"


def test_a_line_of_ones_own_takes_the_place_of_400_gigabits():
    view = explore.flow_control(own=links.own("100 Gb/s", "5 µs"), level=1000)
    assert "The port and each sender: 100 Gb/s" in view.current.picture.svg
    assert view.table[1]["lost (kB)"] == 0  # the headroom is a quarter of that of 400 Gb/s: 175 kB
    assert view.set(method="credits").sentence.count("25 kB of them are in flight") == 1
    with pytest.raises(TypeError, match="own must be a link such as"):
        explore.flow_control(own="100 Gb/s")
