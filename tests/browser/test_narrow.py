"""Where a notebook has little room, an explorer asks for the narrow picture, and for the wide one when there is room again."""

import pytest

from chip2cluster import explore
from tests.browser.conftest import clear, slider, wait_for


@pytest.fixture
def shown(lab, desk):
    desk.set_viewport_size({"width": 1400, "height": 900})
    lab.notebook(desk, "from chip2cluster import explore\nexplore.roofline()").open().run_all()
    desk.evaluate("window.jupyterapp.shell.collapseLeft()")  # the list of files, however others left it
    yield desk.get_by_role("group", name="Roofline explorer")
    desk.set_viewport_size({"width": 1400, "height": 900})
    clear(desk)


def widths(view):
    """Of the picture as it was drawn, and by how much it reaches beyond its place."""
    image = view.locator(".c2c-image")
    image.wait_for()
    return image.evaluate("""(host) => [Number(host.shadowRoot.querySelector('svg[viewBox]').getAttribute('width')),
        host.parentNode.scrollWidth - host.parentNode.clientWidth]""")


def test_the_picture_follows_the_room_and_keeps_its_state(shown):
    assert widths(shown) == [600, 0]
    shown.page.set_viewport_size({"width": 560, "height": 900})
    shown.locator(".c2c-narrow").wait_for()
    assert widths(shown) == [340, 0]
    slider(shown).focus()
    shown.page.keyboard.press("End")
    wait_for(shown, "At batch 4,096 ")
    assert widths(shown) == [340, 0]
    title = explore.roofline(batch=4096).current.picture.title
    assert shown.get_by_role("img").get_attribute("aria-label").startswith(title)
    shown.page.set_viewport_size({"width": 1400, "height": 900})
    shown.locator(".c2c-narrow").wait_for(state="detached")
    assert widths(shown) == [600, 0]
    wait_for(shown, "At batch 4,096 ")
