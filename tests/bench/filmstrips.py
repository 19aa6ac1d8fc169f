"""Measure the filmstrips of the book: drawing, size, and from a control's event to the painted frame.

Run it by hand: ``python -m tests.bench.filmstrips`` (``--moves 60``). Not a test. Every strip is
built as for the book and moved in Chromium through its sliders, or its lists where it has none.
*script* is what the event handler takes; *layout* adds style and layout, forced behind it;
*painted* runs until the second animation frame behind the event, so it holds up to two screen frames of waiting.
"""

import argparse
import gzip
import json
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from chip2cluster import explore
from course.publish import filmstrips
from tests.conftest import BROWSERS, FLAGS
from tests.serving import served

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "course/publish/filmstrips/filmstrip.js", ROOT / "course/chip2cluster/explore/explorer.js"
LIMIT, BUDGET = "200 KB packed", "16 ms with layout, p95"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>strip</title>
<script type="module" src="_static/filmstrip.js"></script><h1>A strip</h1>{}"""
MEASURE = """async ({ moves }) => {
  const view = document.querySelector('.c2c-live'), frame = () => new Promise((done) => requestAnimationFrame(done));
  const sliders = [...view.querySelectorAll('input[type=range]')];
  const controls = sliders.length ? sliders : [...view.querySelectorAll('select')];
  const script = [], layout = [], painted = [];
  for (let n = 0; n < moves + 5; n++) {
    const control = controls[n % controls.length];
    const steps = control.options ? control.options.length : Number(control.max) + 1;
    await frame(); await frame();
    control.value = (Number(control.value) + 1) % steps;
    const start = performance.now();
    control.dispatchEvent(new Event('input', { bubbles: true }));
    const ran = performance.now();
    view.getBoundingClientRect();
    const laid = performance.now();
    await frame(); await frame();
    if (n >= 5) { script.push(ran - start); layout.push(laid - start); painted.push(performance.now() - start); }
  }
  return { script, layout, painted };
}"""


def main():
    """Build, measure and print one row a strip."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--moves", type=int, default=60)
    moves = arguments.parse_args().moves
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    names = "frames", "KB packed", "built s", "script ms", "layout ms", "painted ms"
    print(f"{'filmstrip (ms: median / p95)':<30} " + " ".join(f"{name:>14}" for name in names) + f"  {LIMIT}; {BUDGET}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = Path(folder)
        (folder / "_static").mkdir()
        for script in SCRIPTS:
            shutil.copy(script, folder / "_static")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        with served(folder) as address:
            for kind in explore.explorers().values():
                _row(kind, folder, browser, f"{address}/strip.html", moves)
        browser.close()


def _row(kind, folder, browser, address, moves):
    began = time.perf_counter()
    html = filmstrips.html(kind(), folder / "_static/filmstrips")
    built = time.perf_counter() - began
    file = folder / "_static/filmstrips" / f"{kind.__name__.lower()}.strip"
    (folder / "strip.html").write_text(PAGE.format(html), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=2)
    page.goto(address)
    page.locator(".c2c-live").wait_for()
    times = page.evaluate(MEASURE, {"moves": moves})
    page.close()
    facts = [
        f"{len(json.loads(gzip.decompress(file.read_bytes()))['frames']):,}",
        f"{file.stat().st_size / 1e3:.0f}",
        f"{built:.1f}",
    ]
    facts += [_both(times[name]) for name in ("script", "layout", "painted")]
    print(f"{'  ' + kind.__name__:<30} " + " ".join(f"{fact:>14}" for fact in facts), flush=True)


def _both(times):
    return f"{statistics.median(times):.1f} / {sorted(times)[int(0.95 * (len(times) - 1))]:.1f}"


if __name__ == "__main__":
    main()
