"""Predicted against measured on two logarithmic axes, with the line of equality.

The back (axes, lines, every mark) depends on the marks alone and is kept; the front (the
mark that the reader follows, how far it is off, the legend, the title) is drawn for every state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log10

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import style, typesetting
from ..heading import heading
from ..palette import BLUE, GREY, HAND, INK, MUTED, ORANGE, PAPER, PLUM, VIOLET
from ..picture import Picture, inner_svg, layered, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Shape, Text

# px: left, bottom, right, top of the axes, counted from the lowest line of a legend that stands below them
BOXES = {style.WIDTH: (64, 46, 370, 336), style.NARROW: (60, 122, 328, 390)}
LEGENDS = {style.WIDTH: (386, 592), style.NARROW: (12, 330)}  # px: from where to where the legend reaches
ROW, LEAST_ROW = 20, 15  # px between two lines of the legend: where there is room for all, and at least
FOOT = 34  # px: the line below the legend that says what the lines are
COLOURS = (BLUE, ORANGE, PLUM, VIOLET, GREY)  # a family
SHAPES = ("o", *style.MARKERS)  # of a family, a group
BAND = 1.5  # the factor beside the line


@dataclass(frozen=True)
class Group:
    """Marks of one kind: its name, its family (a place from 0), and two words for the legend."""

    name: str
    family: int
    words: tuple = ("", "")


@dataclass(frozen=True)
class Mark:
    """A prediction: its group (a place in ``groups``), measured and predicted in one unit."""

    group: int
    measured: float
    predicted: float


@two_widths
def parity(
    marks: Sequence[Mark],
    chosen: int,
    *,
    groups: Sequence[Group],
    heads: tuple[str, str] = ("", ""),
    unit: str = "",
    title: str = "",
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw predictions against measurements.

    Parameters
    ----------
    marks : sequence of Mark
        One mark or more.
    chosen : int
        Index of the one that the reader follows.
    groups : sequence of Group
        The legend, in its order; at most seven of a family, and five families.
    heads : (str, str)
        Headings above the two words of each group.
    unit : str
        Unit of both axes; by default each mark is in the unit of its group.
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
        For no marks, or more groups than can be told apart.
    """
    marks, groups = tuple(marks), tuple(groups)
    if not marks:
        raise ValueError("a parity picture shows at least one prediction")
    looks = _looks(groups)
    place = Place(width, len(groups))
    axis, back = _back(marks, looks, unit, place)
    shapes = [
        *heading(title, fitting(subtitle, place.subtitle), width, place.height),
        *_legend(groups, looks, heads, marks[chosen].group, place),
        RowMark(groups[marks[chosen].group].name, _followed(marks[chosen], looks, axis, place)),
    ]

    def figure():
        whole = _axes(marks, looks, unit, axis, place)
        for shape in shapes:
            shape.join(whole)
        return whole

    page = width, place.height

    def pixel(measured, predicted):
        return place.pixel(axis, measured)[0], place.pixel(axis, predicted)[1]

    return layered(back, shapes, title, description or title, *page, figure=figure, place=pixel)


