"""The picture of links: message size against effective bandwidth, with the half-bandwidth points.

Drawn in two layers, as the roofline: axes and curves depend on the links alone and
are kept, the message that the reader moves is drawn for every state.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log10

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ... import links as model
from ...units import show
from .. import labels, style
from ..picture import Picture, compose, inner_svg
from ..shapes import Line, Marker, Text
from ..words import amount, giga

LEFT, RIGHT, BOTTOM, TOP = 52, 134, 46, 84  # px around the axes
AXES = (LEFT, BOTTOM, style.WIDTH - RIGHT, style.HEIGHT - TOP)
SIZES = (50.0, 2e9)  # bytes
RATES = (3e6, 4e12)  # bytes/s
_COLORS = (style.BLUE, style.PALETTE[2], style.ORANGE)  # blue, plum, orange
SOLID, POINT = 6.0, 60.0


@dataclass(frozen=True)
class Wire:
    """A link with its start-up time: bytes/s one way, and seconds."""

    name: str
    bandwidth_one_way: float
    latency: float

    @property
    def half_size(self):
        return model.half_bandwidth_message_size(self.latency, self.bandwidth_one_way)

    def rate(self, message_bytes):
        return model.effective_bandwidth(message_bytes, self.bandwidth_one_way, self.latency)


def links(wires, message_bytes, *, chosen=0, subtitle=""):
    """Draw the effective bandwidth of two or three links, and one message on each.

    Parameters
    ----------
    wires : sequence of Wire
        At most three.
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
        For no link, more than three, or a choice that is none of them.
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
        words = f"{wire.name} {giga(wire.bandwidth_one_way)}"
        axes.text(AXES[2] + 6, y, words, va="center", transform=style.pixels(figure), zorder=5)
    return figure, np.vstack(taken)


def _apart(heights, least=17):
    """Move heights apart so that lines of text fit, keeping their order.

    >>> _apart([300, 205, 200])
    [300, 211.0, 194.0]
    """
    places = list(heights)
    order = sorted(range(len(places)), key=places.__getitem__)
    for low, high in pairwise(order):
        if (short := least - (places[high] - places[low])) > 0:
            places[low], places[high] = places[low] - short / 2, places[high] + short / 2
    return places


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
    return drawn


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
    return " ".join(lines)
