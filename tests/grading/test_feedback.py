"""Feedback pages show everything that a student needs, and nothing hidden or active."""

import base64
import re
import struct
import zlib
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from autograder.exercises import exercise
from autograder.grading.gradebook.marks import Mark, Marks, format_points
from autograder.grading.reports.feedback import write_page
from autograder.grading.reports.feedback_page import feedback_page
from autograder.grading.result import UNREADABLE, WITH_ERRORS
from autograder.grading.sanitize import html
from autograder.grading.sanitize.outputs import PNG
from tests.grading.samples import ESSAY, TIME, correct, graded, lab, reference

EVIL = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\"><svg onload=\"document.title='ran'\">"
EVIL_MARKDOWN = f"""{EVIL}

[run](javascript:document.title='ran') [data](data:text/html,{EVIL}) ![far](http://127.0.0.1:9/p.png) [ok](https://example.org/?a=1&b=2)

<iframe src="http://127.0.0.1:9/"></iframe><style>@import url(http://127.0.0.1:9/a.css)</style><base href="http://127.0.0.1:9/">

```"><script>document.title='ran'</script>
{EVIL}
```

$${EVIL}$$ and ${EVIL}$ and <javascript:document.title='ran'>
"""
EVIL_NAME = "zoë\"><script>document.title='ran'</script>\u202eevil"
TAGS = set(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "section",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "a",
        "span",
        "div",
        "strong",
        "em",
        "del",
        "code",
        "pre",
        "br",
        "hr",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "figure",
        "img",
        "blockquote",
    ]
)
ATTRIBUTES = {
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "id",
    "scope",
    "href",
    "rel",
    "src",
    "alt",
    "aria-hidden",
    "style",
    "start",
    "tabindex",
}


