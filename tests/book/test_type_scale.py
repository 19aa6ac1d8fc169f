"""One scale of type: the book and the slides take sizes, lines and families from ``explore/scale.css``."""

import re
from pathlib import Path

import pytest

from chip2cluster.explore import script
from course.publish.book import mathfont
from tests.browser.test_zoom import MEASURE, PROSE

PUBLISH = Path(mathfont.__file__).parents[1]
BOOK = [PUBLISH / "book/static/book.css", PUBLISH / "book/static/reference.css", PUBLISH / "book/cards.css"]
SLIDES = [PUBLISH / "slides/static/slides.css"]
FORMULA = "<math><mi>x</mi><mspace class='ex' width='1px' height='1ex'/></math>"
EX = "<span class='ex' style='display:inline-block;width:1px;height:1ex'></span>"
TEXT = (
    f"<h1>A title</h1><h2>A part</h2><h3>A piece</h3><p class='prose'>{PROSE}</p>"
    f"<p class='letters'>x{EX} <code>x{EX}</code> {FORMULA}</p>"
    f"<div class='equation'><div class='formula'>{FORMULA}</div></div>"
)
PAGES = {
    "book": ("<article class='bd-article'><section>{}</section></article>", BOOK),
    "slides": ("<div class='reveal'><div class='slide'>{}</div></div>", SLIDES),
}
MEASURED = """() => {
    const of = (selector) => getComputedStyle(document.querySelector(selector)), px = (selector) => parseFloat(of(selector).fontSize);
    const ex = (selector) => document.querySelector(`${selector} .ex`).getBoundingClientRect().height;
    const scale = (name) => parseFloat(of(".prose").getPropertyValue(`--c2c-${name}`));
    return { prose: px(".prose"), line: parseFloat(of(".prose").lineHeight), family: of(".prose").fontFamily, code: of("code").fontFamily,
        h1: px("h1"), h2: px("h2"), h3: px("h3"), ex: ex(".letters"), exCode: ex("code"), exMath: ex(".letters math"), exDisplay: ex(".formula"),
        wanted: Object.fromEntries(["h1", "h2", "h3", "line", "code", "formula", "display"].map((name) => [name, scale(name)])) };
}"""


@pytest.fixture(params=PAGES)
def shown(request, page, tmp_path):
    """A page with headings, prose, code and formulas under the sheets of the book or the slides."""
    body, sheets = PAGES[request.param]
    script.write_style(tmp_path)
    mathfont.write(set("x𝑥"), tmp_path / "fonts")
    links = "".join(f'<link rel="stylesheet" href="{sheet.name}">' for sheet in (Path("explorer.css"), *sheets))
    for sheet in sheets:
        (tmp_path / sheet.name).write_text(sheet.read_text(encoding="utf-8"), encoding="utf-8")
    html = f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>x</title>{links}{body.format(TEXT)}'
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("document.fonts.ready")
    return request.param, page


def test_sizes_and_lines_are_those_of_the_scale(shown):
    name, page = shown
    found = page.evaluate(MEASURED)
    wanted = found["wanted"]
    assert found["line"] == pytest.approx(wanted["line"] * found["prose"], rel=0.01)
    for heading in ("h1", "h2") if name == "slides" else ("h1", "h2", "h3"):
        assert found[heading] == pytest.approx(wanted[heading] * found["prose"], rel=0.01), heading
    assert found["family"].startswith("system-ui") and found["code"].startswith("ui-monospace")


def test_code_and_formulas_have_the_height_of_the_prose(shown):
    page = shown[1]
    page.add_style_tag(content=":root, .reveal { --c2c-prose: 200px !important; }")  # a browser rounds 1ex to a pixel
    found = page.evaluate(MEASURED)
    wanted = found["wanted"]
    assert found["exMath"] == pytest.approx(wanted["formula"] * found["ex"], rel=0.05)
    assert found["exCode"] == pytest.approx(wanted["code"] * found["ex"], rel=0.05)
    assert found["exDisplay"] == pytest.approx(wanted["display"] * found["ex"], rel=0.05)


def test_prose_of_the_book_has_65_to_75_letters_a_line(shown):
    name, page = shown
    lines = page.locator(".prose").evaluate(MEASURE)
    assert len(lines) > 3 and (name == "slides" or 62 <= sum(lines) / len(lines) <= 76), lines


def test_no_sheet_has_sizes_or_families_of_its_own():
    sheets = [*BOOK, *(script._HERE / name for name in script.SHEETS if name != "scale.css")]
    text = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    sizes = re.findall(r"font(?:-size)?: *[\d.]+(?:px|rem)[^;}]*", text)
    assert sizes == ["font-size: 14px"]  # of the root, on paper
    families = set(re.findall(r"font-family: *([^;}]*)", re.sub(r"@font-face \{.*?\}", "", text)))
    assert families and all(family.startswith(("var(--", "inherit")) for family in families), families
