"""The part ``browser`` of the benchmark: an explorer in JupyterLab, from a slider event to new pixels, and a fast drag.

The clock starts in the slider's input event and stops when the browser has painted the frame with the new picture.
"""

import statistics
import tempfile
from functools import partial
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.bench.rows import Row, find_chromium, once, percentile_95
from tests.browser import latency_others
from tests.browser.conftest import Lab, clear

MOVES = 80
CELL = "from chip2cluster import explore\nexplore.roofline()"
MEASURE = """async ({ moves }) => {
  const range = document.querySelector('.c2c input[type=range]'), list = document.querySelector('.c2c [data-name=device] select');
  const picture = document.querySelector('.c2c-picture [role=img]').shadowRoot;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const move = (to) => { range.value = to; range.dispatchEvent(new Event('input', { bubbles: true })); };
  // A message sent while a frame is made is delivered after that frame has been painted.
  const painted = async () => {
    await frame();
    const { port1, port2 } = new MessageChannel();
    await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
  };
  let arrived, next = () => {};
  new MutationObserver(() => { arrived = performance.now(); next(); }).observe(picture, { childList: true, subtree: true });
  const single = [], answered = [];
  for (let n = 0; n < moves + 5; n++) {
    const shown = new Promise((done) => { next = done; }), start = performance.now();
    move((Number(range.value) + 1) % (Number(range.max) + 1));
    // Two neighbouring values can look the same; then nothing is replaced.
    const same = await Promise.race([shown.then(() => false), pause(1500).then(() => true)]);
    await painted();
    if (n >= 5 && !same) { single.push(performance.now() - start); answered.push(arrived - start); }
    await pause(60 + (n * 7) % 17);   // not in step with the screen
  }
  // A fast drag: 100 events, one a screen frame at most, then wait until no new picture comes.
  for (let n = 0; n < 100; n++) { move(n % (Number(range.max) + 1)); await pause(5); }
  const last = performance.now();
  let seen;
  do { seen = arrived; await pause(400); } while (arrived !== seen);
  const settled = Math.max(0, arrived - last);
  // The list of devices, each of them once.
  const listed = [];
  for (const { value } of [...list.options]) {
    const shown = new Promise((done) => { next = done; }), start = performance.now();
    list.value = value;
    list.dispatchEvent(new Event('input', { bubbles: true }));
    const same = await Promise.race([shown.then(() => false), pause(1500).then(() => true)]);
    await painted();
    if (!same) listed.push(performance.now() - start);
    await pause(60);
  }
  return { single, answered, settled, listed };
}"""


def rows(stack):
    """Yield the rows, all from one measurement in one JupyterLab."""
    import jupyterlab  # noqa: F401  # a machine without it is told so before a server is started

    path, flags = find_chromium()
    desk = once(lambda: open_desk(stack, path, flags))
    moves = once(lambda: measure_explorer(*desk()))
    what = "roofline explorer in JupyterLab:"
    yield Row(f"{what} event to painted picture, median", lambda: statistics.median(moves()["single"]) / 1e3)
    yield Row(
        f"{what} event to painted picture, 95th percentile",
        lambda: percentile_95(moves()["single"]) / 1e3,
        budget=50e-3,
    )
    yield Row(f"{what} event to the kernel's answer, median", lambda: statistics.median(moves()["answered"]) / 1e3)
    yield Row(f"{what} last of 100 drag events to the last picture", lambda: moves()["settled"] / 1e3)
    yield Row(
        f"{what} another device to painted picture, 95th percentile",
        lambda: percentile_95(moves()["listed"]) / 1e3,
        budget=100e-3,
    )
    other = once(lambda name: percentile_95(latency_others.measure(*desk(), name, MOVES)) / 1e3)
    for name in latency_others.installed():
        yield Row(
            f"{what} 95th percentile beside {name}",
            lambda: percentile_95(moves()["single"]) / 1e3,
            partial(other, name),
        )


def open_desk(stack, path, flags):
    """Return a JupyterLab and a page of the browser."""
    lab = Lab(Path(stack.enter_context(tempfile.TemporaryDirectory())))
    lab.start()
    stack.callback(lab.stop)
    browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=path, args=flags)
    stack.callback(browser.close)
    return lab, browser.new_page(viewport={"width": 1400, "height": 950}, device_scale_factor=2)


def measure_explorer(lab, page):
    """Return the milliseconds of single moves, of their answers, of the end of a drag, and of each device in the list."""
    lab.notebook(page, CELL).open().run_all()
    page.wait_for_selector(".c2c-picture [role=img]")
    found = page.evaluate(MEASURE, {"moves": MOVES})
    clear(page)
    return found
