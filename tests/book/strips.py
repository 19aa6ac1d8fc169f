"""The strips of all explorers, as the pages of the book have them, for the tests of them."""

import gzip
import json
import re
import shutil
from functools import cached_property
from pathlib import Path

import nbformat

from chip2cluster import explore
from chip2cluster.explore import script
from course.publish.book import picture_files
from tests.sampling import sampled

ROOT = Path(__file__).resolve().parents[2]
FILMSTRIP = ROOT / "course/publish/filmstrips/filmstrip.js"
EXPLORERS = {kind.__name__: kind for kind in explore.explorers().values()}
# Those that are looked at in a browser, and of the others as many as there is time for.
OPENED = ("Bisection", "Machine", "Protocols", "Ring", "Systolic")
MOVING = sorted({*OPENED, *sampled(EXPLORERS, 2)})
FOLDER = "_static/filmstrips"
STRIP = re.compile(rf'data-filmstrip="{FOLDER}/([\w.-]+)\.strip"')


class Strips:
    """The strips of executed pages in a folder like that of the book, with the scripts; it may be written to."""

    def __init__(self, pages, folder):
        self.folder, self._pages = folder, pages
        for part in (FOLDER, picture_files.FOLDER):
            shutil.copytree(pages / part, folder / part)
        shutil.copy(FILMSTRIP, folder / "_static")
        script.write(folder / "_static")

    @cached_property
    def _shown(self):
        """The HTML of each strip by its name."""
        shown = {}
        for page in sorted(self._pages.glob("*.ipynb")):
            for cell in nbformat.read(page, as_version=4).cells:
                for output in cell.get("outputs", ()):
                    html = output.get("data", {}).get("text/html", "")
                    if strip := STRIP.search(html):
                        shown[strip[1]] = html
        return shown

    def file(self, name):
        """The file of an explorer's strip, by the name of its class."""
        return self.folder / FOLDER / f"{name.lower()}.strip"

    def html(self, name):
        """What stands on the page."""
        return self._shown[name.lower()]

    def film(self, name, ending="strip"):
        """What is in the file."""
        return unpacked(self.file(name).with_suffix(f".{ending}"))


def unpacked(file):
    """What a page gets from the file of a strip."""
    return json.loads(gzip.decompress(file.read_bytes()))


def read(film, number):
    """The text of that number."""
    return "".join(film["pieces"][piece] for piece in film["texts"][number])
