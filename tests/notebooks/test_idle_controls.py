"""A control that changes nothing says why, and one that says so changes nothing."""

import pytest

from chip2cluster import explore
from tests.sampling import sampled

EXPLORERS = explore.explorers()


def shown(explorer):
    """Picture and sentence of a state; a table may list other cases too."""
    return explorer.current.picture.svg, explorer.current.sentence


def changes(explorer, control, start):
    """Whether an option of the control changes picture, sentence or table of a state."""
    choices = control.choices(start)
    some = {choices[round(n * (len(choices) - 1) / 5)] for n in range(6)}
    before, table = shown(explorer.reset().set(**start)), explorer.current.table.html()
    found = False
    for choice in some:
        try:
            explorer.reset().set(**start).set(**{control.name: choice})
        except ValueError:  # does not go together with the others
            continue
        found |= shown(explorer) != before or explorer.current.table.html() != table
    return found


@pytest.mark.parametrize("name", sampled(EXPLORERS, 10))
def test_controls_that_change_nothing_say_why(name):
    explorer = EXPLORERS[name]()
    start = explorer.values
    silent = {
        control.name
        for control, told in zip(explorer.controls, explorer.content()["controls"], strict=True)
        if len(control.choices(start)) > 1 and not told.get("idle") and not changes(explorer, control, start)
    }
    assert silent == set()


@pytest.mark.parametrize(
    "explorer, control, idle",
    [
        (explore.pipeline(), "chunks", True),
        (explore.pipeline(schedule="interleaved_1f1b"), "chunks", False),
        (explore.pipeline(), "weight_share", True),
        (explore.pipeline(schedule="zb_h1"), "weight_share", False),
        (explore.systolic(), "overlap", True),
        (explore.systolic(weights=(8, 8)), "overlap", False),
    ],
)
def test_an_idle_control_changes_neither_picture_nor_sentence(explorer, control, idle):
    told = {one["name"]: one.get("idle", "") for one in explorer.content()["controls"]}
    before = shown(explorer)
    (one,) = (one for one in explorer.controls if one.name == control)
    other = next(choice for choice in one.choices(explorer.values) if choice != explorer.values[control])
    explorer.set(**{control: other})
    assert bool(told[control]) == idle == (shown(explorer) == before)
