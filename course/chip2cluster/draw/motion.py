"""Shapes that are seen on their way from one frame of a process to the next.

A view that plays the process moves them; a still shows where they arrive. See ``play.js``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .shapes import Point, Shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Arrival:
    """Shapes that came to their place in the last step, from ``origin`` px away."""

    shapes: tuple[Shape, ...]
    origin: Point

    def svg(self, height: float) -> str:
        """Return the shapes as SVG in a picture of this height."""
        return f'<g data-from="{self.origin[0]:.1f} {-self.origin[1]:.1f}">{_written(self.shapes, height)}</g>'

    def join(self, figure: Figure) -> None:
        """Add the shapes to a figure of matplotlib."""
        for shape in self.shapes:
            shape.join(figure)


@dataclass(frozen=True)
class Route:
    """Shapes of the step itself, such as its arrows: they are seen when it starts, and what it results in when it ends."""

    shapes: tuple[Shape, ...]

    def svg(self, height: float) -> str:
        """Return the shapes as SVG in a picture of this height."""
        return f'<g data-route="">{_written(self.shapes, height)}</g>'

    def join(self, figure: Figure) -> None:
        """Add the shapes to a figure of matplotlib."""
        for shape in self.shapes:
            shape.join(figure)


@dataclass(frozen=True)
class Traveller:
    """Shapes round the origin that are seen only while they move along a path of pixels."""

    shapes: tuple[Shape, ...]
    path: tuple[Point, ...]

    def svg(self, height: float) -> str:
        """Return the shapes as SVG in a picture of this height."""
        path = " ".join(f"{x:.1f},{height - y:.1f}" for x, y in self.path)
        return f'<g data-path="{path}" opacity="0">{_written(self.shapes, 0)}</g>'

    def join(self, figure: Figure) -> None:
        """Add nothing: a still has nothing on its way."""


def _written(shapes, height):
    return "".join(shape.svg(height) for shape in shapes)
