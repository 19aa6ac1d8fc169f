"""Rate of the best layout against the memory of a device: one line for each recomputation."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from .. import style
from ..heading import heading, opening
from ..palette import GREY, HAIRLINE, KINDS, MUTED, PAPER
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Text
from .warp_timeline import Boxes

if TYPE_CHECKING:
    import pandas

# px: left, right, floor and top of the axes; names of lines stand on the right, of a narrow picture below
FIELDS = {style.WIDTH: (52, 486, 56, 290), style.NARROW: (46, 326, 104, 300)}
HEIGHTS = {style.WIDTH: 366, style.NARROW: 408}
LOOKS = tuple(zip(KINDS, "osD", strict=True))
APART = 18  # px between the names of two lines
STEP = 20  # percent between two lines of the grid


@two_widths
def rate_by_memory(table: pandas.DataFrame, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw the best MFU that fits into a device, for each kind of recomputation.

    Parameters
    ----------
    table : pandas.DataFrame
        Result of `parallelism.room_table`, up to three columns.
    subtitle : str
        Subject of the layouts, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title says from which memory on the second kind beats the last one.

    Raises
    ------
    ValueError
        For no rows, or other than two or three columns.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> rate_by_memory(DataFrame({"selective": [30.0, 50.0], "full": [40.0, 45.0]}, index=[24.0, 80.0])).title
    'Best is full with 24 GB, selective with 80 GB'
    """
    names, places = list(table.columns), [float(place) for place in table.index]
    if not places or len(names) not in (2, 3):
        raise ValueError(
            f"a picture has rows and two or three columns, got {len(places)} rows and {len(names)} columns"
        )
    left, right, floor, top = FIELDS[width]
    height = HEIGHTS[width]
    highest = STEP * (int(table.max().max() // STEP) + 1)
    xs = [left + (right - left) * (number + 0.5) / len(places) for number in range(len(places))]

    def up(value):
        return floor + (top - floor) * value / highest

    title = finding(table)
    shapes = [Boxes(((0, 0, width, height),), PAPER), *heading(title, subtitle, width, height)]
    for value in range(0, highest + 1, STEP):
        shapes.append(Line(((left, up(value)), (right, up(value))), HAIRLINE if value else GREY))
        shapes.append(Text(left - 8, up(value), f"{value}", align="right", color=MUTED))
    shapes += [
        Text(x, floor - 14, f"{place:g}", align="center", color=MUTED) for x, place in zip(xs, places, strict=True)
    ]
    shapes.append(Text((left + right) / 2, floor - 35, "Memory of a device (GB)", align="center", color=MUTED))
    shapes.append(Text(left - 40, top + 14, "MFU at most (%)", color=MUTED))
    ends = {}
    for (color, marker), name in zip(LOOKS, names, strict=False):
        points = [(x, up(value)) for x, value in zip(xs, table[name], strict=True) if not isnan(value)]
        shapes.append(Line(tuple(points), color, 2))
        shapes += [Marker(x, y, marker, color, size=8) for x, y in points]
        ends[name] = points[-1][1] if points else floor
    shapes += _names(names, ends, right, width)
    return of_shapes(shapes, title, _describe(title, subtitle, table), width, height)


def finding(table: pandas.DataFrame) -> str:
    """Which kind is best with the least memory, and which with the others."""
    best = table.idxmax(axis=1)
    found = [f"{best.iloc[0]} with {table.index[0]:g} GB"]
    for (_, before), (room, kind) in zip(list(best.items()), list(best.items())[1:], strict=False):
        if kind != before:
            found.append(f"{kind} {'with' if room == table.index[-1] else 'from'} {room:g} GB")
    return "Best is " + ", ".join(found)


def _names(names, ends, right, width):
    """Beside the ends of the lines, kept apart; on a phone in a row below."""
    if width == style.NARROW:
        x = 8
        for (color, marker), name in zip(LOOKS, names, strict=False):
            yield Marker(x + 6, 40, marker, color, size=9)
            yield Text(x + 16, 40, name)
            x += 104
        yield Text(8, 18, "what is recomputed", color=MUTED)
        return
    above = float("inf")
    for name in sorted(names, key=lambda name: -ends[name]):
        above = min(ends[name], above - APART)
        color, marker = LOOKS[names.index(name)]
        yield Marker(right + 12, above, marker, color, size=9)
        yield Text(right + 22, above, name)


def _describe(title, subtitle, table):
    told = []
    for room, row in table.iterrows():
        parts = ", ".join(f"{name} {value:.0f} %" for name, value in row.items() if not isnan(value))
        told.append(f"{room:g} GB: {parts}")
    return f"{opening(title, subtitle)} The best MFU that fits, at most. {'; '.join(told)}."
