"""The files of the book: pages, links, equations and formulas."""

import json
import re
from html import unescape
from types import SimpleNamespace

import nbformat
import pytest
from fontTools.ttLib import TTFont

from autograder import course_pages
from course.publish.book import build, check, extension, mathfont, mathml, sources
from tests.book.names import CHAPTERS, COURSE, EVERY, NOTEBOOKS, PAGES, article, read, words

HOST = "https://example.org/owner/name/blob/v1"


# --- files


def test_an_older_book_gives_way_and_its_lab_stays(site):
    assert read(site / "lite/lab/index.html") == "the lab that was there"
    assert not (site / "page-of-an-older-book.html").exists()
    assert not list(site.parent.glob(".book-*"))


def test_a_book_without_a_lab_says_so(tmp_path):
    site, first, second = tmp_path / "site", tmp_path / "first", tmp_path / "second"
    build._keep_lab(site, first)
    page = first / "lite/lab/index.html"
    assert "make lite" in page.read_text() and not check.Page(page.read_text()).links[1:]
    first.rename(site)
    build._keep_lab(site, second)  # the page that says so is no lab to be kept
    assert (second / "lite/lab/index.html").read_bytes() == build.NO_LAB.read_bytes()


def test_a_warning_of_sphinx_ends_the_build(tmp_path, monkeypatch):
    # Sphinx itself only notes it, for the command line that it expects around it.
    warned = SimpleNamespace(build=lambda: None, statuscode=1)
    monkeypatch.setattr("sphinx.application.Sphinx", lambda **_: warned)
    (tmp_path / "source").mkdir()
    with pytest.raises(sources.BrokenReference, match="Sphinx warned"):
        build.render(tmp_path / "source", tmp_path / "made", "owner/name", "v1")


def test_there_is_a_page_for_each_notebook(site):
    assert {file.name for file in site.glob("*.html")} == set(EVERY)
    assert [page.stem + ".html" for page in course_pages.chapters()] == CHAPTERS


