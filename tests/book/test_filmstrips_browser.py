"""Filmstrips in a browser: they move as the explorer does, and where they cannot, the still stays and says why."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from chip2cluster import explore
from chip2cluster.draw import palette
from tests import serving

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="_static/explorer.css">
<script type="module" src="_static/filmstrip.js"></script></head><body><main><h1>A page</h1><div style="height: {}px"></div>{}<p>What follows.</p></main></body></html>"""


@pytest.fixture(scope="module")
def served(strips):
    """Gives the address of a page with the strips of the explorers named."""
    with serving.served(strips.folder) as address:

        def show(*names, gap=0):
            file = f"{'-'.join(names).lower()}-{gap}.html"
            (strips.folder / file).write_text(PAGE.format(gap, "".join(map(strips.html, names))), encoding="utf-8")
            return f"{address}/{file}"

        yield show


@pytest.fixture(scope="module")
def reader(browser):
    """A page of the browser for all that is shown here; a new one takes as long as a test."""
    context = browser.new_context()
    context.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => { window.shift += one.value; }))"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    yield context.new_page()
    context.close()


@pytest.fixture
def opened(reader, served):
    """Opens a page of strips; at the end nothing may have gone wrong in it."""
    wrong = []
    listeners = {
        "pageerror": lambda error: wrong.append(str(error)),
        "console": lambda message: message.type in ("error", "warning") and wrong.append(message.text),
    }
    for event, listener in listeners.items():
        reader.on(event, listener)

    def show(*names, width=800):
        reader.set_viewport_size({"width": width, "height": 900})
        reader.goto(served(*names))
        reader.locator(".c2c-live").first.wait_for()
        return reader, reader.locator(".c2c-live").first

    yield show
    reader.emulate_media(media="screen")
    reader.goto("about:blank")
    for event, listener in listeners.items():
        reader.remove_listener(event, listener)
    assert not wrong


SAME = """(view, { back, picture, table, sentence }) => {
    const image = view.querySelector('[role=img]'), said = new XMLSerializer(), wanted = document.createElement('table');
    wanted.innerHTML = table;
    const drawn = [...image.shadowRoot.querySelectorAll('div > svg')].map((svg) => said.serializeToString(svg));
    const asked = [back, picture.svg].filter(Boolean).map((svg) =>
        said.serializeToString(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement));
    return { picture: JSON.stringify(drawn) === JSON.stringify(asked), alt: image.getAttribute('aria-label') === picture.alt,
        table: view.querySelector('table').innerHTML.replace(/ tabindex="-?\\d"/g, '') === wanted.innerHTML,
        sentence: view.querySelector('.c2c-sentence').textContent.replaceAll('\u00a0', ' ') === sentence };
}"""


def same(view, explorer):
    """Whether the page shows what the explorer says, part by part."""
    return {name for name, yes in view.evaluate(SAME, explorer.content()).items() if not yes} == set()


def test_the_keyboard_moves_the_reel_and_everything_follows(opened):
    page, view = opened("Machine")
    explorer = explore.machine()
    reel = view.get_by_role("slider", name=re.compile("Bytes"))
    assert same(view, explorer)
    reel.focus()
    for key, size in (("ArrowRight", 20 * 10**9), ("End", 10**12), ("ArrowLeft", 5 * 10**11), ("Home", 1)):
        page.keyboard.press(key)
        assert same(view, explorer.set(message=size))
        assert reel.get_attribute("aria-valuetext") == explorer._by_name["message"].written(size)
    view.get_by_label("System").select_option("DGX B200")
    assert same(view, explorer.set(system="DGX B200")) and not same(view, explore.machine())
    view.get_by_label("Axis").select_option("time")
    assert same(view, explorer.set(axis="time"))
    view.get_by_role("button", name="Reset").click()
    assert same(view, explorer.reset()) and reel.get_attribute("aria-valuetext") == "16 GB"
    assert view.get_by_label("System").evaluate("(field) => field.selectedOptions[0].text") == "DGX H100"


