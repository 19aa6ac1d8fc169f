"""Location and order of the notebooks of the course; the order of the chapters is that of their file names."""

import os
import re
from pathlib import Path

FIRST = "00_start.ipynb"
_NUMBERED = re.compile(r"(\d+)_(\w+)\.ipynb")


def folder():
    """Return the folder of the notebooks: next to this package, else at or above the working directory, or None.

    A wheel contains no notebooks; they are in the folder in which JupyterLab was started, or above it.
    """
    # `os.path.isfile` returns False for a folder without read permission.
    return next((place for place in _places() if os.path.isfile(place / FIRST)), None)


def _places():
    yield Path(__file__).resolve().parents[1]
    try:
        here = Path.cwd()
    except FileNotFoundError:  # the working directory was removed
        return
    for above in (here, *here.parents):
        yield from (above, above / "course")


def chapters(place=None):
    """Return the notebook of each chapter in ``place`` (by default `folder`) by topic, in order; empty without any."""
    place = place or folder()
    files = place.glob("*_*.ipynb") if place else ()
    numbered = sorted((int(match[1]), match[2], file) for file in files if (match := _NUMBERED.fullmatch(file.name)))
    return {topic: file for number, topic, file in numbered if number}


def in_order(topics):
    """Sort topics in the order of the chapters, then those without a notebook alphabetically."""
    places = {topic: place for place, topic in enumerate(chapters())}
    return sorted(topics, key=lambda topic: (places.get(topic, len(places)), topic))
