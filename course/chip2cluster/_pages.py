"""Where the pages of the course lie. The names of their files are the order of its chapters, and nothing else is."""

import os
import re
from pathlib import Path

FIRST = "00_start.ipynb"
_NUMBERED = re.compile(r"(\d+)_(\w+)\.ipynb")


def folder():
    """The folder of the pages: beside this package, else the one that the process works in, or None.

    A wheel brings no pages. Its user has them in the folder that JupyterLab was opened in, or above.
    """
    # `os.path` takes a folder that may not be read for one without pages.
    return next((place for place in _places() if os.path.isfile(place / FIRST)), None)


def _places():
    yield Path(__file__).resolve().parents[1]
    try:
        here = Path.cwd()
    except FileNotFoundError:  # somebody has removed it
        return
    for above in (here, *here.parents):
        yield from (above, above / "course")


def chapters(place=None):
    """The file of each chapter in ``place`` (by default `folder`) by its topic, in order; empty without pages."""
    place = place or folder()
    files = place.glob("*_*.ipynb") if place else ()
    numbered = sorted((int(match[1]), match[2], file) for file in files if (match := _NUMBERED.fullmatch(file.name)))
    return {topic: file for number, topic, file in numbered if number}


def in_order(topics):
    """Sort topics as the chapters stand, and those without a page behind them by the alphabet."""
    places = {topic: place for place, topic in enumerate(chapters())}
    return sorted(topics, key=lambda topic: (places.get(topic, len(places)), topic))
