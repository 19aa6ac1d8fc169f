"""The strips of all explorers, drawn once for all processes of a run, for the tests of them."""

import gzip
import json
import os
from functools import cache
from pathlib import Path
from tempfile import gettempdir

from filelock import FileLock

from chip2cluster import explore
from course.publish import filmstrips

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "course/publish/filmstrips/filmstrip.js", ROOT / "course/chip2cluster/explore/explorer.js"
EXPLORERS = {kind.__name__: kind for kind in explore.explorers().values()}


@cache
def site():
    """A folder like that of the book, with the scripts."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or os.getpid()
    folder = Path(gettempdir()) / f"filmstrips-{run}"
    (folder / "_static").mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "scripts.lock"):
        for script in SCRIPTS:
            (folder / "_static" / script.name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


@cache
def built(name):
    """The HTML of a strip and what is in its file, drawn by whichever process asks first."""
    html = site() / f"{name}.html"
    with FileLock(site() / f"{name}.lock"):
        if not html.exists():
            html.write_text(filmstrips.html(EXPLORERS[name](), site() / "_static/filmstrips"), encoding="utf-8")
    return html.read_text(encoding="utf-8"), unpacked(site() / "_static/filmstrips" / f"{name.lower()}.strip")


def unpacked(file):
    """What a page gets from the file of a strip."""
    return json.loads(gzip.decompress(file.read_bytes()))


def read(film, number):
    """The text of that number."""
    return "".join(film["pieces"][piece] for piece in film["texts"][number])
