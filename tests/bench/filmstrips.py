"""The part ``filmstrips``: drawing, size, and from a control's event to the laid-out frame.

Every strip is built as for the book and moved in Chromium through its sliders, or its lists where it has none.
The time of a move is that of the event handler with style and layout, which are forced right after it.
"""

import shutil
import tempfile
import time
from functools import partial
from pathlib import Path

from playwright.sync_api import sync_playwright

from chip2cluster import explore
from chip2cluster.explore import script
from course.publish import filmstrips
from tests.bench.rows import Row, find_chromium, once, percentile_95
from tests.serving import served

MOVES = 60
ROOT = Path(__file__).resolve().parents[2]
FILMSTRIP = ROOT / "course/publish/filmstrips/filmstrip.js"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>strip</title>
<script type="module" src="_static/filmstrip.js"></script><h1>A strip</h1>{}"""
MEASURE = """async ({ moves }) => {
  const view = document.querySelector('.c2c-live'), frame = () => new Promise((done) => requestAnimationFrame(done));
  const sliders = [...view.querySelectorAll('input[type=range]')];
  const controls = sliders.length ? sliders : [...view.querySelectorAll('select')];
  const layout = [];
  for (let n = 0; n < moves + 5; n++) {
    const control = controls[n % controls.length];
    const steps = control.options ? control.options.length : Number(control.max) + 1;
    await frame(); await frame();
    control.value = (Number(control.value) + 1) % steps;
    const start = performance.now();
    control.dispatchEvent(new Event('input', { bubbles: true }));
    view.getBoundingClientRect();
    if (n >= 5) layout.push(performance.now() - start);
  }
  return layout;
}"""


def rows(stack):
    """Yield three rows for each explorer: seconds of drawing, bytes as the book serves them, seconds of a move."""
    path, flags = find_chromium()

    @once
    def open_site():
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "_static").mkdir()
        shutil.copy(FILMSTRIP, folder / "_static")
        script.write(folder / "_static")
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        stack.callback(browser.close)
        return folder, browser, stack.enter_context(served(folder))

    measured = once(lambda kind: measure_strip(kind, *open_site()))
    for kind in explore.explorers().values():
        draw, size, moves = (partial(lambda kind, place: measured(kind)[place], kind, place) for place in range(3))
        yield Row(f"filmstrip {kind.__name__}: drawing it", draw)
        yield Row(f"filmstrip {kind.__name__}: compressed size", size, budget=200e3, unit="B")
        yield Row(f"filmstrip {kind.__name__}: event to laid-out frame, 95th percentile", moves, budget=16e-3)


def measure_strip(kind, folder, browser, address):
    """Return the seconds of drawing, the bytes, and the seconds of a move of one explorer's filmstrip."""
    start = time.perf_counter()
    html = filmstrips.html(kind(), folder / "_static/filmstrips")
    drawing = time.perf_counter() - start
    size = (folder / "_static/filmstrips" / f"{kind.__name__.lower()}.strip").stat().st_size
    (folder / "strip.html").write_text(PAGE.format(html), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=2)
    page.goto(f"{address}/strip.html")
    page.locator(".c2c-live").wait_for()
    milliseconds = page.evaluate(MEASURE, {"moves": MOVES})
    page.close()
    return drawing, size, percentile_95(milliseconds) / 1e3
