"""Chips as points: one figure against another, with lines of equal ratio between them.

The back (axes, lines of equal ratio) depends on the axes alone and is kept; the
front (points, names, title) is drawn for every state.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import labels, style
from ..palette import ACCENT, BLUE, GREY, INK, MUTED, ORANGE, PAPER, PLUM, VIOLET
from ..picture import Picture, compose, inner_svg, layers
from ..shapes import Line, Marker, Text

BOX = (64, 46, style.WIDTH - 14, style.HEIGHT - 108)  # px: left, bottom, right, top of the axes
LOOKS = tuple(zip((BLUE, ORANGE, PLUM, VIOLET, GREY, INK, INK), (*style.MARKERS, "o"), strict=True))
NAMED, TRIED = 9, 14  # so many points get a name besides the chosen one, of so many that might
REACH = 36  # px between a point and its name, at most
SOLID, FAINT = 6.0, 3.0  # how bad it is to cover a pixel of a label, a dot of a line


@dataclass(frozen=True)
class Axis:
    """What an axis shows: its name with the unit, the lowest and highest value, the ticks."""

    name: str
    low: float
    high: float
    ticks: tuple
    log: bool = True

    def along(self, value, start, end):
        """Pixel of a value between two pixels."""
        if self.log:
            return start + (end - start) * np.log(value / self.low) / np.log(self.high / self.low)
        return start + (end - start) * (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Point:
    """A chip: its name, its group (a place in ``groups``), where it stands, and whether to doubt it."""

    name: str
    group: str
    x: float
    y: float
    doubtful: bool = False


def scatter(points, chosen, *, across, up, groups, ratios=(), title="", subtitle="", description=""):
    """Draw chips as points.

    Parameters
    ----------
    points : sequence of Point
        At least one, in the order in which they deserve a name.
    chosen : int
        Which of them the reader follows.
    across, up : Axis
    groups : sequence of str
        At most seven; each has its own marker.
    ratios : sequence of (float, str)
        Lines along which up over across is the same, with their names.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        For no points, or more groups than there are markers.
    """
    points, groups, ratios = tuple(points), tuple(groups), tuple(ratios)
    if not points:
        raise ValueError("a scatter picture shows at least one point")
    if len(groups) > len(LOOKS):
        raise ValueError(f"a scatter picture tells {len(LOOKS)} groups apart, got {len(groups)}")
    back, taken = _back(across, up, ratios)
    shapes = [
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=MUTED),
        *_legend(groups, any(point.doubtful for point in points)),
        *_points(points, chosen, across, up, groups, taken),
    ]

    def figure():
        whole = _axes(across, up, ratios)[0]
        for shape in shapes:
            shape.join(whole)
        return whole

    whole = compose(back, shapes, title, description or title)
    return Picture(whole, title, description or title, figure=figure, layers=layers(back, shapes))


def pixel(across, up, x, y):
    """Data to pixels from the lower left corner."""
    return across.along(x, BOX[0], BOX[2]), up.along(y, BOX[1], BOX[3])


@lru_cache(maxsize=128)
def _back(across, up, ratios):
    with style.applied():
        figure, taken = _axes(across, up, ratios)
        return inner_svg(figure), taken


def _axes(across, up, ratios):
    figure = style.figure()
    left, bottom, right, top = BOX
    box = left / style.WIDTH, bottom / style.HEIGHT, (right - left) / style.WIDTH, (top - bottom) / style.HEIGHT
    axes = figure.add_axes(box)
    for which, shown in (("x", across), ("y", up)):
        axes.set(**{f"{which}scale": "log" if shown.log else "linear", f"{which}lim": (shown.low, shown.high)})
        axis = getattr(axes, which + "axis")
        axis.set(major_locator=FixedLocator(shown.ticks), minor_locator=NullLocator())
        text = "{:,.6g}" if shown.log else "{:.0f}"
        axis.set_major_formatter(FuncFormatter(lambda value, _, text=text: text.format(value)))
    axes.set_xlabel(across.name)
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.text(8, top + 14, up.name, color=MUTED, transform=style.pixels(figure))
    taken = [np.empty((0, 5))]
    for ratio, name in ratios:
        taken += _line(axes, across, up, ratio, name)
    return figure, np.vstack(taken)


def _line(axes, across, up, ratio, name):
    """A line of equal ratio with its name where it leaves the axes; returns what it takes."""
    low, high = max(across.low, up.low / ratio), min(across.high, up.high / ratio)
    if low >= high:
        return []
    axes.plot([low, high], [ratio * low, ratio * high], color=GREY, linewidth=1.2, linestyle=style.DASHES[1], zorder=1)
    (x0, x1), (y0, y1) = pixel(across, up, np.array([low, high]), ratio * np.array([low, high]))
    taken = [labels.along([(x0, y0), (x1, y1)], FAINT, 16.0)]
    width = labels.text_size(name, style.TEXT)[0]
    direction = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
    if np.hypot(x1 - x0, y1 - y0) < width + 40:
        return taken
    # Along the line, above its lower end, where the fewest chips are.
    across_it = np.array([-direction[1], direction[0]])
    middle = np.array([x0, y0]) + direction * (width / 2 + 10) + 10 * across_it
    where = {"transform": style.pixels(axes.figure), "rotation_mode": "anchor", "zorder": 2}
    angle = np.degrees(np.arctan2(direction[1], direction[0]))
    axes.text(*middle, name, ha="center", va="center", color=MUTED, rotation=angle, **where)
    dots = middle + direction * np.linspace(-width / 2, width / 2, max(3, int(width / 12)))[:, None]
    return [*taken, np.hstack([dots - 7, dots + 7, np.full((len(dots), 1), SOLID)])]


def _legend(groups, doubtful):
    shapes, x, y = [], 14, style.HEIGHT - 66
    for (color, shape), name in zip(LOOKS, groups, strict=False):
        shapes += [Marker(x, y, shape, color, size=9), Text(x + 10, y, name, color=MUTED)]
        x += labels.text_size(name, style.TEXT)[0] + 27
    if doubtful:
        shapes += [Marker(x, y, "o", PAPER, MUTED, size=9), Text(x + 10, y, "hollow: in doubt", color=MUTED)]
    return shapes


def _points(points, chosen, across, up, groups, taken):
    places = [tuple(map(float, pixel(across, up, point.x, point.y))) for point in points]
    order = [index for index in range(len(points)) if index != chosen]
    shapes = []
    for index in (*reversed(order), chosen):
        color, shape = LOOKS[groups.index(points[index].group)]
        color, size = (ACCENT, 13) if index == chosen else (color, 9)
        face, edge = (PAPER, color) if points[index].doubtful else (color, PAPER)
        shapes.append(Marker(*places[index], shape, face, edge, size=size))
    taken = np.vstack([taken, [[x - 6, y - 6, x + 6, y + 6, SOLID] for x, y in places]])
    named = 0
    for index in (chosen, *order[:TRIED]):
        point, bold = points[index], index == chosen
        size = labels.text_size(point.name, style.TEXT, "bold" if bold else "normal")
        box, leader = labels.place(places[index], size, taken, BOX)
        # A name that would lie on something, or far from its point, is left to the table.
        if not bold and (_covers(box, taken) or (leader and np.hypot(*np.subtract(*leader)) > REACH)):
            continue
        named += not bold
        taken = np.vstack([taken, [[*box, SOLID]]])
        if leader:
            shapes.append(Line(leader, ACCENT if bold else GREY))
            taken = np.vstack([taken, labels.along(leader, FAINT)])
        middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        shapes.append(Text(*middle, point.name, color=ACCENT if bold else INK, align="center", bold=bold))
        if named == NAMED:
            break
    return shapes


def _covers(box, taken):
    solid = taken[taken[:, 4] != FAINT]
    return bool(((solid[:, :2] < box[2:]).all(axis=1) & (solid[:, 2:4] > box[:2]).all(axis=1)).any())
