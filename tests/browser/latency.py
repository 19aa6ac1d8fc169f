"""Measure an explorer in JupyterLab: from a slider event to new pixels, and a fast drag.

Run it by hand: ``python tests/browser/latency.py`` (``--moves 80``). Not a test.
The clock starts in the slider's input event and stops when the browser has painted
the frame with the new picture. ``--load 2`` keeps two more processes busy meanwhile.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import conftest
from tests.conftest import BROWSERS, FLAGS

MEASURE = """async ({ moves }) => {
  const range = document.querySelector('.c2c input[type=range]');
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
  let frames = 0, arrived, next = () => {};
  new MutationObserver(() => { frames++; arrived = performance.now(); next(); }).observe(picture, { childList: true, subtree: true });
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
  frames = 0;
  const begin = performance.now();
  for (let n = 0; n < 100; n++) { move(n % (Number(range.max) + 1)); await pause(5); }
  const last = performance.now();
  let seen;
  do { seen = arrived; await pause(400); } while (arrived !== seen);
  const settled = Math.max(0, arrived - last);
  return { single, answered, drag: last - begin, settled, frames };
}"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--moves", type=int, default=80)
    arguments.add_argument("--load", type=int, default=0)
    arguments.add_argument("--cell", default="from chip2cluster import explore\nexplore.roofline()")
    arguments = arguments.parse_args()
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        lab = conftest.Lab(Path(folder))
        lab.start()
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.load)]
        try:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            page = browser.new_page(viewport={"width": 1400, "height": 950}, device_scale_factor=2)
            lab.notebook(page, arguments.cell).open().run_all()
            page.wait_for_selector(".c2c-picture [role=img]")
            result = page.evaluate(MEASURE, {"moves": arguments.moves})
            browser.close()
        finally:
            for process in busy:
                process.kill()
            lab.stop()
    single = sorted(result["single"])
    report = {
        "moves": len(single),
        "median_ms": round(statistics.median(single), 1),
        "p95_ms": round(single[int(0.95 * (len(single) - 1))], 1),
        "answer_median_ms": round(statistics.median(result["answered"]), 1),
        "drag_events": 100,
        "drag_ms": round(result["drag"]),
        "drag_pictures": result["frames"],
        "last_event_to_last_picture_ms": round(result["settled"], 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
