"""The papers of an exam as a browser prints them: every page there, nothing cut, nothing fetched."""

import contextlib
import re
import zlib
from itertools import pairwise

import pytest

from autograder.exam.drawing import ExamRequest
from autograder.exam.exam import draw_exam
from autograder.exam.paper import render_pages

MILLIMETRE = 96 / 25.4
SHEETS = {"a4": (210, 297), "letter": (215.9, 279.4)}
MARGIN = 36  # millimetres, left and right together


@pytest.fixture(scope="module")
def made():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHIP2CLUSTER_SECRET", "this term")
        # With a table of links, which is as wide as anything that paper can ask.
        exam = draw_exam(
            "final",
            ExamRequest(("links", "mfu", "economics"), 1, 5, 90, comparisons=2),
            [f"s{n:02}" for n in range(29)] + ["w" * 80],
        )
    return exam, render_pages(exam)


def page_streams(printed):
    """Content of the pages of a PDF."""
    streams = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", printed, re.S):
        with contextlib.suppress(zlib.error):
            # Unlike `decompress`, it accepts a stream whose last byte was taken for a line end.
            streams.append(zlib.decompressobj().decompress(stream))
    return [stream for stream in streams if re.search(rb"BT\n.*?ET\n", stream, re.S)]


def page_numbers(streams):
    """Numbers in the margin of each page of a PDF; Chromium draws the margin before the page's content."""
    # Some versions of Chromium show each digit for itself.
    blocks = [text[1] for stream in streams if (text := re.search(rb"BT\n(.*?)ET\n", stream, re.S))]
    first = [b"".join(re.findall(rb"<([0-9A-Fa-f]+)> Tj", block)) for block in blocks]
    # Glyphs of digits follow one another in the font, and the first page has the number 1.
    one = int(first[0], 16)
    return [int("".join(str(int(text[at : at + 4], 16) - one + 1) for at in range(0, len(text), 4))) for text in first]


@pytest.mark.parametrize("size", SHEETS)
@pytest.mark.parametrize("kind", ["papers", "key"])
def test_they_print_whole(browser, made, tmp_path, size, kind):
    exam, written = made
    wide, high = SHEETS[size]
    file = tmp_path / "exam.html"
    file.write_text(written[f"{kind}-{size}.html"], encoding="utf-8")
    page = browser.new_page(viewport={"width": round((wide - MARGIN) * MILLIMETRE), "height": 900})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    assert asked == [file.as_uri()]
    # Nothing is wider than the sheet, and no task higher than one.
    over = page.evaluate(
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('math') && "
        "e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))"
    )
    assert over == []
    # No head of a column goes over two lines.
    heads = "e => [e.getBoundingClientRect().height, parseFloat(getComputedStyle(e).lineHeight), e.textContent]"
    for height, line, words in page.evaluate(f"[...document.querySelectorAll('thead th')].map({heads})"):
        assert height < 2 * line, words
    highest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('.task')].map(e => e.getBoundingClientRect().height))"
    )
    if kind == "papers":
        assert highest < (high - 38) * MILLIMETRE
    printed = page.pdf(prefer_css_page_size=True)
    page.close()
    boxes = {
        tuple(round(float(number)) for number in box)
        for box in re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    }
    assert boxes == {(round(wide / 25.4 * 72), round(high / 25.4 * 72))}
    count = len(re.findall(rb"/Type /Page\b(?!s)", printed))
    if kind == "papers":
        # Each begins on a page of its own, and needs one for every two to four tasks.
        assert 30 * len(exam.tasks) / 4 <= count <= 30 * -(-len(exam.tasks) // 2)
        # Pages are numbered from 1 in each paper, and none has a number alone.
        streams = page_streams(printed)
        assert min(len(re.findall(rb"T[jJ]", stream)) for stream in streams) > 20
        numbers = page_numbers(streams)
        assert len(numbers) == count and numbers.count(1) == 30
        assert all(now in (before + 1, 1) for before, now in pairwise(numbers))
