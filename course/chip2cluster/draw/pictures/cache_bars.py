"""Memory of a serving replica: weights, keys and values, reserved but empty room.

Drawn with shapes alone, so a frame takes about 1 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...units import show
from .. import style, typesetting
from ..heading import heading
from ..palette import BLUES, GREY, HAIRLINE, INK, LIMIT, MUTED, PAPER, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Text
from .waterfall import Bar

KEY = ((WORK, "weights"), (BLUES[1], "keys and values"), (WAITING, "held, but empty"))
BEYOND = 1.5  # so many times the memory are drawn; what is more is cut off
LEFT, RIGHT = 12, 16  # px
TOP = {style.WIDTH: 92, style.NARROW: 118}  # px from above, where the key begins
ROW, BAR = 66, 26  # px
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 470}


@dataclass(frozen=True)
class Filled:
    """A name, and bytes of each kind; ``moved`` marks the row that is the reader's."""

    name: str
    weights: float
    used: float
    empty: float
    moved: bool = False

    @property
    def total(self) -> float:
        """Bytes of all kinds."""
        return self.weights + self.used + self.empty


@two_widths
def cache_bars(
    rows: Sequence[Filled],
    memory_bytes: float,
    *,
    title: str = "",
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw what several ways to cache take of the same memory.

    Parameters
    ----------
    rows : sequence of Filled
        One to four.
    memory_bytes : float
        Memory of the replica; a line marks it.
    title, subtitle, description : str
        The finding, what it is about, and the alternative text.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For none or more than four rows, and memory that is not above zero.

    Examples
    --------
    >>> cache_bars([Filled("latent", 16e9, 4e9, 1e9)], 80e9, title="It fits").title
    'It fits'
    """
    rows = tuple(rows)
    if not 1 <= len(rows) <= 4:
        raise ValueError(f"a picture has one to four rows, got {len(rows)}")
    if not memory_bytes > 0:
        raise ValueError(f"memory_bytes must be above zero, got {memory_bytes!r}")
    height = HEIGHTS[width]
    scale = (width - LEFT - RIGHT) / (BEYOND * memory_bytes)
    top = height - TOP[width]
    places = typesetting.flow([words for _, words in KEY], 8, width - 8)
    first = top - 19 * places[-1][1] - 26
    shapes = [*heading(title, subtitle, width, height)]
    for (color, words), (x, line) in zip(KEY, places, strict=True):
        shapes += [Bar(x, top - 19 * line - 5, 12, 10, color), Text(x + 20, top - 19 * line, words)]
    for number, row in enumerate(rows):
        shapes.append(RowMark(row.name, tuple(_row(row, first - ROW * number, scale, memory_bytes, width))))
    shapes += _axis(memory_bytes, scale, first - ROW * len(rows), width)
    return of_shapes(shapes, title, description or title, width, height)


def _row(row, y, scale, memory, width):
    yield Text(LEFT, y - 14, row.name, bold=row.moved)
    words = show(row.total, "B") if row.total <= memory else f"{show(row.total, 'B')}, too much"
    yield Text(width - RIGHT, y - 14, words, align="right", bold=row.moved, color=INK if row.total > memory else MUTED)
    end, start = BEYOND * memory, 0.0
    for (color, _), size in zip(KEY, (row.weights, row.used, row.empty), strict=True):
        wide = (min(start + size, end) - min(start, end)) * scale - 0.8
        if wide > 0:
            yield Bar(LEFT + start * scale, y - 28 - BAR, wide, BAR, color)
        start += size
    if row.total > end:
        for x in (LEFT + end * scale - 12, LEFT + end * scale - 7):  # a break: the bar goes on beyond the axis
            yield Line(((x - 3, y - 31 - BAR), (x + 3, y - 25)), PAPER, 2)
    x = LEFT + memory * scale
    yield Line(((x, y - 24), (x, y - 32 - BAR)), LIMIT, 2)


def _axis(memory, scale, bottom, width):
    step = next(
        10.0**power * factor for power in range(6, 18) for factor in (1, 2, 5) if BEYOND * memory <= 6 * 10.0**power * factor
    )  # fmt: skip
    if width == style.NARROW:
        step *= 2
    for place in range(int(BEYOND * memory / step) + 1):
        x = LEFT + place * step * scale
        yield Line(((x, bottom + 6), (x, bottom + 1)), HAIRLINE if place else GREY)
        words = show(place * step, "B", 2) if place else "0"
        x = min(x, width - 4 - typesetting.text_size(words, style.TEXT)[0] / 2)
        yield Text(max(x, LEFT + 4), bottom - 10, words, align="center", color=MUTED)
    yield Line(((LEFT, bottom + 6), (width - RIGHT, bottom + 6)), GREY)
    x = LEFT + memory * scale
    yield Line(((x, bottom + 6), (x, bottom + 1)), LIMIT, 2)
    yield Text(x, bottom - 29, f"the replica has {show(memory, 'B')}", align="center")
