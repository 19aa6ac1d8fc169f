"""Linear axes made of shapes, for pictures without matplotlib."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import floor, log10

from . import style
from .shapes import Line, Point, Shape, Text


@dataclass(frozen=True)
class Chart:
    """A field of a picture with both axes from zero: its edges in px, and where its axes end."""

    left: float
    bottom: float
    right: float
    top: float
    most_x: float
    most_y: float

    def x(self, value: float) -> float:
        """Pixels from the left."""
        return self.left + (self.right - self.left) * value / self.most_x

    def y(self, value: float) -> float:
        """Pixels from below."""
        return self.bottom + (self.top - self.bottom) * value / self.most_y

    def line(self, points: Iterable[Point], color: str, width: float = 2.2) -> Line:
        """A polyline through points in the units of the axes."""
        return Line(tuple((self.x(x), self.y(y)) for x, y in points), color, width)

    def frame(
        self, x_ticks: Iterable[float], y_ticks: Iterable[float], x_name: str = "", y_name: str = ""
    ) -> Iterator[Shape]:
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


def round_step(most: float, ticks: int) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten of which ``ticks`` reach as far as ``most``.

    >>> round_step(0.33, 8), round_step(81.6e9, 4), round_step(6, 6)
    (0.05, 50000000000.0, 1.0)
    """
    power = 10.0 ** (floor(log10(most / ticks)) - 1)
    return next(factor * power for factor in (1, 2, 5, 10, 20, 50, 100) if most <= ticks * factor * power * (1 + 1e-9))
