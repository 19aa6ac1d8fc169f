"""The part ``book``: time to build, size, weight of a page, time to the first picture from a local server."""

import gzip
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from autograder.exercises import exercise
from course.publish.book import build, execute
from course.publish.pyodide import CACHE, Distribution, NoPyodide, fetch_engine
from tests.bench.rows import MissingTool, Row, find_chromium, once
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


def rows(stack):
    """Yield the rows; the later ones need the book that the first ones build."""
    path, flags = find_chromium()
    place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    pages, site = place / "pages", place / "site"
    run_pages = once(lambda: time_call(execute.pages, pages))

    @once
    def build_site():
        run_pages()
        engine = fetch_engine_or_leave_out()
        return time_call(build.build, site, executed=pages, python=engine)

    @once
    def load_pages():
        build_site()
        return measure_pages(site, path, flags)

    def total_size(pattern):
        build_site()
        return sum(file.stat().st_size for file in site.rglob(pattern) if file.is_file())

    yield Row("book: run the pages and draw the filmstrips", run_pages)
    yield Row("book: build the site from run pages", build_site)
    yield Row("book: size of the site", lambda: total_size("*"), unit="B")
    yield Row("book: size of the filmstrips", lambda: total_size("filmstrips/*"), unit="B")
    yield Row(
        "book: heaviest page, compressed, without filmstrips",
        lambda: find_largest(load_pages()[0], "heaviest page"),
        budget=1.5e6,
        unit="B",
    )
    verdicts = once(lambda: (build_site(), measure_verdicts(site, path, flags))[1])
    yield Row(
        "book: largest file of a chapter's recorded exercises, compressed",
        lambda: cases_size(site, build_site),
        budget=60e3,
        unit="B",
    )
    yield Row("book: Run to the first verdict, Python starts", lambda: verdicts()[0], budget=6)
    yield Row("book: Run to a later verdict", lambda: verdicts()[1], budget=1)
    yield Row(
        "book: first picture of a page, the slowest page", lambda: find_largest(load_pages()[1], "slowest page") / 1e3
    )


def fetch_engine_or_leave_out():
    """Return npm's Pyodide, or leave the part out where npm is missing."""
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        return Distribution(fetch_engine(CACHE), served_from_afar=False)
    except NoPyodide as problem:
        raise MissingTool(str(problem)) from None


def cases_size(site, build_site):
    """Return the largest compressed size of a chapter's recorded exercises."""
    build_site()
    return max(map(packed, (site / "_static/exercises").glob("*.json")))


def measure_verdicts(site, path, flags):
    """Return the seconds from Run to the first verdict, files in the browser's cache, and to a second one."""
    solution = exercise("roofline.ridge").solution
    with served(site) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        context, times = chromium.new_context(), []
        for _ in range(2):  # the second visit finds the files of the first
            page = context.new_page()
            page.goto(f"{address}/03_roofline.html", wait_until="networkidle")
            page.locator("[data-exercise='roofline.ridge']").scroll_into_view_if_needed()
            page.locator(".c2c-editor .cm-content").first.click()
            page.keyboard.press("Control+a")
            page.keyboard.insert_text(solution)
            times = []
            for _ in range(2):
                start = time.perf_counter()
                page.locator(".c2c-run").first.click()
                page.locator(".c2c-run:enabled").first.wait_for(timeout=120_000)
                times.append(time.perf_counter() - start)
            page.close()
        chromium.close()
    return times


def time_call(function, *arguments, **options):
    """Return the seconds of one call."""
    start = time.perf_counter()
    function(*arguments, **options)
    return time.perf_counter() - start


def find_largest(values, label):
    """Return the largest value and name its page on standard error."""
    page = max(values, key=values.get)
    print(f"  {label}: {page}", file=sys.stderr, flush=True)
    return values[page]


def measure_pages(site, path, flags):
    """Load every page in Chromium from a local server; return compressed bytes and milliseconds by page."""
    weights, times = {}, {}
    with served(site) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        for page in sorted(site.glob("*.html")):
            tab = chromium.new_context().new_page()  # with an empty cache
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
    return weights, times


@cache
def packed(file):
    """Return the bytes of a file as a server sends it."""
    return len(gzip.compress(file.read_bytes(), 6))
