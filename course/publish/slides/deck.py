"""A chapter as a deck: which of its cells are slides, and what each shows.

The words are those of the page, the question, the exercise; what is new here is only where they stand.
"""

import re
from base64 import b64encode
from dataclasses import dataclass, field
from html import escape, unescape

from chip2cluster.predict import find
from chip2cluster.predict.form import Form

from ..book.execute import CHECK
from . import cut, speaker

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
FEW = 6  # lines: what has no more is set larger
TALL = 10  # rows: a table that has more is set closer
TYPES = ("slide", "subslide", "notes")  # what a cell can say to come in
OUT = (None, "", "-", "skip")  # or to stay out


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
        """How long it takes, about."""
        return speaker.seconds(self.html, self.notes, self.kind)


class Unknown(ValueError):
    """A cell says something of slides that nothing here understands."""


def kind(cell):
    """What the metadata of a cell says of slides, or nothing."""
    said = cell.metadata.get("slideshow", {}).get("slide_type")
    if said not in (*TYPES, *OUT):
        raise Unknown(f"cell {cell.id} has the slide type {said!r}; give it slide, subslide, notes or skip")
    return said if said in TYPES else ""


def slides(notebook, static):
    """The slides of an executed chapter; ``static`` is the folder that holds its strips."""
    made, heading = [], ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            new, heading = _words(cell, heading)
        else:
            new = _results(cell, heading, static)
        if kind(cell) == "notes":
            if not made:
                raise Unknown(f"cell {cell.id} is a note, and no slide stands before it; make it a slide, or skip it")
            if cell.cell_type == "markdown":
                made[-1].notes.append(cut.said(cell.source))
            elif checked := CHECK.match(cell.source):
                made[-1].notes.append(speaker.mistakes(checked[1]))
        elif kind(cell) and new:
            new[0].first = kind(cell) == "slide"
            made += new
    return made


def _words(cell, heading):
    """The slides of a Markdown cell, and the section in which the next cell stands."""
    if cell.id == "title":
        return [_opening(cell)], ""
    made = [
        Slide(f"{cell.id}-{number}" if number else cell.id, _shown(piece), _kind(piece), notes=_noted(piece))
        for number, piece in enumerate(cut.pieces(cell.source, heading))
    ]
    sections = re.findall(r"^## (.+)$", cell.source, re.M)
    return made, sections[-1] if sections else heading


def _opening(cell):
    """The first slide: the title and the goals; time and needs are said."""
    first, *others = cut.pieces(cell.source, limit=GOALS)
    said = [block for piece in others for block in (*piece.shown, *piece.notes)]
    html = re.sub(r"(</?h)2", r"\g<1>1", _shown(first))
    return Slide(cell.id, html, "title", notes=[*_noted(first), *map(cut.said, said)])


def _kind(piece):
    return f"{piece.box or 'words'}{' few' * (piece.lines <= FEW)}"


def _shown(piece):
    title = f"<h2>{_inline(piece.title)}</h2>" if piece.title else ""
    body = _lists("".join(map(cut.html, piece.shown)))
    return f'{title}<div class="box {piece.box}">{body}</div>' if piece.box else title + body


def _lists(html):
    """Points that were set one by one stand in one list again."""
    return re.sub(r"</(ol|ul)>\s*<\1(?: start=\"\d+\")?>", "", html)


def _inline(text):
    return cut.html(text).strip().removeprefix("<p>").removesuffix("</p>")


def _noted(piece):
    return [cut.said(block) for block in piece.notes]


def _results(cell, heading, static):
    """The slides of a code cell: a question with its answer, a strip, a picture, a table."""
    if asked := ASKED.match(cell.source):
        return _prediction(cell.id, find(asked[1]))
    made = []
    for output in cell.get("outputs", ()):
        html = output.get("data", {}).get("text/html", "")
        folded = FOLDED.fullmatch(html)
        title, html = (unescape(folded[1]), folded[2]) if folded else (heading, html)
        kind = next((kind for mark, kind in RESULTS.items() if mark in html), "")
        if kind == "strip":
            html = STRIP.sub(lambda match: f'data-filmstrip="{_packed(match[1], static)}"', html)
        elif kind == "table" or (kind and folded):
            html = f"<h2>{_inline(title)}</h2>{html}"
        tall = " tall" * (kind == "table" and html.count("<tr") > TALL)
        if kind:
            made.append(Slide(f"{cell.id}-{len(made)}" if made else cell.id, html, kind + tall))
    return made


def _packed(address, static):
    """A strip as an address that holds it: a deck that was opened as a file may fetch nothing else."""
    file = static / address.removeprefix("_static/")
    return f"data:application/gzip;base64,{b64encode(file.read_bytes()).decode()}"


def _prediction(name, question):
    form = Form(question)
    asked = f'<p class="asked">{escape(question.text)}</p><p class="unit">{escape(question.unit)}</p>'
    answer = f'<p class="value">{escape(form.value)}</p><p>{escape(form.reason)}</p>'
    return [
        Slide(
            name, f"<h2>Predict</h2>{asked}", "predict", notes=[f"<p>{escape(form.value)} {escape(form.reason)}</p>"]
        ),
        Slide(f"{name}-answer", f"<h2>Predict</h2>{answer}", "answer"),
    ]
