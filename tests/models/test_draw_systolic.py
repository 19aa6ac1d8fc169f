"""The picture of a systolic array: it says what the state holds, and nothing overlaps or is tiny."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from chip2cluster import draw
from chip2cluster.draw import palette
from chip2cluster.systolic import OutputStationary, WeightStationary
from tests.pictures import geometry

BOTH = pytest.mark.parametrize("kind", [WeightStationary, OutputStationary])
SVG = "{http://www.w3.org/2000/svg}"


def picture(state):
    return ElementTree.fromstring(draw.systolic(state))


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


@BOTH
def test_every_cycle_is_a_labelled_picture_of_its_state(kind):
    rng = np.random.default_rng(0)
    array = kind(rng.integers(-9, 10, (5, 4)), rng.integers(-9, 10, (4, 7)), 3, 4, overlap=True)
    array.run()
    for state in array.history:
        root = picture(state)
        assert root.get("role") == "img" and root[0].tag == f"{SVG}title" and root[1].tag == f"{SVG}desc"
        assert f"cycle {state.cycle}" in root[0].text
        assert f"{state.busy.sum()} of 12 cells" in root[0].text
        # A description line for each working cell, a frame for each in the picture and one in the legend.
        assert root[1].text.count("column ") == state.busy.sum()
        assert sum(r.get("stroke-width") == "3" for r in root.iter(f"{SVG}rect")) == state.busy.sum() + 1
        # The values that flow are the values shown, the legend's two aside.
        flowing = [text for text in texts(root) if text.startswith(("→", "↓"))]
        shown = state.right.count() + state.down.count() + state.leaving.count()
        assert len(flowing) == shown + 2


def test_values_are_those_of_the_state():
    array = WeightStationary([[1, 2], [3, 4]], [[5, 6], [7, 8]], 2, 2)
    array.run()
    root = picture(array.history[3])
    assert {"→ 3", "→ 1", "→ 2", "↓ 15", "↓ 6", "↓ 19"} <= set(texts(root))
    assert "Row 2, column 1: weight in use 7, value of A 2, partial sum 19." in root[1].text
    assert "Leaving at the bottom: 19." in root[1].text
    assert "Complete: 1 of 4 elements" in root[1].text


def test_a_simulator_shows_its_present_state():
    array = OutputStationary([[1, 2]], [[3], [4]], 1, 1)
    assert "cycle 0" in draw.systolic(array) and "Leaving at the bottom: nothing" in draw.systolic(array)
    array.step()
    assert draw.systolic(array) == draw.systolic(array.state) == draw.systolic(array.history[0])


@BOTH
@pytest.mark.parametrize(
    ("m", "n", "k", "rows", "cols"), [(1, 1, 1, 1, 1), (8, 8, 8, 8, 8), (30, 3, 2, 2, 5), (2, 9, 9, 8, 1)]
)
def test_text_is_large_enough_inside_and_apart(kind, m, n, k, rows, cols):
    array = kind(np.full((m, k), -98765), np.full((k, n), 43210), rows, cols, overlap=True)
    array.run()
    for state in (array.history[len(array.history) // 2], array.history[-1]):
        assert not geometry.unreadable(draw.systolic(state))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-9999, "−9999"), (12345, "12345"), (123456, "1.2e5"), (-123456, "−1e5"), (1.5, "1.5"), (2e4, "2e4"),
     (1e-7, "1e-7"), (-0.05, "−0.05"), (0.33333, "0.333")],
)  # fmt: skip
def test_numbers_are_short(value, text):
    state = WeightStationary([[value]], [[1]], 1, 1).state
    assert text.replace("-", "−") in texts(picture(state))


def test_only_states_of_arrays_that_fit():
    with pytest.raises(ValueError, match="8 x 8 cells, got 9 x 2"):
        draw.systolic(WeightStationary([[1]], [[1]], 9, 2))
    for wrong in (None, "state", np.eye(2)):
        with pytest.raises(TypeError, match="state must be"):
            draw.systolic(wrong)


def test_colours_come_from_the_palette():
    drawn = re.sub("<style>.*?</style>", "", draw.systolic(WeightStationary([[1]], [[1]], 2, 2)))
    assert set(re.findall(r"#[0-9a-f]{6}", drawn)) <= palette.DARK.keys()