def test_the_site_serves_scripts_fonts_and_pictures_itself(site):
    assert check.outside(check.pages(site)) == []
    for sheet in [*site.glob("_static/**/*.css"), *site.glob("_static/**/*.js")]:
        assert not re.search(r"(?:url\(|@import|import\(|from )\s*[\"']?https?:", read(sheet)), sheet.name
    assert not list(site.glob("**/*.map"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_page_can_be_run_and_had(site, name):
    html = read(site / f"{sources.page(name)}.html")
    binder = re.findall(r'href="(https://mybinder\.org/[^"]+)"', html)
    assert binder == [f"https://mybinder.org/v2/gh/{build.default_repository()}/main?urlpath=lab/tree/my_course/{name}"]
    # On top of the page, and below the verdict of every exercise.
    exercises = html.count('<div class="c2c-exercise"')
    assert html.count(f'href="lite/lab/index.html?path={name}"') == 1
    # There the page opens where the exercise is set.
    places = re.findall(rf'<p class="c2c-write"><a href="lite/lab/index\.html\?path={name}#cell-id=([^"]+)"', html)
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(read(COURSE / name))["cells"]}
    assert len(places) == exercises and all(re.search("^##+ ", cells[place], re.M) for place in places)
    if name != "00_start.ipynb":
        assert ("has run with the course's own" in html) == bool(exercises)
    download = re.findall(r'<a href="([^"]+)" download>', html)
    assert [(site / address).read_bytes() for address in download] == [(COURSE / name).read_bytes()]
    assert not any(cell.get("outputs") for cell in json.loads((site / download[0]).read_bytes())["cells"])


@pytest.mark.parametrize("name", EVERY)
def test_a_page_has_a_head_and_one_title(site, name):
    html = read(site / name)
    assert html.count("<h1") == 1 and '<html lang="en"' in html and 'id="pst-skip-link"' in html
    assert 'rel="icon" href="_static/favicon.svg"' in html and "matchMedia" in html.partition("<link")[0]
    if name in PAGES:
        description = re.search(r'<meta name="description" content="([^"]+)">', html)[1]
        assert 40 < len(description) <= extension.DESCRIPTION + 2
        assert ("left-prev" in html) == (name != "index.html") and "right-next" in html


def test_titles_and_descriptions_are_of_the_page(site):
    for pattern in (r"<title>(.*?)</title>", r'<meta name="description" content="([^"]+)">'):
        found = [re.search(pattern, read(site / name))[1] for name in PAGES]
        assert len(set(found)) == len(found)
    for name, page in zip(NOTEBOOKS, PAGES, strict=True):
        heading = re.search(r"<h1>(.*?)<a", read(site / page))[1]
        assert words(heading).replace("’", "'") == sources.title(nbformat.read(COURSE / name, 4))


def test_font_of_the_formulas_has_every_sign(site):
    """The sign of a root is drawn by the browser, so no text of a formula holds it."""

    pages = [read(site / name) for name in PAGES]
    assert any("<msqrt" in page for page in pages)
    with TTFont(site / "_static/fonts/math.woff") as font:
        signs = {*map(chr, font.getBestCmap())}
    assert "√" in signs
    texts = (unescape(formula) for page in pages for formula in re.findall(r"<mo[^>]*>([^<]*)</mo>", page))
    assert {sign for text in texts for sign in text} - signs <= {" ", "\u2061", "\u2062"}


def test_the_front_page_leads_everywhere(site):
    links = {address for _, _, address in check.Page(article(read(site / "index.html"))).links}
    assert (
        set(CHAPTERS)
        | {"notation.html", "glossary.html", "bibliography.html", "errors.html", "reality.html", "review.html"}
        <= links
    )
    html = article(read(site / "index.html"))
    places = [
        'data-filmstrip="_static/filmstrips/ring.strip"',
        'id="the-map"',
        "Three ways to run it",
        'id="how-a-page-works"',
    ]
    assert sorted(places, key=html.index) == places


# --- links and equations


def test_every_address_inside_the_book_leads_somewhere(site):
    assert check.broken(check.pages(site)) == []


def test_every_address_of_the_review_leads_somewhere(site):
    data = json.loads(read(site / "_static/review-data.js").removeprefix("export default ").rstrip(";\n"))
    found = check.pages(site)
    for entry in [*data["exercises"].values(), *data["pages"].values()]:
        page, _, place = entry["address"].partition("#")
        assert place in found[site / page].ids, entry


def test_a_broken_address_is_found(tmp_path):
    (tmp_path / "there.html").write_text(
        '<p id="a"></p><a href="https://example.org/none">x</a><a href="#top-of-nothing">y</a>'
    )
    (tmp_path / "page.html").write_text(
        '<i id="x"></i><b id="x"></b><a href="there.html#a">ok</a><a href="there.html#b">no</a><a href="none.html">no</a>'
        '<img src="none.png"><script src="https://cdn.example/x.js"></script><p data-filmstrip="_static/none.json"></p>'
    )
    assert check.broken(check.pages(tmp_path)) == [
        "page.html: two things are called #x", "page.html: there.html#b", "page.html: none.html", "page.html: none.png",
        "page.html: _static/none.json", "there.html: #top-of-nothing",
    ]  # fmt: skip
    assert check.outside(check.pages(tmp_path)) == ["page.html: <script src=https://cdn.example/x.js>"]


def course(folder, **texts):
    """A folder of notebooks, each with a title and one Markdown cell."""
    for name, text in texts.items():
        cells = [nbformat.v4.new_markdown_cell(f"# {name}"), nbformat.v4.new_markdown_cell(text)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / f"{name.lstrip('_')}.ipynb")
    return folder


def prepared(folder, name):
    sources.prepare(folder, HOST)
    return nbformat.read(folder / f"{name}.ipynb", 4).cells[1].source


def test_links_become_pages_or_repository_files(tmp_path):
    text = "[a](00_start.ipynb) [b](03_roofline.ipynb#Explore) [c](#here) [d](../README.md) ![e](images/check.png) [f](https://example.org)"
    course(tmp_path, _02_links=text)
    assert prepared(tmp_path, "02_links") == (
        f"[a](index.html) [b](03_roofline.html#Explore) [c](#here) [d]({HOST}/README.md) ![e](images/check.png) [f](https://example.org)"
    )
    course(tmp_path, _02_links="[a](../nothing.md)")
    with pytest.raises(sources.BrokenReference, match="02_links: there is no file ../nothing.md"):
        sources.prepare(tmp_path, HOST)


def test_a_mentioned_equation_is_a_link_to_it(tmp_path):
    course(
        tmp_path,
        _02_a="$$ x \\tag{2.1} $$\n\nno `equation (2.1)`",
        _03_b="By equation (2.1). Equations (2.1) and (3.1): $$ y \\tag{3.1} $$",
    )
    text = prepared(tmp_path, "03_b")
    assert text.startswith(
        "By [equation (2.1)](02_a.html#eq-2-1). [Equations (2.1)](02_a.html#eq-2-1) and [(3.1)](03_b.html#eq-3-1):"
    )
    assert "no `equation (2.1)`" in nbformat.read(tmp_path / "02_a.ipynb", 4).cells[1].source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("by equation (7.9)", r"no equation \(7.9\)"),
        ("$$ x \\tag{2.2} $$", "numbered 2.2"),
        ("$$ x \\tag{2.1} $$ $$ y \\tag{2.1} $$", "2.1, 2.1"),
    ],
)
def test_an_equation_that_is_not_there_ends_the_build(tmp_path, text, message):
    with pytest.raises(sources.BrokenReference, match=message):
        sources.prepare(course(tmp_path, _02_a=text), HOST)


