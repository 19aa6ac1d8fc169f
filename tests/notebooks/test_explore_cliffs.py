"""The explorer of odd sizes against the models."""

import pytest

from chip2cluster import draw, explore, systolic

STATES = [
    ({}, 4096),
    ({"rows": 129, "side": 256}, 4096),
    ({"rows": 64, "tile": (64, 64, 32), "columns": "as many as k"}, 64),
    ({"rows": 257, "tile": (128, 128, 64), "columns": "as many as k"}, 257),
]


@pytest.mark.parametrize("state, columns", STATES)
def test_table_and_words_say_what_the_models_say(state, columns):
    view = explore.cliffs(**state)
    values = view.values
    rows, side, (tile_m, tile_n, tile_k) = values["rows"], values["side"], values["tile"]
    array, gpu = view.table
    assert array["useful (%)"] == pytest.approx(100 * systolic.padded_utilization(1, columns, rows, side, side))
    assert array["useful (%)"] == pytest.approx(
        100 * rows * columns / (array["it computes rows"] * array["and columns"])
    )
    share = systolic.tile_utilization(65536, columns, rows, tile_m, tile_n, tile_k)
    assert gpu["useful (%)"] == pytest.approx(100 * share)
    assert gpu["it computes rows"] == systolic.padded_size(rows, tile_k)
    aligned = rows % 8 == 0 and columns % 8 == 0
    assert gpu["rows aligned"] == ("yes" if aligned else "no")
    assert ("several times slower where it was recorded" in view.sentence) == (not aligned)
    assert ("at most" in view.current.picture.title) == (not aligned)


def test_eight_rows_more_cost_both_chips():
    full, more = explore.cliffs(128).table, explore.cliffs(136).table
    assert [row["useful (%)"] for row in full] == [100, 100]
    assert [round(row["useful (%)"]) for row in more] == [53, 71]


@pytest.mark.parametrize("control", explore.Cliffs.controls, ids=lambda control: control.name)
def test_every_value_of_a_control_draws(control):
    view = explore.cliffs()
    for value in control.choices(view.values):
        assert view.reset().set(**{control.name: value}).current.picture.title.startswith("Useful: ")


def test_the_picture_refuses_what_it_cannot_show():
    chip = draw.Steps("one", lambda sizes: sizes / sizes)
    with pytest.raises(ValueError, match="one or two chips, got 0"):
        draw.utilization_by_size((), 5, 10, axis="size", title="none")
    with pytest.raises(ValueError, match="size must lie in 1 to 10, got 11"):
        draw.utilization_by_size((chip,), 11, 10, axis="size", title="none")


def test_two_marks_at_one_place_are_both_seen():
    picture = explore.cliffs(193).current.picture
    assert [round(row["useful (%)"], 3) for row in explore.cliffs(193).table] == [75.391, 75.391]
    assert "hollow: at most" in picture.svg and "hollow" not in explore.cliffs(192).current.picture.svg
