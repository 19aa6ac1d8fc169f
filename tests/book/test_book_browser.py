"""The book in a browser, with the network cut: nothing from elsewhere, nothing wrong, nothing that sticks out."""

import gzip
from functools import cache
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from chip2cluster import explore
from tests.book.names import CHAPTERS, EVERY, REFERENCE, read
from tests.pictures import text_widths
from tests.sampling import sampled

WEIGHT = 1_500_000  # bytes of a page, compressed, without filmstrips
NOWHERE = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}


class Visit:
    """A page of the browser that can reach the book alone, and what went wrong in it."""

    def __init__(self, browser, address):
        self.address, self.problems, self.files = address, [], set()
        # Whatever is not the book goes to a proxy that is not there. To stop every request and let it go on would cost
        # more than the page, and would keep the browser from keeping what all pages share.
        context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light", proxy=NOWHERE)
        self.page = context.new_page()
        self.page.on("request", self._request)
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self.problems.append(message.text)
        )
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", lambda request: self.problems.append(f"failed: {request.url}"))
        self.page.on(
            "response", lambda answer: answer.status >= 400 and self.problems.append(f"{answer.status}: {answer.url}")
        )

    def _request(self, request):
        if request.url.startswith((self.address, "data:", "blob:")):
            self.files.add(urlsplit(request.url).path.lstrip("/"))
        else:
            self.problems.append(f"outside: {request.url}")

    def open(self, name):
        self.page.goto("about:blank")  # pictures that the last page had on their way fail here, and are nobody's fault
        self.problems.clear(), self.files.clear()
        self.page.goto(f"{self.address}/{name}", wait_until="networkidle")
        return self.page


@pytest.fixture(scope="module")
def visit(browser, address):
    visit = Visit(browser, address)
    yield visit
    visit.page.context.close()


@cache
def weight(file):
    return len(gzip.compress(file.read_bytes(), 6))


# What sticks out to the right and is in no box that scrolls.
STICKING_OUT = """() => [...document.querySelectorAll("body *")].filter((node) => {
  const { right, width } = node.getBoundingClientRect();
  if (!width || right <= innerWidth + 1) return false;
  for (let box = node.parentElement; box; box = box.parentElement) if (getComputedStyle(box).overflowX !== "visible") return false;
  return getComputedStyle(node).visibility !== "hidden" && getComputedStyle(node).position !== "fixed";
}).map((node) => node.outerHTML.slice(0, 100))"""


CONTRAST = {"runOnly": ["color-contrast"]}
DARK = ("index.html", "03_roofline.html", "glossary.html", "search.html", "api_specs.html")  # one page of each kind
# The pages of the package are written by one hand: two show all that there is, and all are tried for width.
LOOKED_AT = [name for name in EVERY if name not in REFERENCE or name in ("api_specs.html", "api_units.html")]
ALL_BUT_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}


def violations(page, options, exclude=()):
    context = {"include": [["body"]], "exclude": [[selector] for selector in exclude]}
    found = Axe().run(page, context=context, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [(one["id"], one["nodes"][0]["html"][:200], one["nodes"][0]["failureSummary"][:200]) for one in found]


# The front page and one of another kind, then some more.
@pytest.mark.parametrize("name", sorted({"index.html", *sampled(DARK[1:]), *sampled(LOOKED_AT, 2)}))
def test_a_page_in_the_browser(visit, site, name):
    page = visit.open(name)
    assert visit.problems == []
    loaded = sum(weight(site / (file or "index.html")) for file in visit.files if "/filmstrips/" not in file)
    assert loaded <= WEIGHT
    if "<math" in read(site / name):
        assert page.evaluate(
            "[...document.fonts].some((font) => font.family.includes('Formulas') && font.status === 'loaded')"
        )

    page.add_style_tag(
        content="* { transition: none !important; animation: none !important; }"
    )  # or colours are on their way
    page.evaluate("document.querySelectorAll('article details').forEach((details) => { details.open = true; })")
    assert violations(page, ALL_BUT_CONTRAST) == []
    # Every word of a program is an element, and its colours are the same on every page: looked at on one.
    exclude = () if name == "03_roofline.html" else ("pre",)
    assert violations(page, CONTRAST, exclude) == []
    if name in DARK:
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert violations(page, CONTRAST, exclude) == []

    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})


