"""Times against sizes with the fitted line, and the residuals below.

Drawn with shapes alone, so a frame takes a few ms.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor, log2, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from ...units import show
from .. import style
from ..format import binary
from ..heading import heading
from ..palette import BLUE, GREY, HAIRLINE, INK, LIMIT, MUTED, PAPER
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Point, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ..._typing import NDArray

HEIGHTS = {style.WIDTH: 452, style.NARROW: 500}  # px
EDGES = {style.WIDTH: (66, 578), style.NARROW: (64, 316)}  # px: left and right
FLOOR, TOP = 182, {style.WIDTH: 362, style.NARROW: 376}  # px: of the times
OFF = 42, 132  # px: of what the line is off
MOST = 100  # percent shown; what is beyond ends there


@two_widths
def fit_residuals(
    message_bytes: NDArray[Any],
    seconds: NDArray[Any],
    used: NDArray[Any],
    model: NDArray[Any] | None = None,
    boundary: float | None = None,
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw measured times over sizes, a fitted model, and the error at each size.

    Parameters
    ----------
    message_bytes, seconds : array, shape (sizes,)
        Rising sizes above zero and their times.
    used : array of bool, shape (sizes,)
        True for the sizes that the model was fitted to.
    model : array, shape (sizes,), optional
        Times of the model, seconds; none where nothing could be fitted. Zero and below is not drawn.
    boundary : float, optional
        First size of a second line, bytes.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For arrays of different lengths, or numbers that are not above zero.
    """
    size, times = np.asarray(message_bytes, float), np.asarray(seconds, float)
    used = np.asarray(used, bool)
    modelled = None if model is None else np.asarray(model, float)
    if len({len(row) for row in (size, times, used) + (() if modelled is None else (modelled,))}) != 1:
        raise ValueError("message_bytes, seconds, used and model must have one length")
    if not len(size) or size.min() <= 0 or times.min() <= 0:
        raise ValueError("message_bytes and seconds must be above zero")
    field = _Field(size, times, *EDGES[width], TOP[width])
    shapes = [*heading(title, subtitle, width, HEIGHTS[width]), *field.frame(width)]
    if modelled is not None:
        shapes += [*_lines(field, size, modelled, boundary), *_errors(field, size, times, modelled, used, width)]
    shapes += [
        Marker(*field.at(message, time), "o", BLUE if inside else PAPER, edge=PAPER if inside else GREY, size=9)
        for message, time, inside in zip(size, times, used, strict=True)
    ]
    return of_shapes(shapes, title, description or title, width, HEIGHTS[width])


class _Field:
    """Sizes in powers of two across, times in powers of ten up."""

    def __init__(self, size, times, left, right, top):
        self.left, self.right, self.top = left, right, top
        self.low_x, self.high_x = log2(size.min()) - 0.4, log2(size.max()) + 0.4
        self.low_y, self.high_y = floor(log10(times.min())), ceil(log10(times.max()))
        self.high_y = max(self.high_y, self.low_y + 1)

    def x(self, size: float) -> float:
        return self.left + (self.right - self.left) * (log2(size) - self.low_x) / (self.high_x - self.low_x)

    def at(self, size: float, seconds: float) -> Point:
        share = (log10(seconds) - self.low_y) / (self.high_y - self.low_y)
        return self.x(size), FLOOR + (self.top - FLOOR) * min(max(share, 0.0), 1.0)

    def frame(self, width):
        yield Text(8, self.top + 18, "Time of a message", bold=True)
        for power in range(self.low_y, self.high_y + 1):
            y = FLOOR + (self.top - FLOOR) * (power - self.low_y) / (self.high_y - self.low_y)
            yield Line(((self.left, y), (self.right, y)), HAIRLINE if power > self.low_y else GREY)
            number, unit = show(10.0**power, "s", 1).split()
            yield Text(self.left - 7, y, f"{float(number):g} {unit}", align="right", color=MUTED)
        first, last = ceil(self.low_x), floor(self.high_x)
        every = max(1, ceil((last - first) / (7 if width == style.WIDTH else 3)))
        for power in range(first, last + 1, every):
            x = self.x(2.0**power)
            yield Line(((x, FLOOR), (x, self.top)), HAIRLINE)
            yield Text(x, FLOOR - 15, binary(2**power).replace("bytes", "B"), align="center", color=MUTED)


def _lines(field, size, model, boundary):
    """The model between the sizes, broken where its second line begins."""
    points = [point for point in zip(size.tolist(), model.tolist(), strict=True) if point[1] > 0]
    parts = [[point for point in points if point[0] < (boundary or 0)], [p for p in points if p[0] >= (boundary or 0)]]
    for part in parts:
        if len(part) > 1:
            yield Line(tuple(field.at(*point) for point in part), LIMIT, 2.2)
    if boundary:
        before = max((point[0] for point in parts[0]), default=boundary)
        x = (field.x(before) + field.x(boundary)) / 2
        yield Line(((x, FLOOR), (x, field.top)), INK, 1.2, dash=(4, 4))


def _errors(field, size, times, model, used, width):
    floor_, top = OFF
    yield Text(8, top + 4, f"Off by, % (cut at {MOST})", bold=True)
    height = top - 14 - floor_
    yield Line(((field.left, floor_), (field.right, floor_)), GREY)
    for share in (50, 100):
        y = floor_ + height * share / MOST
        yield Line(((field.left, y), (field.right, y)), HAIRLINE)
        yield Text(field.left - 7, y, f"{share}", align="right", color=MUTED)
    step = min((field.x(b) - field.x(a) for a, b in pairwise(sorted(set(size.tolist())))), default=10.0)
    wide = max(min(0.7 * step, 14), 3)
    off = np.minimum(100 * np.abs(model - times) / times, MOST)
    for at, value, inside in zip(size.tolist(), off.tolist(), used.tolist(), strict=True):
        yield Bar(field.x(at) - wide / 2, floor_, wide, max(height * value / MOST, 0.8), BLUE if inside else GREY)
    words = "blue: sizes the line was fitted to; grey: others"
    yield Text((field.left + field.right) / 2 if width == style.WIDTH else 8, 16, words, color=MUTED,
               align="center" if width == style.WIDTH else "left")  # fmt: skip
