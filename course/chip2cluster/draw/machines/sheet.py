"""Sheet of a drawing: parts placed from the top left, with the same faces in every machine."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import style, typesetting
from ..heading import heading
from ..palette import BLUE, BLUES, FAINT, HAIRLINE, INK, MUTED, ON, TINT
from ..picture import Picture, of_shapes
from ..shapes import Inside, Line, Marker, Point, Shape, Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROBE = 1000  # px: any height, to measure a heading by
# One face for one kind of part; `node_diagram` has the same.
FACES = {
    "compute": BLUES[2], "switch": BLUES[1], "memory": TINT, "host": TINT, "nic": FAINT, "power": HAIRLINE,
    "ground": HAIRLINE, "off": "none", "lit": BLUE,
}  # fmt: skip
LETTERS = {BLUES[2]: ON, BLUES[1]: ON, BLUE: ON}  # on the other faces letters are INK


@dataclass(frozen=True)
class Panel:
    """Rectangle with round corners; ``y`` is its lower edge, in pixels from the lower left corner."""

    x: float
    y: float
    width: float
    height: float
    face: str = "none"
    edge: str = "none"
    line: float = 1
    radius: float = 0
    dashed: bool = False

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        dash = ' stroke-dasharray="3 2.5"' if self.dashed else ""
        round_ = f' rx="{self.radius:g}"' if self.radius else ""
        return (
            f'<rect x="{self.x:.1f}" y="{height - self.y - self.height:.1f}" width="{self.width:.1f}" '
            f'height="{self.height:.1f}"{round_} fill="{self.face}" stroke="{self.edge}" stroke-width="{self.line:g}"{dash}/>'
        )

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        from matplotlib.patches import FancyBboxPatch

        kind = f"round,pad=0,rounding_size={self.radius:g}" if self.radius else "square,pad=0"
        figure.add_artist(
            FancyBboxPatch(
                (self.x, self.y), self.width, self.height, boxstyle=kind, facecolor=self.face, edgecolor=self.edge,
                linewidth=self.line, linestyle=(0, (3, 2.5)) if self.dashed else "solid", transform=style.pixels(figure),
            )
        )  # fmt: skip


class Sheet:
    """Shapes of one drawing, below its title and subtitle.

    Coordinates are px from the top left; the room of the drawing begins at ``top`` and is ``body`` px high. ``lit`` names
    the kind of part that stands out.
    """

    def __init__(self, title: str, subtitle: str, width: int, body: float, lit: str | None = None) -> None:
        texts = [shape.y for shape in heading(title, subtitle, width, PROBE) if isinstance(shape, Text)]
        self.top = PROBE + 18 - round(min(texts))
        self.title, self.width, self.height, self.lit = title, width, round(self.top + body), lit
        self.shapes: list[Shape] = heading(title, subtitle, width, self.height)
        self._outlines: dict[str, list[str]] = {}

    def part(
        self, x: float, y: float, width: float, height: float, kind: str, *words: str, name: str = "", radius: float = 3,
        off: bool = False, size: float = style.TEXT,
    ) -> None:  # fmt: skip
        """Draw a part with lines of text in its middle; ``name`` is what lights it, ``off`` draws it dashed."""
        lit = bool(name) and name == self.lit and not off
        face = "none" if off else FACES["lit" if lit else kind]
        if name and not off:
            self._outlines.setdefault(name, []).append(f"M{x:.0f} {y:.0f}h{width:.0f}v{height:.0f}h-{width:.0f}z")
        edge = MUTED if width > 6 and height > 6 else "none"
        self.shapes.append(Panel(x, self.height - y - height, width, height, face, edge, 1, radius, off))
        color = LETTERS.get(face, MUTED if off else INK)
        for place, line in enumerate(words):
            middle = y + height / 2 + 1.25 * size * (place - (len(words) - 1) / 2)
            bold = place == 0 and len(words) > 1
            self.shapes.append(
                Inside(x + width / 2, self.height - middle, line, size=size, color=color, align="center", bold=bold)
            )

    def frame(self, x: float, y: float, width: float, height: float, radius: float = 6, face: str = "none") -> None:
        """Draw the outline of a board, a package or a rack."""
        self.shapes.append(Panel(x, self.height - y - height, width, height, face, MUTED, 1.4, radius))

    def words(
        self, x: float, y: float, text: str, *, align: str = "left", color: str = INK, bold: bool = False,
        size: float = style.TEXT,
    ) -> None:  # fmt: skip
        """Write a line of text; ``y`` is its middle."""
        self.shapes.append(Text(x, self.height - y, text, size=size, color=color, align=align, bold=bold))

    def paragraph(self, x: float, y: float, text: str, width: float, color: str = MUTED) -> float:
        """Write a text in lines of this width from ``y`` down; return where it ends."""
        for line in typesetting.lines(text, width):
            self.words(x, y, line, color=color)
            y += 17
        return y

    def line(self, *points: Point, color: str = MUTED, width: float = 1.2, alpha: float = 1) -> None:
        """Draw a line through points."""
        self.shapes.append(Line(tuple((x, self.height - y) for x, y in points), color, width, alpha))

    def dot(self, x: float, y: float, color: str, size: float = 7) -> None:
        """Draw a round mark."""
        self.shapes.append(Marker(x, self.height - y, "o", color, size=size))

    def picture(self, description: str, machine: str = "") -> Picture:
        """Return the finished picture; with the name of its machine, explorers of the page can frame its parts."""
        drawn = of_shapes(self.shapes, self.title, f"{self.title}. {description}", self.width, self.height)
        parts = {f"{machine} {name}": "".join(lines) for name, lines in self._outlines.items()}
        return replace(drawn, parts=parts) if machine else drawn


def lit_part(lit: str | None, names: Collection[str]) -> str | None:
    """Return the name of the part to light, if it is one of these or None.

    Raises
    ------
    ValueError
        If the drawing has no such part.
    """
    if lit is not None and lit not in names:
        raise ValueError(f"lit must be one of {', '.join(map(repr, names))} or None, got {lit!r}")
    return lit
