"""Explorers as a screen reader gets them: the browser's accessibility tree, read from top to bottom."""

import re

import pytest

from tests.browser.conftest import clear

CALLS = "explore.roofline()", "explore.ring()", "explore.checkpoint()"
# What is read, in this order, whatever lies between.
ORDER = "slider", "img", "paragraph", "table"


@pytest.fixture(scope="module")
def views(lab, desk):
    desk.set_viewport_size({"width": 1440, "height": 900})
    lab.notebook(desk, "from chip2cluster import explore", *CALLS).open().run_all()
    views = desk.locator(".c2c[role=group]")
    views.nth(len(CALLS) - 1).get_by_role("img").wait_for()
    yield views
    clear(desk)


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_explorer_reads_from_controls_to_table(views, place):
    view = views.nth(place)
    view.scroll_into_view_if_needed()
    view.get_by_role("img").wait_for()
    # What has a colon in its name stands in quotes.
    lines = [line.strip().replace("- '", "- ", 1) for line in view.aria_snapshot().splitlines()]
    roles = [re.match(r"- (\w+)", line)[1] for line in lines if re.match(r"- (\w+)", line)]
    first = [roles.index(role) for role in ORDER]
    assert first == sorted(first), lines
    for field in (line for line in lines if re.match(r"- (slider|combobox|textbox|checkbox|button)", line)):
        assert re.match(r'- \w+ "[^"]{3,}"', field), f"has no name: {field}"
    sliders = [line for line in lines if line.startswith("- slider")]
    values = view.get_by_role("slider").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-valuetext'))")
    assert sliders and all(values), "each slider tells its value with its unit"
    assert not [line for line, value in zip(sliders, values, strict=False) if f' {value}"' in line], (
        "and not in its name"
    )
    title = next(line for line in lines if line.startswith("- img"))
    assert len(title) > 60, "the picture says what it shows"
