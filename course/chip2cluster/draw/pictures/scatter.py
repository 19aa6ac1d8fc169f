"""Chips as points: one quantity against another, with lines of equal ratio.

The back (axes, lines of equal ratio) depends on the axes alone and is kept; the
front (points, names, title) is drawn for every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import labels, style, typesetting
from ..heading import heading
from ..palette import GREY, HAND, INK, KINDS, MUTED, PAPER
from ..picture import Picture, inner_svg, layered, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Shape, Text

if TYPE_CHECKING:
    from ..._typing import FloatOrArray

# px: left, bottom, right, top of the axes
BOXES = {style.WIDTH: (64, 46, 586, 312), style.NARROW: (58, 46, 328, 332)}
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 510}
LOOKS = tuple(zip((KINDS * 3)[:7], (*style.MARKERS, "o"), strict=True))
NAMED, TRIED = 9, 14  # so many points get a name besides the chosen one, of so many that might
REACH = 36  # px between a point and its name, at most
APART = 4  # px between two names in one line
BESIDE, TOUCHING = 9, 7  # px: marks of one year that are nearer to each other stand so far apart, side by side
ALONG = 30  # px between the places on a line that its name is tried at
SOLID, FAINT = 6.0, 3.0  # how bad it is to cover a pixel of a label, a dot of a line


@dataclass(frozen=True)
class Axis:
    """What an axis shows: its name with the unit, the lowest and highest value, the ticks."""

    name: str
    low: float
    high: float
    ticks: tuple
    log: bool = True

    def along(self, value: FloatOrArray, start: float, end: float) -> FloatOrArray:
        """Pixel of a value between two pixels."""
        if self.log:
            return start + (end - start) * np.log(value / self.low) / np.log(self.high / self.low)
        return start + (end - start) * (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Point:
    """A chip or a design: its name, if it has one, its group (a place in ``groups``), where it stands, and whether to doubt it."""

    name: str
    group: str
    x: float
    y: float
    doubtful: bool = False
    row: str = ""  # of the table, where its name is another


@two_widths
def scatter(
    points: Sequence[Point],
    chosen: int,
    *,
    across: Axis,
    up: Axis,
    groups: Sequence[str],
    ratios: Sequence[tuple[float, str]] = (),
    title: str = "",
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw chips as points.

    Parameters
    ----------
    points : sequence of Point
        One point or more; the first ones get a label first.
    chosen : int
        Index of the one that the reader follows.
    across, up : Axis
        Horizontal and vertical axis.
    groups : sequence of str
        Up to seven groups; each has its own marker.
    ratios : sequence of (float, str)
        Lines along which up over across is the same, with their names.
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
        For no points, or more groups than there are markers.

    Notes
    -----
    On a linear axis (years), marks that would hide each other are drawn side by side: within a year their horizontal
    position has no meaning. On other axes they may hide each other.
    """
    points, groups, ratios = tuple(points), tuple(groups), tuple(ratios)
    if not points:
        raise ValueError("a scatter picture shows at least one point")
    if len(groups) > len(LOOKS):
        raise ValueError(f"a scatter picture tells {len(LOOKS)} groups apart, got {len(groups)}")
    field = _Field(width, across, up)
    places = [tuple(map(float, field.pixel(point.x, point.y))) for point in points]
    if not across.log:
        places = _beside(places)
    starts = tuple(_start(field, ratio, name, places) for ratio, name in ratios)
    back, taken = _back(field, ratios, starts)
    shapes = [
        *heading(title, subtitle, width, HEIGHTS[width]),
        *_legend(groups, any(point.doubtful for point in points), width),
        *_points(points, places, chosen, groups, taken, BOXES[width]),
    ]

    def figure():
        whole = _axes(field, ratios, starts)[0]
        for shape in shapes:
            shape.join(whole)
        return whole

    page = width, HEIGHTS[width]
    moved = {(point.x, point.y): place for point, place in zip(points, places, strict=True)}

    def place(x, y):
        return moved.get((x, y)) or field.pixel(x, y)

    return layered(back, shapes, title, description or title, *page, figure=figure, place=place)


