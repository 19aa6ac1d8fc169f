"""The picture of links: message size against effective bandwidth, with the half-bandwidth points.

Drawn in two layers, as the roofline: axes and curves depend on the links alone and
are kept, the message that the reader moves is drawn for every state. Below, on a scale
from nothing to the sheet's rate, stand the rates of the link that is followed.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from math import log10

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ... import links as model
from ...units import show
from .. import labels, style
from ..picture import Picture, compose, inner_svg
from ..shapes import Line, Marker, Text
from ..words import amount, giga

LEFT, RIGHT, BOTTOM, TOP = 52, 138, 118, 84  # px around the axes
AXES = (LEFT, BOTTOM, style.WIDTH - RIGHT, style.HEIGHT - TOP)
SIZES = (50.0, 2e9)  # bytes
RATES = (3e6, 4e12)  # bytes/s
_COLORS = (style.BLUE, style.PALETTE[2], style.ORANGE, style.INK)  # blue, plum, orange, ink: told apart at a glance
SOLID, POINT = 6.0, 60.0
GAUGE, ROW = 52, 19  # px: the height of the scale of rates, and of each row below it


@dataclass(frozen=True)
class Wire:
    """A link with its start-up time: bytes/s one way, and seconds.

    ``sheet_one_way``, ``payload_one_way`` and ``measured``, as (engine, lowest, highest), are
    what the scale below the axes shows of it, where they are known.
    """

    name: str
    bandwidth_one_way: float
    latency: float
    sheet_one_way: float = 0.0
    payload_one_way: float = 0.0
    measured: tuple = field(default=())

    @property
    def half_size(self):
        return model.half_bandwidth_message_size(self.latency, self.bandwidth_one_way)

    def rate(self, message_bytes):
        return model.effective_bandwidth(message_bytes, self.bandwidth_one_way, self.latency)


def links(wires, message_bytes, *, chosen=0, subtitle=""):
    """Draw the effective bandwidth of some links, and one message on each.

    Parameters
    ----------
    wires : sequence of Wire
        At most four.
    message_bytes : float
        The message that the reader moves.
    chosen : int
        The link that title and sentence speak of.
    subtitle : str
        What the title is about, in a few words.

    Returns
    -------
    Picture

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
    back = _back(wires)
    title = finding(wires[chosen], message_bytes)
    description = _describe(wires, message_bytes, title)
    front = _front(back, wires, message_bytes, chosen, title, subtitle)

    def figure():
        whole = _draw_back(wires)[0]
        for shape in front:
            shape.join(whole)
        return whole

    return Picture(compose(back[0], front, title, description), title, description, figure=figure)


def finding(wire, message_bytes):
    """State what a message gets: ``"5 kB: 8.18 of 450 GB/s, mostly waiting"``.

    >>> finding(Wire("NVLink 4", 450e9, 0.6e-6), 5e3), finding(Wire("NVLink 4", 450e9, 0.6e-6), 1e9)
    ('5 kB: 8.18 of 450 GB/s, mostly waiting', '1 GB: 450 of 450 GB/s, mostly moving')
    """
    state = "mostly waiting" if message_bytes < wire.half_size else "mostly moving"
    rate, peak = (giga(value) for value in (wire.rate(message_bytes), wire.bandwidth_one_way))
    return f"{amount(message_bytes)}: {rate} of {peak} GB/s, {state}"


def _pixel(size, rate):
    """Data to pixels from the lower left corner."""
    x = AXES[0] + (AXES[2] - AXES[0]) * np.log(np.asarray(size) / SIZES[0]) / np.log(SIZES[1] / SIZES[0])
    y = AXES[1] + (AXES[3] - AXES[1]) * np.log(np.asarray(rate) / RATES[0]) / np.log(RATES[1] / RATES[0])
    return x, y


@lru_cache(maxsize=256)
def _back(wires):
    with style.applied():
        figure, taken = _draw_back(wires)
        return inner_svg(figure), taken


def _draw_back(wires):
    figure = style.figure()
    box = (
        LEFT / style.WIDTH,
        BOTTOM / style.HEIGHT,
        (AXES[2] - AXES[0]) / style.WIDTH,
        (AXES[3] - AXES[1]) / style.HEIGHT,
    )
    axes = figure.add_axes(box)
    axes.set(xscale="log", yscale="log", xlim=SIZES, ylim=RATES, xlabel="Message size")
    axes.xaxis.set(major_locator=FixedLocator([10.0**n for n in range(2, 10)]), minor_locator=NullLocator())
    axes.yaxis.set(major_locator=FixedLocator([10.0**n for n in range(7, 13)]), minor_locator=NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: show(value, "B", 1 + round(log10(value)) % 3)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e9:,.6g}"))
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.text(8, AXES[3] + 12, "Effective, GB/s one way", color=style.MUTED, transform=style.pixels(figure))
    taken = [np.array([[8, AXES[3] + 6, 190, AXES[3] + 28, SOLID]])]
    sizes = np.geomspace(*SIZES, 120)
    for number, wire in enumerate(wires):
        rates = wire.rate(sizes)
        axes.plot(sizes, rates, color=_COLORS[number], linestyle=style.DASHES[number], zorder=3)
        taken.append(labels.along(np.stack(_pixel(sizes, rates), axis=1), POINT))
    heights = _apart([float(_pixel(1e3, wire.bandwidth_one_way)[1]) for wire in wires])
    for wire, y in zip(wires, heights, strict=True):
        words = _fitting(wire.name, giga(wire.bandwidth_one_way))
        axes.text(AXES[2] + 6, y, words, va="center", transform=style.pixels(figure), zorder=5)
    return figure, np.vstack(taken)