def test_every_page_fits_a_phone_and_asks_nobody_else(visit):
    visit.page.set_viewport_size({"width": 390, "height": 844})
    for name in sampled(EVERY, 8):
        visit.page.goto("about:blank")  # what the last one still had on its way fails here, and is nobody's fault
        visit.problems.clear()
        visit.page.goto(f"{visit.address}/{name}", wait_until="networkidle")
        assert visit.page.evaluate(STICKING_OUT) == [], name
        assert visit.problems == [], name
    visit.page.set_viewport_size({"width": 1280, "height": 900})


def test_search_leads_to_the_entry_of_a_name(visit):
    page = visit.open("search.html?q=ridge_point")
    page.locator("#search-results li a[href='api_roofline.html#chip2cluster.roofline.ridge_point']").first.click()
    page.wait_for_url("**/api_roofline.html#chip2cluster.roofline.ridge_point", wait_until="networkidle")
    assert visit.problems == []


def test_search_leads_to_the_chapter(visit):
    page = visit.open("search.html?q=ridge")
    page.locator("#search-results li a[href^='03_roofline.html']").first.click()
    page.wait_for_url("**/03_roofline.html*", wait_until="networkidle")
    assert "The roofline" in page.title() and visit.problems == []


def test_search_leads_to_the_section(visit):
    page = visit.open("search.html?q=ridge")
    result = page.locator("#search-results ul.search > li", has=page.locator("a[href^='03_roofline.html']")).first
    sections = result.locator(".c2c-sections a")
    sections.first.wait_for()
    assert 1 <= sections.count() <= 4
    assert "ridge" in sections.first.inner_text().lower(), "one that names it comes first"
    sections.first.click()
    page.wait_for_url("**/03_roofline.html#*")
    heading = page.locator(f"[id='{page.url.partition('#')[2]}'] :is(h2, h3)").first
    assert 0 <= heading.bounding_box()["y"] < 400


SEARCHES = {  # words, anchor of the glossary, chapter that teaches them first
    "TTFT": ("ttft", "11_serving"),
    "moe": ("moe", "08_bisection"),
    "GQA": ("gqa", "03_roofline"),
    "NVLink": ("nvlink", "01_machine"),
    "MFU": ("mfu", "09_mfu"),
    "oversubscription": ("oversubscription", "05_systolic"),
    "ring all-reduce": ("ring", "07_collectives"),
    "OOM": ("oom", "09_mfu"),
    "preemption": ("preemption", "11_serving"),
    "spot instance": ("spot-price", "14_economics"),
}


def test_search_ranks_glossary_chapter_and_package(visit):
    for words, (place, chapter) in SEARCHES.items():
        page = visit.open(f"search.html?q={words.replace(' ', '+')}")
        page.locator("#search-results li .c2c-definition").first.wait_for()
        page.locator("#search-results", has_text="Search finished").wait_for()
        hits = page.locator("#search-results ul.search > li > a").evaluate_all(
            "links => links.map((link) => link.getAttribute('href'))"
        )
        assert hits[0] == f"glossary.html#{place}", (words, hits[:3])
        entries = [hit for hit in hits if hit.startswith("glossary.html#")]
        assert hits[len(entries)].split(".html")[0] == chapter, (words, hits[:5])
        assert sorted(hits, key=lambda hit: hit.startswith("api")) == hits, (words, hits)
        sentence = page.locator("#search-results li").first.locator(".c2c-definition").inner_text()
        assert len(sentence) > 60 and "→" in sentence
    assert visit.problems == []


# What a reader of papers and manuals types; each has an entry of the glossary.
ABBREVIATIONS = (
    "TTFT", "TPOT", "ITL", "MoE", "GQA", "MLA", "SLO", "DP", "TP", "PP", "CP", "EP", "SP", "FSDP", "ZeRO", "MFU", "HFU",
    "NVLS", "SHARP", "RDMA", "GDR", "rail", "coalescing", "occupancy", "wave", "tile",
)  # fmt: skip


