"""The explorer, the picture and the questions of chapter 5, against the model and a simulator."""

import re
from itertools import pairwise

import numpy as np
import pytest

from autograder.exercises import exercise
from chip2cluster import draw, explore, predict, systolic

SVG = "{http://www.w3.org/2000/svg}"
STATES = [
    {},
    {"rows_of_a": 1, "cycle": 0},
    {"rows_of_a": 16, "weights": (5, 4), "cycle": 30},
    {"rows_of_a": 16, "weights": (8, 8), "cycle": 40, "overlap": True},
    {"rows_of_a": 9, "weights": (8, 8), "cycle": 33, "dataflow": "output_stationary", "overlap": True},
    {"rows_of_a": 7, "weights": (3, 4), "side": 3, "cycle": 11, "dataflow": "output_stationary"},
    {"rows_of_a": 5, "weights": (5, 5), "side": 2, "cycle": 60},
]


def shape(view):
    values, (k, n) = view.values, view.values["weights"]
    return dict(m=values["rows_of_a"], n=n, k=k, rows=values["side"], cols=values["side"], dataflow=values["dataflow"])


@pytest.mark.parametrize("state", STATES)
def test_table_and_words_say_what_the_model_says(state):
    view = explore.systolic(**state)
    sizes, overlap = shape(view), view.values["overlap"]
    so_far, whole = view.table
    cycles = systolic.cycles(**sizes, overlap=overlap)
    useful = sizes["m"] * sizes["n"] * sizes["k"]
    cells = sizes["rows"] * sizes["cols"]
    assert tuple(whole.values())[1:4] == (cycles, useful, cells * cycles)
    assert whole["utilization (%)"] == pytest.approx(100 * systolic.utilization(**sizes, overlap=overlap))
    assert so_far["cycles"] == view.values["cycle"] and so_far["cell cycles"] == cells * so_far["cycles"]
    if so_far["cycles"]:
        share = so_far["useful multiply-accumulates"] / so_far["cell cycles"]
        assert so_far["utilization (%)"] == pytest.approx(100 * share)
    limit = systolic.padded_utilization(**sizes)
    assert ("approach 100 %" if limit == 1 else f"below {100 * limit:.0f} %") in view.sentence
    assert f"Cycle {view.values['cycle']} of {cycles}:" in view.alt
    at_work = re.search(r"(\d+) of \d+ cells at work", view.alt).group(1)
    assert f", {at_work} of {cells} cells do useful work" in view.sentence
    assert view.alt.count("Row ") == int(at_work)
    assert f"{whole['utilization (%)']:.0f} %" in view.sentence and f"{whole['utilization (%)']:.0f} %" in view.alt


def test_a_step_adds_what_its_picture_shows():
    view = explore.systolic(rows_of_a=6, weights=(5, 5), cycle=0)
    before = 0
    for cycle in range(1, view.table[1]["cycles"] + 1):
        view.set(cycle=cycle)
        now = view.table[0]["useful multiply-accumulates"]
        assert now - before == int(re.search(r"(\d+) of 16 cells", view.alt).group(1))
        before = now
    assert before == 6 * 5 * 5


def test_a_shorter_run_stops_the_clock_at_its_end():
    view = explore.systolic(rows_of_a=16, cycle=26)
    view.set(rows_of_a=4)
    assert view.values["cycle"] == 14 and "Cycle: 26 is not offered here, showing 14." in view.sentence
    with pytest.raises(ValueError, match="cycle must be one of 0, 1, 2"):
        view.set(cycle=15)


@pytest.mark.parametrize("control", explore.Systolic.controls, ids=lambda control: control.name)
def test_every_value_of_a_control_draws(control):
    view = explore.systolic()
    values = (True, False) if control.name == "overlap" else control.choices(view.values)
    for value in values:
        assert view.reset().set(**{control.name: value}).current.picture.title.startswith("Cycle ")


def test_the_picture_refuses_what_it_cannot_show():
    array = systolic.WeightStationary(np.ones((2, 5)), np.ones((5, 5)), 5, 5)
    with pytest.raises(ValueError, match="at most 4 x 4 cells, got 5 x 5"):
        draw.systolic_run([array.state], 0)
    with pytest.raises(ValueError, match="cycle must lie in 0 to 0, got 1"):
        draw.systolic_run([array.state], 1)


def test_the_still_says_the_same_without_a_kernel():
    view = explore.systolic(rows_of_a=16, cycle=12)
    still = view.still()
    assert '<img alt="Cycle 12 of 26: 16 of 16 cells at work' in still and "61.5" in still
    assert "<script" not in still and view.current.picture.png().startswith(b"\x89PNG")


# One row: 383 cycles of 128 x 128 cells, one of them useful. One column more than a tile: 127 of 256 are zeros.
TRUTHS = {
    "systolic.one_row": 100 / 383,
    "systolic.one_more": 100 * 127 / 256,
    "systolic.vocabulary": 111.36,
    "systolic.chips_for_one": 989.4 / 275,
}


def test_the_truths_of_the_questions():
    ours = {question.id: question for question in predict.QUESTIONS if question.id.startswith("systolic.")}
    assert {name: pytest.approx(question.truth(), rel=1e-9) for name, question in ours.items()} == TRUTHS
    assert "383 cycles" in ours["systolic.one_row"].explain(TRUTHS["systolic.one_row"])


def test_the_step_of_the_exercise_is_the_step_of_the_simulator():
    rng = np.random.default_rng(5)
    a, b = rng.integers(1, 9, (6, 3)), rng.integers(1, 9, (3, 4))
    array, step = systolic.WeightStationary(a, b, 3, 4), exercise("systolic.step").reference
    array.run()
    for before, after in pairwise(array.history[3:]):
        moved = step(b, before.right.filled(0), before.down.filled(0), before.left_queue[:, 0].filled(0))
        assert (moved == after.down.filled(0))[after.busy].all()
