"""What a drawing is to the rest of the world: an SVG, a title and a description."""

import io
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from . import style, typeface
from .palette import HALO, SHEET


@dataclass(frozen=True)
class Picture:
    """A finished drawing.

    ``title`` states the finding, ``description`` says what a reader would see
    (the alternative text), ``svg`` is the whole document, sharp at any size; a page
    that shows it brings the typeface, an ``<img>`` cannot: ``data_uri`` has it inside.
    ``figure`` draws the same thing as one matplotlib figure when called.
    ``layers``, where given, is ``svg`` taken apart into two documents that lie one on
    the other: what stays while a reader moves a control, and what moves. A page that
    follows the control then draws the second alone. The first also has the colours of the dark for both.
    """

    svg: str = field(repr=False)
    title: str
    description: str
    width: int = style.WIDTH
    height: int = style.HEIGHT
    figure: Callable = field(default=None, repr=False, compare=False)
    layers: tuple[str, str] | None = field(default=None, repr=False, compare=False)

    @property
    def data_uri(self):
        """The SVG as the ``src`` of an ``<img>``."""
        return "data:image/svg+xml;base64," + b64encode(typeface.alone(self.svg).encode()).decode()

    def png(self, scale=2):
        """The same picture as PNG bytes, ``scale`` dots to a pixel."""
        stream = io.BytesIO()
        with style.applied():
            self.figure().savefig(stream, format="png", dpi=72 * scale)
        return stream.getvalue()

    def _repr_html_(self):
        return f'<img alt="{escape(self.description)}" src="{self.data_uri}" width="{self.width}">'


def inner_svg(figure):
    """Render a figure with matplotlib's SVG backend; return what lies inside its root element."""
    stream = io.StringIO()
    metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(stream, format="svg", facecolor=figure.get_facecolor(), metadata=metadata)
    text = stream.getvalue()
    body = text[text.index(">", text.index("<svg ")) + 1 : text.rindex("</svg>")]
    body = re.sub(r" font-family: [^;\"]*;", "", body)  # the document says it once
    return re.sub(r"\s*\n\s*", " ", body)


def compose(back, shapes, title, description, width=style.WIDTH, height=style.HEIGHT):
    """Put moving shapes over a rendered background: one SVG document with title and description.

    Text gets a halo of paper, so a line that passes behind it does not hurt reading.
    """
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    return _document(back + _written(shapes, height), width, height, words)


def layers(back, shapes, width=style.WIDTH, height=style.HEIGHT):
    """The two documents that `compose` puts into one, without title and description."""
    return _document(back, width, height, sheet=SHEET), _document(_written(shapes, height), width, height)


def _written(shapes, height):
    return "".join([shape.svg(height) for shape in shapes])


def _document(body, width, height, words="", sheet=""):
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">{words}'
        f"<style>text{{paint-order:stroke;{HALO};stroke-width:3px;stroke-linejoin:round;{typeface.CSS}}}"
        f"{sheet}</style>{body}</svg>"
    )
