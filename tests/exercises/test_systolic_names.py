"""Slips of the chapter on systolic arrays that are told by their name, written as a learner writes them."""

import math

import pytest

from autograder import check
from autograder.exercises import exercises

pytestmark = pytest.mark.usefixtures("own_record")


def cycles(stream, across, k, side):
    return (math.ceil(k / side) * math.ceil(across / side) - 1) * max(stream, side) + 3 * side + stream - 2


def split_by_hand(m, n, k, side, chips):
    """The best of the four layouts, chosen by a rule of thumb: share out and stream the longer size."""
    longer, shorter = max(m, n), min(m, n)
    return cycles(math.ceil(longer / chips), shorter, k, side)


def on_a_grid(m, n, k, side, chips):
    """The best of all grids of chips, which share out both sizes."""
    parts = [(math.ceil(m / a), math.ceil(n * a / chips)) for a in range(1, chips + 1) if chips % a == 0]
    return min(min(cycles(one, other, k, side), cycles(other, one, k, side)) for one, other in parts)


def rate(m, n, k, side, peak, bandwidth):
    share = k * n / (math.ceil(k / side) * math.ceil(n / side) * side**2)
    return min(peak * share, bandwidth * m * n * k / (m * k + k * n + m * n))


@pytest.mark.parametrize(
    ("exercise_id", "answer", "says"),
    [
        (
            "systolic.layout",
            lambda m, n, k, side, chips: min(
                cycles(math.ceil(m / chips), n, k, side), cycles(m, math.ceil(n / chips), k, side)
            ),
            "You always kept the weights in the cells",
        ),
        ("systolic.layout", split_by_hand, "doesn't match a known mistake"),
        (
            "systolic.useful_range",
            lambda m, n, k, sides, p, b: [
                min(rate(m, n, k, side, p[0], b[1]) for side in sides),
                max(rate(m, n, k, side, p[1], b[0]) for side in sides),
            ],
            "low goes with low",
        ),
        (
            "systolic.useful_range",
            lambda m, n, k, sides, p, b: [
                rate(m, n, k, max(sides), p[0], b[0]),
                rate(m, n, k, min(sides), p[1], b[1]),
            ],
            "You assumed that the larger side is worse",
        ),
        ("systolic.layout", on_a_grid, "You split the tokens and the words at once"),
        ("systolic.tile_cycles", lambda m, rows, cols: 3 * rows + m - 2, "right if cols equals rows"),
        (
            "systolic.cycles",
            lambda m, n, k, r, c: (k // r * (n // c) - 1) * max(m, r) + 2 * r + c + m - 2,
            "You rounded the tiles down",
        ),
    ],
)
def test_a_slip_is_told(exercise_id, answer, says):
    assert says in check(exercise_id, answer).message


@pytest.mark.parametrize("exercise_id", ["systolic.cycles", "systolic.useful_rate", "links.effective", "links.ranges"])
def test_what_a_wrong_answer_shows_first_can_be_done_by_hand(exercise_id):
    shown = exercises()[exercise_id].visible_cases[0].inputs
    for value in shown.values():
        for number in value if isinstance(value, list) else [value]:
            assert len(f"{number:.9e}".split("e")[0].rstrip("0").rstrip(".")) <= 3, (exercise_id, shown)


def test_a_right_answer_says_what_it_means():
    for name, exercise in exercises().items():
        if name.startswith(("systolic.", "links.")):
            said = exercise.meaning()
            assert 60 < len(said) < 420 and said[-1] == ".", name


def test_the_first_case_shows_which_size_lies_along_the_rows():
    shown = exercises()["systolic.cycles"].visible_cases[0].inputs
    swapped = shown | {"n": shown["k"], "k": shown["n"]}
    assert exercises()["systolic.cycles"].reference(**shown) != exercises()["systolic.cycles"].reference(**swapped)
