"""An explorer in the real JupyterLab, by keyboard and by mouse."""

import re

import pytest

from chip2cluster import explore, specs
from chip2cluster.chapters.roofline.explorers.roofline import BATCHES
from tests.browser.conftest import clear, drawn, slider, wait_for

EXPLORER = "from chip2cluster import explore\nexplore.roofline()"


@pytest.fixture(scope="module")
def opened(lab, desk):
    """One notebook for all tests of this file, which only move the explorer; a fresh one takes seconds."""
    lab.notebook(desk, EXPLORER).open().run_all()
    view = desk.get_by_role("group", name="Roofline explorer")
    view.get_by_role("img").wait_for()
    yield view
    clear(desk)


@pytest.fixture
def explorer(opened):
    opened.page.set_viewport_size({"width": 1400, "height": 950})
    opened.locator("details").evaluate("(details) => { details.open = false }")
    opened.get_by_role("button", name="Reset").click()
    wait_for(opened, "At batch 1 the feed-forward layer reaches 0.7 % of the A100 SXM 80GB's 312 TFLOP/s in bf16")
    opened.locator("thead th").nth(5).wait_for(state="detached")
    return opened


CELLS = "() => window.jupyterapp.shell.currentWidget.content.widgets.length"


def test_no_letter_typed_on_a_control_reaches_the_notebook(explorer):
    cells = explorer.page.evaluate(CELLS)
    for control in (slider(explorer), explorer.get_by_label("Device"), explorer.get_by_role("button", name="Reset")):
        control.focus()
        for key in ("b", "a", "d", "d", "x", "z", "m", "y", "1", "Shift+M", "0", "0"):
            explorer.page.keyboard.press(key)
        assert control.evaluate("(control) => control === document.activeElement")
    assert explorer.page.evaluate(CELLS) == cells
    assert explorer.page.locator(".jp-Dialog").count() == 0
    assert explorer.page.locator(".jp-MarkdownCell").count() == 0


def test_focus_returns_to_the_control_after_a_rerender(explorer):
    box = slider(explorer).bounding_box()
    explorer.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    held = "(range) => range === document.activeElement"
    take = "window.jupyterapp.shell.currentWidget.content.node.focus()"
    for key in ("ArrowRight", "ArrowLeft"):
        explorer.page.keyboard.press(key)
        explorer.page.evaluate(take)
        explorer.page.wait_for_function(f"(range) => ({held})(range)", arg=slider(explorer).element_handle())
    explorer.page.keyboard.press("Tab")
    assert explorer.get_by_text("More", exact=True).evaluate(held), "who leaves by Tab is let go"
    explorer.page.locator(".jp-InputArea-editor:visible").first.click()
    assert not explorer.page.evaluate("document.activeElement.closest('.c2c') !== null"), "and who clicks elsewhere"


def attainable(view):
    """The rate of the marked row, as the table prints it."""
    return view.locator("tr.c2c-marked td").nth(1).inner_text()


def test_the_keyboard_moves_the_slider_and_everything_follows(explorer):
    image = explorer.get_by_role("img")
    wait_for(explorer, "At batch 1 ")
    seen = [drawn(image)]
    slider(explorer).focus()
    for key, words, tokens in (
        ("ArrowRight", "At batch 2 ", "2 tokens"),
        ("End", "At batch 4,096 ", "4,096 tokens"),
        ("ArrowLeft", "At batch 3,584 ", "3,584 tokens"),
        ("Home", "At batch 1 ", "1 token"),
    ):
        explorer.page.keyboard.press(key)
        wait_for(explorer, words)
        assert slider(explorer).get_attribute("aria-valuetext") == tokens
        assert explorer.locator(".c2c-value").first.inner_text() == tokens
        title = re.search(r'font-size="18"[^>]*>([^<]+)', drawn(image)).group(1)
        assert image.get_attribute("aria-label").startswith(f"{title}.")
        assert f"{attainable(explorer)} TFLOP/s" in image.get_attribute("aria-label")
        seen.append(drawn(image))
        assert seen[-1] != seen[-2]
    assert seen[-1] == seen[0]
    assert slider(explorer).evaluate("(range) => range === document.activeElement"), "JupyterLab took the keys"