@dataclass(frozen=True)
class Place:
    """Where things are in a picture of some width: the legend, a row for each group, lies beside the axes or below."""

    width: int
    groups: int

    @property
    def below(self) -> int:
        """Height of the legend below the axes, px."""
        return ROW * self.groups if self.width == style.NARROW else 0

    @property
    def higher(self) -> int:
        """Height that a legend beside the axes needs besides that of the axes, px."""
        room = BOXES[style.WIDTH][3] - FOOT - ROW
        return max(0, LEAST_ROW * self.groups - room) if self.width == style.WIDTH else 0

    @property
    def height(self) -> int:
        """Height of the picture, px."""
        return style.HEIGHT + self.higher if self.width == style.WIDTH else 512 + self.below

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, bottom, right and top edge of the axes, px."""
        left, bottom, right, top = BOXES[self.width]
        return left, bottom + self.below, right, top + self.below + self.higher

    @property
    def subtitle(self) -> float:
        """Width of a line of the subtitle, px."""
        return self.width - 16 if self.width == style.WIDTH else 1.6 * self.width

    def pixel(self, axis: tuple[float, float], value: float) -> tuple[float, float]:
        """Pixels of a value along both axes, from the lower left corner."""
        low, high = axis
        share = (log10(value) - log10(low)) / (log10(high) - log10(low))
        left, bottom, right, top = self.box
        return left + share * (right - left), bottom + share * (top - bottom)


def fitting(text: str, width: float) -> str:
    """A text, cut where it would be wider than so many pixels."""
    if typesetting.text_size(text, style.TEXT)[0] <= width:
        return text
    while typesetting.text_size(text + " …", style.TEXT)[0] > width:
        text = text[:-1]
    return text.rstrip(" ,:") + " …"


def _looks(groups):
    """Color and shape of each group: a color a family, a shape of its own inside it."""
    seen: dict[int, int] = {}
    looks = []
    for group in groups:
        place = seen[group.family] = seen.get(group.family, -1) + 1
        if place >= len(SHAPES) or not 0 <= group.family < len(COLOURS):
            raise ValueError(
                f"a parity picture tells {len(SHAPES)} groups of {len(COLOURS)} families apart, "
                f"got group {place + 1} of family {group.family}"
            )
        looks.append((COLOURS[group.family], SHAPES[place]))
    return tuple(looks)


@lru_cache(maxsize=32)
def _back(marks, looks, unit, place):
    values = [value for mark in marks for value in (mark.measured, mark.predicted)]
    axis = _range(min(values), max(values))
    with style.applied():
        return axis, inner_svg(_axes(marks, looks, unit, axis, place))


def _range(low, high):
    """Ends of an axis: round numbers, a little beyond all values and at least a factor of four apart."""
    low, high = low / 1.15, high * 1.15
    if high / low < 4:
        low, high = low * (high / low) ** 0.5 / 2, high / (high / low) ** 0.5 * 2
    return low, high


def _ticks(low, high):
    """One, two and five of each decade, the decades alone where these are many, or every other one of very many."""
    every = 2 if high / low > 1e6 else 1
    decades = range(floor(log10(low)) // every * every, ceil(log10(high)) + 1, every)
    steps = (1,) if high / low > 300 else (1, 2, 5)
    ticks = [step * 10.0**power for power in decades for step in steps]
    return [tick for tick in ticks if low <= tick <= high / (1.5 if tick >= 1e5 else 1)]  # long numbers need room


def _axes(marks, looks, unit, axis, place):
    figure, top = style.figure(place.width, place.height), place.box[3]
    axes = style.axes(figure, place.box)
    axes.set(xscale="log", yscale="log", xlim=axis, ylim=axis)
    for which in (axes.xaxis, axes.yaxis):
        which.set(major_locator=FixedLocator(_ticks(*axis)), minor_locator=NullLocator())
        which.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    named = f", {unit}" if unit else ", in the unit of its kind"
    axes.set_xlabel("Measured" + named)
    axes.text(8, top + 14, "Predicted" + named, color=MUTED, transform=style.pixels(figure))
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.plot(axis, axis, color=INK, linewidth=1.4, zorder=1.5)
    for factor in (BAND, 1 / BAND):
        axes.plot(
            axis, [factor * end for end in axis], color=GREY, linewidth=1.2, linestyle=style.DASHES[1], zorder=1.5
        )
    for group, (color, shape) in enumerate(looks):
        found = [mark for mark in marks if mark.group == group]
        if found:
            axes.plot(
                [mark.measured for mark in found], [mark.predicted for mark in found], linestyle="none", marker=shape,
                markersize=5, markerfacecolor=color, markeredgecolor=PAPER, markeredgewidth=0.6, alpha=0.75,
            )  # fmt: skip
    return figure


def _legend(groups, looks, heads, chosen, place):
    left, right = LEGENDS[place.width]
    _, bottom, _, top = place.box
    y, step = (
        (top - 4, min(ROW, (top - FOOT - ROW) / len(groups))) if place.width == style.WIDTH else (bottom - 78, ROW)
    )
    shapes: list[Shape] = [
        Text(right - 44, y + ROW, heads[0], color=MUTED, align="right"),
        Text(right, y + ROW, heads[1], color=MUTED, align="right"),
    ]
    for row, (group, (color, shape)) in enumerate(zip(groups, looks, strict=True)):
        bold, height = row == chosen, y - step * row
        parts = (
            Marker(left + 6, height, shape, color, size=9),
            Text(left + 18, height, group.name, bold=bold),
            Text(right - 44, height, group.words[0], align="right", bold=bold),
            Text(right, height, group.words[1], align="right", bold=bold),
        )
        shapes.append(RowMark(group.name, parts))
    shapes += [
        Line(((left, FOOT), (left + 22, FOOT)), INK, 1.4),
        Text(left + 28, FOOT, "predicted = measured", color=MUTED),
        Text(left + 28, FOOT - 19, f"dashes: a factor of {BAND:g}", color=MUTED),
    ]
    return shapes


def _followed(mark, looks, axis, place):
    """The mark that is followed, and a line from it to where it should be."""
    (x, there), (_, y) = place.pixel(axis, mark.measured), place.pixel(axis, mark.predicted)
    return (
        Line(((x, y), (x, there)), HAND, 2),
        Marker(x, y, looks[mark.group][1], HAND, size=13),
    )