def test_search_of_an_abbreviation_lands_in_the_glossary(visit):
    for words in sampled(ABBREVIATIONS, 6):
        page = visit.open(f"search.html?q={words}")
        page.locator("#search-results", has_text="Search finished").wait_for()
        page.locator("#search-results li .c2c-definition").first.wait_for()
        first = page.locator("#search-results ul.search > li > a").first
        assert first.get_attribute("href").startswith("glossary.html#"), words
        assert words.lower() in page.locator("#search-results li").first.inner_text().lower(), words


MARKED = """() => {
  const links = [...document.querySelectorAll("#pst-page-toc-nav a")];
  const above = links.filter((link) =>
    document.getElementById(decodeURIComponent(link.hash.slice(1))).getBoundingClientRect().top <= innerHeight / 3);
  const marked = links.filter((link) => link.classList.contains("active") && link.hasAttribute("aria-current"));
  return [marked.map((link) => link.hash), above.at(-1)?.hash];
}"""


def test_table_of_contents_marks_the_section_in_view(visit):
    page = visit.open("03_roofline.html")
    page.mouse.move(500, 500)
    for step in (*[700] * 14, *[-900] * 6):
        page.mouse.wheel(0, step)
        page.wait_for_function(
            f"() => {{ const [marked, above] = ({MARKED})(); return marked.join() === (above ?? ''); }}"
        )
    assert page.evaluate(MARKED)[0]


def test_a_term_shows_its_definition_to_the_keyboard(visit):
    page = visit.open("11_serving.html")
    term = page.locator("a[title][href='glossary.html#ttft']").first
    term.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    shown = term.evaluate("(node) => getComputedStyle(node, '::after').content")
    assert "from sending a request to the first token" in shown
    assert shown.strip('"') == term.get_attribute("title")


@pytest.mark.parametrize("name", sampled(CHAPTERS, 4))
def test_first_screen_of_a_chapter_has_something_to_do(visit, name):
    page = visit.open(name)
    page.set_viewport_size({"width": 1440, "height": 900})
    field = page.locator(".bd-article .c2c :is(input, select, button):visible").first
    assert field.evaluate("(node) => node.getBoundingClientRect().bottom + scrollY") <= 900
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_search_field_of_a_page_leads_to_the_results(visit):
    page = visit.open("index.html")
    page.locator(".bd-sidebar-primary .search-button__button").click()
    page.locator("#pst-search-dialog input").fill("bisection")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=bisection*")
    page.locator("#search-results li").first.wait_for()
    assert visit.problems == []


def test_the_theme_is_switched_and_kept(visit):
    page = visit.open("03_roofline.html")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.locator(".theme-switch-button").first.click()
    page.locator(".theme-change-button[data-mode=dark]").first.click()
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    dark = page.evaluate(paper)
    assert dark != light
    page.locator(".right-next").click()
    page.wait_for_url("**/04_occupancy.html")
    assert page.evaluate(paper) == dark
    page.evaluate("localStorage.clear()")


def test_paper_has_pictures_and_answers_but_nothing_to_press(visit):
    page = visit.open("03_roofline.html")
    page.emulate_media(media="print")
    assert page.locator("h1").is_visible()
    for selector in (
        ".c2c-controls",
        ".bd-sidebar-primary",
        ".bd-sidebar-secondary",
        ".bd-header-article",
        "article button",
        "article input",
        "p.run",
    ):
        assert not [one for one in page.locator(selector).all() if one.is_visible()], selector
    stills = page.locator(".c2c-still .c2c-picture")
    assert (
        all(still.is_visible() for still in stills.all()) and stills.count() and page.locator("math").first.is_visible()
    )
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    answer = page.locator("section > details > p").first
    assert answer.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not answer.is_visible()
    page.emulate_media(media="screen")


@pytest.mark.parametrize("name", sampled(CHAPTERS, 2))
def test_a_formula_fits_on_a_phone(visit, name):
    page = visit.open(name)
    page.set_viewport_size({"width": 390, "height": 844})
    wide = page.locator(".formula").evaluate_all(
        "(all) => all.map((box) => [box.innerText, box.scrollWidth - box.clientWidth])"
    )
    page.set_viewport_size({"width": 1280, "height": 900})
    assert wide and [words for words, beyond in wide if beyond > 1] == []


