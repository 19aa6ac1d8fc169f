"""Pictures of the book are files: light pages, pictures fetched when they come near, all of them on paper."""

import re
from base64 import b64encode

import pytest

from course.publish.book import picture_files
from tests.book.names import CHAPTERS, read
from tests.sampling import sampled

PAGE = "08_bisection.html"  # the most explorers
PICTURE = re.compile(r'<img [^>]*src="_static/pictures/[^>]*>')


def test_write_makes_one_file_of_two_equal_pictures(tmp_path):
    inside = [
        f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}" for svg in ("<svg>1</svg>", "<svg>2</svg>")
    ]
    html = "".join(f'<img alt="a" src="{inside[number]}" width="3" height="4">' for number in (0, 1, 0))
    made = picture_files.write(html, tmp_path)
    first, second, third = re.findall(r'<img alt="a" loading="lazy" src="_static/([^"]*)" width="3" height="4">', made)
    assert first == third != second and picture_files.names(made) == {f"_static/{first}", f"_static/{second}"}
    assert (tmp_path / first).read_text() == "<svg>1</svg>" and (tmp_path / second).read_text() == "<svg>2</svg>"
    assert picture_files.write("<p>words</p>", tmp_path) == "<p>words</p>"


def test_no_page_carries_a_picture_and_every_file_is_shown(site):
    named = set()
    for file in site.glob("*.html"):
        html = read(file)
        assert "data:image/svg+xml;base64" not in html, file.name
        named |= picture_files.names(html)
        for image in PICTURE.findall(html):
            assert 'loading="lazy"' in image and re.search(r'width="\d+" height="\d+"', image), image
    assert named == {f"{picture_files.FOLDER}/{file.name}" for file in (site / picture_files.FOLDER).iterdir()}


def test_decks_have_their_pictures_beside_them_at_once(slides):
    for file in slides.glob("[0-9]*.html"):
        html = read(file)
        assert 'loading="lazy"' not in html and "data:image/svg+xml;base64" not in html
        assert all((slides / name).is_file() for name in picture_files.names(html))


@pytest.fixture
def visited(browser, address):
    """Opens a page in a context of its own; gives it with the names of the pictures that it has fetched so far."""
    contexts = []

    def visit(name, **options):
        contexts.append(browser.new_context(**options))
        page, fetched = contexts[-1].new_page(), set()
        page.on(
            "requestfinished", lambda request: "/pictures/" in request.url and fetched.add(request.url.split("/")[-1])
        )
        page.add_init_script(
            "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => { window.shift += one.value; }))"
            ".observe({ type: 'layout-shift', buffered: true })"
        )
        page.goto(f"{address}/{name}", wait_until="networkidle")
        return page, fetched

    yield visit
    for context in contexts:
        context.close()


def images(page, kind):
    """The file names of the pictures of a page, ``wide`` or ``slim``."""
    return {
        address.split("/")[-1]
        for address in page.locator(f"img.c2c-{kind}").evaluate_all("all => all.map((one) => one.src)")
    }


def test_far_pictures_wait_and_paper_has_all(visited):
    page, fetched = visited(PAGE, viewport={"width": 1280, "height": 900})
    wide = images(page, "wide")
    assert len(wide) > 5 and not fetched >= wide
    page.pdf()
    assert fetched >= wide


@pytest.mark.parametrize("width, kind, other", [(1280, "wide", "slim"), (390, "slim", "wide")])
def test_the_picture_that_fits_is_fetched_and_nothing_moves(visited, width, kind, other):
    page, fetched = visited(sampled(CHAPTERS, 1)[0], viewport={"width": width, "height": 900})
    wanted, unwanted = images(page, kind), images(page, other)
    for image in page.locator(".c2c-drawing, .c2c-filmstrip").all():
        image.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    assert fetched & wanted and not fetched & (unwanted - wanted)
    assert page.evaluate("window.shift") < 0.01


def test_without_a_script_every_picture_is_there(visited):
    page, fetched = visited(PAGE, java_script_enabled=False, viewport={"width": 1280, "height": 900})
    assert fetched >= images(page, "wide")
    assert page.locator("img.c2c-wide").first.is_visible()
