"""Time against message size: one line for each algorithm, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from ...units import show
from .. import style, typesetting
from ..heading import heading
from ..palette import GREY, HAIRLINE, HAND, INK, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Shape, Text

if TYPE_CHECKING:
    from ..._typing import FloatOrArray

# px: left, bottom, right, top; names of lines stand on the right, of a narrow picture below
AXES = {style.WIDTH: (64, 46, 452, 336), style.NARROW: (64, 120, 330, 338)}
SIZES, SECONDS = (1e3, 1e10), (1e-6, 1e1)  # bytes and seconds shown
LOOKS = tuple((shade, dash) for dash in (None, (7, 4)) for shade in KINDS)  # of the curves in turn
SPACING = 17  # px between the names of two lines
ENVELOPE, WIDE = style.FAINT, 9  # what the fastest take, below the lines


@dataclass(frozen=True)
class Curve:
    """An algorithm or a method: its name, and ``seconds(message_bytes)`` for an array of sizes."""

    name: str
    seconds: Callable[[Any], Any]


def _decimal(size):
    return show(size, "B", 1)


@two_widths
def message_times(
    curves: Sequence[Curve],
    message_bytes: float,
    crossings: Sequence[tuple[float, float]] = (),
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    seconds: tuple[float, float] = SECONDS,
    measured: Sequence[tuple[float, float]] = (),
    envelope: str = "",
    amount: Callable[[float], str] = _decimal,
    width: int = style.WIDTH,
) -> Picture:
    """Draw the time of some algorithms against the size of the message.

    Parameters
    ----------
    curves : sequence of Curve
        Up to six.
    message_bytes : float
        Value that the reader has chosen.
    crossings : sequence of (bytes, seconds)
        Points at which the fastest algorithm changes.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    seconds : (float, float)
        The least and the longest time shown.
    measured : sequence of (bytes, seconds)
        Points of a benchmark.
    envelope : str
        Name of the smallest of the curves; without a name it is not drawn.
    amount : callable
        Turns ``message_bytes`` into text.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no curves, or more than six.
    """
    curves = tuple(curves)
    if not 1 <= len(curves) <= len(LOOKS):
        raise ValueError(f"a picture shows one to {len(LOOKS)} algorithms, got {len(curves)}")
    field = _Field(width, tuple(map(float, seconds)))
    shapes = [
        *_grid(field),
        *heading(title, subtitle, width),
        *(_lowest(curves, field) if envelope else ()),
        *_here(message_bytes, amount(message_bytes), field),
        *_lines(curves, field),
        *_measured(measured, field),
        *_points(curves, message_bytes, field),
        *_crossings(crossings, field),
        *_key(envelope, measured, field),
    ]

    return of_shapes(shapes, title, description, width, place=field.pixel)


@dataclass(frozen=True)
class _Field:
    """The axes of a picture of some width, and the times shown."""

    width: int
    shown: tuple

    @property
    def box(self):
        return AXES[self.width]

    def pixel(self, message_bytes: FloatOrArray, seconds: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
        """Data to pixels from the lower left corner."""
        left, bottom, right, top = self.box
        x = left + (right - left) * np.log(message_bytes / SIZES[0]) / np.log(SIZES[1] / SIZES[0])
        y = bottom + (top - bottom) * np.log(seconds / self.shown[0]) / np.log(self.shown[1] / self.shown[0])
        return x, y


@lru_cache(maxsize=8)
def _grid(field):
    """Axes with their numbers, which stay while a reader moves the message."""
    left, bottom, right, top = field.box
    shapes: list[Shape] = [Text(8, top + 14, "Time", color=MUTED)]
    shapes.append(Text((left + right) / 2, bottom - 35, "Message size", color=MUTED, align="center"))
    for power in range(round(log10(SIZES[0])), round(log10(SIZES[1])) + 1):
        x = float(field.pixel(10.0**power, 1.0)[0])
        shapes += [Line(((x, bottom), (x, top)), HAIRLINE), Line(((x, bottom), (x, bottom - 4)), GREY)]
        if power % 2:  # six digits do not fit side by side
            shapes.append(Text(x, bottom - 14, show(10.0**power, "B", 1), align="center"))
    for power in range(ceil(log10(field.shown[0]) - 1e-9), floor(log10(field.shown[1]) + 1e-9) + 1):
        y = float(field.pixel(1.0, 10.0**power)[1])
        shapes += [Line(((left, y), (right, y)), HAIRLINE), Line(((left - 4, y), (left, y)), GREY)]
        shapes.append(Text(left - 8, y, show(10.0**power, "s", 1), align="right"))
    return (*shapes, Line(((left, top), (left, bottom), (right, bottom)), GREY))


def _here(message_bytes, text, field):
    left, bottom, right, top = field.box
    x, _ = field.pixel(message_bytes, 1.0)
    half = typesetting.text_size(text, style.TEXT, "bold")[0] / 2
    middle = min(max(x, left + half), right - half)
    return [
        Line(((x, bottom), (x, top)), HAND, width=1.5, alpha=0.7),
        Text(middle, top + 14, text, color=HAND, align="center", bold=True),
    ]


def _through(sizes, times, field):
    x, y = field.pixel(sizes, times)
    return tuple(zip(x.tolist(), np.clip(y, field.box[1], field.box[3]).tolist(), strict=True)), y


def _lowest(curves, field):
    sizes = np.geomspace(*SIZES, 150)
    points, _ = _through(sizes, np.minimum.reduce([curve.seconds(sizes) for curve in curves]), field)
    return [Line(points, ENVELOPE, width=WIDE)]


def _measured(rows, field):
    places = (tuple(map(float, field.pixel(*row))) for row in rows)
    left, bottom, right, top = field.box
    return [Marker(x, y, "s", style.PAPER, INK, size=6) for x, y in places if left <= x <= right and bottom <= y <= top]


def _key(envelope, measured, field):
    """What wide line and squares are, in the corner below all lines; of a narrow picture below their names."""
    shapes, y, right = [], field.box[1] + 14, field.box[2]
    if field.width == style.NARROW:
        if envelope:
            shapes += [Line(((10, 24), (28, 24)), ENVELOPE, width=WIDE), Text(34, 24, envelope)]
        if measured:
            shapes += [Marker(184, 24, "s", style.PAPER, INK, size=6), Text(196, 24, "measured")]
        return shapes
    if measured:
        shapes += [Marker(right - 130, y, "s", style.PAPER, INK, size=6), Text(right - 118, y, "measured")]
        y += SPACING + 2
    if envelope:
        line = Line(((right - 138, y), (right - 124, y)), ENVELOPE, width=WIDE)
        shapes += [line, Text(right - 118, y, envelope)]
    return shapes


def _lines(curves, field):
    sizes = np.geomspace(*SIZES, 50)
    _, bottom, right, top = field.box
    drawn = [_through(sizes, curve.seconds(sizes), field) for curve in curves]
    shapes: list[Shape] = []
    for place, (curve, (points, y), (color, dash)) in enumerate(zip(curves, drawn, LOOKS, strict=False)):
        # A line that another covers for most of its way is drawn wider, so that its color shows on both sides.
        wide = 6 if any(_covers(above, y) for _, above in drawn[place + 1 :]) else 2.4
        shapes.append(RowMark(curve.name, (Line(points, color, wide, dash=dash),)))
    if field.width == style.NARROW:
        return shapes + _names(curves)
    ends = [float(np.clip(y[-1], bottom, top)) for _, y in drawn]
    places = _apart(ends, bottom, top)
    for curve, (color, _), end, place in zip(curves, LOOKS, ends, places, strict=False):
        leader = Line(((right + 1, end), (right + 12, place)), color, width=1.4)
        shapes.append(RowMark(curve.name, (leader, Text(right + 15, place, curve.name))))
    return shapes


def _covers(above, below):
    """Whether two lines, px, lie on each other at most sizes."""
    return float(np.mean(np.abs(above - below) < 2.5)) > 0.6


def _names(curves):
    """The names of the lines in rows at the foot."""
    shapes = []
    places = typesetting.flow([curve.name for curve in curves], 10, style.NARROW - 6, mark=28)
    for curve, (color, dash), (x, row) in zip(curves, LOOKS, places, strict=False):
        y = 62 - 19 * row
        line = Line(((x, y), (x + 18, y)), color, width=2.4, dash=dash)
        shapes.append(RowMark(curve.name, (line, Text(x + 24, y, curve.name))))
    return shapes


def _apart(heights, bottom, top):
    """Move heights as little as needed so that neighbours are `SPACING` apart and stay on the axes."""
    order = np.argsort(heights, kind="stable")
    places, floor = [0.0] * len(heights), bottom
    for index in order:
        places[index] = max(heights[index], floor)
        floor = places[index] + SPACING
    ceiling = top
    for index in order[::-1]:
        places[index] = min(places[index], ceiling)
        ceiling = places[index] - SPACING
    return places


def _points(curves, message_bytes, field):
    seconds = [float(curve.seconds(message_bytes)) for curve in curves]
    places = [field.pixel(message_bytes, time) for time in seconds]
    dots = [Marker(float(x), float(y), "o", color, size=9) for (x, y), (color, _) in zip(places, LOOKS, strict=False)]
    x, y = field.pixel(message_bytes, min(seconds))
    return [*dots, Marker(float(x), float(y), "o", HAND, size=13)]


def _crossings(crossings, field):
    """Mark where the fastest changes; no line runs below these points, so their labels lie free."""
    shapes, free = [], field.box[0]
    for size, seconds in sorted(crossings):
        x, y = map(float, field.pixel(size, seconds))
        text = show(size, "B", 2)
        wide = typesetting.text_size(text, style.TEXT)[0]
        left = min(max(x + 5, free), field.width - 4 - wide)
        shapes += [Marker(x, y, "D", style.PAPER, INK, size=7), Text(left, y - 13, text)]
        free = left + wide + 8
    return shapes
