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


def test_batch_of_one_reads_the_active_parameters_of_deepseek():
    table = explore.experts().table
    assert table[0]["weights read (GB)"] == pytest.approx(37, abs=0.5)
    assert table[3]["weights read (GB)"] == pytest.approx(163, abs=0.5)


def test_dense_model_reads_all_weights_for_any_batch():
    assert {round(row["of all (%)"], 6) for row in explore.experts(model="Llama 3 70B").table} == {100.0}