def test_equations_are_numbered_and_every_mention_is_a_link(site):
    count = 0
    for name in PAGES:
        html = article(read(site / name))
        numbers = re.findall(r'<a class="eqno" href="#([\w-]+)" aria-label="Equation [\w.]+">\(([\w.]+)\)</a>', html)
        assert [place for place, _ in numbers] == re.findall(r'<div class="equation" id="([\w-]+)">', html)
        assert [int(number.partition(".")[2]) for _, number in numbers] == list(range(1, len(numbers) + 1))
        if name in CHAPTERS:
            assert numbers and all(number.startswith(f"{int(name[:2])}.") for _, number in numbers)
        count += len(numbers)
        prose = re.sub(r"<(a|pre)\b.*?</\1>", "", html, flags=re.S)
        assert not re.search(r"[Ee]quations?\s\(\w+\.\d", words(prose)), name
    assert count > 30


# --- formulas


def formulas():
    texts = [cell.source for name in NOTEBOOKS for cell in sources.markdown(nbformat.read(COURSE / name, 4))]
    for text in texts:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
        displayed = (mathml.TAG.sub("", tex) for tex in sources.FORMULA.findall(text))
        yield from ((piece, True) for tex in displayed for piece, _ in mathml.pieces(tex))
        yield from ((tex, False) for tex in re.findall(r"\$([^$\n]+)\$", sources.FORMULA.sub("", text)))


def test_every_formula_of_the_course_stands_in_the_book(site):
    shown = {
        alt for name in PAGES for alt in map(unescape, re.findall(r'<math[^>]* alttext="([^"]+)"', read(site / name)))
    }
    wanted = {re.sub(r"\s+", " ", tex).strip() for tex, _ in formulas()}
    assert len(wanted) > 120 and wanted <= shown
    for name in PAGES:
        prose = re.sub(r"<(pre|code|script|math)\b.*?</\1>", "", article(read(site / name)), flags=re.S)
        assert not re.search(r"\$[^$\s][^$]*\\|\\(?:frac|text|tag)", words(prose)), name


def test_no_link_is_left_as_markdown(site):
    for name in EVERY:
        prose = re.sub(r"<(pre|code|script|style|math)\b.*?</\1>", "", article(read(site / name)), flags=re.S)
        assert "](" not in words(prose), name


def test_a_link_that_mentions_an_equation_stays_one_link(tmp_path):
    course(tmp_path, _02_a="$$ x \\tag{2.1} $$", _03_b="So, by [equation (2.1)](#there), it is.")
    assert prepared(tmp_path, "03_b") == "So, by [equation (2.1)](#there), it is."


def test_the_font_has_every_character_of_every_formula(site):
    wanted = set().union(*(mathfont.characters(read(site / name)) for name in PAGES))
    with TTFont(site / "_static/fonts/math.woff") as font:
        assert {character for character in wanted if not character.isspace()} <= set(map(chr, font.getBestCmap()))
        assert "MATH" in font and font.reader.flavorData is not None
    assert (site / "_static/fonts/math.woff").stat().st_size < 100_000
    assert "SIL OPEN FONT LICENSE" in read(site / "_static/fonts" / mathfont.LICENCE.name)


@pytest.mark.parametrize(
    ("tex", "part"),
    [
        (
            r"\max\!\left(\frac a b\right)",
            '<mi>max</mi><mrow><mo stretchy="true" fence="true" form="prefix">(</mo><mfrac>',
        ),
        (
            r"2\log_2 n",
            '<mn>2</mn><mspace width="0.167em" /><msub><mi>log</mi><mn>2</mn></msub><mspace width="0.167em" /><mi>n</mi>',
        ),
        (r"\min_{\text{halves}} b", "<munder><mi>min</mi><mrow><mtext>halves</mtext></mrow></munder>"),
        (
            r"\lceil k/r \rceil",
            '<mo stretchy="false" form="prefix">⌈</mo><mi>k</mi><mo lspace="0" rspace="0">/</mo><mi>r</mi>',
        ),
        (r"a'_{i,-1}", '<mo>,</mo><mo form="prefix">−</mo><mn>1</mn>'),
        (r"x < y", 'alttext="x &lt; y"'),
    ],
)
def test_a_formula_is_set_as_tex_would(tex, part):
    assert part in mathml.mathml(tex, display=True)


def test_formula_lines_break_before_a_relation():
    for name in NOTEBOOKS:
        for tex in sources.FORMULA.findall(
            "\n".join(cell.source for cell in sources.markdown(nbformat.read(COURSE / name, 4)))
        ):
            parts = [part for part, _ in mathml.pieces(mathml.TAG.sub("", tex))]
            bare = [re.sub(r"\\qquad|\\[ ,;!]|\s", "", text) for text in ("".join(parts), mathml.TAG.sub("", tex))]
            assert bare[0] == bare[1]
            assert all("<math" in mathml.mathml(part, display=True) for part in parts)


def test_a_formula_that_cannot_be_set_is_refused():
    with pytest.raises(ValueError, match="nosuch"):
        mathml.mathml(r"\nosuch{x}")
