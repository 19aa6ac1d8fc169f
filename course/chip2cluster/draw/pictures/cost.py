"""A cumulative sum by parts: dollars of an hour, joules from the device to the facility.

Drawn with shapes alone, so a frame takes less than 1 ms.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from .. import style, typesetting
from ..heading import heading
from ..palette import GREY, HAIRLINE, INK, MUTED, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Shape, Text
from .waterfall import Bar

PITCH = {style.WIDTH: 42, style.NARROW: 54}  # px of a row; names stand left of bars, of a narrow picture above
ROOM = {style.WIDTH: (62, 52), style.NARROW: (96, 52)}  # px above and below the rows
RIGHT = {style.WIDTH: 510, style.NARROW: 300}  # px: where the axis ends at most
BAR = 24  # px
MOST = 8  # parts


@two_widths
def cost(
    parts: Mapping[str, float],
    unit: str,
    *,
    losses: Sequence[str] = (),
    title: str = "",
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw parts that add up, one below the other, and their sum.

    Parameters
    ----------
    parts : dict of str to float
        Name and amount of each, in order: one to eight, none below zero.
    unit : str
        Unit of the amounts, such as ``"$ an hour"``.
    losses : sequence of str
        Names of the parts that pay for nothing; they have another color.
    title, subtitle : str
        The finding, and what it is about; without a title the sum and the largest part.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no parts, more than eight, one that is below zero, a sum of zero, and losses that are no part.
    """
    parts = {name: float(amount) for name, amount in parts.items()}
    if not 1 <= len(parts) <= MOST or min(parts.values()) < 0 or not 0 < sum(parts.values()) < float("inf"):
        raise ValueError(f"parts must be 1 to {MOST} amounts of zero or more with a sum above it, got {parts!r}")
    if unknown := [name for name in losses if name not in parts]:
        raise ValueError(f"losses must be names of parts, got {unknown[0]!r}; there are {', '.join(map(repr, parts))}")
    total = sum(parts.values())
    title = title or finding(parts, unit)
    above, below = ROOM[width]
    height = above + below + PITCH[width] * (len(parts) + 1)
    left = 18 + max(typesetting.text_size(name, style.TEXT, "bold")[0] for name in (*parts, "in all"))
    left = min(left, 240) if width == style.WIDTH else 10
    right = min(RIGHT[width], width - 14 - typesetting.text_size(amount(total, total), style.TEXT, "bold")[0])
    shapes = [*heading(title, subtitle, width, height), *_frame(total, unit, left, right, width, height)]
    shapes += _bars(parts, losses, left, right, width, height)
    listed = "; ".join(f"{name} {amount(value, total)}" for name, value in parts.items())
    return of_shapes(shapes, title, f"{title}. In {unit}: {listed}; in all {amount(total, total)}.", width, height)


def finding(parts: Mapping[str, float], unit: str) -> str:
    """The sum and its largest part.

    >>> finding({"capital": 1.0, "energy": 0.12}, "$ an hour")
    '1.12 $ an hour, 89 % of it capital'
    """
    total, largest = sum(parts.values()), max(parts, key=parts.__getitem__)
    return f"{amount(total, total)} {unit}, {100 * parts[largest] / total:.0f} % of it {largest}"


def amount(value: float, total: float) -> str:
    """An amount with as many decimals as the sum deserves.

    >>> amount(0.125, 1.5), amount(12.3, 4200.0), amount(0.0, 7.0)
    ('0.12', '12', '0')
    """
    return f"{value:,.{max(0, 2 - floor(log10(total)))}f}" if value else "0"


def _ticks(total):
    """Round steps up to the sum.

    >>> _ticks(1.55)
    (0.5, 4)
    """
    raw = total / 5
    step = 10.0 ** floor(log10(raw))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if factor * step >= raw * (1 - 1e-9))
    return step, ceil(total / step * (1 - 1e-9))


def _frame(total, unit, left, right, width, height):
    step, count = _ticks(total)
    above, below = ROOM[width]
    for number in range(count + 1):
        x = left + (right - left) * number / count
        yield Line(((x, below), (x, height - above)), HAIRLINE if number else GREY)
        yield Text(x, below - 13, f"{number * step:,g}", align="center")
    yield Text((left + right) / 2, 14, unit[0].upper() + unit[1:], color=MUTED, align="center")


def _bars(parts, losses, left, right, width, height):
    total, start = sum(parts.values()), 0.0
    drawn: list[Shape] = []
    step, count = _ticks(total)
    across = (right - left) / (step * count)
    lower, higher = (12, 14) if width == style.NARROW else (0, 0)
    rows = [*((name, value, False) for name, value in parts.items()), ("in all", total, True)]
    for row, (name, value, is_sum) in enumerate(rows):
        middle = height - ROOM[width][0] - PITCH[width] * (row + 0.5) - lower
        begin = 0.0 if is_sum else start
        x0, x1 = left + across * begin, left + across * (begin + value)
        if row and not is_sum:
            drawn.append(Line(((x0, middle + BAR / 2), (x0, middle + PITCH[width] - BAR / 2)), GREY))
        color = INK if is_sum else WAITING if name in losses else WORK
        drawn.append(Bar(x0, middle - BAR / 2, max(x1 - x0, 1.5), BAR, color))
        drawn.append(Text(left + 6 if lower else 8, middle + lower + higher, name, bold=is_sum))
        text = amount(value, total)
        drawn.append(Text(x1 + 8, middle, text, bold=is_sum))
        start = begin + value if not is_sum else start
    return drawn
