"""Rates against the number of GPUs: laws, measurements, and one reference level.

Drawn with shapes alone, so a frame takes less than 1 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import style, typesetting
from ..heading import heading
from ..palette import GREY, HAIRLINE, HAND, INK, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text

# px: left, right, floor and top of the axes; names of lines stand on the right, of a narrow picture below
FIELDS = {style.WIDTH: (52, 448, 52, 342), style.NARROW: (46, 330, 112, 338)}
COLOURS = KINDS
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


@two_widths
def rates_by_gpus(
    numbers: Sequence[int],
    laws: Sequence[Law],
    chosen: int,
    *,
    level: tuple[str, float] | None = None,
    seen: Sequence[Seen] = (),
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
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
        Measured values.
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
        For no laws, more than three, or a law that lacks a count.
    """
    numbers, laws = tuple(numbers), tuple(laws)
    if not 1 <= len(laws) <= len(COLOURS):
        raise ValueError(f"a picture shows one to {len(COLOURS)} laws, got {len(laws)}")
    if any(len(law.rates) != len(numbers) for law in laws):
        raise ValueError(f"each law must have one rate for each of the {len(numbers)} counts")
    rates = [rate for law in laws for rate in law.rates] + [one.rate for one in seen] + ([level[1]] if level else [])
    step = _step(max(rates))
    axes = _Axes(*FIELDS[width], numbers[0], numbers[-1], step * (int(max(rates) / step) + 1), step)
    shapes = [
        *heading(title, subtitle, width),
        *_frame(axes, numbers),
        *_level(axes, level),
        *_lines(axes, numbers, laws, level),
        *_chosen(axes, numbers, laws, chosen),
        *_seen(axes, seen),
    ]
    return of_shapes(shapes, title, description, width, place=lambda count, rate: (axes.x(count), axes.y(rate or 0)))


@dataclass(frozen=True)
class _Axes:
    """Counts across, rates upwards from zero."""

    left: float
    right: float
    floor: float
    top: float
    first: int
    last: int
    most: float
    step: float

    def x(self, count):
        return self.left + 14 + (self.right - self.left - 24) * (count - self.first) / max(self.last - self.first, 1)

    def y(self, rate):
        return self.floor + (self.top - self.floor) * rate / self.most


def _step(most):
    """Between grid lines: the least of 1, 2 or 5 times a power of ten that needs no more than six."""
    power = 1.0
    while True:
        for step in STEPS:
            if most / (step * power) <= 6:
                return step * power
        power *= 10


def _frame(axes, numbers):
    yield Text(8, axes.top + 18, "Bus bandwidth, GB/s", color=MUTED)
    yield Text((axes.left + axes.right) / 2, axes.floor - 40, "GPUs that take part", color=MUTED, align="center")
    for line in range(round(axes.most / axes.step) + 1):
        y = axes.y(line * axes.step)
        yield Line(((axes.left, y), (axes.right, y)), HAIRLINE if line else GREY)
        yield Text(axes.left - 8, y, f"{line * axes.step / 1e9:,.0f}", align="right")
    free = 0.0
    for number in numbers:
        half = typesetting.text_size(str(number), style.TEXT)[0] / 2
        if axes.x(number) - half > free:
            yield RowMark(f"{number}", (Text(axes.x(number), axes.floor - 14, str(number), align="center"),))
            free = axes.x(number) + half + 8


def _level(axes, level):
    if level:
        y = axes.y(level[1])
        for x in range(axes.left, axes.right, 12):  # dashes
            yield Line(((x, y), (min(x + 6, axes.right), y)), INK, width=1.2)


def _lines(axes, numbers, laws, level):
    named = [(law.name, law.rates[-1], color) for law, color in zip(laws, COLOURS, strict=False)]
    for law, (_, _, color) in zip(laws, named, strict=True):
        points = tuple((axes.x(count), axes.y(rate)) for count, rate in zip(numbers, law.rates, strict=True))
        yield Line(points, color, width=2.4)
        for count, (x, y) in zip(numbers, points, strict=True):
            yield RowMark(f"{count}", (Marker(x, y, "o", color, size=6),))
    named += [(*level, INK)] if level else []
    if axes.right < style.NARROW:
        yield from _names(named)
        return
    place = float("-inf")
    for name, rate, color in sorted(named, key=lambda one: one[1]):
        place = max(axes.y(rate), place + SPACING)
        yield Line(((axes.right + 1, axes.y(rate)), (axes.right + 12, place)), color, width=1.4)
        yield Text(axes.right + 15, place, name)


def _names(named):
    """The names of the lines in rows at the foot."""
    places = typesetting.flow([name for name, *_ in named], 10, style.NARROW - 6, mark=28)
    for (name, _, color), (x, row) in zip(named, places, strict=True):
        y = 44 - 19 * row
        yield Line(((x, y), (x + (7 if color == INK else 18), y)), color, width=2.4)
        if color == INK:  # dashes
            yield Line(((x + 11, y), (x + 18, y)), color, width=2.4)
        yield Text(x + 24, y, name)


def _chosen(axes, numbers, laws, chosen):
    x, place = axes.x(chosen), numbers.index(chosen)
    yield Line(((x, axes.floor), (x, axes.top)), HAND, width=1.5, alpha=0.7)
    for law, color in zip(laws, COLOURS, strict=False):
        yield RowMark(f"{chosen}", (Marker(x, axes.y(law.rates[place]), "o", color, size=9),))


def _seen(axes, seen):
    """Squares with the edge of their line's color; what they are is said below the axes' right end."""
    for one in seen:
        square = Marker(axes.x(one.count), axes.y(one.rate), "s", style.PAPER, COLOURS[one.law], size=8)
        yield RowMark(f"{one.count}", (square,))
    if seen:
        y = axes.floor + 14
        yield Marker(axes.right - 84, y, "s", style.PAPER, INK, size=8)
        yield Text(axes.right - 72, y, "measured")
