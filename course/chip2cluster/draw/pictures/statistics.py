"""Distribution of a benchmark's times, and five statistics that could be quoted.

Drawn with shapes alone, so a frame takes a few ms.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from ...units import show
from .. import style
from ..heading import heading
from ..palette import BLUE, FAINT, GREY, HAIRLINE, INK, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ..._typing import NDArray

HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 480}  # px
EDGES = {style.WIDTH: (78, 578), style.NARROW: (68, 322)}  # px: left and right of the axis
FLOOR, TOP = 196, {style.WIDTH: 340, style.NARROW: 356}  # px of the columns
FIRST, ROW = 136, 25  # px: the highest of the rows of numbers, and their distance
LOOKS = tuple(zip("^sDvX", (KINDS * 2)[:5], strict=True))
BINS = {style.WIDTH: 60, style.NARROW: 36}


@two_widths
def statistics(
    times_seconds: NDArray[Any],
    told: Mapping[str, Any],
    ranges: Mapping[str, Any],
    limits: tuple[float, float],
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the times of one benchmark, and what each statistic makes of it and of others like it.

    Parameters
    ----------
    times_seconds : array, shape (repeats,)
        Times of the run's repeats, seconds, above zero.
    told : dict
        Up to five statistics of this run by name, seconds.
    ranges : dict
        Range of each statistic in most runs, seconds, by the same names.
    limits : (float, float)
        Ends of the axis of time, seconds.
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
        For more statistics than there are looks, other names in ``ranges``, and limits that are no range above zero.
    """
    if not 1 <= len(told) <= len(LOOKS) or list(told) != list(ranges):
        raise ValueError(f"told and ranges must name the same one to {len(LOOKS)} statistics, got {list(told)}")
    if not 0 < limits[0] < limits[1]:
        raise ValueError(f"limits must be two times above zero, the smaller first, got {limits!r}")
    axis = _Axis(limits, *EDGES[width])
    shapes = [
        *heading(title, subtitle, width, HEIGHTS[width]),
        *axis.frame(TOP[width]),
        *_columns(np.asarray(times_seconds), axis, width),
        *_rows(told, ranges, axis),
    ]
    return of_shapes(shapes, title, description or title, width, HEIGHTS[width])


class _Axis:
    """Times in powers of ten."""

    def __init__(self, limits, left, right):
        self.low, self.high, self.left, self.right = *map(log10, limits), left, right

    def x(self, seconds):
        share = (log10(seconds) - self.low) / (self.high - self.low)
        return self.left + (self.right - self.left) * min(max(share, 0.0), 1.0)

    def frame(self, top):
        """The axis under the columns, with ticks that have room for their words."""
        yield Line(((self.left, FLOOR), (self.right, FLOOR)), GREY)
        steps = (1, 2, 5) if self.high - self.low < 2.2 else (1,)
        end = -1e9
        for power in range(floor(self.low), ceil(self.high) + 1):
            for step in steps:
                value = step * 10.0**power
                if not self.low - 1e-9 <= log10(value) <= self.high + 1e-9:
                    continue
                x = self.x(value)
                yield Line(((x, FIRST - 4 * ROW - 12), (x, top)), HAIRLINE)
                if x - end > 62 and x < self.right - 4:
                    number, unit = show(value, "s", 1).split()
                    yield Text(x, FLOOR - 16, f"{float(number):g} {unit}", align="center", color=MUTED)
                    end = x


def _columns(times, axis, width):
    edges = np.linspace(axis.low, axis.high, BINS[width] + 1)
    counts, _ = np.histogram(np.clip(np.log10(times), axis.low, axis.high), edges)
    floor_, top = FLOOR, TOP[width] - 14
    wide = (axis.right - axis.left) / BINS[width]
    for place, count in enumerate(counts.tolist()):
        if count:
            height = max((top - floor_) * count / counts.max(), 2.0)
            yield Bar(axis.left + place * wide + 0.5, floor_, wide - 1, height, BLUE)
    yield Text(8, TOP[width] + 2, f"Repeats ({counts.max():,} in the fullest column)", color=MUTED)


def _rows(told, ranges, axis):
    y = FIRST
    for (name, value), (shape, color) in zip(told.items(), LOOKS, strict=False):
        low, high = (axis.x(time) for time in ranges[name])
        yield Line(((axis.left, y), (axis.right, y)), HAIRLINE)
        words = Text(8, y, name, bold=name == "median")
        most = Bar(low - 1, y - 5, max(high - low, 0) + 2, 10, FAINT)
        yield RowMark(name, (words, most, Marker(axis.x(value), y, shape, color, size=10)))
        y -= ROW
    yield Text(8, 12, "Grey: where nine of ten such runs put it", color=INK)
