"""Explorer of experts."""

import pytest

from chip2cluster import explore


@pytest.mark.parametrize("control", explore.experts.controls, ids=lambda control: control.name)
def test_experts_explorer_draws_every_value_of_a_control(control):
    view = explore.experts()
    for value in control.choices(view.values):
        frame = view.reset().set(**{control.name: value}).current
        assert view.values[control.name] == value
        assert frame.picture.description.startswith(frame.picture.title)
        assert frame.picture.narrow.title == frame.picture.title
        assert frame.table.records() and frame.sentence


# Next: compare `view.table` and `view.sentence` with the model, for values that a reader chooses.
