"""Pictures that take the hand: grips that set a control, marks, rows and words that light each other."""

import json
import re

import pytest

from chip2cluster import draw, explore
from tests.book.films import opened
from tests.book.strips import EXPLORERS

# Options that a grip leads to when it is set down on the place of each, coming from each neighbour.
REACHED = """async (handles) => {
    const { nearest } = await import("./handle.js");
    return handles.map((handle) => handle.points.map((point, option) => point && [-1, 0, 1]
        .map((step) => Math.min(Math.max(option + step, 0), handle.points.length - 1))
        .map((present) => nearest(handle, ...point, present))));
}"""
CENTRE = """(view, name) => {
    const box = view.querySelector('[role=img]').shadowRoot.querySelector(`[data-control="${name}"] .c2c-ring`).getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
}"""
MARKS = """(view) => [...view.querySelector('[role=img]').shadowRoot.querySelectorAll('.c2c-lit')].map((mark) => mark.dataset.row)"""
LIT = "(view) => [...view.querySelectorAll('.c2c-lit')].map((node) => `${node.tagName} ${node.dataset.row}`)"


def places(view, name, explorer, options):
    """Where on the screen the grip is for each option."""
    picture = explorer.content()["picture"]
    handle = next(one for one in picture["handles"] if one["control"] == name)
    box = view.get_by_role("img").bounding_box()
    scale = box["width"] / picture["width"]
    return [(box["x"] + scale * x, box["y"] + scale * y) for x, y in (handle["points"][one] for one in options)]


def test_every_place_of_a_handle_leads_to_its_option(page, films):
    handles = [
        (name, handle)
        for name, kind in EXPLORERS.items()
        for narrow in (False, True)
        for handle in kind().content(narrow=narrow)["picture"]["handles"]
    ]
    assert len({name for name, _ in handles}) >= 20
    page.goto(f"{films}/ring.html")
    reached = page.evaluate(REACHED, [handle for _, handle in handles])
    for (name, handle), options in zip(handles, reached, strict=True):
        points = handle["points"]
        assert sum(point is not None for point in points) > 1, name
        for option, found in enumerate(options):
            # Two chips of one peak and bandwidth lie on one another.
            assert not found or all(points[one] == points[option] for one in found), (name, option, found)
            assert not found or found[1] == option


def test_drag_beside_a_mark_selects_no_text(page, films):
    view = opened(page, films, "ring")
    box = view.get_by_role("img").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] / 2)
    page.mouse.down()
    end = view.get_by_role("table").bounding_box()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()") == ""


@pytest.mark.parametrize("name", EXPLORERS)
def test_handles_lie_in_the_picture_and_fit_their_control(name):
    explorer = EXPLORERS[name]()
    for narrow in (False, True):
        content = explorer.content(narrow=narrow)
        texts = {control["name"]: control.get("texts") for control in content["controls"]}
        for handle in content["picture"]["handles"]:
            assert len(handle["points"]) == len(texts[handle["control"]])
            for x, y in filter(None, handle["points"]):
                assert 0 <= x <= content["picture"]["width"] and 0 <= y <= content["picture"]["height"]


def test_pointer_drags_a_chunk_through_the_ring(page, films):
    view = opened(page, films, "ring")
    step = view.get_by_role("slider", name=re.compile("Steps"))
    start, *way = places(view, "step", explore.ring(), range(1, 7))
    assert view.evaluate(CENTRE, "step") == pytest.approx(start, abs=1)
    page.mouse.move(*start)
    page.mouse.down()
    for number, place in enumerate(way, 2):  # once and a half round: places of the second round are those of the first
        page.mouse.move(*place, steps=4)
        assert step.input_value() == f"{number}"
        assert view.locator(".c2c-sentence").inner_text().startswith(f"Step {number} of 6")
    page.mouse.move(*way[-2], steps=4)
    page.mouse.up()
    page.mouse.move(*start, steps=4)
    assert step.input_value() == "5", "what moves after the hand let go does nothing"
    page.keyboard.press("ArrowRight")
    assert step.input_value() == "6" and view.evaluate(CENTRE, "step") == pytest.approx(way[-1], abs=1)


