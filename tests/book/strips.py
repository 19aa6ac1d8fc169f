"""The strips of all explorers, drawn once by each process, for the tests of them."""

import gzip
import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from chip2cluster import explore
from course.publish import filmstrips

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "course/publish/filmstrips/filmstrip.js", ROOT / "course/chip2cluster/explore/explorer.js"
EXPLORERS = {kind.__name__: kind for kind in explore.explorers().values()}


@cache
def site():
    """A folder like that of the book, with the scripts."""
    folder = Path(mkdtemp(prefix="film"))
    (folder / "_static").mkdir()
    for script in SCRIPTS:
        (folder / "_static" / script.name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


@cache
def built(name):
    """The HTML of a strip and what is in its file; drawn once by each process."""
    html = filmstrips.html(EXPLORERS[name](), site() / "_static/filmstrips")
    return html, unpacked(site() / "_static/filmstrips" / f"{name.lower()}.strip")


def unpacked(file):
    """What a page gets from the file of a strip."""
    return json.loads(gzip.decompress(file.read_bytes()))


def read(film, number):
    """The text of that number."""
    return "".join(film["pieces"][piece] for piece in film["texts"][number])
