"""A slider that plays, in the real JupyterLab: it goes on by itself, stops when asked to, and begins again at its end."""

import pytest

from tests.browser.conftest import clear, drawn, wait_for

EXPLORER = "from chip2cluster import explore\nexplore.replay(3, luck='a bad week')"


@pytest.fixture(scope="module")
def view(lab, desk):
    desk.set_viewport_size({"width": 1440, "height": 900})
    lab.notebook(desk, EXPLORER).open().run_all()
    view = desk.get_by_role("group", name="Replay")
    view.get_by_role("img").wait_for()
    yield view
    clear(desk)


def day(view):
    return int(view.get_by_role("slider", name="Day").input_value())


def test_days_go_by_until_somebody_stops_them(view):
    picture = drawn(view.get_by_role("img"))
    view.get_by_role("button", name="Play").click()
    view.get_by_role("button", name="Pause").wait_for()
    view.page.wait_for_function(
        "(slider) => Number(slider.value) >= 6", arg=view.get_by_role("slider").element_handle()
    )
    assert view.locator("[aria-live]").text_content() == ""  # nothing is spoken before the end
    view.get_by_role("button", name="Pause").click()
    stopped = day(view)
    assert stopped >= 6
    wait_for(view, f"On day {stopped},")
    assert drawn(view.get_by_role("img")) != picture
    view.page.wait_for_timeout(900)  # days that would go on need time to go on
    assert day(view) == stopped


def test_playing_slider_stops_on_input_and_restarts_at_the_end(view):
    view.get_by_role("button", name="Play").click()
    view.get_by_role("slider", name="Day").press("End")
    view.get_by_role("button", name="Play").wait_for()
    wait_for(view, f"On day {day(view)},")
    view.get_by_role("button", name="Play").click()
    view.page.wait_for_function(
        "(slider) => Number(slider.value) < 10", arg=view.get_by_role("slider").element_handle()
    )
    view.get_by_role("button", name="Pause").click()
