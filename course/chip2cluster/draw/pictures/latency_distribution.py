"""Cumulative distribution of latencies, with a mark at the 99th percentile.

Drawn with shapes alone, so a frame takes a few ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10

import numpy as np

from ...units import show
from .. import style, typesetting
from ..chart import Chart
from ..heading import heading
from ..palette import GREY, HAIRLINE, HAND, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text

AXES = {style.WIDTH: (64, 578, 62, 306), style.NARROW: (50, 322, 62, 296)}  # px: left, right, bottom, top
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 470}
LOOKS = ((KINDS[0], None), (KINDS[1], (7, 3)), (KINDS[2], (2, 3)), (KINDS[0], (12, 4)))
PERCENT = 99
MOST, SLOWEST = 60, 10  # steps of a line, and users at its end of whom each has one
KEY = {style.WIDTH: 354, style.NARROW: 370}  # px: the upper row of the key


@dataclass(frozen=True)
class Tail:
    """A name, and what each of many waited, seconds."""

    name: str
    seconds: np.ndarray = field(repr=False)


@two_widths
def latency_distribution(
    waits: Sequence[Tail],
    *,
    limit: float | None = None,
    axis: str = "Time",
    title: str = "",
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw which share of users has waited no longer than a time, for up to four ways to serve them.

    Parameters
    ----------
    waits : sequence of Tail
        Times above zero.
    limit : float, optional
        Limit of the waiting time, seconds; a line marks it.
    axis : str
        Name of the quantity that is waited for.
    title, subtitle, description : str
        The finding, what it is about, and the alternative text.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For none or more than four, and times that are not above zero.

    Examples
    --------
    >>> latency_distribution([Tail("one", [0.01, 0.02, 0.3])], title="A tail").title
    'A tail'
    """
    waits = tuple(Tail(wait.name, np.sort(np.asarray(wait.seconds, dtype=float))) for wait in waits)
    if not 1 <= len(waits) <= len(LOOKS):
        raise ValueError(f"a picture has one to {len(LOOKS)} tails, got {len(waits)}")
    if any(not wait.seconds.size or wait.seconds[0] <= 0 for wait in waits):
        raise ValueError("every tail needs times, all above zero")
    ends = [edge for wait in waits for edge in (wait.seconds[0], wait.seconds[-1])] + [limit or waits[0].seconds[0]]
    low, high = floor(log10(min(ends))), ceil(log10(max(ends)))
    high = max(high, low + 1)
    left, right, bottom, top = AXES[width]
    chart = Chart(left, bottom, right, top, high - low, 100.0)
    shapes = [*heading(title, subtitle, width, HEIGHTS[width]), *_frame(chart, low, high, axis, width)]
    if limit:
        x = chart.x(log10(limit) - low)
        shapes.append(Line(((x, bottom), (x, top)), HAND, 1.5))
    for wait, (color, dash) in zip(waits, LOOKS, strict=False):
        shapes.append(RowMark(wait.name, (Line(tuple(_steps(chart, wait.seconds, low)), color, 2.2, dash=dash),)))
    for wait, (color, _) in zip(waits, LOOKS, strict=False):
        late = float(np.percentile(wait.seconds, PERCENT))
        mark = Marker(chart.x(log10(late) - low), chart.y(PERCENT), "o", color, size=9)
        shapes.append(RowMark(wait.name, (mark,)))
    return of_shapes([*shapes, *_key(waits, width)], title, description or title, width, HEIGHTS[width])


def _steps(chart, seconds, low):
    """A step for each user, or where there are many for each of so many equal shares, and for the slowest."""
    count = len(seconds)
    numbers = sorted(
        {*np.linspace(1, count, min(count, MOST)).astype(int).tolist(), *range(max(1, count - SLOWEST), count + 1)}
    )
    share = 0.0
    for number in numbers:
        x = chart.x(log10(seconds[number - 1]) - low)
        yield x, chart.y(share)
        share = 100.0 * number / count
        yield x, chart.y(share)
    yield chart.right, chart.y(share)


def _frame(chart, low, high, axis, width):
    for value in (0, 50, PERCENT):
        y = chart.y(value)
        yield Line(((chart.left, y), (chart.right, y)), HAIRLINE if value else GREY)
        yield Text(chart.left - 7, y, f"{value}", align="right", color=MUTED)
    every = 1 if high - low <= (6 if width == style.WIDTH else 4) else 2
    for power in range(low, high + 1):
        x = chart.x(power - low)
        yield Line(((x, chart.bottom), (x, chart.bottom - 4)), GREY)
        if not (power - low) % every:
            words = show(10.0**power, "s", 1)
            wide = typesetting.text_size(words, style.TEXT)[0]
            yield Text(min(x, width - 4 - wide / 2), chart.bottom - 14, words, align="center", color=MUTED)
    yield Text((chart.left + chart.right) / 2, chart.bottom - 36, axis, align="center", color=MUTED)
    yield Text(8, chart.top + 18, "Share of users that waited no longer, %", bold=True)


def _key(waits, width):
    places = typesetting.flow([wait.name for wait in waits], 8, width - 8, mark=30)
    for wait, (color, dash), (x, row) in zip(waits, LOOKS, places, strict=False):
        y = KEY[width] - 19 * row
        yield RowMark(wait.name, (Line(((x, y), (x + 22, y)), color, 2.2, dash=dash), Text(x + 30, y, wait.name)))
