"""Pages with the film of one explorer each, for tests of what a hand does to them."""

import shutil
from pathlib import Path

from chip2cluster import explore
from chip2cluster.explore import script
from chip2cluster.explore.static_states import Strip
from course.publish import filmstrips
from tests.book.strips import FILMSTRIP

NAMES = ("ring", "generations", "warps", "machine")
# Of some explorers a few states are enough.
FEW = {"machine": Strip("message", {"system": ("DGX A100", "DGX H100")}, steps=(1, 16 * 10**9))}
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A page</title><link rel="icon" href="data:,"><link rel="stylesheet" href="_static/explorer.css">
<script type="module" src="_static/filmstrip.js"></script></head><body><main><h1>A page</h1>{}<p>What follows.</p></main></body>
</html>"""


def write(folder):
    """Write the pages, their scripts and the part of the script that finds the nearest option."""
    (folder / "_static").mkdir()
    script.write(folder / "_static")
    shutil.copy(FILMSTRIP, folder / "_static")
    shutil.copy(Path(script.__file__).parent / "handle.js", folder)
    for name in NAMES:
        explorer = getattr(explore, name)()
        explorer.strip = FEW.get(name, explorer.strip)
        html = filmstrips.html(explorer, folder / "_static/filmstrips", whole=name != "warps")
        (folder / f"{name}.html").write_text(PAGE.format(html), encoding="utf-8")


def opened(page, films, name):
    """Open the page of an explorer and return its live view."""
    page.goto(f"{films}/{name}.html")
    view = page.locator(".c2c-live")
    view.wait_for()
    return view
