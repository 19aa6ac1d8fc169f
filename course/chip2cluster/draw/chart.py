"""Linear axes made of shapes alone, for pictures that need no matplotlib to follow the hand."""

from dataclasses import dataclass

from . import style
from .shapes import Line, Text


@dataclass(frozen=True)
class Chart:
    """A field of a picture with both axes from zero: its edges in px, and where its axes end."""

    left: float
    bottom: float
    right: float
    top: float
    most_x: float
    most_y: float

    def x(self, value):
        """Pixels from the left."""
        return self.left + (self.right - self.left) * value / self.most_x

    def y(self, value):
        """Pixels from below."""
        return self.bottom + (self.top - self.bottom) * value / self.most_y

    def line(self, points, color, width=2.2):
        """A polyline through points in the units of the axes."""
        return Line(tuple((self.x(x), self.y(y)) for x, y in points), color, width)

    def frame(self, x_ticks, y_ticks, x_name="", y_name=""):
        """Grid, ticks with their numbers, and the names of the axes; the vertical one stands above its end."""
        for value in y_ticks:
            look = style.HAIRLINE if value else style.GREY
            yield Line(((self.left, self.y(value)), (self.right, self.y(value))), look)
            yield Text(self.left - 7, self.y(value), f"{value:,g}", align="right", color=style.MUTED)
        for value in x_ticks:
            yield Line(((self.x(value), self.bottom), (self.x(value), self.bottom - 4)), style.GREY)
            yield Text(self.x(value), self.bottom - 14, f"{value:,g}", align="center", color=style.MUTED)
        if x_name:
            yield Text((self.left + self.right) / 2, self.bottom - 33, x_name, align="center", color=style.MUTED)
        if y_name:
            yield Text(8, self.top + 18, y_name, bold=True)
