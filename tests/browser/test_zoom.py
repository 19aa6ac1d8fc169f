"""Zoomed in, on a phone, and beside prose: hand and picture are seen together, and lines have a length to read."""

import pytest

from tests.browser.conftest import clear, slider

PROSE = "The batch decides how many operations each byte of a weight is used for, and with them the bound. " * 8
MEASURE = """(paragraph) => {
    const range = document.createRange(), text = paragraph.firstChild, lines = [];
    for (let at = 0, top = null; at < text.length; at++) {
        range.setStart(text, at); range.setEnd(text, at + 1);
        const box = range.getBoundingClientRect();
        if (box.width && Math.round(box.top) !== top) { lines.push(0); top = Math.round(box.top); }
        lines[lines.length - 1]++;
    }
    return lines.slice(0, -1);
}"""
IN_SIGHT = """(node) => { const box = node.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return node === hit || node.contains(hit); }"""


@pytest.fixture(scope="module")
def view(lab, desk):
    desk.set_viewport_size({"width": 1440, "height": 900})
    lab.notebook(desk, "from chip2cluster import explore\nexplore.roofline()").open().run_all()
    desk.evaluate("window.jupyterapp.shell.collapseLeft()")
    view = desk.get_by_role("group", name="Roofline explorer")
    view.get_by_role("img").wait_for()
    yield view
    desk.set_viewport_size({"width": 1440, "height": 900})
    clear(desk)


def test_slider_stays_in_sight_at_200_percent(view):
    view.page.set_viewport_size({"width": 720, "height": 450})  # of a screen of 1440 x 900
    view.page.wait_for_function("innerWidth === 720")
    scroll = "(down) => document.querySelector('.jp-WindowedPanel-outer').scrollBy(0, down)"
    below = view.locator(".c2c-image").evaluate(
        "(image) => image.getBoundingClientRect().bottom - document.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect().bottom"
    )
    assert below > 0, "the picture is not whole before it is scrolled to"
    view.page.evaluate(scroll, below)
    assert slider(view).evaluate(IN_SIGHT)
    image = view.locator(".c2c-image").bounding_box()
    bar = view.locator(".c2c-controls").first.bounding_box()
    assert (image["y"] + image["height"] - bar["y"] - bar["height"]) / image["height"] > 0.6


def test_table_is_folded_on_a_phone_and_picture_says_so(view):
    view.page.set_viewport_size({"width": 390, "height": 844})
    view.locator(".c2c-narrow").wait_for()
    fold = view.get_by_role("button", name="Table", exact=True)
    assert fold.get_attribute("aria-expanded") == "false" and not view.get_by_role("table").count()
    fold.click()
    assert fold.get_attribute("aria-expanded") == "true" and view.get_by_role("table").is_visible()
    fold.click()
    picture = view.locator(".c2c-picture")
    if picture.evaluate("(box) => box.scrollWidth > box.clientWidth"):
        assert "linear-gradient" in picture.evaluate("(box) => getComputedStyle(box).backgroundImage")
    letters = view.locator(".c2c-image").evaluate(
        "(host) => Math.min(...[...host.shadowRoot.querySelectorAll('text')].map((text) => parseFloat(getComputedStyle(text).fontSize)"
        " * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b)))"
    )
    assert letters >= 11
    view.page.set_viewport_size({"width": 1440, "height": 900})
    view.locator(".c2c-narrow").wait_for(state="detached")
    assert view.get_by_role("table").is_visible() and not fold.is_visible()


def test_prose_has_65_to_75_letters_a_line(view):
    view.page.set_viewport_size({"width": 1440, "height": 900})
    view.page.evaluate(
        """async (prose) => {
            const { content, model } = window.jupyterapp.shell.currentWidget;
            model.sharedModel.insertCell(0, { cell_type: 'markdown', source: prose });
            content.activeCellIndex = 0;
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }""",
        PROSE,
    )
    paragraph = view.page.locator(".jp-RenderedMarkdown p", has_text="The batch decides")
    paragraph.wait_for()
    lines = paragraph.evaluate(MEASURE)
    assert len(lines) > 3 and 60 <= sum(lines) / len(lines) <= 78, lines