def test_what_is_not_offered_is_said_as_in_the_notebook(opened):
    _, view = opened("Protocols")
    explorer = explore.protocols()
    methods = view.get_by_label("Methods", exact=True)
    shown = "(field) => [...field.options].map((option) => option.text)"
    methods.select_option("no in-network reduction")
    assert same(view, explorer.set(methods="no in-network reduction"))
    view.get_by_label("Machine", exact=True).select_option("8 A100")
    explorer.set(machine="8 A100")
    assert explorer.sentence.startswith("Methods: no in-network reduction is not offered here") and same(view, explorer)
    assert methods.evaluate(shown) == list(explorer._by_name["methods"].choices(explorer.values)) == ["all methods"]


def test_a_checkbox_and_a_reel_that_changes_its_length(opened):
    page, view = opened("Systolic")
    explorer = explore.systolic()
    view.get_by_role("slider", name=re.compile("Cycle")).focus()
    page.keyboard.press("End")
    assert same(view, explorer.set(cycle=14))
    rows = view.get_by_role("slider", name=re.compile("Rows of A"))
    rows.focus()
    page.keyboard.press("Home")
    assert "Cycle: 14 is not offered here, showing 11." in explorer.set(rows_of_a=1).sentence and same(view, explorer)
    # A single tile has no next one to load ahead.
    weights = view.get_by_label("Weights B")
    weights.select_option(index=2)
    assert same(view, explorer.set(weights=(8, 8)))
    view.get_by_text("More", exact=True).click()
    box = view.get_by_label("Load the next tile while this one computes")
    for checked in (True, False):
        box.set_checked(checked)
        assert same(view, explorer.set(overlap=checked)) and box.is_checked() == checked


def test_live_view_replaces_the_still_without_layout_shift(opened):
    for name in ("Ring", "Systolic", "Protocols"):
        for width in (400, 800, 1300):
            page, _ = opened(name, width=width)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert page.evaluate("window.shift") == 0, f"{name} at {width} px"
            assert not page.locator(".c2c-still").is_visible()
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_phone_shows_narrow_pictures_without_side_scroll(opened):
    page, view = opened("Ring", width=800)
    explorer = explore.ring()
    view.get_by_role("slider", name=re.compile("Step")).focus()
    page.keyboard.press("ArrowRight")
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".c2c-live .c2c-narrow").wait_for()
    assert fetched[-1].endswith("ring.narrow.strip")
    # The same frame as before, narrow; and back again, for which nothing is fetched.
    explorer.set(step=2)
    assert {n for n, yes in view.evaluate(SAME, explorer.content(narrow=True)).items() if not yes} == set()
    assert page.evaluate("() => { const box = document.querySelector('.c2c-live .c2c-picture');"
                         " return box.scrollWidth - box.clientWidth; }") == 0  # fmt: skip
    smallest = "(image) => Math.min(...[...image.shadowRoot.querySelectorAll('text')].map((text) => text.getBBox().height" \
               " / 1.15 * image.clientWidth / 340))"  # fmt: skip
    assert view.get_by_role("img").evaluate(smallest) >= 11
    before = len(fetched)
    page.set_viewport_size({"width": 800, "height": 900})
    page.locator(".c2c-live .c2c-narrow").wait_for(state="detached")
    assert same(view, explorer) and len(fetched) == before


