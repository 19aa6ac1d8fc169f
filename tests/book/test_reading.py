"""What a reader looks at on a page: folds of an exercise, lines of code, frames on a drawing, the question of a prediction."""

from itertools import pairwise
from pathlib import Path

import pytest

from chip2cluster import draw, predict
from chip2cluster.explore import script
from course.publish.book import predictions

BOOK = Path(predictions.__file__).parent
SHEETS = ("explorer.css", "book.css", "cards.css")
LONG = "def predicted(peak_flops, bandwidth_bytes, latency_seconds, message_bytes): return message_bytes / bandwidth_bytes + latency_seconds"
CODE = '<div class="cell_input"><div class="highlight-ipython3"><div class="highlight"><pre><span></span><span class="k">{}</span>\n</pre></div></div></div>'
PRINTED = '<div class="cell_output"><div class="output stream"><div class="highlight"><pre>{}\n</pre></div></div></div>'
FOLD = '<details class="c2c-{}"><summary>{}</summary><div class="c2c-folded"><p>Count the bytes.</p></div></details>'
FOLDS = "".join(
    FOLD.format(*one) for one in [*(("hint", f"Hint {n}") for n in (1, 2, 3)), ("solution", "Show the solution")]
)
BOXES = "(nodes) => nodes.map((node) => { const box = node.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })"


@pytest.fixture(params=[390, 1280])
def shown(request, page, tmp_path):
    """A page under the sheets of the book, at the width of a phone and of a laptop."""
    script.write_style(tmp_path)
    for sheet in (BOOK / "static/book.css", BOOK / "cards.css"):
        (tmp_path / sheet.name).write_text(sheet.read_text(encoding="utf-8"), encoding="utf-8")
    links = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in SHEETS)
    exercise = f'<div class="c2c-exercise"><div class="c2c-verdict">not written yet</div>{FOLDS}</div>'
    drawing = f'<div class="c2c"><div class="c2c-picture">{draw.die()._repr_html_()}</div></div>'
    question = predictions.form(predict.ask("roofline.faster_chip"))
    body = f'<p class="prose">Prose.</p>{exercise}{CODE.format(LONG)}{PRINTED.format(3 * LONG)}{drawing}{question}'
    (tmp_path / "page.html").write_text(
        f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>x</title>{links}'
        f'<style>* {{ box-sizing: border-box; }} body {{ margin: 0 16px; }} pre {{ overflow-x: auto; }}</style><article class="bd-article"><section>{body}</section></article>',
        encoding="utf-8",
    )
    page.set_viewport_size({"width": request.param, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    return page


def test_closed_folds_share_a_row_and_an_open_one_is_wide(shown):
    folds = shown.locator(".c2c-exercise > details")
    closed = folds.evaluate_all(BOXES)
    assert len(closed) == 4 and len({y for _, y, _, _ in closed}) == 1
    assert all(left[0] + left[2] < right[0] for left, right in pairwise(closed))
    assert min(height for *_, height in closed) >= 24
    folds.nth(1).locator("summary").focus()
    shown.keyboard.press("Enter")
    whole = shown.locator(".c2c-verdict").evaluate_all(BOXES)[0][2]
    first, second, third, last = folds.evaluate_all(BOXES)
    assert second[2] == pytest.approx(whole, abs=1)
    assert first[1] < second[1] < third[1] == last[1]
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("media", ["screen", "print"])
def test_code_wraps_and_is_copied_as_it_was_written(shown, media):
    shown.emulate_media(media=media)
    code = shown.locator(".cell_input pre")
    assert code.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    copied = "(node) => { getSelection().selectAllChildren(node); return getSelection().toString(); }"
    assert code.evaluate(copied).strip() == LONG
    # What a cell printed keeps its columns and scrolls; paper cannot scroll.
    printed = shown.locator(".cell_output pre").evaluate("(node) => node.scrollWidth > node.clientWidth")
    assert printed == (media == "screen")


def test_frames_lie_on_the_image_that_is_seen(shown):
    image = shown.locator(".c2c-drawing img:visible").evaluate_all(BOXES)
    frames = shown.locator(".c2c-drawing svg.c2c-parts").evaluate_all(BOXES)
    (seen,) = [box for box in frames if box[2]]
    assert image == [pytest.approx(seen, abs=1)]


def test_question_of_a_prediction_has_the_size_of_prose(shown):
    size = "(node) => getComputedStyle(node).fontSize"
    assert shown.locator(".c2c-prediction p").first.evaluate(size) == shown.locator(".prose").evaluate(size)
