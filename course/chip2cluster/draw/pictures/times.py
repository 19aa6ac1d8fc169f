"""Time against message size, one line for each way to do it, both axes logarithmic."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ...units import show
from .. import labels, style
from ..palette import ACCENT, BLUE, GREY, INK, MUTED, ORANGE, PLUM, VIOLET
from ..picture import Picture, compose, inner_svg
from ..shapes import Line, Marker, Text

AXES = (64, 46, 452, style.HEIGHT - 84)  # px: left, bottom, right, top; names of lines stand on the right
SIZES, SECONDS = (1e3, 1e10), (1e-6, 1e1)  # bytes and seconds shown
COLOURS = (BLUE, ORANGE, PLUM, VIOLET, INK, GREY)
SPACING = 17  # px between the names of two lines
ENVELOPE, WIDE = style.FAINT, 9  # what the fastest take, below the lines


@dataclass(frozen=True)
class Curve:
    """An algorithm or a method: its name, and ``seconds(message_bytes)`` for an array of sizes."""

    name: str
    seconds: object


def _decimal(size):
    return show(size, "B", 1)


def times(
    curves, message_bytes, crossings=(), *, title, subtitle="", description="",
    seconds=SECONDS, measured=(), envelope="", amount=_decimal,
):  # fmt: skip
    """Draw the time of some algorithms against the size of the message.

    Parameters
    ----------
    curves : sequence of Curve
        Up to six.
    message_bytes : float
        Where the reader stands.
    crossings : sequence of (bytes, seconds)
        Points at which the fastest algorithm changes.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    seconds : (float, float)
        The least and the longest time shown.
    measured : sequence of (bytes, seconds)
        Points of a benchmark.
    envelope : str
        What the smallest of the curves is called; it is drawn where it has a name.
    amount : callable
        Turns ``message_bytes`` into text.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        For no curves, or more than six.
    """
    curves = tuple(curves)
    if not 1 <= len(curves) <= len(COLOURS):
        raise ValueError(f"a picture shows one to {len(COLOURS)} algorithms, got {len(curves)}")
    seconds = tuple(map(float, seconds))
    shapes = [
        Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True),
        Text(8, style.HEIGHT - 43, subtitle, color=MUTED),
        *(_lowest(curves, seconds) if envelope else ()),
        *_here(message_bytes, amount(message_bytes)),
        *_lines(curves, seconds),
        *_measured(measured, seconds),
        *_points(curves, message_bytes, seconds),
        *_crossings(crossings, seconds),
        *_key(envelope, measured),
    ]

    def figure():
        whole = _axes(seconds)
        for shape in shapes:
            shape.join(whole)
        return whole

    return Picture(compose(_back(seconds), shapes, title, description), title, description or title, figure=figure)


def pixel(message_bytes, seconds, shown=SECONDS):
    """Data to pixels from the lower left corner."""
    x = AXES[0] + (AXES[2] - AXES[0]) * np.log(message_bytes / SIZES[0]) / np.log(SIZES[1] / SIZES[0])
    y = AXES[1] + (AXES[3] - AXES[1]) * np.log(seconds / shown[0]) / np.log(shown[1] / shown[0])
    return x, y


@lru_cache(maxsize=4)
def _back(shown):
    with style.applied():
        return inner_svg(_axes(shown))


def _axes(shown):
    figure = style.figure()
    left, bottom, right, top = AXES
    box = left / style.WIDTH, bottom / style.HEIGHT, (right - left) / style.WIDTH, (top - bottom) / style.HEIGHT
    axes = figure.add_axes(box)
    axes.set(xscale="log", yscale="log", xlim=SIZES, ylim=shown, xlabel="Message size")
    axes.xaxis.set(major_locator=FixedLocator(10.0 ** np.arange(3, 11)), minor_locator=NullLocator())
    decades = 10.0 ** np.arange(np.ceil(np.log10(shown[0]) - 1e-9), np.log10(shown[1]) + 0.5)
    axes.yaxis.set(major_locator=FixedLocator(decades), minor_locator=NullLocator())
    # Every decade has its tick, every other one its number: six digits do not fit side by side.
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: show(x, "B", 1) if round(np.log10(x)) % 2 else ""))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: show(y, "s", 1)))
    axes.tick_params(length=4)
    axes.grid(color=style.HAIRLINE, linewidth=1)
    axes.set_axisbelow(True)
    axes.text(8, top + 14, "Time", color=MUTED, transform=style.pixels(figure))
    return figure


def _here(message_bytes, text):
    x, _ = pixel(message_bytes, 1.0)
    half = labels.text_size(text, style.TEXT, "bold")[0] / 2
    middle = min(max(x, AXES[0] + half), AXES[2] - half)
    return [
        Line(((x, AXES[1]), (x, AXES[3])), ACCENT, width=1.5, alpha=0.7),
        Text(middle, AXES[3] + 14, text, color=ACCENT, align="center", bold=True),
    ]


def _through(sizes, times, shown):
    x, y = pixel(sizes, times, shown)
    return tuple(zip(x.tolist(), np.clip(y, AXES[1], AXES[3]).tolist(), strict=True)), y


def _lowest(curves, shown):
    sizes = np.geomspace(*SIZES, 150)
    points, _ = _through(sizes, np.minimum.reduce([curve.seconds(sizes) for curve in curves]), shown)
    return [Line(points, ENVELOPE, width=WIDE)]


def _measured(rows, shown):
    places = (tuple(map(float, pixel(*row, shown))) for row in rows)
    return [
        Marker(x, y, "s", style.PAPER, INK, size=6)
        for x, y in places
        if AXES[0] <= x <= AXES[2] and AXES[1] <= y <= AXES[3]
    ]


def _key(envelope, measured):
    """What wide line and squares are, in the corner below all lines."""
    shapes, y = [], AXES[1] + 14
    if measured:
        shapes += [Marker(AXES[2] - 130, y, "s", style.PAPER, INK, size=6), Text(AXES[2] - 118, y, "measured")]
        y += SPACING + 2
    if envelope:
        line = Line(((AXES[2] - 138, y), (AXES[2] - 124, y)), ENVELOPE, width=WIDE)
        shapes += [line, Text(AXES[2] - 118, y, envelope)]
    return shapes


def _lines(curves, shown):
    sizes = np.geomspace(*SIZES, 50)
    drawn = [_through(sizes, curve.seconds(sizes), shown) for curve in curves]
    shapes = [
        # A line that another covers for most of its way is drawn wider, so that its colour shows on both sides.
        Line(points, colour, width=6 if any(_covers(above, y) for _, above in drawn[place + 1 :]) else 2.4)
        for place, ((points, y), colour) in enumerate(zip(drawn, COLOURS, strict=False))
    ]
    ends = [float(np.clip(y[-1], AXES[1], AXES[3])) for _, y in drawn]
    places = _apart(ends)
    for curve, colour, end, place in zip(curves, COLOURS, ends, places, strict=False):
        shapes.append(Line(((AXES[2] + 1, end), (AXES[2] + 12, place)), colour, width=1.4))
        shapes.append(Text(AXES[2] + 15, place, curve.name))
    return shapes


def _covers(above, below):
    """Whether two lines, px, lie on each other at most sizes."""
    return float(np.mean(np.abs(above - below) < 2.5)) > 0.6


def _apart(heights):
    """Move heights as little as needed so that neighbours are `SPACING` apart and stay on the axes."""
    order = np.argsort(heights, kind="stable")
    places, floor = [0.0] * len(heights), AXES[1]
    for index in order:
        places[index] = max(heights[index], floor)
        floor = places[index] + SPACING
    ceiling = AXES[3]
    for index in order[::-1]:
        places[index] = min(places[index], ceiling)
        ceiling = places[index] - SPACING
    return places


def _points(curves, message_bytes, shown):
    seconds = [float(curve.seconds(message_bytes)) for curve in curves]
    places = [tuple(map(float, pixel(message_bytes, time, shown))) for time in seconds]
    dots = [Marker(*place, "o", colour, size=9) for place, colour in zip(places, COLOURS, strict=False)]
    return [*dots, Marker(*map(float, pixel(message_bytes, min(seconds), shown)), "o", ACCENT, size=13)]


def _crossings(crossings, shown):
    """Mark where the fastest changes; no line runs below these points, so their labels lie free."""
    shapes, free = [], AXES[0]
    for size, seconds in sorted(crossings):
        x, y = map(float, pixel(size, seconds, shown))
        text = show(size, "B", 2)
        left = max(x + 5, free)
        shapes += [Marker(x, y, "D", style.PAPER, INK, size=7), Text(left, y - 13, text)]
        free = left + labels.text_size(text, style.TEXT)[0] + 8
    return shapes
