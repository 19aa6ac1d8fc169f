"""Zoomed in, on a phone, and beside prose: hand and picture are seen together, and lines have a length to read."""

import io

import numpy as np
import pytest
from PIL import Image

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
    source = "from chip2cluster import draw, explore\ndisplay(draw.compute_tray())\nexplore.roofline()"
    lab.notebook(desk, source).open().run_all()
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


def test_table_is_folded_on_a_phone(view):
    view.page.set_viewport_size({"width": 390, "height": 844})
    view.locator(".c2c-narrow").wait_for()
    fold = view.get_by_role("button", name="Table", exact=True)
    assert fold.get_attribute("aria-expanded") == "false" and not view.get_by_role("table").count()
    fold.click()
    assert fold.get_attribute("aria-expanded") == "true" and view.get_by_role("table").is_visible()
    fold.click()
    letters = view.locator(".c2c-image").evaluate(
        "(host) => Math.min(...[...host.shadowRoot.querySelectorAll('text')].map((text) => parseFloat(getComputedStyle(text).fontSize)"
        " * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b)))"
    )
    assert letters >= 11
    view.page.set_viewport_size({"width": 1440, "height": 900})
    view.locator(".c2c-narrow").wait_for(state="detached")
    assert view.get_by_role("table").is_visible() and not fold.is_visible()


def edges(box):
    """How bright a box is at its left and right edge, 0 to 255."""
    shown = np.asarray(Image.open(io.BytesIO(box.screenshot())).convert("L")).astype(int)
    return np.median(shown[:, 1]), np.median(shown[:, -2])


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_picture_that_goes_on_throws_a_shadow_there(view, theme):
    page = view.page
    change = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
    page.evaluate(change, theme)
    page.locator(f"body[data-jp-theme-light='{str(theme.endswith('Light')).lower()}']").wait_for(state="attached")
    page.set_viewport_size({"width": 390, "height": 844})
    view.locator(".c2c-narrow").wait_for()
    for box in (page.locator(".c2c-drawing"), view.locator(".c2c-picture")):
        box.scroll_into_view_if_needed()
        assert box.evaluate("(box) => box.scrollWidth > box.clientWidth")
        left, right = edges(box)
        box.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
        left_after, right_after = edges(box)
        box.evaluate("(box) => { box.scrollLeft = 0; }")
        assert abs(right - right_after) > 15 and abs(left - left_after) > 15
        # Beside the shadow an edge is as it would be without one.
        assert abs(right_after - left) < 8
    image = page.locator(".c2c-drawing img:visible")
    assert 13 * image.bounding_box()["width"] / int(image.get_attribute("width")) >= 10.99
    page.evaluate(change, "JupyterLab Light")
    page.locator("body[data-jp-theme-light='true']").wait_for(state="attached")
    page.set_viewport_size({"width": 1440, "height": 900})


def write(page, markdown):
    """Put a cell of prose at the top of the notebook."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.evaluate(
        """async (prose) => {
            const { content, model } = window.jupyterapp.shell.currentWidget;
            model.sharedModel.insertCell(0, { cell_type: 'markdown', source: prose });
            content.activeCellIndex = 0;
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }""",
        markdown,
    )


def test_prose_has_65_to_75_letters_a_line(view):
    write(view.page, PROSE)
    paragraph = view.page.locator(".jp-RenderedMarkdown p", has_text="The batch decides")
    paragraph.wait_for()
    lines = paragraph.evaluate(MEASURE)
    assert len(lines) > 3 and 62 <= sum(lines) / len(lines) <= 76, lines


def test_prose_headings_and_code_are_of_the_scale(view):
    write(view.page, "# A title\n\n## A part\n\n### A piece\n\nWords with `code`.\n\n| a |\n|---|\n| b |")
    cell = view.page.locator(".jp-RenderedMarkdown", has_text="Words with")
    cell.wait_for()
    found = cell.evaluate(
        """(cell) => {
            const of = (selector) => getComputedStyle(cell.querySelector(selector)), px = (selector) => parseFloat(of(selector).fontSize);
            const scale = (name) => parseFloat(of("p").getPropertyValue(`--c2c-${name}`));
            return { sizes: ["p", "h1", "h2", "h3", "code", "table"].map(px), lines: ["p", "h1"].map((name) => parseFloat(of(name).lineHeight)),
                families: ["p", "code"].map((name) => of(name).fontFamily.split(",")[0]),
                scale: ["h1", "h2", "h3", "code", "line", "heading-line", "text"].map(scale) };
        }"""
    )
    prose, *sizes, table = found["sizes"]
    h1, h2, h3, code, line, heading_line, text = found["scale"]
    assert prose == 15 and table == text  # the 14 px that JupyterLab has at first, and a step more
    assert sizes == pytest.approx([prose * times for times in (h1, h2, h3, code)], rel=0.01)
    assert found["lines"] == pytest.approx([prose * line, sizes[0] * heading_line], rel=0.01)
    assert found["families"] == ["system-ui", "ui-monospace"]
