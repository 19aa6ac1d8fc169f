"""Systolic utilization against the size of a matrix: one line for each chip, with a drop behind each tile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import style, typesetting
from ..heading import heading
from ..palette import GREY, HAIRLINE, HAND, INK, KINDS, MUTED, PAPER
from ..picture import Picture, layered, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Shape, Text

if TYPE_CHECKING:
    from ..._typing import NDArray

AXES = {style.WIDTH: (56, 46, 584, 316), style.NARROW: (52, 46, 322, 302)}  # px: left, bottom, right, top
TICKS = {style.WIDTH: 128, style.NARROW: 256}  # sizes between two numbers of the axis
LOOKS = ((KINDS[2], "s", 5), (KINDS[0], "D", 2))  # color, mark, width: where the lines are one, both are seen


@dataclass(frozen=True)
class Steps:
    """A chip: name, ``share(sizes)`` from 0 to 1 for an array of sizes, whether the share is only a bound, row in the table."""

    name: str
    share: Callable[[NDArray[Any]], NDArray[Any]]
    bound: bool = False
    row: str = ""


@two_widths
def utilization_by_size(
    chips: Sequence[Steps],
    size: int,
    largest: int,
    *,
    axis: str,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the useful share of one or two chips against the size of a matrix.

    Parameters
    ----------
    chips : sequence of Steps
        One or two; where ``bound`` is true the mark is hollow.
    size : int
        Value that the reader has chosen.
    largest : int
        The last size shown.
    axis : str
        Name of the axis.
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
        For no chips, or more than two, or a size that is not shown.
    """
    chips = tuple(chips)
    if not 1 <= len(chips) <= len(LOOKS):
        raise ValueError(f"a picture of cliffs shows one or two chips, got {len(chips)}")
    if not 1 <= size <= largest:
        raise ValueError(f"size must lie in 1 to {largest}, got {size}")
    grid, (left, bottom, right, top) = _grid(largest, axis, width), AXES[width]
    x = left + (right - left) * size / largest
    shapes = [
        *heading(title, subtitle, width),
        Line(((x, bottom), (x, top)), HAND, width=1.5, alpha=0.7),
        *_names(chips, width),
    ]
    sizes = np.arange(1, largest + 1)
    for chip, (color, _, thick) in zip(chips, LOOKS, strict=False):
        places = zip(*_pixel(sizes, chip.share(sizes), largest, width), strict=True)
        line = Line(tuple((float(a), float(b)) for a, b in places), color, width=thick)
        shapes.append(RowMark(chip.row or chip.name, (line,)))
    # Hollow marks are larger and lie behind the others, so that two at one place are both seen.
    for chip, (color, marker, _) in sorted(zip(chips, LOOKS, strict=False), key=lambda pair: not pair[0].bound):
        _, y = _pixel(size, float(chip.share(np.array([size]))[0]), largest, width)
        mark = _mark(x, float(y), marker, color, chip.bound, 17 if chip.bound else 11)
        shapes.append(RowMark(chip.row or chip.name, (mark,)))

    def figure():
        whole = style.figure(width)
        for shape in (*grid, *shapes):
            shape.join(whole)
        return whole

    back = "".join(shape.svg(style.HEIGHTS[width]) for shape in grid)
    place = lambda rows, share: _pixel(rows, share or 0, largest, width)
    return layered(back, shapes, title, description or title, width, figure=figure, place=place)


def _pixel(size, share, largest, width):
    """Data to pixels from the lower left corner."""
    left, bottom, right, top = AXES[width]
    return left + (right - left) * np.asarray(size) / largest, bottom + (top - bottom) * np.asarray(share)


def _names(chips, width):
    """Names above the axes, each behind its mark: in a row, or one below the other."""
    narrow = width == style.NARROW
    x, y = (16.0, AXES[width][3] + 54) if narrow else (AXES[width][0] + 8.0, AXES[width][3] + 34)
    for chip, (color, marker, _) in zip(chips, LOOKS, strict=False):
        name = chip.name + (" (hollow: at most)" if chip.bound else "")
        mark = _mark(x, y, marker, color, chip.bound, 11)
        yield RowMark(chip.row or chip.name, (mark, Text(x + 12, y, name, color=INK)))
        x, y = (x, y - 20) if narrow else (x + typesetting.text_size(name, style.TEXT)[0] + 44, y)


def _mark(x, y, marker, color, hollow, size):
    return Marker(x, y, marker, PAPER if hollow else color, edge=color, size=size)


@lru_cache(maxsize=8)
def _grid(largest, axis, width):
    """Axes with their numbers, which stay while a reader moves the size."""
    left, bottom, right, top = AXES[width]
    shapes: list[Shape] = [
        Text(8, top + 14, "Useful", color=MUTED),
        Text((left + right) / 2, 12, axis, color=MUTED, align="center"),
    ]
    for size in range(0, largest + 1, TICKS[width]):
        x = left + (right - left) * size / largest
        shapes += [Line(((x, bottom), (x, top)), HAIRLINE), Line(((x, bottom), (x, bottom - 4)), GREY)]
        shapes.append(Text(x, bottom - 14, f"{size}", align="center"))
    for percent in (0, 25, 50, 75, 100):
        y = bottom + (top - bottom) * percent / 100
        shapes += [Line(((left, y), (right, y)), HAIRLINE if percent else GREY), Line(((left - 4, y), (left, y)), GREY)]
        shapes.append(Text(left - 8, y, f"{percent} %", align="right"))
    return (*shapes, Line(((left, bottom), (left, top)), GREY))
