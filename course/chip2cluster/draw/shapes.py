"""Shapes that follow the controls: each writes itself as SVG or joins a matplotlib figure.

Coordinates are CSS pixels from the lower left corner. Writing SVG takes
microseconds, which is what makes a picture follow a slider; the matplotlib side
gives the same picture as PNG, and matplotlib is imported for that alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from . import palette, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGE = 0.8  # px: of a face in a pale color
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
# Markers around their centre in units of half their size, y upwards; a circle is no polygon.
_CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "s": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "D": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "^": ((-1.1, -0.9), (1.1, -0.9), (0, 1.1)),
    "v": ((-1.1, 0.9), (1.1, 0.9), (0, -1.1)),
    "P": tuple((x, y) for x, y in ((-0.4, 1.1), (0.4, 1.1), (0.4, 0.4), (1.1, 0.4), (1.1, -0.4), (0.4, -0.4),
                                   (0.4, -1.1), (-0.4, -1.1), (-0.4, -0.4), (-1.1, -0.4), (-1.1, 0.4), (-0.4, 0.4))),
    "X": ((-1, -0.5), (-0.5, -1), (0, -0.5), (0.5, -1), (1, -0.5), (0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5),
          (-0.5, 1), (-1, 0.5), (-0.5, 0)),
}  # fmt: skip


def edge(face: str) -> str:
    """Return the attributes of the edge that a face of a pale color has, so that it stands out from the paper; else nothing."""
    return f' stroke="{palette.EDGES[face]}" stroke-width="{EDGE:g}"' if face in palette.EDGES else ""


def edge_of_patch(face: str) -> dict[str, Any]:
    """Return the same for a patch of matplotlib."""
    return {"edgecolor": palette.EDGES[face], "linewidth": EDGE} if face in palette.EDGES else {"linewidth": 0}


Point: TypeAlias = tuple[float, float]


class Shape(Protocol):
    """Anything that a picture is made of: it writes itself as SVG and joins a matplotlib figure."""

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""


@dataclass(frozen=True)
class Text:
    """One line of text; ``y`` is its vertical middle."""

    x: float
    y: float
    text: str
    size: float = style.TEXT
    color: str = style.INK
    align: str = "left"
    bold: bool = False

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        weight = ' font-weight="700"' if self.bold else ""
        return (
            f'<text x="{self.x:.1f}" y="{height - self.y + 0.355 * self.size:.1f}" font-size="{self.size:g}"{weight} '
            f'fill="{self.color}" text-anchor="{_ANCHORS[self.align]}">{escape(self.text)}</text>'
        )

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        figure.text(
            self.x, self.y, self.text, size=self.size, color=self.color, ha=self.align, va="center_baseline",
            weight="bold" if self.bold else "normal", transform=style.pixels(figure), parse_math=False,  # a dollar is one
        )  # fmt: skip


@dataclass(frozen=True)
class Inside(Text):
    """Text on a filled shape, without the halo that text on lines has."""

    color: str = style.ON

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        return super().svg(height).replace("<text ", '<text style="stroke:none" ', 1)


@dataclass(frozen=True)
class Turned(Text):
    """Text along a line that rises by ``degrees``; x and y are its middle."""

    align: str = "center"
    degrees: float = 0

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        turn = f'<text transform="rotate({-self.degrees:.2f} {self.x:.1f} {height - self.y:.1f})" '
        return super().svg(height).replace("<text ", turn, 1)

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        figure.text(
            self.x, self.y, self.text, size=self.size, color=self.color, ha=self.align, va="center", parse_math=False,
            rotation=self.degrees, rotation_mode="anchor", transform=style.pixels(figure),
        )  # fmt: skip


@dataclass(frozen=True)
class Area:
    """A filled polygon; ``alpha`` is that of its face."""

    points: tuple[Point, ...]
    face: str
    edge: str = "none"
    width: float = 1
    alpha: float = 1

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        points = " ".join(f"{x:.1f},{height - y:.1f}" for x, y in self.points)
        return f'<polygon points="{points}" fill="{self.face}" fill-opacity="{self.alpha:.3g}" stroke="{self.edge}" stroke-width="{self.width:g}"/>'

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        from matplotlib.patches import Polygon

        face = self.face if self.face == "none" else (self.face, self.alpha)
        look: dict[str, Any] = {"facecolor": face, "edgecolor": self.edge, "linewidth": self.width}
        figure.add_artist(Polygon(self.points, closed=True, transform=style.pixels(figure), **look))


@dataclass(frozen=True)
class Line:
    """A polyline through ``points``; ``dash`` is the length of a stroke and of the gap after it, ``shift`` moves both on."""

    points: tuple[Point, ...]
    color: str = style.INK
    width: float = 1
    alpha: float = 1
    dash: tuple[float, float] | None = None
    shift: float = 0

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        points = " ".join(f"{x:.1f},{height - y:.1f}" for x, y in self.points)
        # Round ends would close the gaps.
        ends = f'stroke-dasharray="{self.dash[0]:g} {self.dash[1]:g}"' if self.dash else 'stroke-linecap="round"'
        ends += f' stroke-dashoffset="{-self.shift:g}"' if self.shift else ""
        return (
            f'<polyline points="{points}" fill="none" stroke="{self.color}" stroke-width="{self.width:g}" '
            f'stroke-opacity="{self.alpha:g}" {ends} stroke-linejoin="round"/>'
        )

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        from matplotlib.lines import Line2D

        x, y = zip(*self.points, strict=True)
        look: dict[str, Any] = {"color": self.color, "linewidth": self.width, "alpha": self.alpha}
        if self.dash:
            look["linestyle"] = (-self.shift / self.width, tuple(part / self.width for part in self.dash))
        figure.add_artist(Line2D(x, y, transform=style.pixels(figure), **look))


@dataclass(frozen=True)
class Marker:
    """A marker of the given shape (``"o"`` or one of `style.MARKERS`) and size."""

    x: float
    y: float
    shape: str
    face: str
    edge: str = style.PAPER
    size: float = 10

    def svg(self, height: float) -> str:
        """Return the shape as SVG in a picture of this height; SVG counts y from the top."""
        look = f'fill="{self.face}" stroke="{self.edge}" stroke-width="1.5" stroke-linejoin="round"'
        half, y = self.size / 2, height - self.y
        if self.shape == "o":
            return f'<circle cx="{self.x:.1f}" cy="{y:.1f}" r="{half:g}" {look}/>'
        points = " ".join(f"{self.x + half * dx:.1f},{y - half * dy:.1f}" for dx, dy in _CORNERS[self.shape])
        return f'<polygon points="{points}" {look}/>'

    def join(self, figure: Figure) -> None:
        """Add the shape to a figure of matplotlib."""
        from matplotlib.lines import Line2D

        shape: Any = "o"
        reach = 1.0
        if self.shape != "o":
            corners = _CORNERS[self.shape]
            shape, reach = (*corners, corners[0]), max(abs(axis) for corner in corners for axis in corner)
        figure.add_artist(
            Line2D(
                [self.x], [self.y], marker=shape, markersize=self.size * reach, markerfacecolor=self.face,
                markeredgecolor=self.edge, markeredgewidth=1.5, linestyle="none", transform=style.pixels(figure),
            )
        )  # fmt: skip


def arrow(start: Point, end: Point, color: str, width: float = 2) -> Iterator[Line]:
    """The shapes of an arrow along an axis of the picture: a line and its head."""
    (x1, y1), (x2, y2) = start, end
    dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
    yield Line((start, end), color, width)
    head = (x2 - 6 * dx - 4 * dy, y2 - 6 * dy - 4 * dx), (x2, y2), (x2 - 6 * dx + 4 * dy, y2 - 6 * dy + 4 * dx)
    yield Line(head, color, width)
