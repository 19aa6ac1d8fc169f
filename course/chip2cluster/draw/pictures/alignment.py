"""MeasuredLine rates of matrix products against one size, a line for each alignment of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import style, typesetting
from ..chart import Chart, round_step
from ..heading import heading
from ..palette import HAND, INK, KINDS, PAPER
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Shape, Text

# px: left, bottom, right, top
FIELD = {style.WIDTH: (56, 54, 576, 296), style.NARROW: (52, 50, 322, 268)}
LOOKS = tuple(zip(KINDS, "sDo", strict=True))
LINE = 20  # px of a line of the key


@dataclass(frozen=True)
class MeasuredLine:
    """A line: its name, and its points (size, FLOP/s)."""

    name: str
    points: Sequence[tuple[float, float]]


@two_widths
def alignment(
    series: Sequence[MeasuredLine],
    size: float,
    bound: Sequence[tuple[float, float]],
    *,
    axis: str,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw measured rates of products against one size, a line for each alignment, and a bound.

    Parameters
    ----------
    series : sequence of MeasuredLine
        One to three lines.
    size : float
        Size that the reader has chosen; each line that has it gets a mark.
    bound : sequence of (size, FLOP/s)
        Points of the bound, two at least.
    axis : str
        Name of the horizontal axis.
    title, subtitle, description : str
        Finding, subject, and the same for those who do not see the picture.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no lines or more than three, or a bound of fewer than two points.

    Examples
    --------
    >>> alignment([MeasuredLine("even", [(2, 1e12), (4, 2e12)])], 4, [(2, 3e12), (4, 3e12)], axis="n", title="4: 2 TFLOP/s").title
    '4: 2 TFLOP/s'
    """
    lines = tuple(series)
    if not 1 <= len(lines) <= len(LOOKS):
        raise ValueError(f"series must hold one to three lines, got {len(lines)}")
    if len(bound) < 2:
        raise ValueError(f"bound must have two points or more, got {len(bound)}")
    sizes = [x for line in lines for x, _ in line.points]
    low = min(sizes) if min(sizes) > max(sizes) / 2 else 0.0  # a narrow range far from zero is shown alone
    left, bottom, right, top = FIELD[width]
    most = max(y for _, y in (*bound, *(point for line in lines for point in line.points))) / 1e12
    step_y = round_step(most, 5)
    chart = Chart(left, bottom, right, top, max(sizes) - low, step_y * -(-most // step_y))
    shapes = [
        *heading(title, subtitle, width),
        *_frame(chart, low, max(sizes), step_y, axis, 8 if width == style.WIDTH else 4),
        chart.line([(x - low, y / 1e12) for x, y in bound if x >= low], INK, 1.2),
        Line(((chart.x(size - low), bottom), (chart.x(size - low), top)), HAND, width=1.5, alpha=0.7),
        *(
            chart.line([(x - low, y / 1e12) for x, y in line.points], color, 1.4)
            for line, (color, _) in zip(lines, LOOKS, strict=False)
        ),
        *_marks(chart, lines, size, low),
        *_names(lines, width),
    ]

    def place(value, flops_per_second):
        return chart.x(value - low), chart.y((flops_per_second or 0) / 1e12)

    return of_shapes(shapes, title, description or title, width, place=place)


def _frame(chart: Chart, low: float, high: float, step_y: float, axis: str, ticks: int) -> list[Shape]:
    """Grid and axes; the horizontal axis may begin above zero, so its numbers are written here."""
    rates = [step_y * number for number in range(int(chart.most_y / step_y + 1e-9) + 1)]
    shapes: list[Shape] = list(chart.frame((), rates, axis, "TFLOP/s"))
    step = round_step(high - low, ticks)
    value = step * -(-low // step)
    while value <= high:
        x = chart.x(value - low)
        shapes += [
            Line(((x, chart.bottom), (x, chart.bottom - 4)), style.GREY),
            Text(x, chart.bottom - 14, f"{value:,.0f}", align="center", color=style.MUTED),
        ]
        value += step
    return shapes


def _marks(chart: Chart, lines: Sequence[MeasuredLine], size: float, low: float) -> list[Shape]:
    return [
        Marker(chart.x(size - low), chart.y(y / 1e12), marker, color, edge=PAPER, size=11)
        for line, (color, marker) in zip(lines, LOOKS, strict=False)
        for x, y in line.points
        if x == size
    ]


def _names(lines: Sequence[MeasuredLine], width: int) -> list[Shape]:
    """Names above the axes, each behind its mark: in a row, or one below the other."""
    narrow = width == style.NARROW
    x, y = (
        (16.0, FIELD[width][3] + 40 + LINE * len(lines)) if narrow else (FIELD[width][0] + 8.0, FIELD[width][3] + 42.0)
    )
    shapes: list[Shape] = []
    for line, (color, marker) in zip(lines, LOOKS, strict=False):
        shapes += [Marker(x, y, marker, color, edge=PAPER, size=11), Text(x + 12, y, line.name, color=INK)]
        x, y = (x, y - LINE) if narrow else (x + typesetting.text_size(line.name, style.TEXT)[0] + 44, y)
    name = "line above: roofline of the datasheet"
    shapes.append(Line(((x - 6, y), (x + 8, y)), INK, 1.2))
    shapes.append(Text(x + 14, y, name if narrow else "datasheet roofline", color=INK))
    return shapes
