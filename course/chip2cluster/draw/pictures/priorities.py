"""Priority over time: one line for each waiting job."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor, log10

from .. import style, typesetting
from ..chart import Chart
from ..format import span
from ..heading import heading
from ..palette import BLUE, GREY, ORANGE, PLUM, VIOLET
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Text
from .schedule import axis_unit

HEIGHT = {style.WIDTH: 360, style.NARROW: 400}  # px
TOP = {style.WIDTH: 96, style.NARROW: 120}  # px above the axes
COLOURS = (BLUE, ORANGE, PLUM, VIOLET, GREY)
LINE = 16  # px between two names
LEADER = 24  # px from the axes to the marker of a name
DASHES = None, (7, 4), (2, 3), (12, 3)  # of the jobs of one user


@two_widths
def priorities(
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    subtitle: str = "",
    groups: Mapping[str, str] | None = None,
    until: float | None = None,
    most: float | None = None,
    width: int = style.WIDTH,
) -> Picture:
    """Draw the priorities of waiting jobs as they change.

    Parameters
    ----------
    series : dict of str to sequence of (float, float)
        For each job, its name and pairs of time, seconds, and priority, in order of time.
    title, subtitle : str
        The finding, and what it is about.
    groups : dict of str to str, optional
        For each job whose it is: jobs of one user have one color and one marker.
    until, most : float, optional
        Ends of the axes, seconds and priority; by default the last point and the highest priority.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For no series or more than twelve, one without points, a job of nobody, and more users
        than five.

    Examples
    --------
    >>> priorities({"6": [(0, 12025), (40, 12125)]}, title="Job 6 grows older").description
    'Job 6 grows older. 6: from 12,025 at 0 s to 12,125 at 40 s.'
    """
    if not 1 <= len(series) <= 12 or not all(series.values()):
        raise ValueError(f"a picture has one to twelve jobs with a point at least, got {len(series)}")
    groups = groups or dict.fromkeys(series, "")
    if missing := [name for name in series if name not in groups]:
        raise ValueError(f"groups must name whose each job is, and lacks {', '.join(missing)}")
    users = list(dict.fromkeys(groups[name] for name in series))
    if len(users) > len(COLOURS):
        raise ValueError(f"a picture has colors for {len(COLOURS)} users, got {len(users)}")
    look = {user: (COLOURS[place], style.MARKERS[place]) for place, user in enumerate(users)}
    last = until or max(time for points in series.values() for time, _ in points) or 1.0
    highest = most or max(value for points in series.values() for _, value in points) or 1.0
    scale, unit = axis_unit(last)
    height = HEIGHT[width]
    below = 58 + (_below(series, width) if width == style.NARROW else 0)
    height += below - 58
    room = (
        14
        if width == style.NARROW
        else max(typesetting.text_size(name, style.TEXT)[0] for name in series) + 10 + LEADER
    )
    chart = Chart(62, below, width - room, height - TOP[width], last / scale, 1.06 * highest)
    ticks = _ticks(last / scale, 6 if width == style.WIDTH else 4)
    shapes = [
        *heading(title, subtitle, width, height),
        *chart.frame(ticks, _ticks(highest, 6), f"Time ({unit})", "Priority"),
    ]
    lines = {name: [(time / scale, value) for time, value in points] for name, points in series.items()}
    for place, (name, points) in enumerate(lines.items()):
        color, shape = look[groups[name]]
        number = sum(groups[other] == groups[name] for other in list(lines)[:place])
        line = chart.line(_steps(points), color)
        shapes.append(replace(line, dash=DASHES[number % len(DASHES)]))
        shapes.append(Marker(chart.x(points[-1][0]), chart.y(points[-1][1]), shape, color, size=9))
    shapes += (_names if width == style.WIDTH else _names_below)(lines, groups, look, chart)
    told = f"{title}. " + " ".join(
        f"{name}: from {points[0][1]:,g} at {span(points[0][0])} to {points[-1][1]:,g} at {span(points[-1][0])}."
        for name, points in series.items()
    )
    return of_shapes(shapes, title, told, width, height)


def _steps(points):
    """A priority stays as it is until it is computed anew."""
    steps = [points[0]]
    for time, value in points[1:]:
        steps += [(time, steps[-1][1]), (time, value)]
    return steps


def _ticks(most, many):
    step = 10.0 ** floor(log10(most / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if most / (factor * step) <= many)
    return [place * step for place in range(int(most / step * (1 + 1e-9)) + 1)]


def _names(series, groups, look, chart):
    """Beside the right end, apart from each other, in the order of the last values; a marker says whose."""
    order = sorted(series, key=lambda name: series[name][-1][1])
    heights = [chart.y(series[name][-1][1]) for name in order]
    for place in range(1, len(heights)):
        heights[place] = max(heights[place], heights[place - 1] + LINE)
    over = max(0.0, heights[-1] - chart.top - 6)
    for place in range(len(heights) - 1, -1, -1):
        roof = heights[place + 1] - LINE if place + 1 < len(heights) else heights[-1] - over
        heights[place] = min(heights[place], roof)
    for name, y in zip(order, heights, strict=True):
        color, shape = look[groups[name]]
        end_x, end_y = chart.x(series[name][-1][0]), chart.y(series[name][-1][1])
        yield Line(((end_x, end_y), (chart.right + LEADER - 6, y)), color, 0.8)
        yield Marker(chart.right + LEADER, y, shape, color, size=8)
        yield Text(chart.right + LEADER + 8, y, name)


def _below(series, width):
    """Room that the names take below the axes of a narrow picture, px."""
    return LINE * (typesetting.flow(_highest_first(series), 8, width - 8)[-1][1] + 1) + 12


def _highest_first(series):
    return sorted(series, key=lambda name: -series[name][-1][1])


def _names_below(series, groups, look, chart):
    """In the order of the last values, the highest first, as the lines end."""
    order = _highest_first(series)
    for name, (x, row) in zip(order, typesetting.flow(order, 8, style.NARROW - 8), strict=True):
        color, shape = look[groups[name]]
        y = chart.bottom - 58 - LINE * row
        yield Marker(x + 6, y, shape, color, size=8)
        yield Text(x + 16, y, name)
