"""Explorer of expert routes."""

import pytest

from chip2cluster import explore


@pytest.mark.parametrize("control", explore.expert_routes.controls, ids=lambda control: control.name)
def test_expert_routes_explorer_draws_every_value_of_a_control(control):
    view = explore.expert_routes()
    for value in control.choices(view.values):
        frame = view.reset().set(**{control.name: value}).current
        assert view.values[control.name] == value
        assert frame.picture.description.startswith(frame.picture.title)
        assert frame.picture.narrow.title == frame.picture.title
        assert frame.table.records() and frame.sentence


def test_node_limit_bounds_copies_over_the_network():
    for row in explore.expert_routes().table:
        assert row["a copy for each node"] <= row["most nodes"]
        assert row["a copy for each node"] <= row["a copy for each expert"]
    assert row["a copy for each expert"] == pytest.approx(8 * 7 / 8, rel=0.01)


def test_deepseek_limit_halves_the_network_traffic():
    limited, free = explore.expert_routes(4).table[3], explore.expert_routes(8).table[6]
    assert limited["a copy for each node"] / free["a copy for each expert"] == pytest.approx(0.5, abs=0.01)