def test_a_drag_ends_where_the_hand_stops(explorer):
    box = slider(explorer).bounding_box()
    middle = box["y"] + box["height"] / 2
    explorer.page.mouse.move(box["x"] + 8, middle)
    explorer.page.mouse.down()
    for step in range(60):
        explorer.page.mouse.move(box["x"] + 8 + (box["width"] - 16) * step / 59, middle)
    explorer.page.mouse.up()
    wait_for(explorer, "At batch 4,096 ")
    assert explorer.get_by_role("img").get_attribute("aria-label").startswith("Compute-bound: all of 312 TFLOP/s.")
    assert slider(explorer).input_value() == slider(explorer).get_attribute("max")


def layers(image):
    """How many layers the picture has, handles not counted."""
    return image.evaluate("(host) => host.shadowRoot.querySelectorAll('div > svg').length")


def grip(view):
    """Middle of the grip in the picture, px of the page."""
    box = view.get_by_role("img").locator(".c2c-grip .c2c-ring").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_point_of_the_picture_is_dragged_to_a_batch(explorer):
    x, y = grip(explorer)
    picture = explore.roofline().content()["picture"]
    (handle,), box = picture["handles"], explorer.get_by_role("img").bounding_box()
    to = box["x"] + handle["points"][BATCHES.index(64)][0] * box["width"] / picture["width"]
    explorer.page.mouse.move(x, y)
    explorer.page.mouse.down()
    explorer.page.mouse.move(to, y + 40, steps=30)
    wait_for(explorer, "At batch 64 ")
    explorer.page.mouse.up()
    assert slider(explorer).get_attribute("aria-valuetext") == "64 tokens" and grip(explorer)[0] == pytest.approx(
        to, abs=1
    )
    explorer.page.keyboard.press("ArrowRight")
    wait_for(explorer, "At batch 80 ")


def test_list_is_searched_and_grouped_by_maker(explorer):
    device = explorer.get_by_label("Device")
    assert "NVIDIA" in device.evaluate("(field) => [...field.querySelectorAll('optgroup')].map((group) => group.label)")
    find = explorer.get_by_role("searchbox", name="Search the list").first
    find.fill("amd 300")
    shown = device.evaluate("(field) => [...field.options].map((option) => option.text)")
    assert {"MI300X", "A100 SXM 80GB"} <= set(shown) and len(shown) < 6
    find.press("Enter")
    wait_for(explorer, "the MI300X's")
    assert device.evaluate("(field) => field.selectedOptions[0].text") == "MI300X" and find.input_value() == ""
    assert device.evaluate("(field) => field.options.length") == len(specs.accelerators())


# Watches a picture and looks at it before every screen frame.
WATCH = """(image) => {
    const layers = () => [...image.shadowRoot.querySelectorAll('div > svg')];
    const [back] = layers();
    const seen = window.seen = { pictures: 0, frames: 0, bare: 0, back: 0, running: true };
    new MutationObserver((records) => {
        seen.pictures++;
        if (layers().length !== 2 || records.some((record) => !record.addedNodes.length)) seen.bare++;
    }).observe(image.shadowRoot, { childList: true, subtree: true });
    const look = () => {
        seen.frames++;
        const boxes = layers().map((layer) => layer.getBoundingClientRect());
        if (boxes.length !== 2 || boxes.some((box) => box.width < 500 || box.height < 300)) seen.bare++;
        if (layers()[0] !== back) seen.back++;
        if (seen.running) requestAnimationFrame(look);
    };
    look();
}"""


def test_the_picture_never_flickers_and_what_stays_is_left_alone(explorer):
    image = explorer.get_by_role("img")
    assert layers(image) == 2
    image.evaluate(WATCH)
    slider(explorer).focus()
    for batch in (2, 3, 4, 5, 6):
        explorer.page.keyboard.press("ArrowRight")
        wait_for(explorer, f"At batch {batch} ")
    seen = explorer.page.evaluate("() => { window.seen.running = false; return window.seen }")
    assert seen["pictures"] >= 5 and seen["frames"] > 0
    assert seen["bare"] == 0 and seen["back"] == 0


def test_a_device_changes_what_stays(explorer):
    image = explorer.get_by_role("img")
    explorer.get_by_label("Device").select_option("H100 SXM")
    wait_for(explorer, "H100 SXM's 989 TFLOP/s")
    assert "ridge 295 FLOP/byte" in drawn(image) and "ridge 153 FLOP/byte" not in drawn(image)
    assert layers(image) == 2


