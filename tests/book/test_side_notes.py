"""Short notes stand in the margin where a window is wide, and wide pictures take the whole width."""

import shutil
from pathlib import Path

import pytest
from docutils import nodes

from chip2cluster import explore
from chip2cluster.explore import script
from course.publish import filmstrips
from course.publish.book import side_notes
from tests.book.names import CHAPTERS
from tests.book.strips import FILMSTRIP
from tests.serving import served

BOOK = Path(side_notes.__file__).parent
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="_static/explorer.css"><link rel="stylesheet" href="_static/book.css"><link rel="stylesheet" href="_static/cards.css">
<script type="module" src="_static/filmstrip.js"></script></head><body><article class="bd-article" style="width: 944px">{}</article></body></html>"""

# Each note of a page: whether it stands in the margin, what it lies on, and whether it is inside of the article.
NOTES = """() => [...document.querySelectorAll(".c2c-side")].filter((note) => note.offsetWidth).map((note) => {
    const box = note.getBoundingClientRect(), article = note.closest(".bd-article").getBoundingClientRect();
    const hit = [...document.querySelectorAll(".bd-article :is(p, ul, ol, pre, table, img, h2, h3, summary, .c2c, .equation, .cell_input, .c2c-side)")].filter((other) => {
        if (other.contains(note) || note.contains(other) || !other.offsetWidth || !other.checkVisibility({ visibilityProperty: true })) return false;
        const { left, right, top, bottom } = other.getBoundingClientRect();
        return left < box.right - 1 && right > box.left + 1 && top < box.bottom - 1 && bottom > box.top + 1;
    });
    const aside = getComputedStyle(note).position === "absolute";
    return { words: note.textContent.trim().slice(0, 60), aside, inside: box.right <= article.right + 1, hit: hit.map((other) => other.outerHTML.slice(0, 80)) };
})"""
FITS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture(scope="module")
def screen(browser):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", CHAPTERS)
def test_notes_stand_in_the_margin_and_on_nothing_else(screen, address, name):
    screen.set_viewport_size({"width": 1440, "height": 900})
    screen.goto(f"{address}/{name}", wait_until="networkidle")
    found = screen.evaluate(NOTES)
    assert len(found) >= 3 and screen.evaluate(FITS)
    assert not [note for note in found if not note["aside"] or not note["inside"] or note["hit"]]
    for width in (1024, 390):
        screen.set_viewport_size({"width": width, "height": 900})
        found = screen.evaluate(NOTES)
        assert found and not [note for note in found if note["aside"] or note["hit"]] and screen.evaluate(FITS)


# Each explorer of a page: whether its controls or its table stand beside the picture, and by how much its table is cut off.
EXPLORERS = """() => [...document.querySelectorAll(".c2c-filmstrip")].map((film) => {
    const shown = film.querySelector(".c2c-live:not([hidden])") ?? film.querySelector(".c2c-still"), box = (name) => shown.querySelector(name).getBoundingClientRect();
    const picture = box(".c2c-picture"), table = shown.querySelector(".c2c-table");
    const beside = [".c2c-controls", ".c2c-result"].some((name) => box(name).left >= picture.right && box(name).top < picture.bottom);
    return { name: film.dataset.filmstrip, beside, cut: table.scrollWidth - table.clientWidth, width: shown.getBoundingClientRect().width };
})"""


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """The address of a page with every explorer in its first state, in an article as wide as that of the book at 1440 px."""
    folder = tmp_path_factory.mktemp("wide")
    (folder / "_static").mkdir()
    script.write(folder / "_static")
    for file in (FILMSTRIP, BOOK / "static/book.css", BOOK / "cards.css"):
        shutil.copy(file, folder / "_static")
    shutil.copy(Path(script.__file__).parent / "handle.js", folder)
    shown = (
        filmstrips.html(make(), folder / "_static/filmstrips", whole=False) for make in explore.explorers().values()
    )
    (folder / "index.html").write_text(PAGE.format("".join(shown)), encoding="utf-8")
    with served(folder) as address:
        yield address


def test_explorers_break_out_of_the_column_of_prose(screen, films):
    screen.set_viewport_size({"width": 1440, "height": 50_000})
    screen.goto(films, wait_until="networkidle")
    screen.wait_for_function("!document.querySelector('.c2c-filmstrip:not(:has(.c2c-live))')")
    found = screen.evaluate(EXPLORERS)
    assert len(found) == len(explore.explorers())
    assert not {one["name"]: one for one in found if not one["beside"] or one["cut"] > 0 or one["width"] < 900}


def test_stills_hold_the_room_of_wide_explorers(screen, films):
    """Nothing below an explorer moves when its script arrives."""
    screen.set_viewport_size({"width": 1440, "height": 50_000})
    screen.goto(films, wait_until="networkidle")
    screen.wait_for_function("!document.querySelector('.c2c-filmstrip:not(:has(.c2c-live))')")
    found = screen.evaluate(
        """() => [...document.querySelectorAll(".c2c-filmstrip")].map((film) => {
            const live = film.querySelector(".c2c-live"), still = film.querySelector(".c2c-still");
            const height = (shown) => shown.getBoundingClientRect().height, running = height(live);
            live.style.display = "none"; still.style.display = "grid";
            const before = height(still);
            live.style.display = still.style.display = "";
            return { name: film.dataset.filmstrip, moves: Math.abs(running - before) };
        })"""
    )
    assert not [one for one in found if one["moves"] > 60], found


def test_only_a_note_that_fits_beside_its_prose_is_lifted():
    def page(*before):
        quote = nodes.block_quote("", nodes.paragraph(text="Watch out. " + "x" * 100), classes=["watch-out"])
        section = nodes.section("", *before, quote)
        document = nodes.Element("", section)
        side_notes.mark(None, document)
        return quote["classes"]

    long, short = (nodes.paragraph(text="y" * letters) for letters in (600, 60))
    assert side_notes.LIFTED in page(long) and side_notes.LIFTED not in page(short)
    assert side_notes.LIFTED not in page(nodes.paragraph(text="y" * 600), nodes.literal_block(text="z"))