def test_a_still_on_a_phone_is_narrow_and_on_paper_wide(opened):
    page, _ = opened("Ring", width=390)
    shown = "[...document.querySelectorAll('.c2c-still img')].filter((image) => image.offsetWidth).map((image) => image.className)"
    page.evaluate("document.querySelector('.c2c-live').remove()")
    assert page.evaluate(shown) == ["c2c-slim"]
    page.set_viewport_size({"width": 800, "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate(shown) == ["c2c-wide"]


def test_a_strip_is_fetched_only_when_it_comes_near(opened, served):
    page, view = opened("Ring", "Bisection")
    page.locator("[data-filmstrip-state=live]").nth(1).wait_for(state="attached")
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(served("Ring", "Bisection", gap=5000), wait_until="networkidle")
    assert page.locator("[data-filmstrip-state=waiting]").count() == 2 and not any(
        url.endswith(".strip") for url in fetched
    )
    page.locator("[data-filmstrip]").first.scroll_into_view_if_needed()
    view.wait_for()
    # Or as soon as somebody goes by the keyboard, who would step over controls that are not there.
    page.reload(wait_until="networkidle")
    page.keyboard.press("Tab")
    page.locator("[data-filmstrip-state=live]").nth(1).wait_for(state="attached")


def test_on_paper_there_is_the_still(opened):
    page, view = opened("Ring")
    page.emulate_media(media="print")
    assert (
        not view.is_visible()
        and page.locator(".c2c-still .c2c-wide").is_visible()
        and page.locator(".c2c-still table").is_visible()
    )
    assert not page.locator(".c2c-waiting").is_visible()


@pytest.mark.parametrize(
    "theme, width",
    [
        ("light", 400),
        ("dark", 1100),
        *(pytest.param(*pair, marks=pytest.mark.prove) for pair in (("light", 1100), ("dark", 400))),
    ],
)
def test_axe_finds_nothing(opened, theme, width):
    page, view = opened("Systolic", "Bisection", width=width)
    page.locator(".c2c-live").nth(1).wait_for(state="attached")
    if theme == "dark":
        page.add_style_tag(content=":root { --jp-ui-font-color1: #e6e9ee; --jp-ui-font-color2: #aab2c0; "
                           "--jp-layout-color1: #1c2128; --jp-brand-color1: #69a9ff; background: #14181e; color: #e6e9ee; }")  # fmt: skip
    view.get_by_text("More", exact=True).click()
    found = Axe().run(page).response["violations"]
    assert not [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]


def test_browser_without_decompression_keeps_the_still(browser, served):
    context = browser.new_context()
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(served("Ring"))
    page.get_by_text("The controls could not be loaded").wait_for()
    assert page.locator(".c2c-still .c2c-wide").is_visible() and not page.locator(".c2c-live").count()
    context.close()


def test_without_frames_the_still_stays_and_says_why(browser, served):
    context = browser.new_context()
    page = context.new_page()
    page.route("**/*.strip", lambda route: route.abort())
    page.goto(served("Ring"))
    page.get_by_text("The controls could not be loaded").wait_for()
    assert page.locator(".c2c-still .c2c-wide").is_visible() and page.locator(".c2c-still table").is_visible()
    assert not page.locator(".c2c-live").count() and not page.get_by_role("slider").count()
    page.unroute_all()
    page.route("**/*.strip", lambda route: route.fulfill(body='{"title": "half a film"}'))
    page.reload()
    page.get_by_text("The controls could not be loaded").wait_for()
    assert page.locator(".c2c-still .c2c-wide").is_visible() and not page.locator(".c2c-live").count()
    context.close()


def test_from_a_file_the_still_stays_and_says_why(browser, served, strips):
    served("Ring")
    context = browser.new_context()
    page = context.new_page()
    page.goto((strips.folder / "ring-0.html").as_uri())
    page.get_by_text("The controls need a page that came over http").wait_for()
    assert page.locator(".c2c-still .c2c-wide").is_visible() and not page.get_by_role("slider").count()
    context.close()


def test_without_a_script_the_still_and_its_table_are_there(browser, served):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(served("Ring"))
    assert page.locator(".c2c-still .c2c-wide").is_visible() and page.locator(".c2c-still table").is_visible()
    assert explore.ring().sentence in page.locator(".c2c-still").inner_text()
    assert not page.locator(".c2c-waiting").is_visible()
    assert page.get_by_text("The controls of this picture need JavaScript").is_visible()
    context.close()


def test_in_the_dark_the_paper_is_dark_and_its_letters_light(opened):
    page, view = opened("Ring")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    look = """(image) => [getComputedStyle(image.parentNode).backgroundColor,
        ...new Set([...image.shadowRoot.querySelectorAll('text')].map((text) => getComputedStyle(text).fill))]"""
    rgb = [
        f"rgb({', '.join(map(str, bytes.fromhex(palette.DARK[one][1:])))})"
        for one in (palette.PAPER, palette.INK, palette.MUTED)
    ]
    assert view.get_by_role("img").evaluate(look)[0] == rgb[0]
    assert set(view.get_by_role("img").evaluate(look)) == set(rgb)
    page.emulate_media(media="print")
    paper = "(box) => getComputedStyle(box).backgroundColor"
    assert page.locator(".c2c-still .c2c-picture").evaluate(paper) == "rgb(255, 255, 255)"