def _fitting(name, rate):
    """A name and a rate in the room to the right of the axes; a long name ends early."""
    words = f"{name} {rate}"
    while labels.text_size(words, style.TEXT)[0] > RIGHT - 8:
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


def _front(back, wires, message_bytes, chosen, title, subtitle):
    drawn = [
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=style.MUTED),
    ]
    wire = wires[chosen]
    halves = [_pixel(w.half_size, w.bandwidth_one_way / 2) for w in wires]
    dots = [_pixel(message_bytes, w.rate(message_bytes)) for w in wires]
    x, y = halves[chosen]
    drawn.append(Line(((x, AXES[1]), (x, y)), _COLORS[chosen], width=1.2))
    drawn.append(Line(((dots[chosen][0], AXES[1]), tuple(dots[chosen])), style.ACCENT, width=1.2))
    for number, place in enumerate(halves):
        drawn.append(Marker(*place, "D", face=style.PAPER, edge=_COLORS[number], size=9))
    for number, place in enumerate(dots):
        if number != chosen:
            drawn.append(Marker(*place, "o", face=_COLORS[number], size=9))
    drawn.append(Marker(*dots[chosen], "o", face=style.ACCENT, size=13))
    words = f"half at {show(wire.half_size, 'B')}"
    side = _foot(halves[chosen][0], dots[chosen][0], words)
    drawn.append(Text(x + 6 * side, AXES[1] + 12, words, align="left" if side > 0 else "right"))
    marks = [[px - 7, py - 7, px + 7, py + 7, SOLID] for px, py in (*halves, *dots)]
    feet = [labels.along(np.array([[px, AXES[1]], [px, py]]), POINT) for px, py in (halves[chosen], dots[chosen])]
    words = f"{giga(wire.rate(message_bytes))} GB/s"
    size = labels.text_size(words, style.TEXT, "bold")
    box, leader = labels.place(dots[chosen], size, np.vstack([back[1], marks, *feet]), AXES)
    if leader:
        drawn.append(Line(leader, style.ACCENT))
    drawn.append(
        Text((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, words, color=style.ACCENT, align="center", bold=True)
    )
    return drawn + _gauge(wire, message_bytes, _COLORS[chosen])


def _gauge(wire, message_bytes, color):
    """The rates of a link on one scale: what it gets now, its packets' share, and what was measured."""
    whole = wire.sheet_one_way
    if not whole:
        return [
            Text(
                AXES[0],
                GAUGE - ROW,
                f"{wire.name}: no sheet, packets or measurements of it are known here.",
                color=style.MUTED,
            )
        ]

    def at(rate):
        return AXES[0] + (AXES[2] - AXES[0]) * rate / whole

    drawn = [
        Line(((AXES[0], GAUGE), (AXES[2], GAUGE)), style.GREY, 1.2),
        Line(((AXES[2], GAUGE - 5), (AXES[2], GAUGE + 5)), style.INK, 2),
        Text(AXES[2] + 6, GAUGE, f"sheet {giga(whole)} GB/s"),
    ]
    if wire.payload_one_way:
        x = at(wire.payload_one_way)
        drawn += [
            Line(((x, GAUGE - 7), (x, GAUGE + 7)), color, 3),
            Text(x, GAUGE + 17, f"payload {giga(wire.payload_one_way)}", align="center"),
        ]
    for row, (engine, low, high) in enumerate(wire.measured[:2], 1):
        y, left, right = GAUGE - ROW * row, at(low), at(high)
        span = giga(high) if giga(low) == giga(high) else f"{giga(low)} to {giga(high)}"
        drawn.append(Line(((left, y), (max(right, left + 3), y)), color, 7))
        drawn.append(Text(left - 8, y, f"measured, {engine}: {span}", align="right"))
    return [*drawn, Marker(at(wire.rate(message_bytes)), GAUGE, "o", style.ACCENT, size=11)]


def _foot(half, message, words):
    """The side of the half-bandwidth line for its name: away from the message's line, inside the axes."""
    width = labels.text_size(words, style.TEXT)[0] + 10
    return 1 if half + width < AXES[2] and not 0 <= message - half < width else -1


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
