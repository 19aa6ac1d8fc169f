"""Shapes that show what a row of the table says: pointing at one lights the other."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from .shapes import Shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class RowMark:
    """Shapes that belong to one row of the table beside the picture; ``row`` is what stands in its first cell."""

    row: str
    shapes: tuple[Shape, ...]

    def svg(self, height: float) -> str:
        """Return the shapes as SVG in a picture of this height."""
        return f'<g data-row="{escape(self.row)}">{"".join(shape.svg(height) for shape in self.shapes)}</g>'

    def join(self, figure: Figure) -> None:
        """Add the shapes to a figure of matplotlib."""
        for shape in self.shapes:
            shape.join(figure)
