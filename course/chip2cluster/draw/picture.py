"""A finished picture: SVG, title and description, and its forms for notebooks and PNG."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from html import escape
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from . import style, typeface
from .palette import DARK_PAGE, HALO, HAND, SHEET
from .shapes import Point, Shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")
Place = Callable[[float, Any], Point]  # of a value across and one up, or None for the foot of the axes; px from below
Box = tuple[float, float, float, float]  # px from the lower left corner

# What shows the one of two images that fits: the narrow one where the other's letters would be too small.
FITTING = (
    ".c2c-drawing{container-type:inline-size;color-scheme:light;overflow-x:auto}.c2c-drawing img{max-width:100%;height:auto}"
    f".c2c-drawing .c2c-slim{{min-width:{style.SMALLEST[style.NARROW]}px}}"  # its letters would be too small: it scrolls
    f"@container (width < {style.SMALLEST[style.WIDTH] + 8}px)"
    "{.c2c-slim{display:block!important}.c2c-wide:has(+.c2c-slim){display:none!important}}"
    f"@media not print{{{DARK_PAGE} .c2c-drawing{{color-scheme:dark}}}}"
    # What goes on beyond the edge throws a shadow there. The paper of an image lies above it, so the darker of both is
    # seen, and in the dark the lighter.
    "@media screen{.c2c-drawing{--c2c-ground:var(--jp-layout-color0,var(--pst-color-background,Canvas));"
    "--c2c-shade:light-dark(#0005,#fff6);isolation:isolate;background:"
    "linear-gradient(to right,var(--c2c-ground) 1rem,transparent) left/2.5rem 100% no-repeat local,"
    "linear-gradient(to left,var(--c2c-ground) 1rem,transparent) right/2.5rem 100% no-repeat local,"
    "linear-gradient(to right,var(--c2c-shade),transparent) left/.7rem 100% no-repeat scroll,"
    "linear-gradient(to left,var(--c2c-shade),transparent) right/.7rem 100% no-repeat scroll}"
    f".c2c-drawing img{{mix-blend-mode:darken}}{DARK_PAGE} .c2c-drawing img{{mix-blend-mode:lighten}}}}"
)
# What lies on an image of a machine, as large as the image.
FRAMING = (
    ".c2c-drawing:has(.c2c-parts){position:relative}"
    ".c2c-parts{position:absolute;top:0;left:0;max-width:100%;height:auto;pointer-events:none}"
    f".c2c-parts-slim{{display:none;min-width:{style.SMALLEST[style.NARROW]}px}}"
    f".c2c-parts path{{fill:{HAND};fill-opacity:.12;stroke:{HAND};stroke-width:2;transition:opacity .15s}}"
    f"@container (width < {style.SMALLEST[style.WIDTH] + 8}px)"
    "{.c2c-parts{display:none}.c2c-parts-slim{display:block}}"
    "@media print{.c2c-parts{display:none}}"
)


@dataclass(frozen=True)
class Picture:
    """A finished drawing.

    ``title`` states the finding, ``description`` says what a reader would see
    (the alternative text), ``svg`` is the whole document, sharp at any size; a page
    that shows it brings the typeface, an ``<img>`` cannot: ``data_uri`` has it inside.
    ``figure`` draws the same thing as one matplotlib figure when called.
    ``layers``, where given, is ``svg`` taken apart into two documents that lie one on
    the other: what stays while a reader moves a control, and what moves. A page that
    follows the control then draws the second alone. The first also has the colors of the dark for both.
    ``place``, where given, takes a value on each axis and returns the pixels there from the lower left corner.
    ``parts``, where given, has the outlines of parts of a machine by name, as the path of an SVG; a page can frame them.
    ``sweep``, where given, is the left, bottom, right and top of a field in which a whole run is drawn, its time from left to right.
    """

    svg: str = field(repr=False)
    title: str
    description: str
    width: int = style.WIDTH
    height: int = 0  # or else that of most pictures of this width
    figure: Callable[[], Figure] | None = field(default=None, repr=False, compare=False)
    layers: tuple[str, str] | None = field(default=None, repr=False, compare=False)
    slim: Callable[[], Picture] | None = field(default=None, repr=False, compare=False)
    place: Place | None = field(default=None, repr=False, compare=False)
    sweep: Box | None = field(default=None, repr=False, compare=False)
    parts: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self):
        """Take the standard height of the width if none is given."""
        object.__setattr__(self, "height", self.height or style.HEIGHTS[self.width])

    @property
    def data_uri(self) -> str:
        """The SVG as the ``src`` of an ``<img>``."""
        return "data:image/svg+xml;base64," + b64encode(typeface.alone(self.svg).encode()).decode()

    def png(self, scale: float = 2) -> bytes:
        """The same picture as PNG bytes, ``scale`` dots to a pixel."""
        if self.figure is None:
            raise TypeError("this picture has no figure to draw as PNG")
        stream = io.BytesIO()
        with style.applied():
            self.figure().savefig(stream, format="png", dpi=72 * scale)
        return stream.getvalue()

    @property
    def narrow(self) -> Picture:
        """The same picture for a phone, laid out anew; itself where it has no narrow form."""
        return self.slim() if self.slim else self

    def images(self, alt: str = "") -> str:
        """The picture as ``<img>``, and its narrow form behind it: `FITTING` shows the one that fits."""
        wide = self._image("c2c-wide", alt)
        # Where a page takes the style sheets away, the first alone is seen.
        return wide + self.narrow._image("c2c-slim", alt, ' style="display:none"') if self.slim else wide

    def _image(self, name, alt, more=""):
        size = f'width="{self.width}" height="{self.height}"'
        return f'<img alt="{escape(alt or self.description)}" src="{self.data_uri}" {size} class="{name}"{more}>'

    def _repr_html_(self):
        parts = self._outlines("c2c-parts") + (self.narrow._outlines("c2c-parts c2c-parts-slim") if self.slim else "")
        return (
            f'<style>{FITTING}{FRAMING if parts else ""}</style><div class="c2c-drawing">{self.images()}{parts}</div>'
        )

    def _outlines(self, name):
        """Outlines of the parts to lie on the image, unseen until a page frames one."""
        if not self.parts:
            return ""
        paths = (f'<path data-part="{escape(part)}" d="{path}" opacity="0"/>' for part, path in self.parts.items())
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        return f'<svg class="{name}" aria-hidden="true" {size}>{"".join(paths)}</svg>'


def two_widths(draw: Callable[P, Picture]) -> Callable[P, Picture]:
    """Give the picture of a draw function its narrow form, which is drawn when somebody asks for it.

    The function takes ``width`` by name, `style.WIDTH` or `style.NARROW`, and lays itself out by it.
    """
    by_width: Callable[..., Picture] = draw

    @wraps(draw)
    def drawn(*args: Any, width: int = style.WIDTH, **kwargs: Any) -> Picture:
        if width not in style.SMALLEST:
            raise ValueError(f"width must be one of {', '.join(map(str, style.SMALLEST))}; got {width!r}")
        picture = by_width(*args, width=width, **kwargs)
        return (
            replace(picture, slim=partial(by_width, *args, width=style.NARROW, **kwargs))
            if width != style.NARROW
            else picture
        )

    return cast("Callable[P, Picture]", drawn)


def of_shapes(
    shapes: Iterable[Shape],
    title: str,
    description: str,
    width: int = style.WIDTH,
    height: int | None = None,
    place: Place | None = None,
) -> Picture:
    """A picture made of shapes alone."""
    shapes, height = tuple(shapes), height or style.HEIGHTS[width]

    def figure():
        whole = style.figure(width, height)
        for shape in shapes:
            shape.join(whole)
        return whole

    svg = compose("", shapes, title, description, width, height)
    return Picture(svg, title, description or title, width, height, figure, place=place)


def inner_svg(figure: Figure) -> str:
    """Render a figure with matplotlib's SVG backend; return what lies inside its root element."""
    stream = io.StringIO()
    metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(stream, format="svg", facecolor=figure.get_facecolor(), metadata=metadata)
    text = stream.getvalue()
    body = text[text.index(">", text.index("<svg ")) + 1 : text.rindex("</svg>")]
    body = re.sub(r" font-family: [^;\"]*;", "", body)  # the document says it once
    return re.sub(r"\s*\n\s*", " ", body)


