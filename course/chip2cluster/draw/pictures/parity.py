"""Predicted against measured on two logarithmic axes, with the line where both are the same.

The back (axes, lines, every mark) depends on the marks alone and is kept; the front (the
mark that the reader follows, how far it is off, the legend, the title) is drawn for every state.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, log10

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from .. import labels, style
from ..palette import ACCENT, BLUE, GREY, INK, MUTED, ORANGE, PAPER, PLUM, VIOLET
from ..picture import Picture, compose, inner_svg, layers
from ..shapes import Line, Marker, Text

BOX = (64, 46, 370, style.HEIGHT - 84)  # px: left, bottom, right, top of the axes
LEGEND = (386, style.WIDTH - 8)  # px: from where to where the legend reaches
ROW = 20  # px between two lines of the legend
COLOURS = (BLUE, ORANGE, PLUM, VIOLET)  # a family
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


def parity(marks, chosen, *, groups, heads=("", ""), unit="", title="", subtitle="", description=""):
    """Draw predictions against measurements.

    Parameters
    ----------
    marks : sequence of Mark
        At least one.
    chosen : int
        Which of them the reader follows.
    groups : sequence of Group
        The legend, in its order; at most seven of a family, and four families.
    heads : (str, str)
        What stands above the two words of each group.
    unit : str
        Of both axes; left out, each mark is in the unit of its group.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        For no marks, or more groups than can be told apart.
    """
    marks, groups = tuple(marks), tuple(groups)
    if not marks:
        raise ValueError("a parity picture shows at least one prediction")
    looks = _looks(groups)
    axis, back = _back(marks, looks, unit)
    shapes = [
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, fitting(subtitle, style.WIDTH - 16), color=MUTED),
        *_legend(groups, looks, heads, marks[chosen].group),
        *_followed(marks[chosen], looks, axis),
    ]

    def figure():
        whole = _axes(marks, looks, unit, axis)
        for shape in shapes:
            shape.join(whole)
        return whole

    whole = compose(back, shapes, title, description or title)
    return Picture(whole, title, description or title, figure=figure, layers=layers(back, shapes))


def fitting(text, width):
    """A text, cut where it would be wider than so many pixels."""
    if labels.text_size(text, style.TEXT)[0] <= width:
        return text
    while labels.text_size(text + " …", style.TEXT)[0] > width:
        text = text[:-1]
    return text.rstrip(" ,:") + " …"


def pixel(axis, value):
    """Pixels of a value along both axes, from the lower left corner."""
    low, high = axis
    share = (log10(value) - log10(low)) / (log10(high) - log10(low))
    return BOX[0] + share * (BOX[2] - BOX[0]), BOX[1] + share * (BOX[3] - BOX[1])


def _looks(groups):
    """Colour and shape of each group: a colour a family, a shape of its own inside it."""
    seen, looks = {}, []
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
def _back(marks, looks, unit):
    values = [value for mark in marks for value in (mark.measured, mark.predicted)]
    axis = _range(min(values), max(values))
    with style.applied():
        return axis, inner_svg(_axes(marks, looks, unit, axis))


def _range(low, high):
    """Ends of an axis: round numbers, a little beyond all values and at least a factor of four apart."""
    low, high = low / 1.15, high * 1.15
    if high / low < 4:
        low, high = low * (high / low) ** 0.5 / 2, high / (high / low) ** 0.5 * 2
    return low, high


def _ticks(low, high):
    """One, two and five of each decade, or the decades alone where these are many."""
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    steps = (1,) if high / low > 300 else (1, 2, 5)
    return [step * 10.0**power for power in decades for step in steps if low <= step * 10.0**power <= high]


def _axes(marks, looks, unit, axis):
    figure = style.figure()
    left, bottom, right, top = BOX
    box = left / style.WIDTH, bottom / style.HEIGHT, (right - left) / style.WIDTH, (top - bottom) / style.HEIGHT
    axes = figure.add_axes(box)
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


def _legend(groups, looks, heads, chosen):
    left, right = LEGEND
    y = BOX[3] - 4
    shapes = [
        Text(right - 44, y + ROW, heads[0], color=MUTED, align="right"),
        Text(right, y + ROW, heads[1], color=MUTED, align="right"),
    ]
    for place, (group, (color, shape)) in enumerate(zip(groups, looks, strict=True)):
        bold, height = place == chosen, y - ROW * place
        shapes += [
            Marker(left + 6, height, shape, color, size=9),
            Text(left + 18, height, group.name, bold=bold),
            Text(right - 44, height, group.words[0], align="right", bold=bold),
            Text(right, height, group.words[1], align="right", bold=bold),
        ]
    shapes += [
        Line(((left, BOX[1] + 6), (left + 22, BOX[1] + 6)), INK, 1.4),
        Text(left + 28, BOX[1] + 6, "predicted = measured", color=MUTED),
        Text(left + 28, BOX[1] - 13, f"dashes: a factor of {BAND:g}", color=MUTED),
    ]
    return shapes


def _followed(mark, looks, axis):
    """The mark that is followed, and a line from it to where it should be."""
    x, y = pixel(axis, mark.measured)[0], pixel(axis, mark.predicted)[1]
    there = pixel(axis, mark.measured)[1]
    return [
        Line(((x, y), (x, there)), ACCENT, 2),
        Marker(x, y, looks[mark.group][1], ACCENT, size=13),
    ]
