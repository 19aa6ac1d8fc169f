"""Explorer of a trace: every state is drawn, and its numbers are those of the recorded steps."""

from math import inf

import pytest

from chip2cluster import explore, measure


@pytest.mark.parametrize("control", explore.where_time.controls, ids=lambda control: control.name)
def test_where_time_explorer_draws_every_value_of_a_control(control):
    view = explore.where_time()
    for value in control.choices(view.values):
        frame = view.reset().set(**{control.name: value}).current
        assert view.values[control.name] == value
        assert frame.picture.description.startswith(frame.picture.title)
        assert frame.picture.narrow.title == frame.picture.title
        assert frame.table.records() and frame.sentence


@pytest.mark.parametrize("card", ["H100 SXM", "H200"])
def test_where_time_explorer_meets_the_measured_step(card):
    """The step of the training series was timed without the profiler that wrote the trace."""
    rows = measure.recorded_gpu("training", card).rows
    (timed,) = (row["median_seconds"] for row in rows if (row["series"], row["x"]) == ("355M", 8))
    *parts, step = explore.where_time(card=card).table
    assert step["before (ms)"] == pytest.approx(1e3 * timed, rel=0.02)
    assert sum(part["before (ms)"] for part in parts) == pytest.approx(step["before (ms)"])


def test_where_time_explorer_shows_the_limit_of_a_kind():
    times = [explore.where_time("attention", factor).table[-1]["after (ms)"] for factor in (1, 2, 10, inf)]
    assert times == sorted(times, reverse=True)
    assert times[0] / times[2] < measure.amdahl_speedup(8.54 / times[0], inf)


def test_where_time_explorer_names_a_launch_bound_step():
    assert "The CPU limits the step" in explore.where_time("matrix products", 2, card="H200").sentence
    assert "hidden behind the kernels" in explore.where_time("matrix products", 2).sentence


def test_kernel_kinds_picture_refuses_other_rows():
    from chip2cluster import draw

    with pytest.raises(ValueError, match="same one to 10 names"):
        draw.kernel_kinds({"a": 1.0}, {"b": 1.0}, title="x")
    with pytest.raises(ValueError, match="zero or more"):
        draw.kernel_kinds({"a": 1.0}, {"a": -1.0}, title="x")