@dataclass(frozen=True)
class _Field:
    """The axes of a picture of some width."""

    width: int
    across: Axis
    up: Axis

    def pixel(self, x: FloatOrArray, y: FloatOrArray) -> tuple[FloatOrArray, FloatOrArray]:
        """Data to pixels from the lower left corner."""
        left, bottom, right, top = BOXES[self.width]
        return self.across.along(x, left, right), self.up.along(y, bottom, top)

    def ticks(self, axis):
        """Those of an axis, every other one where they would be too close across."""
        dense = axis is self.across and not axis.log and self.width == style.NARROW and len(axis.ticks) > 7
        return axis.ticks[::2] if dense else axis.ticks


def _beside(places):
    """Move marks at one place across that touch, so that they stand side by side around it."""
    moved = list(places)
    row: list[int] = []
    for index in (*sorted(range(len(places)), key=lambda index: places[index]), None):
        last = places[row[-1]] if row else None
        if last and (index is None or places[index][0] != last[0] or places[index][1] - last[1] >= TOUCHING):
            for step, member in enumerate(row):
                x, y = places[member]
                moved[member] = x + BESIDE * (step - (len(row) - 1) / 2), y
            row = []
        if index is not None:
            row.append(index)
    return moved


@lru_cache(maxsize=128)
def _back(field, ratios, starts):
    with style.applied():
        figure, taken = _axes(field, ratios, starts)
        return inner_svg(figure), taken


def _axes(field, ratios, starts):
    figure, box = style.figure(field.width, HEIGHTS[field.width]), BOXES[field.width]
    axes, across, up = style.axes(figure, box), field.across, field.up
    for which, shown in (("x", across), ("y", up)):
        axes.set(**{f"{which}scale": "log" if shown.log else "linear", f"{which}lim": (shown.low, shown.high)})
        axis = getattr(axes, which + "axis")
        axis.set(major_locator=FixedLocator(field.ticks(shown)), minor_locator=NullLocator())
        text = "{:,.6g}" if shown.log else "{:.0f}"
        axis.set_major_formatter(FuncFormatter(lambda value, _, text=text: text.format(value)))
    axes.set_xlabel(across.name)
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.text(8, box[3] + 14, up.name, color=MUTED, transform=style.pixels(figure))
    taken = [np.empty((0, 5))]
    for (ratio, name), start in zip(ratios, starts, strict=True):
        taken += _line(axes, field, ratio, name, start)
    return figure, np.vstack(taken)


def _ends(field, ratio):
    """Both ends of a line of equal ratio inside the axes, as data; None where it is not there."""
    across, up = field.across, field.up
    low, high = max(across.low, up.low / ratio), min(across.high, up.high / ratio)
    return None if low >= high else (low, high)


def _dots(field, ratio, name, start):
    """Points along the name of a line that begins ``start`` px from its lower end, and the angle; None for no room."""
    low, high = _ends(field, ratio)
    ends = np.transpose(field.pixel(np.array([low, high]), ratio * np.array([low, high])))
    length, width = np.hypot(*(ends[1] - ends[0])), typesetting.text_size(name, style.TEXT)[0]
    if length < start + width + 30:
        return None
    direction = (ends[1] - ends[0]) / length
    middle = ends[0] + direction * (width / 2 + start) + 10 * np.array([-direction[1], direction[0]])
    return middle + direction * np.linspace(-width / 2, width / 2, max(3, int(width / 12)))[:, None]


def _start(field, ratio, name, places):
    """How far along a line its name begins, px: as near to the lower end, where the fewest chips are, as no mark hides it."""
    start = 10
    while _ends(field, ratio) and (dots := _dots(field, ratio, name, start)) is not None:
        if (np.abs(dots[:, None] - np.array(places)).max(axis=2) >= 14).all():
            return start
        start += ALONG
    return 10


