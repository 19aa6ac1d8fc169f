"""Comparison of one experiment on this GPU with the recorded H100 and H200."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, NamedTuple

from ...units import show, significant
from .. import style, typesetting
from ..chart import Chart, round_step
from ..heading import heading
from ..palette import BLUE, GREY, HAIRLINE, MUTED, ORANGE, PLUM
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Text

if TYPE_CHECKING:
    from ... import measure

HEIGHT = {style.WIDTH: 400, style.NARROW: 430}  # px
# px: left, bottom, right, top
BOX = {style.WIDTH: (92, 96, style.WIDTH - 24, 312), style.NARROW: (92, 134, style.NARROW - 20, 318)}
COLORS = (ORANGE, BLUE, PLUM, GREY)
LINE = 19  # px of a line of the key
MARKED = 40  # more points than this are a line alone
MOST_SERIES = 4


class Axis(NamedTuple):
    """Range, ticks and their labels; values are on the scale of the axis."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool

    def at(self, value: float) -> float:
        """Return the place of a value from the beginning of the axis."""
        return min(max((log10(value) if self.log else value), self.low), self.high) - self.low


@two_widths
def gpu_comparison(
    series: measure.GpuSeries | Sequence[measure.GpuSeries],
    name: str | None = None,
    *,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw one experiment of a GPU beside the same one of others.

    Parameters
    ----------
    series : measure.GpuSeries or sequence of them
        Results of one experiment, yours first, four at most. A single one is drawn beside those recorded on an H100 and an
        H200.
    name : str, optional
        Name of the series among the rows, such as ``"graph"``; by default the first one of the first result.
    subtitle : str
        Conditions, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title says the best value of each device.

    Raises
    ------
    ValueError
        For results of different experiments, or a name that the first result lacks.

    Examples
    --------
    >>> from chip2cluster.measure import recorded_gpus
    >>> gpu_comparison(recorded_gpus("training"), "355M").title
    'MFU at most: 35 % on the H100, 37 % on the H200'
    """
    from ...measure import GpuSeries, recorded_gpus
    from ...measure.gpu.experiments import EXPERIMENTS

    if isinstance(series, GpuSeries):
        given = [*(() if series.recorded else (series,)), *recorded_gpus(series.experiment)]
    else:
        given = list(series)
    if not given or len({one.experiment for one in given}) > 1:
        raise ValueError(f"series must hold results of one experiment, got {', '.join(one.experiment for one in given) or 'none'}")  # fmt: skip
    chosen = given[0].names[0] if name is None else name
    if chosen not in given[0].names:
        raise ValueError(f"name must be one of {', '.join(map(repr, given[0].names))}, got {chosen!r}")
    experiment = EXPERIMENTS[given[0].experiment]
    lines = [(one, one.points(chosen)) for one in given[:MOST_SERIES]]
    lines = [(one, points) for one, points in lines if points]
    xs = [x for x, _ in (lines[0][1] if not given[0].recorded else [point for _, points in lines for point in points])]
    margin = 1.5 if experiment.log_x else 1.0
    low, high = min(xs) / margin, max(xs) * margin
    shown = [(one, [point for point in points if low <= point[0] <= high]) for one, points in lines]
    shown = [(one, points) for one, points in shown if points]
    ys = [y for _, points in shown for _, y in points]
    left, bottom, right, top = BOX[width]
    x = (
        _log_axis(min(xs), max(xs), experiment.x_unit, (right - left) / 90)
        if experiment.log_x
        else _axis(min(xs), max(xs), experiment.x_unit, 6)
    )
    y = (
        _log_axis(min(ys), max(ys), experiment.y_unit, 6)
        if experiment.log_y
        else _axis(0.0, max(ys), experiment.y_unit, 5)
    )
    chart = Chart(left, bottom, right, top, x.high - x.low, y.high - y.low)
    title = _title(experiment, shown)
    shapes = [
        *heading(
            title,
            subtitle or f"{chosen}; lines are recorded, virtual machines, one card of each kind",
            width,
            HEIGHT[width],
        ),
        *_frame(chart, x, y, experiment),
        *(
            shape
            for number in reversed(range(len(shown)))
            for shape in _points(chart, x, y, *shown[number], COLORS[number])
        ),
        *_key(shown, chart, width),
    ]
    return of_shapes(shapes, title, f"{title}. {experiment.question} {subtitle}".strip(), width, HEIGHT[width])


def _title(experiment, shown):
    least = experiment.y_unit == "s"
    best = [(one, (min if least else max)(y for _, y in points)) for one, points in shown]
    values = ", ".join(
        f"{_value(value, experiment.y_unit)} {'on the ' + _short(one.device) if one.recorded else 'here'}"
        for one, value in best
    )
    name = experiment.y_name[0].upper() + experiment.y_name[1:]
    return f"{name} at {'least' if least else 'most'}: {values}"


def _short(device):
    return device.removeprefix("NVIDIA ").removeprefix("AMD ").removesuffix(" 80GB HBM3")


def _value(value, unit):
    return f"{significant(100 * value, 2)} %" if unit == "" else show(value, unit, 3 if unit == "W" else 2)


def _points(chart, x, y, one, points, color):
    placed = [(x.at(a), y.at(b)) for a, b in points]
    marked = not one.recorded and len(placed) <= MARKED
    yield chart.line(placed, color, 1.2 if marked else 2.2)
    if marked:
        for a, b in placed:
            yield Marker(chart.x(a), chart.y(b), "D", color, size=7)


def _key(shown, chart, width):
    """Name of each device below the axis, beside its color."""
    column = (width - 16) / (2 if width == style.WIDTH else 1)
    for number, (one, _) in enumerate(shown):
        across, down = (number % 2, number // 2) if width == style.WIDTH else (0, number)
        left, place = 12 + across * column, chart.bottom - 62 - LINE * down
        yield Line(((left, place), (left + 22, place)), COLORS[number], 2.2)
        yield Text(left + 30, place, f"{_short(one.device)}{', recorded' if one.recorded else ', measured'}")


def _frame(chart, x, y, experiment):
    for value, label in y.ticks:
        place = chart.y(value - y.low)
        yield Line(((chart.left, place), (chart.right, place)), HAIRLINE)
        yield Text(chart.left - 7, place, label, align="right", color=MUTED)
    yield Line(((chart.left, chart.bottom), (chart.right, chart.bottom)), GREY)
    for value, label in x.ticks:
        place = chart.x(value - x.low)
        yield Line(((place, chart.bottom), (place, chart.bottom - 4)), GREY)
        wide = typesetting.text_size(label, style.TEXT)[0] / 2
        yield Text(min(place, chart.right + 18 - wide), chart.bottom - 14, label, align="center", color=MUTED)
    yield Text((chart.left + chart.right) / 2, chart.bottom - 34, experiment.x_name, align="center", color=MUTED)
    yield Text(8, chart.top + 18, experiment.y_name, bold=True)


def _log_axis(low, high, unit, most):
    """Return an axis of decades, of which about ``most`` are labelled; of less than two, also 2 and 5 of each."""
    begin, end = log10(low), log10(high)
    if end - begin < 0.3:
        begin, end = begin - 0.2, end + 0.2
    begin, end = begin - 0.03 * (end - begin), end + 0.05 * (end - begin)
    decades = range(floor(begin), ceil(end) + 1)
    every = max(1, ceil(len(decades) / most))
    factors = (1, 2, 5) if end - begin < 2 else (1,)
    values = [(log10(factor) + decade, factor * 10.0**decade) for decade in decades[::every] for factor in factors]
    ticks = [(place, _label(value, unit)) for place, value in values if begin <= place <= end]
    return Axis(begin, end, tuple(ticks), True)


def _axis(low, high, unit, most):
    step = round_step(max(high - low, 1e-12), most)
    begin, end = floor(low / step) * step, max(ceil(high / step), floor(low / step) + 1) * step
    count = round((end - begin) / step)
    ticks = [(begin + number * step, _label(begin + number * step, unit)) for number in range(count + 1)]
    return Axis(begin, end, tuple(ticks), False)


def _label(value, unit):
    if unit in ("", "tokens"):
        return f"{100 * value:g} %" if unit == "" and abs(value) < 1 and value else f"{value:,.10g}"
    if not value:
        return f"0 {unit}"
    number, name = show(value, unit).split()
    return f"{float(number.replace(',', '')):g} {name}"