class Seen(HTMLParser):
    """Parser that collects the tags, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def png(width=40, height=30):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(width) for _ in range(min(height, 1000))))
    return base64.b64encode(PNG + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")).decode()


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def drawn(data):
    return {"output_type": "display_data", "metadata": {}, "data": data}


def hostile():
    outputs = [
        stream(EVIL + "\x1b]8;;http://127.0.0.1:9\x07"),
        drawn(
            {
                "text/html": EVIL,
                "application/javascript": "document.title='ran'",
                "image/svg+xml": EVIL,
                "text/plain": EVIL,
            }
        ),
        drawn({"image/png": "\"><script>document.title='ran'</script>"}),
        drawn({"image/png": png(60_000, 60_000)}),
        drawn({"image/png": png()}),
        {"output_type": "error", "ename": EVIL, "evalue": EVIL, "traceback": [EVIL]},
    ]
    extra = [
        {"cell_type": kind, "id": f"x{kind}", "metadata": {}, "source": EVIL_MARKDOWN, "outputs": outputs}
        for kind in ("code", "markdown", "raw", "<b>")
    ]
    verdicts = correct() | {TIME: (0.0, "raises", f"ValueError in the line `{EVIL}`.", EVIL)}
    return graded(
        EVIL_NAME,
        {"shortest_time": EVIL, ESSAY: EVIL_MARKDOWN},
        verdicts,
        {"ranking": outputs},
        extra,
        repairs=[EVIL] * 50,
        status=WITH_ERRORS,
    )


def hand_marked(score, comment="", penalty=0.0):
    return Marks({ESSAY: Mark(score, None, score, False)}, {ESSAY: comment} if comment else {}, penalty)


def test_page_shows_questions_verdicts_and_comments():
    verdicts = correct() | {TIME: (0.8, "wrong at the edges", "A pure copy: `flops` is 0.", "")}
    result = graded(
        "ann",
        reference() | {ESSAY: "I would buy the **H200**."},
        verdicts,
        repairs=["The check of task 2 was put back."],
    )
    seen = Seen(feedback_page(result, lab(), hand_marked(4.5, "You forgot *batch 256*.", 2)))
    for text in (
        "An operation takes",
        "wrong at the edges",
        "A pure copy: flops is 0.",
        "2.4 of 3",
        "4.5 of 6",
        "batch 256",
        "−2",
    ):
        assert text in seen.text
    assert (
        f"{format_points(lab().max_score - 0.6 + 4.5 - 2)} of {format_points(lab().max_score + 6)}" in seen.text
        and "The check of task 2 was put back." in seen.text
    )
    assert seen.text.count("Hints, from general") == 1 and exercise(TIME).hints[2] in seen.text


def test_missing_hand_mark_is_not_zero():
    seen = Seen(feedback_page(graded("ann", reference(), correct()), lab()))
    assert "not yet marked by hand" in seen.text and "– of 6" in seen.text and "Total so far" in seen.text


def test_outdated_mark_counts_and_names_the_earlier_version():
    marks = Marks({ESSAY: Mark(4.5, None, 4.5, True)}, {ESSAY: "Good comparison."})
    text = Seen(feedback_page(graded("ann", reference(), correct()), lab(), marks)).text
    assert "marked before you changed it" in text and "On an earlier version of your work: Good comparison." in text
    assert (
        "Total so far" in text
        and f"{format_points(lab().max_score + 4.5)} of {format_points(lab().max_score + 6)}" in text
    )
    assert marks.score == 4.5 and "still missing" not in text


def test_points_changed_by_hand_count_and_say_so():
    marks = Marks({"shortest_time-check": Mark(3.0, 0.0, 3.0, False)})
    text = Seen(feedback_page(graded("ann"), lab(), marks)).text
    assert "the autograder gave 0" in text and f"3 of {format_points(lab().max_score + 6)}" in text


def test_an_unreadable_file_still_gets_its_page():
    result = graded("ann", status=UNREADABLE)
    result.notebook, result.exercises = {}, {}
    seen = Seen(feedback_page(result, lab()))
    assert "could not be read as a notebook" in seen.text and f"0 of {format_points(lab().max_score + 6)}" in seen.text


def test_page_of_an_unreadable_file_explains_the_problem_only():
    result = graded("ann", status=UNREADABLE, repairs=["03_roofline.ipynb is not valid JSON (line <b>3</b>)."])
    text = feedback_page(result, lab())
    seen = Seen(text)
    assert "is not valid JSON (line <b>3</b>)" in seen.text and "hand it in again" in seen.text
    assert "0 of 31 points" in seen.text and "Hints" not in seen.text and "Every case" not in seen.text
    assert not {"table", "details", "section"} & {tag for tag, _ in seen.tags}
    # Unless it was marked by hand.
    assert "table" in {tag for tag, _ in Seen(feedback_page(result, lab(), hand_marked(2))).tags}


def test_a_wide_table_is_shown_in_its_own_lines(browser, tmp_path):
    table = "\n".join("  ".join(f"{row * column:20}" for column in range(12)) for row in range(29))
    result = graded("ann", reference(), correct(), {"ranking": [stream(table)]})
    file = tmp_path / "page.html"
    file.write_text(feedback_page(result, lab()), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto(file.as_uri())
    printed = tab.locator("pre.printed").first
    printed.locator("xpath=ancestor::details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert printed.inner_text() == table.strip("\n")
    wide, seen, lines = printed.evaluate(
        "e => [e.scrollWidth, e.clientWidth, e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)]"
    )
    assert wide > 2 * seen and lines < 32
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.close()


def test_check_cells_show_their_verdict_and_nothing_else():
    result = graded("ann", reference(), correct())
    for cell in result.notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code":
            cell["source"] += "\n### BEGIN HIDDEN TESTS\naward('secret', 42.4242)\n### END HIDDEN TESTS"
            cell["outputs"] = [stream("expected 42.4242")]
    text = feedback_page(result, lab())
    assert "42.4242" not in text and "HIDDEN" not in text and "award(" not in text and "expected" not in text


def test_only_harmless_tags_attributes_and_addresses():
    seen = Seen(feedback_page(hostile(), lab(), hand_marked(1, EVIL_MARKDOWN)))
    for tag, attributes in seen.tags:
        assert tag in TAGS, tag
        assert set(attributes) <= ATTRIBUTES, attributes
        assert re.match(r"(#[\w-]+$|https?://|mailto:)", attributes.get("href", "#a")), attributes
        assert attributes.get("src", "data:image/png;base64,").startswith("data:image/png;base64,")
        if tag == "img":
            assert attributes["alt"]
        if attributes.get("href", "").startswith("http"):
            assert "noopener" in attributes["rel"]
    assert ("a", {"href": "https://example.org/?a=1&b=2", "rel": "noopener noreferrer nofollow"}) in seen.tags
    assert [one for tag, one in seen.tags if tag == "meta" and "default-src 'none'" in one.get("content", "")]
    assert "\u202e" not in seen.text and "⟨U+202E⟩evil" in seen.text and "\x1b" not in seen.text


def test_headings_are_in_order():
    levels = [int(tag[1]) for tag, _ in Seen(feedback_page(hostile(), lab())).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_nothing_runs_and_no_request_leaves(browser, tmp_path):
    file = tmp_path / "page.html"
    text = feedback_page(hostile(), lab(), hand_marked(1, EVIL_MARKDOWN))
    # Also without its content security policy: the text itself must be harmless.
    for name, content in {"with": text, "without": re.sub("<meta http-equiv[^>]*>", "", text)}.items():
        file = tmp_path / f"{name}.html"
        file.write_text(content, encoding="utf-8")
        context = browser.new_context(java_script_enabled=True, viewport={"width": 390, "height": 844})
        tab, requests, dialogs = context.new_page(), [], []
        tab.on("request", lambda request, seen=requests: seen.append(request.url))
        tab.on("dialog", lambda dialog, seen=dialogs: (seen.append(dialog.message), dialog.dismiss()))
        tab.goto(file.as_uri())
        for details in tab.locator("details").all():
            details.evaluate("element => element.open = true")
        assert tab.title().startswith("Feedback on Lab 3")
        assert [url for url in requests if not url.startswith(("file:", "data:image/png"))] == [] == dialogs
        assert (
            tab.evaluate("document.scripts.length + document.querySelectorAll('iframe,object,embed,base,link').length")
            == 0
        )
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()


def test_a_page_stays_small_and_says_what_was_cut():
    huge = "x = 1 + (2 * 3) - '<&>' # \U0001f600\n" * 100_000
    picture = png(1000, 1000)
    noise = base64.b64encode(PNG + base64.b64decode(picture)[8:40] + bytes(range(256)) * 1500).decode()
    outputs = [stream(huge)] * 10 + [drawn({"image/png": noise})] * 10
    extra = [{"cell_type": "code", "id": f"x{n}", "metadata": {}, "source": huge, "outputs": outputs} for n in range(6)]
    # The answers are shown although much output comes before them.
    result = graded("ann", {"shortest_time": "keep_me = 1\n" + huge, ESSAY: "keep this too\n\n" + huge}, correct())
    result.notebook["cells"][:0] = extra
    text = feedback_page(result, lab())
    pictures = sum(len(found) for found in re.findall('data:image/png;base64,[^"]*', text))
    assert pictures <= 1_000_000 and len(text.encode()) - pictures < 300_000
    seen = Seen(text)
    assert "keep_me" in seen.text and "keep this too" in seen.text
    assert "cut here; your notebook has the full text" in seen.text and "picture is left out" in seen.text


@pytest.mark.parametrize(
    "text", ["\ud800", "\0\x07", "[" * 20_000, "> " * 10_000, "*a" * 10_000, "|a" * 9_000 + "\n" + "|-" * 900]
)
def test_text_that_troubles_parsers_is_shown_in_good_time(text, tmp_path):
    result = graded("ann", {"shortest_time": text, ESSAY: text}, correct())
    assert write_page(feedback_page(result, lab()), tmp_path / "page.html") == "written"


@pytest.mark.parametrize("value", [None, 3, {"a": 1}, [1, None], [[]]])
def test_fields_of_a_wrong_type_are_empty(value):
    assert html.field_text(value) == "" and html.png_data_url(value) is None


def test_pictures_are_png_of_sane_size():
    assert html.png_data_url(png()).startswith("data:image/png;base64,")
    assert html.png_data_url([png()[:20], png()[20:]]) == html.png_data_url(png())
    for bad in ("", "!!", base64.b64encode(b"GIF89a" + bytes(40)).decode(), png(5000, 1), png(0, 9), png()[:12]):
        assert html.png_data_url(bad) is None


def test_mathematics_and_prices_stay_readable():
    assert "$a_1 \\cdot b_2$" in html.markdown_html("so $a_1 \\cdot b_2$ holds")
    assert "costs $5 and $10" in html.markdown_html("costs $5 and $10")