def test_picture_style_is_isolated_from_the_page(explorer):
    image = explorer.get_by_role("img")
    assert explorer.get_by_role("img").count() == 1, "the layers are no images of their own"
    family = image.evaluate(
        "(host) => getComputedStyle(host.shadowRoot.querySelector('svg:last-child text')).fontFamily"
    )
    assert "Arial" in family and "var(" not in family
    style = "text, svg { display: none !important; letter-spacing: 9px !important }"
    added = explorer.page.add_style_tag(content=style)
    box = image.evaluate("(host) => host.shadowRoot.querySelector('svg:last-child text').getBoundingClientRect().width")
    added.evaluate("(tag) => tag.remove()")
    assert 100 < box < 400


def test_a_fast_drag_leaves_no_backlog_and_never_jumps_back(explorer):
    """One message in flight: a hundred events give far fewer frames, and the slider stays where it is put."""
    wait_for(explorer, "At batch 1 ")
    result = slider(explorer).evaluate(
        """async (range) => {
            const picture = document.querySelector('.c2c-picture [role=img]').shadowRoot;
            let frames = 0, jumps = 0;
            new MutationObserver(() => frames++).observe(picture, { childList: true, subtree: true });
            for (let n = 0; n < 100; n++) {
                const value = n < 99 ? n % 19 : 19;  // where it ends it was not before
                range.value = value;
                range.dispatchEvent(new Event('input', { bubbles: true }));
                await new Promise((done) => setTimeout(done, 2));  // the speed of the drag
                if (Number(range.value) !== value) jumps++;
            }
            const sentence = document.querySelector('.c2c-sentence'), start = performance.now();
            while (!sentence.textContent.includes('At batch 64 ')) {
                if (performance.now() - start > 60000) throw new Error(sentence.textContent);
                await new Promise((done) => requestAnimationFrame(done));
            }
            const before = frames;
            await new Promise((done) => setTimeout(done, 400));  // late frames need time to arrive
            return { frames, jumps, late: frames - before };
        }"""
    )
    assert result["jumps"] == 0 and result["late"] == 0
    assert 1 <= result["frames"] < 80


def test_a_device_without_the_precision_says_so(explorer):
    explorer.get_by_label("Device").select_option("H100 SXM")
    wait_for(explorer, "H100 SXM's 989 TFLOP/s")
    explorer.get_by_label("Precision").select_option("fp8")
    wait_for(explorer, "in fp8")
    explorer.get_by_label("Device").select_option("A100 SXM 80GB")
    wait_for(explorer, "Precision: fp8 is not offered here, showing bf16.")
    assert explorer.get_by_label("Precision").evaluate("(select) => select.selectedOptions[0].text") == "bf16"


def test_more_controls_a_second_device_and_reset(explorer):
    start = drawn(explorer.get_by_role("img"))
    explorer.get_by_text("More", exact=True).click()
    explorer.get_by_label("Compare with").select_option("B200")
    wait_for(explorer, "On the B200 it reaches")
    assert explorer.locator("thead th").count() == 7
    assert "B200: the roof rises" in explorer.get_by_role("img").get_attribute("aria-label")
    explorer.get_by_role("button", name="Reset").click()
    explorer.locator("thead th").nth(6).wait_for(state="detached")
    assert drawn(explorer.get_by_role("img")) == start
    assert explorer.get_by_label("Compare with").evaluate("(select) => select.selectedOptions[0].text") == "none"


def test_every_control_has_a_name_a_size_and_a_visible_focus(explorer):
    explorer.get_by_text("More", exact=True).click()
    fields = explorer.locator("input, select, button:visible, summary")
    assert fields.count() == 13  # two lists can be searched
    for field in fields.all():
        name = field.evaluate("(node) => node.labels?.[0]?.innerText || node.innerText || node.ariaLabel")
        assert name.strip(), field.evaluate("(node) => node.outerHTML")
        box = field.bounding_box()
        assert box["width"] >= 24 and box["height"] >= 24
    slider(explorer).focus()
    explorer.page.keyboard.press("Shift+Tab")
    assert explorer.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("width", [640, 1400])
def test_nothing_is_cut_off(explorer, width):
    explorer.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    explorer.page.set_viewport_size({"width": width, "height": 900})
    picture, table = explorer.locator(".c2c-picture"), explorer.locator(".c2c-table")
    explorer.page.wait_for_function("window.innerWidth === " + str(width))
    for part in (explorer, picture, table, explorer.locator(".c2c-sentence")):
        assert part.evaluate("(node) => node.scrollWidth - node.clientWidth") <= 1
    there = picture.bounding_box()
    assert (table.bounding_box()["x"] >= there["x"] + there["width"]) == (width == 1400)
    assert explorer.get_by_role("img").bounding_box()["width"] >= 508