def _line(axes, field, ratio, name, start):
    """A line of equal ratio with its name above it; returns what it takes."""
    if _ends(field, ratio) is None:
        return []
    low, high = _ends(field, ratio)
    axes.plot([low, high], [ratio * low, ratio * high], color=GREY, linewidth=1.2, linestyle=style.DASHES[1], zorder=1)
    ends = np.transpose(field.pixel(np.array([low, high]), ratio * np.array([low, high])))
    taken = [labels.along(ends, FAINT, 16.0)]
    dots = _dots(field, ratio, name, start)
    if dots is None:
        return taken
    where = {"transform": style.pixels(axes.figure), "rotation_mode": "anchor", "zorder": 2}
    angle = np.degrees(np.arctan2(*(ends[1] - ends[0])[::-1]))
    axes.text(*dots.mean(axis=0), name, ha="center", va="center", color=MUTED, rotation=angle, **where)
    return [*taken, np.hstack([dots - 7, dots + 7, np.full((len(dots), 1), SOLID)])]


def _legend(groups, doubtful, width):
    if width == style.NARROW:
        return _key_in_rows(groups, doubtful)
    shapes: list[Shape] = []
    x, y = 14.0, style.HEIGHT - 66
    for (color, shape), name in zip(LOOKS, groups, strict=False):
        shapes += [Marker(x, y, shape, color, size=9), Text(x + 10, y, name, color=MUTED)]
        x += typesetting.text_size(name, style.TEXT)[0] + 27
    if doubtful:
        shapes += [Marker(x, y, "o", PAPER, MUTED, size=9), Text(x + 10, y, "hollow: in doubt", color=MUTED)]
    return shapes


def _key_in_rows(groups, doubtful):
    names = [*groups, *(["hollow: in doubt"] if doubtful else [])]
    looks = [(color, shape, color) for color, shape in LOOKS[: len(groups)]] + [(PAPER, "o", MUTED)]
    shapes, top = [], HEIGHTS[style.NARROW] - 100
    for name, (face, shape, edge), (x, row) in zip(
        names, looks, typesetting.flow(names, 14, 336, mark=10, gap=15), strict=False
    ):
        y = top - 19 * row
        shapes += [
            Marker(x, y, shape, face, edge if face == PAPER else PAPER, size=9),
            Text(x + 10, y, name, color=MUTED),
        ]
    return shapes


def _points(points, places, chosen, groups, taken, box):
    """Lines to names, then the marks, so that no line runs into one, then the names."""
    order = [index for index in range(len(points)) if index != chosen]
    taken = np.vstack([taken, [[x - 6, y - 6, x + 6, y + 6, SOLID] for x, y in places]])
    named, lines, texts = [], [], []
    for index in (chosen, *[index for index in order if points[index].name][:TRIED]):
        point, bold = points[index], index == chosen
        size = typesetting.text_size(point.name, style.TEXT, "bold" if bold else "normal")
        spot, leader = labels.place(places[index], size, taken, box)
        # A name that would lie on something, or far from its point, is left to the table.
        if not bold and (_covers(spot, taken) or (leader and np.hypot(*np.subtract(*leader)) > REACH)):
            continue
        named.append(index)
        taken = np.vstack([taken, [[spot[0] - APART, spot[1], spot[2] + APART, spot[3], SOLID]]])
        if leader:
            lines.append(Line(leader, HAND if bold else GREY))
            taken = np.vstack([taken, labels.along(leader, FAINT)])
        middle = (spot[0] + spot[2]) / 2, (spot[1] + spot[3]) / 2
        name = Text(*middle, point.name, color=HAND if bold else INK, align="center", bold=bold)
        texts.append(RowMark(point.row or point.name, (name,)))
        if len(named) > NAMED:
            break
    # What has a name lies above what has none; the chosen one above all.
    marks = []
    for index in (*(index for index in reversed(order) if index not in named), *reversed(named)):
        color, shape = LOOKS[groups.index(points[index].group)]
        color, reach = (HAND, 13) if index == chosen else (color, 9)
        face, edge = (PAPER, color) if points[index].doubtful else (color, PAPER)
        x, y = places[index]
        mark = Marker(x, y, shape, face, edge, size=reach)
        marks.append(RowMark(points[index].row or points[index].name, (mark,)))
    return [*lines, *marks, *texts]


def _covers(box, taken):
    solid = taken[taken[:, 4] != FAINT]
    return bool(((solid[:, :2] < box[2:]).all(axis=1) & (solid[:, 2:4] > box[:2]).all(axis=1)).any())
