"""Time of a step by kind of kernel, before and after one kind became faster.

Written as shapes alone, so a frame takes well under a millisecond.
"""

from collections.abc import Iterator, Mapping

from .. import style, typesetting
from ..heading import heading, opening
from ..palette import FAINT, GREY, HAIRLINE, HAND, MUTED, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Shape, Text
from .cost import _ticks, amount
from .waterfall import Bar

PITCH = {style.WIDTH: 31, style.NARROW: 46}  # px of a row; names are left of the bars, in a narrow picture above them
ROOM = {style.WIDTH: (66, 52), style.NARROW: (96, 52)}  # px above and below the rows
BAR = 18  # px
MOST = 10  # rows


@two_widths
def kernel_kinds(
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    chosen: str = "",
    idle: str = "",
    title: str,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the milliseconds of each kind of kernel, before and after a change.

    Parameters
    ----------
    before, after : dict of str to float
        Name and milliseconds of each row, the same names in the same order: one to ten.
    chosen : str
        Name of the row that the reader changed.
    idle : str
        Name of the row in which no kernel runs; it has another color.
    title, subtitle : str
        The finding, and what it is about.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        The rows have different names, there are none or more than ten, or an amount is below zero.

    Examples
    --------
    >>> kernel_kinds({"products": 20.0, "idle": 4.0}, {"products": 10.0, "idle": 4.0}, title="Faster").title
    'Faster'
    """
    if list(before) != list(after) or not 1 <= len(before) <= MOST:
        raise ValueError(f"before and after must have the same one to {MOST} names, got {[*before]} and {[*after]}")
    if min(*before.values(), *after.values()) < 0 or max(before.values()) <= 0:
        raise ValueError(f"amounts must be zero or more, and one above it, got {before!r} and {after!r}")
    total = sum(before.values())
    above, below = ROOM[width]
    height = above + below + PITCH[width] * len(before)
    wide = width == style.WIDTH
    left = 18 + max(typesetting.text_size(name, style.TEXT, "bold")[0] for name in before) if wide else 10
    step, count = _ticks(max(*before.values(), *after.values()))
    right = width - 14 - typesetting.text_size("88.8 to 88.8", style.TEXT, "bold")[0]
    across = (right - left) / (step * count)
    shapes: list[Shape] = [*heading(title, subtitle, width, height)]
    for number in range(count + 1):
        x = left + across * step * number
        shapes.append(Line(((x, below), (x, height - above)), HAIRLINE if number else GREY))
        shapes.append(Text(x, below - 13, f"{number * step:g}", align="center"))
    shapes.append(Text((left + right) / 2, 14, "Time in a step (ms)", color=MUTED, align="center"))
    told = []
    for row, name in enumerate(before):
        y = height - above - PITCH[width] * (row + 0.5) - (0 if wide else 10)
        old, new = before[name], after[name]
        words = (
            amount(old, total) if abs(old - new) < 0.005 * total else f"{amount(old, total)} to {amount(new, total)}"
        )
        color = HAND if name == chosen else WAITING if name == idle else WORK
        texts = (
            Text(left + across * max(old, new) + 8, y, words, bold=name == chosen),
            Text(8 if wide else left + 6, y if wide else y + 20, name, bold=name == chosen),
        )
        shapes.append(RowMark(name, (*_row(left, y, across, old, new, color), *texts)))
        told.append(f"{name} {words} ms")
    return of_shapes(shapes, title, f"{opening(title, subtitle)} {'; '.join(told)}.", width, height)


def _row(left: float, y: float, across: float, old: float, new: float, color: str) -> Iterator[Shape]:
    """Yield the bar of a row: what remains in its color, what is gone in a faint one."""
    if old > new:
        yield Bar(left + across * new, y - BAR / 2, across * (old - new), BAR, FAINT)
    if new:
        yield Bar(left, y - BAR / 2, max(across * new, 1.5), BAR, color)