def compose(
    back: str,
    shapes: Iterable[Shape],
    title: str,
    description: str,
    width: int = style.WIDTH,
    height: int | None = None,
) -> str:
    """Put moving shapes over a rendered background: one SVG document with title and description.

    Text gets a halo of paper, so a line that passes behind it does not hurt reading.
    """
    height = height or style.HEIGHTS[width]
    return _document(back + _written(shapes, height), width, height, _words(title, description))


def layered(
    back: str,
    shapes: Iterable[Shape],
    title: str,
    description: str,
    width: int = style.WIDTH,
    height: int | None = None,
    figure: Callable[[], Figure] | None = None,
    place: Place | None = None,
) -> Picture:
    """A picture of moving shapes over a rendered background, as `compose` puts them together and as two documents.

    A shape is written once for both: what follows a slider has no time to lose.
    """
    height = height or style.HEIGHTS[width]
    front = _written(shapes, height)
    whole = _document(back + front, width, height, _words(title, description))
    both = _document(back, width, height, sheet=SHEET), _document(front, width, height)
    return Picture(whole, title, description, width, height, figure, both, place=place)


def _words(title: str, description: str) -> str:
    return f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"


def _written(shapes: Iterable[Shape], height: float) -> str:
    return "".join([shape.svg(height) for shape in shapes])


def _document(body: str, width: int, height: int, words: str = "", sheet: str = "") -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">{words}'
        f"<style>text{{paint-order:stroke;{HALO};stroke-width:3px;stroke-linejoin:round;{typeface.CSS}}}"
        f"{sheet}</style>{body}</svg>"
    )
