"""Measure the book: time to build, size, weight of a page, time to the first picture from a local server.

Run it by hand: ``python -m tests.bench.book``. Not a test.
"""

import gzip
import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from course.publish.book import build, execute
from tests.conftest import BROWSERS, FLAGS
from tests.serving import served

# Milliseconds from the start of the navigation to the frame after the first explorer's picture is there.
FIRST_PICTURE = """() => new Promise((done) => {
  const look = () => {
    const picture = [...document.querySelectorAll(".c2c-picture :is(img, svg)")].find((one) => one.getBoundingClientRect().height > 50);
    if (picture && picture.complete !== false) requestAnimationFrame(() => done(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
})"""


def main():
    """Build, measure and print the rows."""
    with tempfile.TemporaryDirectory() as folder:
        pages, site = Path(folder, "pages"), Path(folder, "site")
        start = time.perf_counter()
        execute.pages(pages)
        middle = time.perf_counter()
        build.build(site, executed=pages)
        end = time.perf_counter()
        files = [file for file in site.rglob("*") if file.is_file()]
        strips = sum(file.stat().st_size for file in files if file.parent.name == "filmstrips")
        show("build the book: run the pages and draw the filmstrips", f"{middle - start:.1f} s")
        show("build the book: from run pages to the site", f"{end - middle:.1f} s")
        show(
            "size of the site, of it filmstrips",
            f"{sum(file.stat().st_size for file in files) / 1e6:.1f} MB, {strips / 1e6:.1f} MB",
        )
        measure(site)


def measure(site):
    """Load every page in Chromium from a local server."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    weights, times = {}, {}
    with served(site) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for page in sorted(site.glob("*.html")):
            tab = chromium.new_context().new_page()  # nothing in its cache
            seen = set()
            tab.on("request", lambda request, seen=seen: seen.add(urlsplit(request.url).path.lstrip("/")))
            tab.goto(f"{address}/{page.name}", wait_until="commit")
            if 'class="c2c-picture"' in page.read_text(encoding="utf-8"):
                times[page.name] = tab.evaluate(FIRST_PICTURE)
            tab.wait_for_load_state("networkidle")
            weights[page.name] = sum(
                packed(site / name) for name in seen if (site / name).is_file() and "/filmstrips/" not in name
            )
            tab.context.close()
        chromium.close()
    heavy, slow = max(weights, key=weights.get), max(times, key=times.get)
    show(f"heaviest page, compressed, without filmstrips ({heavy})", f"{weights[heavy] / 1e3:.0f} KB", "1500 KB")
    show(f"first picture of a page, slowest ({slow})", f"{times[slow]:.0f} ms")


@cache
def packed(file):
    """Bytes of a file as a server sends it."""
    return len(gzip.compress(file.read_bytes(), 6))


def show(name, value, budget=""):
    """Print one row of the table."""
    print(f"{name:<58} {value:>20} {'':>9}  {budget}", flush=True)


if __name__ == "__main__":
    main()
