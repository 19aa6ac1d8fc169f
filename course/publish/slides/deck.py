"""Slides of a chapter: which of its cells become slides, and what each shows.

An audience sees a title, few words, and a formula, a table, a picture or an explorer. The words are the cell's slide
texts; its prose is what the speaker says.
"""

import re
from base64 import b64encode
from dataclasses import dataclass, field
from html import unescape

from autograder import slide_texts
from chip2cluster.predict import find

from ..book.execute import CHECK
from . import speaker
from .markdown_blocks import blocks, html, inline_html, notes_html
from .markdown_slides import markdown_slides
from .prediction_slides import prediction_slides

FOLDED = re.compile(r"<details><summary[^>]*>(.*?)</summary>(.*)</details>", re.S)
RESULTS = {
    "data-filmstrip": "strip",
    "c2c-drawing": "picture",
    "c2c-picture": "picture",
    "<svg": "picture",
    "c2c-data": "table",
}
STRIP = re.compile(r'data-filmstrip="([^"]+)"')
TALL = 10  # rows: longer tables have closer rows
TYPES = ("slide", "subslide", "notes")  # slide types of cells that are shown
OUT = (None, "", "-", "skip")  # slide types of cells that are left out


@dataclass
class Slide:
    """One slide: HTML for the audience, HTML for the speaker, and what kind it is."""

    name: str
    title: str  # Markdown; empty if a picture speaks for itself
    html: str  # below the title
    kind: str  # and after a space, what else its look depends on
    column: str = ""  # that begins here, by the id of the cell that says so
    notes: list = field(default_factory=list)

    @property
    def seconds(self):
        """Approximate duration, seconds."""
        return speaker.seconds(inline_html(self.title) + " " + self.html, self.notes, self.kind)


class UnknownSlideType(ValueError):
    """A cell has an unknown slide type, or a note comes before the first slide."""


def kind(cell):
    """Return the slide type in the metadata of a cell; empty if the cell is not shown."""
    said = cell.metadata.get("slideshow", {}).get("slide_type")
    if said not in (*TYPES, *OUT):
        raise UnknownSlideType(f"cell {cell.id} has the slide type {said!r}; give it slide, subslide, notes or skip")
    return said if said in TYPES else ""


def slides(notebook, static):
    """Return the slides of an executed chapter; ``static`` is the folder of its filmstrips."""
    made, heading, column, waiting = [], "", "", []  # notes wait for the first slide of a column
    for cell in notebook.cells:
        type_ = kind(cell)
        if type_ == "notes" and not made:
            raise UnknownSlideType(
                f"cell {cell.id} is a note, and no slide comes before it; make it a slide, or skip it"
            )
        if type_ == "notes":
            (waiting if column else made[-1].notes).extend(_notes(cell))
        elif type_:
            new, said = _slides(cell, heading, static)
            column = column or (cell.id if type_ == "slide" else "")
            if new:
                new[0].column, column = column, ""
                new[0].notes[:0], waiting = waiting, []
                made += new
            else:
                (waiting if column or not made else made[-1].notes).extend(said)
        heading = _heading(cell) or heading
    if waiting:
        made[-1].notes += waiting
    _number_titles(made)
    return made


def _notes(cell):
    """Return what a cell says to the speaker: its text, or the mistakes that its check knows."""
    if cell.cell_type == "markdown":
        return [notes_html(cell.source)]
    checked = CHECK.match(cell.source)
    return [speaker.mistakes(checked[1])] if checked else []


def _slides(cell, heading, static):
    """Return the slides of a cell, and notes for the slide beside it if it has none."""
    if cell.cell_type == "markdown":
        made, said = markdown_slides(cell, heading)
    elif asked := slide_texts.ASKED.match(cell.source):
        made, said = prediction_slides(cell, find(asked[1])), []
    else:
        return _result_slides(cell, heading, static), []
    return [Slide(*parts, notes=notes) for *parts, notes in made], said


def _heading(cell):
    """Return the last heading of a section in a cell."""
    if cell.cell_type != "markdown":
        return ""
    return next((one.heading for one in reversed(blocks(cell.source)) if one.text.startswith("## ")), "")


def _number_titles(made):
    """Tell slides apart that have only their section's heading as a title."""
    seen = {}
    for slide in made:
        if slide.title:
            seen[slide.title] = seen.get(slide.title, 0) + 1
            if seen[slide.title] > 1:
                slide.title = f"{slide.title} ({seen[slide.title]})"


def _result_slides(cell, heading, static):
    """Return the slides of a code cell: a filmstrip, a picture, a table."""
    made, texts = [], slide_texts.entries(cell)
    for output in cell.get("outputs", ()):
        shown = output.get("data", {}).get("text/html", "")
        folded = FOLDED.fullmatch(shown)
        title, shown = (unescape(folded[1]), folded[2]) if folded else ("", shown)
        what = next((what for mark, what in RESULTS.items() if mark in shown), "")
        if not what:
            continue
        entry = texts[len(made)] if len(made) < len(texts) else {}
        if what == "strip":
            shown = STRIP.sub(lambda match: f'data-filmstrip="{_data_url(match[1], static)}"', shown)
        title = entry.get("title") or title.rstrip(":") or (f"{heading}: table" if what == "table" else "")
        tall = " tall" * (what == "table" and shown.count("<tr") > TALL)
        name = f"{cell.id}-{len(made)}" if made else cell.id
        words = f'<div class="words">{html(entry["text"])}</div>' if "text" in entry else ""
        made.append(Slide(name, title, words + shown, what + tall))
    return made


def _data_url(address, static):
    """Return a filmstrip as a data URL, because a deck opened as a file may fetch nothing."""
    file = static / address.removeprefix("_static/")
    return f"data:application/gzip;base64,{b64encode(file.read_bytes()).decode()}"
