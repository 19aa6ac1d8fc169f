"""Rates against a whole number of GPUs: a few laws, what was measured, and one level to hold them against.

Written as shapes alone, so a frame takes well under a millisecond.
"""

from dataclasses import dataclass

from .. import labels, style
from ..palette import ACCENT, BLUE, GREY, HAIRLINE, INK, MUTED, ORANGE, PLUM
from ..picture import Picture, compose
from ..shapes import Line, Marker, Text

LEFT, RIGHT, FLOOR, TOP = 52, 448, 52, style.HEIGHT - 78  # px: the axes; names of lines stand on the right
COLOURS = (BLUE, ORANGE, PLUM)
SPACING = 17  # px between the names of two lines
STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Law:
    """A line: its name, and its rate for each count, bytes/s."""

    name: str
    rates: tuple


@dataclass(frozen=True)
class Seen:
    """A measured point: count, rate in bytes/s, and the place of the law that it belongs to."""

    count: int
    rate: float
    law: int


def counts(numbers, laws, chosen, *, level=None, seen=(), title, subtitle="", description=""):
    """Draw rates against the number of GPUs.

    Parameters
    ----------
    numbers : sequence of int
        Counts, ascending.
    laws : sequence of Law
        Up to three, with a rate for each count.
    chosen : int
        The count that the reader looks at.
    level : (str, float), optional
        Name and rate of a bound that does not depend on the count, bytes/s.
    seen : sequence of Seen
        What was measured.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        For no laws, more than three, or a law that lacks a count.
    """
    numbers, laws = tuple(numbers), tuple(laws)
    if not 1 <= len(laws) <= len(COLOURS):
        raise ValueError(f"a picture shows one to {len(COLOURS)} laws, got {len(laws)}")
    if any(len(law.rates) != len(numbers) for law in laws):
        raise ValueError(f"each law must have one rate for each of the {len(numbers)} counts")
    rates = [rate for law in laws for rate in law.rates] + [one.rate for one in seen] + ([level[1]] if level else [])
    step = _step(max(rates))
    axes = _Axes(numbers[0], numbers[-1], step * (int(max(rates) / step) + 1), step)
    shapes = [
        *_frame(axes, numbers, title, subtitle),
        *_level(axes, level),
        *_lines(axes, numbers, laws, level),
        *_chosen(axes, numbers, laws, chosen),
        *_seen(axes, seen),
    ]

    def figure():
        whole = style.figure()
        for shape in shapes:
            shape.join(whole)
        return whole

    return Picture(compose("", shapes, title, description), title, description or title, figure=figure)


@dataclass(frozen=True)
class _Axes:
    """Counts across, rates upwards from zero."""

    first: int
    last: int
    most: float
    step: float

    def x(self, count):
        return LEFT + 14 + (RIGHT - LEFT - 24) * (count - self.first) / max(self.last - self.first, 1)

    def y(self, rate):
        return FLOOR + (TOP - FLOOR) * rate / self.most


def _step(most):
    """Between grid lines: the least of 1, 2 or 5 times a power of ten that needs no more than six."""
    power = 1.0
    while True:
        for step in STEPS:
            if most / (step * power) <= 6:
                return step * power
        power *= 10


def _frame(axes, numbers, title, subtitle):
    yield Text(8, style.HEIGHT - 20, title, size=style.TITLE, bold=True)
    yield Text(8, style.HEIGHT - 43, subtitle, color=MUTED)
    yield Text(8, TOP + 18, "Bus bandwidth, GB/s", color=MUTED)
    yield Text((LEFT + RIGHT) / 2, 12, "GPUs that take part", color=MUTED, align="center")
    for line in range(round(axes.most / axes.step) + 1):
        y = axes.y(line * axes.step)
        yield Line(((LEFT, y), (RIGHT, y)), HAIRLINE if line else GREY)
        yield Text(LEFT - 8, y, f"{line * axes.step / 1e9:,.0f}", align="right")
    free = 0.0
    for number in numbers:
        half = labels.text_size(str(number), style.TEXT)[0] / 2
        if axes.x(number) - half > free:
            yield Text(axes.x(number), FLOOR - 14, str(number), align="center")
            free = axes.x(number) + half + 8


def _level(axes, level):
    if level:
        y = axes.y(level[1])
        for x in range(LEFT, RIGHT, 12):  # dashes
            yield Line(((x, y), (min(x + 6, RIGHT), y)), INK, width=1.2)


def _lines(axes, numbers, laws, level):
    named = [(law.name, law.rates[-1], colour) for law, colour in zip(laws, COLOURS, strict=False)]
    for law, (_, _, colour) in zip(laws, named, strict=True):
        points = tuple((axes.x(count), axes.y(rate)) for count, rate in zip(numbers, law.rates, strict=True))
        yield Line(points, colour, width=2.4)
    named += [(*level, INK)] if level else []
    place = float("-inf")
    for name, rate, colour in sorted(named, key=lambda one: one[1]):
        place = max(axes.y(rate), place + SPACING)
        yield Line(((RIGHT + 1, axes.y(rate)), (RIGHT + 12, place)), colour, width=1.4)
        yield Text(RIGHT + 15, place, name)


def _chosen(axes, numbers, laws, chosen):
    x, place = axes.x(chosen), numbers.index(chosen)
    yield Line(((x, FLOOR), (x, TOP)), ACCENT, width=1.5, alpha=0.7)
    for law, colour in zip(laws, COLOURS, strict=False):
        yield Marker(x, axes.y(law.rates[place]), "o", colour, size=9)


def _seen(axes, seen):
    """Squares with the edge of their line's colour; what they are is said below the axes' right end."""
    for one in seen:
        yield Marker(axes.x(one.count), axes.y(one.rate), "s", style.PAPER, COLOURS[one.law], size=8)
    if seen:
        y = FLOOR + 14
        yield Marker(RIGHT - 84, y, "s", style.PAPER, INK, size=8)
        yield Text(RIGHT - 72, y, "measured")
