"""Slides of a chapter: which of its cells become slides, and what each shows.

All text comes from the page, its predictions and its exercises.
"""

import re
from base64 import b64encode
from dataclasses import dataclass, field
from html import escape, unescape

from chip2cluster.predict import find
from chip2cluster.predict.form import Form

from ..book.execute import CHECK
from . import markdown_split, speaker

ASKED = re.compile(r'predict\.ask\("([\w.]+)"\)')
FOLDED = re.compile(r"<details><summary[^>]*>(.*?)</summary>(.*)</details>", re.S)
RESULTS = {
    "data-filmstrip": "strip",
    "c2c-drawing": "picture",
    "c2c-picture": "picture",
    "<svg": "picture",
    "c2c-data": "table",
}
STRIP = re.compile(r'data-filmstrip="([^"]+)"')
GOALS = 560  # characters that a first slide holds
FEW = 6  # lines: slides with at most as many have larger type
TALL = 10  # rows: longer tables have closer rows
TYPES = ("slide", "subslide", "notes")  # slide types of cells that are shown
OUT = (None, "", "-", "skip")  # slide types of cells that are left out


@dataclass
class Slide:
    """One slide: HTML for the audience, HTML for the speaker, and what kind it is."""

    name: str
    html: str
    kind: str  # and after a space, what else its look depends on
    first: bool = False  # of a column
    notes: list = field(default_factory=list)

    @property
    def seconds(self):
        """Approximate duration, seconds."""
        return speaker.seconds(self.html, self.notes, self.kind)


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
    made, heading = [], ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            new, heading = _markdown_slides(cell, heading)
        else:
            new = _result_slides(cell, heading, static)
        if kind(cell) == "notes":
            if not made:
                raise UnknownSlideType(
                    f"cell {cell.id} is a note, and no slide comes before it; make it a slide, or skip it"
                )
            if cell.cell_type == "markdown":
                made[-1].notes.append(markdown_split.notes_html(cell.source))
            elif checked := CHECK.match(cell.source):
                made[-1].notes.append(speaker.mistakes(checked[1]))
        elif kind(cell) and new:
            new[0].first = kind(cell) == "slide"
            made += new
    return made


def _markdown_slides(cell, heading):
    """Return the slides of a Markdown cell, and the section of the next cell."""
    if cell.id == "title":
        return [_title_slide(cell)], ""
    made = [
        Slide(f"{cell.id}-{number}" if number else cell.id, _body(piece), _kind(piece), notes=_notes(piece))
        for number, piece in enumerate(markdown_split.split_cell(cell.source, heading))
    ]
    sections = re.findall(r"^## (.+)$", cell.source, re.M)
    return made, sections[-1] if sections else heading


def _title_slide(cell):
    """Return the first slide: title and goals; time and needs go to the notes."""
    first, *others = markdown_split.split_cell(cell.source, limit=GOALS)
    said = [block for piece in others for block in (*piece.shown, *piece.notes)]
    html = re.sub(r"(</?h)2", r"\g<1>1", _body(first))
    return Slide(cell.id, html, "title", notes=[*_notes(first), *map(markdown_split.notes_html, said)])


def _kind(piece):
    return f"{piece.box or 'words'}{' few' * (piece.lines <= FEW)}"


def _body(piece):
    title = f"<h2>{_inline_html(piece.title)}</h2>" if piece.title else ""
    body = _lists("".join(map(markdown_split.html, piece.shown)))
    return f'{title}<div class="box {piece.box}">{body}</div>' if piece.box else title + body


def _lists(html):
    """Join adjacent lists, because points are rendered one by one."""
    return re.sub(r"</(ol|ul)>\s*<\1(?: start=\"\d+\")?>", "", html)


def _inline_html(text):
    return markdown_split.html(text).strip().removeprefix("<p>").removesuffix("</p>")


def _notes(piece):
    return [markdown_split.notes_html(block) for block in piece.notes]


def _result_slides(cell, heading, static):
    """Return the slides of a code cell: a question with its answer, a filmstrip, a picture, a table."""
    if asked := ASKED.match(cell.source):
        return _prediction_slides(cell.id, find(asked[1]))
    made = []
    for output in cell.get("outputs", ()):
        html = output.get("data", {}).get("text/html", "")
        folded = FOLDED.fullmatch(html)
        title, html = (unescape(folded[1]), folded[2]) if folded else (heading, html)
        kind = next((kind for mark, kind in RESULTS.items() if mark in html), "")
        if kind == "strip":
            html = STRIP.sub(lambda match: f'data-filmstrip="{_data_url(match[1], static)}"', html)
        elif kind == "table" or (kind and folded):
            html = f"<h2>{_inline_html(title)}</h2>{html}"
        tall = " tall" * (kind == "table" and html.count("<tr") > TALL)
        if kind:
            made.append(Slide(f"{cell.id}-{len(made)}" if made else cell.id, html, kind + tall))
    return made


def _data_url(address, static):
    """Return a filmstrip as a data URL, because a deck opened as a file may fetch nothing."""
    file = static / address.removeprefix("_static/")
    return f"data:application/gzip;base64,{b64encode(file.read_bytes()).decode()}"


def _prediction_slides(name, question):
    form = Form(question)
    asked = f'<p class="asked">{escape(question.text)}</p><p class="unit">{escape(question.unit)}</p>'
    answer = f'<p class="value">{escape(form.value)}</p><p>{escape(form.reason)}</p>'
    return [
        Slide(
            name, f"<h2>Predict</h2>{asked}", "predict", notes=[f"<p>{escape(form.value)} {escape(form.reason)}</p>"]
        ),
        Slide(f"{name}-answer", f"<h2>Predict</h2>{answer}", "answer"),
    ]
