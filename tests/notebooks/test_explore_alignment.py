"""The explorer of recorded sizes against the recorded products."""

import pytest

from chip2cluster import draw, explore, systolic


@pytest.mark.parametrize(
    "state, letter",
    [
        ({"sweep": "k", "size": 1025}, "k"),
        ({"sweep": "n", "size": 130}, "n"),
        ({"sweep": "m", "size": 513}, "m"),
        ({"sweep": "vocabulary", "size": 50257}, "n"),
        ({"sweep": "waves", "size": 2048}, "n"),
    ],
)
def test_alignment_explorer_shows_recorded_products(state, letter):
    view = explore.alignment(**state)
    at = {getattr(step, letter): step for step in systolic.product_steps(state["sweep"])}
    rows = {row[letter]: row for row in view.table}
    assert state["size"] in rows and len(rows) >= 3
    for size, row in rows.items():
        assert row["measured (TFLOP/s)"] == pytest.approx(at[size].flops_per_second / 1e12)
        assert (row["copies by"], row["kernel"]) == (at[size].copy, at[size].kernel)
    rate = f"{at[state['size']].flops_per_second / 1e12:,.0f} TFLOP/s"
    assert rate in view.sentence and rate in view.current.picture.title


def test_alignment_explorer_says_what_padding_gains():
    assert (
        "50,264, the next multiple of 8, ran 6.9 times as fast" in explore.alignment("vocabulary", size=50257).sentence
    )
    assert "no alignment" in explore.alignment("m", size=513).sentence
    assert "next multiple" not in explore.alignment("k", size=1024).sentence


@pytest.mark.parametrize("control", explore.Alignment.controls, ids=lambda control: control.name)
def test_alignment_explorer_draws_every_value(control):
    view = explore.alignment()
    for value in control.choices(view.values):
        assert "TFLOP/s" in view.reset().set(**{control.name: value}).current.picture.title


def test_alignment_explorer_keeps_the_nearest_size():
    view = explore.alignment("vocabulary", size=50257).set(sweep="k")
    assert view.values["size"] == 1096


def test_alignment_picture_refuses_what_it_cannot_draw():
    line, bound = draw.MeasuredLine("one", [(1, 1e12)]), [(1, 1e12), (2, 1e12)]
    with pytest.raises(ValueError, match="one to three lines, got 0"):
        draw.alignment((), 1, bound, axis="n", title="none")
    with pytest.raises(ValueError, match="two points or more, got 1"):
        draw.alignment((line,), 1, bound[:1], axis="n", title="none")