def test_grip_is_left_where_the_keyboard_puts_it(page, films):
    view = opened(page, films, "ring")
    view.get_by_role("slider", name=re.compile("Steps")).focus()
    for number, place in enumerate(places(view, "step", explore.ring(), range(2, 5)), 2):
        page.keyboard.press("ArrowRight")
        assert view.evaluate(CENTRE, "step") == pytest.approx(place, abs=1), number
    view.get_by_label("Collective").select_option("all-reduce by tree")
    assert view.get_by_role("img").evaluate("(image) => !image.shadowRoot.querySelector('.c2c-grip')")


def test_a_finger_drags_and_the_page_stays_where_it_is(browser, films):
    context = browser.new_context(viewport={"width": 390, "height": 500}, has_touch=True, is_mobile=True)
    page = context.new_page()
    view = opened(page, films, "generations")
    page.locator(".c2c-narrow").wait_for()
    grip = view.get_by_role("img").locator(".c2c-grip .c2c-target")
    grip.scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 60)")
    size = grip.bounding_box()
    assert min(size["width"], size["height"]) >= 40, "too small for a finger"
    picture = explore.generations().content(narrow=True)["picture"]
    names = [*explore.generations()._by_name["generation"].choices(explore.generations().values)]
    box, (handle,) = view.get_by_role("img").bounding_box(), picture["handles"]
    scale = box["width"] / picture["width"]
    place = lambda name: [offset + scale * at for offset, at in zip((box["x"], box["y"]), handle["points"][names.index(name)], strict=True)]  # fmt: skip
    before, touch = page.evaluate("scrollY"), context.new_cdp_session(page)
    send = lambda kind, *points: touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})  # fmt: skip
    send("touchStart", place("Ampere"))
    (x0, y0), (x1, y1) = place("Ampere"), place("Fermi")
    for part in range(1, 9):
        send("touchMove", (x0 + (x1 - x0) * part / 8, y0 + (y1 - y0) * part / 8))
    send("touchEnd")
    chosen = view.get_by_label("Follow").evaluate("(field) => field.selectedOptions[0].text")
    assert chosen == "Fermi" and page.evaluate("scrollY") == before
    context.close()


@pytest.mark.parametrize("what", ["row", "mark", "words", "focus"])
def test_mark_row_and_words_light_together(page, films, what):
    view = opened(page, films, "generations")
    assert not view.evaluate(LIT)
    if what == "row":
        view.locator("tr[data-row=Ampere]").hover()
    elif what == "words":
        view.locator(".c2c-sentence [data-row=Ampere]").first.hover()
    elif what == "mark":
        view.get_by_role("img").locator("[data-row=Ampere] text").first.hover()
    else:
        view.locator("tr[data-row=Fermi]").focus()
        assert "TR Fermi" in view.evaluate(LIT)
        for _ in range(5):
            page.keyboard.press("ArrowDown")
    assert {*view.evaluate(MARKS)} == {"Ampere"}
    assert {*view.evaluate(LIT)} == {"TR Ampere", "SPAN Ampere"}
    page.mouse.move(2, 2)
    view.get_by_label("Follow").focus()
    assert not view.evaluate(LIT) and not view.evaluate(MARKS)


def test_row_with_the_focus_keeps_it_when_the_table_changes(page, films):
    view = opened(page, films, "generations")
    view.locator("tr[data-row=Fermi]").focus()
    view.get_by_label("Follow").evaluate("(field) => { field.value = 3; field.dispatchEvent(new Event('input', { bubbles: true })); }")  # fmt: skip
    assert page.evaluate("document.activeElement.dataset.row") == "Fermi"
    assert page.locator("tr[tabindex='0']").count() == 1


