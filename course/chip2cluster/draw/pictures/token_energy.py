"""Energy per token against the number of sequences in a batch: measurements, one series highlighted.

Drawn with shapes alone, so a frame takes about 1 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from .. import style, typesetting
from ..heading import heading
from ..palette import GREY, HAIRLINE, HAND, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Point, Text

# px: left, bottom, right, top of the axes where the key takes no row
BOXES = {style.WIDTH: (64, 52, 572, 318), style.NARROW: (56, 52, 316, 346)}
ROW = 19  # px of the key
LOOKS = tuple(zip("osD", KINDS, strict=True))
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 480}  # px


@dataclass(frozen=True)
class Batches:
    """One model on its chips: sequences in a step, joules of an output token, seconds between tokens, rows in the table."""

    name: str
    sequences: tuple
    joules: tuple
    seconds: tuple
    rows: tuple[str, ...] = ()


@two_widths
def token_energy(
    series: Sequence[Batches],
    chosen: tuple[int, int] = (0, -1),
    *,
    title: str = "",
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw joules of an output token against sequences in a step, both in powers.

    Parameters
    ----------
    series : sequence of Batches
        One to three, with as many sequences as joules and seconds, all above zero and rising sequences.
    chosen : (int, int)
        The series and the point of it that the reader follows.
    title, subtitle : str
        The finding, and what it is about; without a title what the batch does to the series followed.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no series, more than three, lists of different lengths, numbers that are not above zero,
        and a point that is not there.
    """
    series = tuple(series)
    if not 1 <= len(series) <= len(LOOKS):
        raise ValueError(f"series must be one to {len(LOOKS)}, got {len(series)}")
    for one in series:
        lists = one.sequences, one.joules, one.seconds
        if len({len(numbers) for numbers in lists}) != 1 or not one.sequences or min(map(min, lists)) <= 0:
            raise ValueError(f"{one.name!r} needs as many sequences as joules and seconds, all above zero")
    try:
        followed, point = series[chosen[0]], chosen[1]
        here = followed.sequences[point], followed.joules[point], followed.seconds[point]
    except IndexError:
        raise ValueError(f"chosen must be a series and a point of it, got {chosen!r}") from None
    title = title or finding(followed)
    left, bottom, right, top = BOXES[width]
    key = typesetting.flow([one.name for one in series], 8, width - 8)
    rows = key[-1][1] + 1
    field = _Field((left, bottom + ROW * rows, right, top), series)
    told = f"{here[0]:,.0f} chats: {figure(here[1])} J, {1e3 * here[2]:,.0f} ms between tokens"
    shapes = [*heading(title, subtitle, width, HEIGHTS[width]), *field.frame(width), *_lines(field, series)]
    hand = Marker(*field.at(here[0], here[1]), "o", HAND, size=13)
    shapes += [
        RowMark(followed.rows[point], (hand,)) if followed.rows else hand,
        Text(8, top + 40, told, bold=True, color=HAND),
    ]
    for (shape, color), one, (x, row) in zip(LOOKS, series, key, strict=False):
        y = 14 + ROW * (rows - 1 - row)
        shapes += [Marker(x + 6, y, shape, color, size=9), Text(x + 20, y, one.name)]
    described = "; ".join(
        f"{one.name}: {figure(one.joules[0])} J with {one.sequences[0]:,.0f} chats, "
        f"{figure(one.joules[-1])} J with {one.sequences[-1]:,.0f}"
        for one in series
    )
    return of_shapes(shapes, title, f"{title}. {described}. Followed: {followed.name}, {told}.", width, HEIGHTS[width])


def finding(one: Batches) -> str:
    """What the batch does to a model.

    >>> finding(Batches("Llama", (8, 1024), (3.76, 0.376), (0.016, 0.064)))
    '128 times the chats: a tenth of the joules, and 4.0 times the wait'
    """
    less, wait = one.joules[0] / one.joules[-1], one.seconds[-1] / one.seconds[0]
    words = "a tenth" if 9.5 <= less < 10.5 else f"1/{less:.1f}" if less < 9.5 else f"1/{less:.0f}"
    return f"{one.sequences[-1] / one.sequences[0]:,.0f} times the chats: {words} of the joules, and {wait:.1f} times the wait"


def figure(value: float) -> str:
    """Two digits, as people say them.

    >>> figure(3.76), figure(0.0702), figure(13.97)
    ('3.8', '0.070', '14')
    """
    return f"{value:.{max(0, 1 - floor(log10(value)))}f}"


class _Field:
    """Logarithmic axes around all points: powers of two across, 1, 2, 5 up."""

    def __init__(self, box, series):
        self.left, self.bottom, self.right, self.top = box
        across = [number for one in series for number in one.sequences]
        up = [number for one in series for number in one.joules]
        self.low_x, self.high_x = floor(log10(min(across)) / log10(2) + 0.02), ceil(log10(max(across)) / log10(2))
        self.high_x = max(self.high_x, self.low_x + 1)
        ticks = [
            step * 10.0**power for power in range(floor(log10(min(up))), ceil(log10(max(up))) + 1) for step in (1, 2, 5)
        ]
        below = max(place for place, tick in enumerate(ticks) if tick <= min(up) * (1 + 1e-9))
        above = min(place for place, tick in enumerate(ticks) if tick >= max(up) * (1 - 1e-9))
        self.ticks = ticks[below : max(above, below + 1) + 1]
        self.low_y, self.high_y = log10(self.ticks[0]), log10(self.ticks[-1])

    def at(self, sequences: float, joules: float) -> Point:
        share_x = (log10(sequences) / log10(2) - self.low_x) / (self.high_x - self.low_x)
        share_y = (log10(joules) - self.low_y) / (self.high_y - self.low_y)
        return self.left + (self.right - self.left) * share_x, self.bottom + (self.top - self.bottom) * share_y

    def frame(self, width):
        every = ceil((self.high_x - self.low_x) / (10 if width == style.WIDTH else 4))
        for power in range(self.low_x, self.high_x + 1):
            x, _ = self.at(2.0**power, 10.0**self.low_y)
            yield Line(((x, self.bottom), (x, self.top)), GREY if power == self.low_x else HAIRLINE)
            if (power - self.low_x) % every == 0:
                yield Text(x, self.bottom - 14, f"{2**power:,}", align="center")
        for tick in self.ticks:
            _, y = self.at(2.0**self.low_x, tick)
            yield Line(((self.left, y), (self.right, y)), GREY if tick == self.ticks[0] else HAIRLINE)
            yield Text(self.left - 7, y, f"{tick:,.4g}", align="right")
        yield Text(8, self.top + 18, "Joules of an output token, devices alone", color=MUTED)
        yield Text((self.left + self.right) / 2, self.bottom - 36, "Chats in a step", color=MUTED, align="center")


def _lines(field, series):
    for (shape, color), one in zip(LOOKS, series, strict=False):
        points = tuple(field.at(*pair) for pair in zip(one.sequences, one.joules, strict=True))
        if len(points) > 1:
            yield Line(points, color, 2)
        for number, (x, y) in enumerate(points):
            mark = Marker(x, y, shape, color, size=8)
            yield RowMark(one.rows[number], (mark,)) if one.rows else mark
