"""Slides on a projector: large enough in the last row, nothing cut off, the keyboard, the dark, and paper."""

import io
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from course.publish.slides import build

MEASURE = Path(__file__).with_name("slides_measure.js").read_text(encoding="utf-8")
SIZES = {720: (1280, 24, 16), 1080: (1920, 36, 24)}  # height: width, px of letters, px of letters inside pictures
THREE = ("03_roofline", "07_collectives", "16_design")


@pytest.fixture(scope="module")
def screen(browser):
    """A page that moves nothing by itself."""
    context = browser.new_context(reduced_motion="reduce", color_scheme="light")
    yield context.new_page()
    context.close()


@pytest.fixture
def opened(screen, slides):
    """Opens a deck from the disk; nothing may be asked of anywhere else, nothing go wrong."""
    wrong = []
    listeners = {
        "pageerror": lambda error: wrong.append(str(error)),
        "console": lambda message: message.type in ("error", "warning") and wrong.append(message.text),
        "request": lambda request: (
            wrong.append(request.url) if not re.match("file:|data:|blob:", request.url) else None
        ),
    }
    for event, listener in listeners.items():
        screen.on(event, listener)

    def show(name, height=720, after=""):
        screen.set_viewport_size({"width": SIZES[height][0], "height": height})
        screen.goto(f"{(slides / name).as_uri()}.html{after}")
        screen.wait_for_function("Reveal.isReady()")
        return screen

    yield show
    for event, listener in listeners.items():
        screen.remove_listener(event, listener)
    assert not wrong


def measured(page, height, ends=False):
    found = page.evaluate(MEASURE, [*SIZES[height][1:], ends])
    return len(found), {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("height", SIZES)
@pytest.mark.parametrize("name", THREE)
def test_every_slide_is_large_enough_and_whole(opened, name, height):
    count, wrong = measured(opened(name, height), height)
    assert count >= 20 and not wrong


@pytest.mark.prove
@pytest.mark.parametrize("height", SIZES)
def test_slides_fit_in_every_state_of_their_strips(opened, slides, height):
    names = sorted(file.stem for file in slides.glob("[0-9]*.html"))
    assert names == [file.stem for file in build.chapters()]
    assert not {name: wrong for name in names if (wrong := measured(opened(name, height), height, ends=True)[1])}


def test_the_keyboard_goes_through_the_deck_and_moves_a_strip(opened):
    page = opened("03_roofline")
    name = lambda: page.evaluate("Reveal.getCurrentSlide().id")
    assert name() == "title"
    page.keyboard.press("Space")
    assert name() == "question"
    page.keyboard.press("Shift+Space")
    assert name() == "title"
    page = opened("07_collectives", after="#/explore-ring")
    view = page.locator(".present .c2c-live")
    view.wait_for()
    before = view.locator(".c2c-sentence").inner_text()
    view.locator("input[type=range]").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert name() == "explore-ring" and view.locator(".c2c-sentence").inner_text() != before
    page.keyboard.press("Escape")  # gives the keyboard back, and no more
    assert not page.evaluate("Reveal.isOverview()") and page.evaluate("document.activeElement === document.body")
    view.locator("input[type=range]").first.focus()
    page.keyboard.press("PageDown")
    assert name() != "explore-ring"


# What a deck has on paper is all of it at once. Paper is white, so the dark brings its own.
DARK = "html, body, .pdf-page { background: var(--paper) !important; }"
STILL = "* { transition: none !important; animation: none !important; }"  # or colours are on their way


def violations(page):
    # Without preload axe does not read the style sheets again, which a file may not.
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    return [(one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"][:200]) for one in found]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [file.stem for file in build.chapters()])
def test_axe_finds_nothing_in_a_deck(opened, name):
    page = opened(name, after="?print-pdf")
    page.locator(".pdf-page").first.wait_for()
    page.add_style_tag(content=STILL)
    assert violations(page) == []
    page.add_style_tag(content=DARK)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_a_moving_picture(opened, theme):
    page = opened("07_collectives", after="#/explore-ring")
    page.locator(".present .c2c-live").wait_for()
    page.add_style_tag(content=STILL)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    assert violations(page) == []


def test_axe_finds_nothing_in_the_list_of_decks(screen, slides):
    screen.goto((slides / "index.html").as_uri())
    assert violations(screen) == []


def test_the_right_arrow_shows_every_slide_in_order(opened):
    page = opened("03_roofline")
    names = page.eval_on_selector_all("section[data-timing]", "all => all.map((one) => one.id)")
    seen = [page.evaluate("Reveal.getCurrentSlide().id")]
    for _ in names[1:]:
        page.keyboard.press("ArrowRight")
        seen.append(page.evaluate("Reveal.getCurrentSlide().id"))
    assert seen == names and page.evaluate("Reveal.isLastSlide()")


def test_the_dark_is_one_key_away_and_stays(opened):
    page = opened("03_roofline")
    paper = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper() == "rgb(255, 255, 255)"
    page.keyboard.press("d")
    assert paper() == "rgb(20, 23, 29)"
    opened("07_collectives")
    assert paper() == "rgb(20, 23, 29)"
    page.keyboard.press("d")
    assert paper() == "rgb(255, 255, 255)"


def test_the_speaker_has_notes_and_time(opened):
    page = opened("03_roofline", after="#/predict-faster-chip")
    note = page.locator(".present.predict aside.notes")
    assert "It is 40 tokens/s." in note.text_content() and not note.is_visible()
    assert all(
        int(seconds) >= 20
        for seconds in page.eval_on_selector_all("section[data-timing]", "all => all.map((one) => one.dataset.timing)")
    )
    with page.expect_popup() as popup:
        page.keyboard.press("s")
    speaker = popup.value
    speaker.get_by_text("It is 40 tokens/s.").first.wait_for()
    speaker.close()


def test_it_prints_one_page_a_slide(opened):
    page = opened("16_design", after="?print-pdf")
    page.locator(".pdf-page").first.wait_for()
    count = page.evaluate("Reveal.getTotalSlides()")
    paper = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", io.BytesIO(paper).getvalue())) == count