def test_links_are_words_of_the_sentence_and_rows_of_the_table():
    linked = 0
    for name, kind in EXPLORERS.items():
        content = kind().content()
        rows = set(re.findall(r'data-row="([^"]*)"', content["table"]))
        for words, row in content["links"]:
            assert words in content["sentence"] and row in rows, (name, words, row)
            linked += 1
    assert linked > 40


DRAWINGS = {"Machine": draw.die(), "Accelerators": draw.dies()}
FRAMED = """() => [...document.querySelectorAll('.c2c-parts path')].filter((path) => path.checkVisibility())
    .filter((path) => getComputedStyle(path).opacity === '1').map((path) => path.dataset.part)"""


def framed(page, *parts):
    """Wait until these parts of the drawing are framed, and no others."""
    page.wait_for_function(f"(parts) => JSON.stringify(({FRAMED})()) === JSON.stringify(parts)", arg=list(parts))


@pytest.mark.parametrize("width", [1200, 390])
def test_drawing_frames_the_part_of_state_and_pointed_row(page, films, width):
    page.set_viewport_size({"width": width, "height": 900})
    view = opened(page, films, "machine")
    framed(page)
    page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", DRAWINGS["Machine"]._repr_html_())
    framed(page, "die hbm")
    slider = view.get_by_role("slider", name=re.compile("Bytes"))
    slider.focus()
    page.keyboard.press("Home")
    framed(page, "die sm")
    if width < 500:
        view.get_by_role("button", name="Table").click()
    view.locator("tr[data-row='host memory']").hover()
    framed(page, "die pcie")
    page.mouse.move(1, 1)
    framed(page, "die sm")
    box = page.locator(".c2c-drawing img:visible").bounding_box()
    assert page.locator(".c2c-parts:visible").bounding_box() == pytest.approx(box, abs=1)
    view.get_by_label("System").select_option("DGX A100")
    framed(page)


def test_parts_that_explorers_frame_are_drawn():
    pictures = {name: kind().content() for name, kind in EXPLORERS.items()}
    linked = {name: one for name, one in pictures.items() if "machine" in one["picture"]}
    assert linked.keys() == DRAWINGS.keys()
    for name, content in linked.items():
        machine = content["picture"]["machine"]
        for picture in (DRAWINGS[name], DRAWINGS[name].narrow):
            assert {machine["lit"], *machine["rows"].values()} <= picture.parts.keys()
        assert {*machine["rows"]} <= set(re.findall(r'data-row="([^"]*)"', content["table"]))


# Explorers whose picture has nothing that one row of the table is about, and why.
ONE = "the picture shows the marked row alone, the other rows are what other choices would give"
UNMARKED = {
    "Alignment": "the rows are neighboring sizes, which lie on one another in the picture",
    "Exchange": ONE,
    "Fit": ONE,
    "FlowControl": ONE,
    "Flows": ONE,
    "Pipeline": ONE,
    "Placement": ONE,
    "Serve": "the rows are waits of all users, the picture has the steps of the server; behind a router it has marks",
    "Shuffle": ONE,
    "Stripes": ONE,
    "Systolic": "both rows count all cells, up to now and in the whole run",
    "Traffic": ONE,
    "Warps": ONE,
}


def paired_rows(explorer, narrow=False):
    """Share of the rows that a mark of the picture belongs to; None without marks."""
    content = explorer.content(narrow=narrow)
    rows, marks = (set(re.findall(r'data-row="([^"]*)"', part)) for part in (content["table"], content["picture"]["svg"]))  # fmt: skip
    return len(rows & marks) / len(rows) if marks else None


@pytest.mark.parametrize("narrow", [False, True])
def test_marks_of_pictures_have_their_row(narrow):
    paired = {name: paired_rows(kind(), narrow) for name, kind in EXPLORERS.items()}
    assert {name for name, share in paired.items() if share is None} == UNMARKED.keys(), "add marks, or the reason"
    assert min(filter(None, paired.values())) > 0.4, json.dumps(paired)
    assert paired_rows(explore.serve(seen="4 replicas behind a router"), narrow) == 1