def test_a_formula_that_is_too_wide_scrolls_in_its_box(visit):
    page = visit.open("03_roofline.html")
    page.set_viewport_size({"width": 240, "height": 844})
    page.wait_for_function(
        "[...document.querySelectorAll('.formula')].some((box) => box.scrollWidth > box.clientWidth + 1 && box.tabIndex === 0)"
    )
    for formula in page.locator(".formula").all():
        scrolls, tabindex = formula.evaluate("(box) => [box.scrollWidth > box.clientWidth + 1, box.tabIndex]")
        assert tabindex == (0 if scrolls else -1)
        assert not scrolls or formula.evaluate("(box) => getComputedStyle(box).overflowX") == "auto"
    page.set_viewport_size({"width": 1280, "height": 900})


def test_no_script_is_needed_to_read(browser, address):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/03_roofline.html")
    assert page.locator("math").first.is_visible() and page.locator(".c2c-picture").first.is_visible()
    page.context.close()


def test_pictures_show_what_was_measured(visit):
    """Those that move by the typeface of the book, the still on paper by its own."""
    page, picture = visit.open("reality.html"), explore.reality().current.picture
    page.locator("[data-filmstrip]").scroll_into_view_if_needed()
    page.locator(".c2c-live").wait_for()
    assert not text_widths.problems(page, picture)
    assert text_widths.title_is_as_measured(page, picture, page.locator(".c2c-still .c2c-wide").get_attribute("src"))


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["01_machine.html", "08_bisection.html"])
def test_a_drawing_has_the_room_that_it_needs(visit, name, width):
    page = visit.open(name)
    page.set_viewport_size({"width": width, "height": 900})
    drawings = page.locator(".c2c-drawing")
    assert drawings.count()
    for drawing in drawings.all():
        seen = next((image for image in drawing.locator("img").all() if image.is_visible()), None)
        if seen is None:
            continue  # in a fold
        box, natural = seen.bounding_box(), int(seen.get_attribute("width"))
        assert box["width"] >= min(natural, 288) and box["x"] + box["width"] <= width
        assert (natural <= 340) == (width == 390) or natural < 600, "the narrow one on a phone, the wide one elsewhere"
    page.set_viewport_size({"width": 1280, "height": 900})


COVERED = """(view) => {
  const bottom = (selector, box = view) => box.querySelector(selector).getBoundingClientRect().bottom;
  scrollBy({ top: bottom(".c2c-image") - innerHeight + 4, behavior: "instant" });
  const header = bottom(".bd-header-article", document), bar = view.querySelector(".c2c-controls").getBoundingClientRect();
  return { header, top: bar.top, covered: Math.max(bar.bottom, header) / innerHeight, image: innerHeight - 4 - bottom(".c2c-image") };
}"""


@pytest.fixture
def ring(visit):
    """The film of the ring in a window of the size that is asked for."""

    def show(width, height):
        visit.page.set_viewport_size({"width": width, "height": height})
        visit.open("07_collectives.html").locator("[data-filmstrip*='/ring.strip']").first.scroll_into_view_if_needed()
        view = visit.page.locator("[data-filmstrip*='/ring.strip'] .c2c-live").first
        view.wait_for()
        return view

    yield show
    visit.page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("width, height", [(720, 450), (390, 844)])
def test_controls_stay_in_sight_beside_their_picture(ring, width, height):
    view = ring(width, height)  # a screen of 1440 x 900 at 200 %, and a phone
    found = view.evaluate(COVERED)
    assert abs(found["image"]) < 2, "scrolled to the end of the picture"
    assert abs(found["top"] - found["header"]) < 2 and found["covered"] <= 0.41
    view.get_by_role("slider", name="Steps taken").focus()
    view.page.keyboard.press("ArrowRight")
    assert view.evaluate(COVERED)["top"] == found["top"]
    # What is reached by the keyboard afterwards is not behind them.
    view.locator(".c2c-foot button").focus()
    bar = view.locator(".c2c-controls").first.bounding_box()
    assert view.locator(".c2c-foot button").bounding_box()["y"] >= bar["y"] + bar["height"] - 1


def test_controls_scroll_away_in_a_low_window(ring):
    found = ring(360, 225).evaluate(COVERED)  # 400 %
    assert found["top"] < 0 and found["covered"] < 0.3
