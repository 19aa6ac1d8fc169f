"""Effective bandwidth of links against message size, with the half-bandwidth sizes.

Drawn in two layers, as the roofline: axes and curves depend on the links alone and
are kept, the message that the reader moves is drawn for every state. Below, on a scale
from nothing to the sheet's rate, stand the rates of the link that is followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log10
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ... import links as model
from ...units import show
from .. import labels, style, typesetting
from ..format import amount, giga
from ..heading import heading
from ..palette import KINDS
from ..picture import Picture, compose, inner_svg, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text

if TYPE_CHECKING:
    from ..._typing import FloatOrArray

# px: left, bottom, right and top of the axes; names of links stand on the right, of a narrow picture below
AXES = {style.WIDTH: (52, 118, 462, 336), style.NARROW: (48, 256, 330, 470)}
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 592}
SIZES = (50.0, 2e9)  # bytes
RATES = (3e6, 4e12)  # bytes/s
_COLORS = (*KINDS, KINDS[0])  # with `style.DASHES`
SOLID, POINT = 6.0, 60.0
GAUGE, ROW = {style.WIDTH: 52, style.NARROW: 118}, 19  # px: the height of the scale of rates, and of each row below it


@dataclass(frozen=True)
class Wire:
    """A link with its start-up time: bytes/s one way, and seconds.

    ``sheet_one_way`` and ``measured``, as (engine, lowest, highest), are what the scale below the axes shows
    of it besides, where they are known.
    """

    name: str
    bandwidth_one_way: float
    latency: float
    sheet_one_way: float = 0.0
    measured: tuple = field(default=())

    @property
    def half_size(self) -> float:
        """Return the message size, bytes, at which half of the bandwidth is reached."""
        return model.half_bandwidth_message_size(self.latency, self.bandwidth_one_way)

    def rate(self, message_bytes: FloatOrArray) -> FloatOrArray:
        """Return the effective bandwidth of a message, bytes/s."""
        return model.effective_bandwidth(message_bytes, self.bandwidth_one_way, self.latency)


@two_widths
def links(
    wires: Sequence[Wire], message_bytes: float, *, chosen: int = 0, subtitle: str = "", width: int = style.WIDTH
) -> Picture:
    """Draw the effective bandwidth of some links, and one message on each.

    Parameters
    ----------
    wires : sequence of Wire
        Up to four links.
    message_bytes : float
        The message that the reader moves.
    chosen : int
        The link that title and sentence speak of.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no link, more than four, or a choice that is none of them.
    """
    wires = tuple(wires)
    if not 1 <= len(wires) <= len(_COLORS):
        raise ValueError(f"a picture of links shows one to {len(_COLORS)}, got {len(wires)}")
    if not 0 <= chosen < len(wires):
        raise ValueError(f"chosen must be a number from 0 to {len(wires) - 1}, got {chosen!r}")
    back, page = _back(wires, width), (width, HEIGHTS[width])
    title = finding(wires[chosen], message_bytes)
    description = _describe(wires, message_bytes, title)
    front = _front(back, wires, message_bytes, chosen, title, subtitle, width)

    def figure():
        whole = _draw_back(wires, width)[0]
        for shape in front:
            shape.join(whole)
        return whole

    svg = compose(back[0], front, title, description, *page)
    return Picture(svg, title, description, *page, figure=figure, place=lambda size, rate: _pixel(size, rate, width))


def finding(wire: Wire, message_bytes: float) -> str:
    """State what a message gets: ``"5 kB: 8.18 of 450 GB/s, mostly waiting"``.

    >>> finding(Wire("NVLink 4", 450e9, 0.6e-6), 5e3), finding(Wire("NVLink 4", 450e9, 0.6e-6), 1e9)
    ('5 kB: 8.18 of 450 GB/s, mostly waiting', '1 GB: 450 of 450 GB/s, mostly moving')
    """
    state = "mostly waiting" if message_bytes < wire.half_size else "mostly moving"
    rate, peak = (giga(value) for value in (wire.rate(message_bytes), wire.bandwidth_one_way))
    return f"{amount(message_bytes)}: {rate} of {peak} GB/s, {state}"


def _pixel(size: FloatOrArray, rate: FloatOrArray, width: int = style.WIDTH) -> tuple[FloatOrArray, FloatOrArray]:
    """Data to pixels from the lower left corner."""
    left, bottom, right, top = AXES[width]
    x = left + (right - left) * np.log(np.asarray(size) / SIZES[0]) / np.log(SIZES[1] / SIZES[0])
    y = bottom + (top - bottom) * np.log(np.asarray(rate) / RATES[0]) / np.log(RATES[1] / RATES[0])
    return x, y


@lru_cache(maxsize=256)
def _back(wires, width):
    with style.applied():
        figure, taken = _draw_back(wires, width)
        return inner_svg(figure), taken


def _draw_back(wires, width):
    figure, narrow = style.figure(width, HEIGHTS[width]), width == style.NARROW
    axes, (_, _, right, top) = style.axes(figure, AXES[width]), AXES[width]
    axes.set(xscale="log", yscale="log", xlim=SIZES, ylim=RATES, xlabel="Message size")
    axes.xaxis.set(major_locator=FixedLocator([10.0**n for n in range(2, 10)]), minor_locator=NullLocator())
    axes.yaxis.set(major_locator=FixedLocator([10.0**n for n in range(7, 13)]), minor_locator=NullLocator())
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda x, _: "" if narrow and round(log10(x)) % 3 else show(x, "B", 1 + round(log10(x)) % 3))
    )
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e9:,.6g}"))
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.text(8, top + 12, "Effective, GB/s one way", color=style.MUTED, transform=style.pixels(figure))
    taken = [np.array([[8, top + 6, 190, top + 28, SOLID]])]
    sizes = np.geomspace(*SIZES, 120)
    for number, wire in enumerate(wires):
        rates = wire.rate(sizes)
        axes.plot(sizes, rates, color=_COLORS[number], linestyle=style.DASHES[number], zorder=3)
        taken.append(labels.along(np.stack(_pixel(sizes, rates, width), axis=1), POINT))
    if narrow:
        return figure, np.vstack(taken)
    heights = _apart([float(_pixel(1e3, wire.bandwidth_one_way)[1]) for wire in wires])
    for wire, y in zip(wires, heights, strict=True):
        words = _fitting(wire.name, giga(wire.bandwidth_one_way))
        axes.text(right + 6, y, words, va="center", transform=style.pixels(figure), zorder=5)
    return figure, np.vstack(taken)


def _fitting(name, rate):
    """A name and a rate in the room to the right of the axes; a long name ends early."""
    words = f"{name} {rate}"
    while typesetting.text_size(words, style.TEXT)[0] > style.WIDTH - AXES[style.WIDTH][2] - 8:
        name = name[:-1]
        words = f"{name}… {rate}"
    return words


def _apart(heights, least=17):
    """Move heights up as far as needed so that lines of text fit, the whole around where it was.

    >>> _apart([300, 205, 200]), _apart([202, 201, 200])
    ([300, 211.0, 194.0], [218.0, 201.0, 184.0])
    """
    places, groups = list(heights), []
    for index in sorted(range(len(places)), key=places.__getitem__):
        groups.append([index])
        while (
            len(groups) > 1 and _middle(heights, groups[-1], least)[0] - _middle(heights, groups[-2], least)[1] < least
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    for group in groups:
        if len(group) > 1:
            start = _middle(heights, group, least)[0]
            for step, index in enumerate(group):
                places[index] = start + step * least
    return places


def _middle(heights, group, least):
    """The lowest and the highest line of a group of names around the middle of their links."""
    centre, half = sum(heights[index] for index in group) / len(group), (len(group) - 1) * least / 2
    return centre - half, centre + half


def _front(back, wires, message_bytes, chosen, title, subtitle, width):
    drawn, bottom = heading(title, subtitle, width, HEIGHTS[width]), AXES[width][1]
    wire = wires[chosen]
    halves = [_pixel(w.half_size, w.bandwidth_one_way / 2, width) for w in wires]
    dots = [_pixel(message_bytes, w.rate(message_bytes), width) for w in wires]
    x, y = halves[chosen]
    drawn.append(Line(((x, bottom), (x, y)), _COLORS[chosen], width=1.2))
    drawn.append(Line(((dots[chosen][0], bottom), tuple(dots[chosen])), style.HAND, width=1.2))
    for number, place in enumerate(halves):
        mark = Marker(*place, "D", face=style.PAPER, edge=_COLORS[number], size=9)
        drawn.append(RowMark(wires[number].name, (mark,)))
    for number, place in enumerate(dots):
        if number != chosen:
            drawn.append(RowMark(wires[number].name, (Marker(*place, "o", face=_COLORS[number], size=9),)))
    drawn.append(RowMark(wire.name, (Marker(dots[chosen][0], dots[chosen][1], "o", face=style.HAND, size=13),)))
    words = f"half at {show(wire.half_size, 'B')}"
    side = _foot(halves[chosen][0], dots[chosen][0], words, AXES[width][2])
    drawn.append(Text(x + 6 * side, bottom + 12, words, align="left" if side > 0 else "right"))
    marks = [[px - 7, py - 7, px + 7, py + 7, SOLID] for px, py in (*halves, *dots)]
    feet = [labels.along(np.array([[px, bottom], [px, py]]), POINT) for px, py in (halves[chosen], dots[chosen])]
    end, wide = x + 6 * side, side * typesetting.text_size(words, style.TEXT)[0]
    marks.append([min(end, end + wide), bottom + 4, max(end, end + wide), bottom + 20, SOLID])
    words = f"{giga(wire.rate(message_bytes))} GB/s"
    size = typesetting.text_size(words, style.TEXT, "bold")
    box, leader = labels.place(dots[chosen], size, np.vstack([back[1], marks, *feet]), AXES[width])
    if leader:
        drawn.append(Line(leader, style.HAND))
    drawn.append(Text((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, words, color=style.HAND, align="center", bold=True))
    return [*drawn, *_names(wires, width), *_gauge(wire, message_bytes, _COLORS[chosen], width)]


def _names(wires, width):
    """The names and rates of the links in rows below the axes, where the picture is narrow."""
    if width != style.NARROW:
        return []
    words = [_fitting(wire.name, giga(wire.bandwidth_one_way)) for wire in wires]
    shapes = []
    for number, (name, (x, row)) in enumerate(zip(words, typesetting.flow(words, 10, width - 6, mark=28), strict=True)):
        y = AXES[width][1] - 56 - 18 * row
        shapes += [Line(((x, y), (x + 18, y)), _COLORS[number], 2.4), Text(x + 24, y, name)]
    return shapes


def _gauge(wire, message_bytes, color, width):
    """The rates of a link on one scale: what a message gets now, what the curve levels off at, and what was measured."""
    whole, y0, narrow = wire.sheet_one_way, GAUGE[width], width == style.NARROW
    start, _, end, _ = AXES[width]
    if not whole:
        words = f"{wire.name}: no sheet, packets or measurements of it are known here."
        return [
            Text(8 if narrow else start, y0 - ROW * (row + 1), line, color=style.MUTED)
            for row, line in enumerate(typesetting.lines(words, width - (14 if narrow else start)))
        ]

    def at(rate):
        return start + (end - start) * rate / whole

    drawn = [
        Line(((start, y0), (end, y0)), style.GREY, 1.2),
        Line(((end, y0 - 5), (end, y0 + 5)), style.INK, 2),
        Text(end, y0 - 17, f"sheet {giga(whole)} GB/s", align="right")
        if narrow
        else Text(end + 6, y0, f"sheet {giga(whole)} GB/s"),
    ]
    x, words = at(wire.bandwidth_one_way), f"NCCL at most {giga(wire.bandwidth_one_way)}"
    middle = min(x, width - 4 - typesetting.text_size(words, style.TEXT)[0] / 2)
    drawn += [Line(((x, y0 - 7), (x, y0 + 7)), color, 3), Text(middle, y0 + 17, words, align="center")]
    for row, (engine, low, high) in enumerate(wire.measured[:2], 1):
        y, left, right = y0 - (22 + 30 * row - 8 if narrow else ROW * row), at(low), at(high)
        span = giga(high) if giga(low) == giga(high) else f"{giga(low)} to {giga(high)}"
        drawn.append(Line(((left, y), (max(right, left + 3), y)), color, 7))
        words = f"measured, {engine}: {span}"
        drawn.append(Text(8, y + 14, words) if narrow else Text(left - 8, y, words, align="right"))
    return [*drawn, Marker(at(wire.rate(message_bytes)), y0, "o", style.HAND, size=11)]


def _foot(half, message, words, end):
    """The side of the half-bandwidth line for its name: away from the message's line, inside the axes."""
    width = typesetting.text_size(words, style.TEXT)[0] + 10
    return 1 if half + width < end and not 0 <= message - half < width else -1


def _describe(wires, message_bytes, title):
    lines = [title + "."]
    for wire in wires:
        rate = wire.rate(message_bytes)
        lines.append(
            f"{wire.name}: rises with the message size, levels off at {giga(wire.bandwidth_one_way)} GB/s, half of it at "
            f"{show(wire.half_size, 'B')}; {amount(message_bytes)} gets {giga(rate)} GB/s."
        )
        for engine, low, high in wire.measured:
            lines.append(f"Measured on it by {engine}: {giga(low)} to {giga(high)} of {giga(wire.sheet_one_way)} GB/s.")
    return " ".join(lines)
