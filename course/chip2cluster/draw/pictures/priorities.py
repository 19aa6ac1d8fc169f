"""Priority over time: one line for each waiting job."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from math import dist, floor, log10

import numpy as np

from .. import labels, style, typesetting
from ..chart import Chart
from ..format import span
from ..heading import heading
from ..palette import KINDS, WAITING
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text
from .schedule import axis_unit

HEIGHT = {style.WIDTH: 360, style.NARROW: 380}  # px
TOP = {style.WIDTH: 96, style.NARROW: 112}  # px above the axes
BELOW = {style.WIDTH: 58, style.NARROW: 76}  # px below them
TOGETHER = 3  # px: lines that are no farther apart lie one on the other
DASH, GAP = 6, 3  # px, of such a line; the others of the group have their dashes in its gaps
CLOSE, SOLID = 80, 900  # weight of a point of a line that a label should not cover, and of a name or marker


@two_widths
def priorities(
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    subtitle: str = "",
    groups: Mapping[str, str] | None = None,
    waits: Collection[str] = (),
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
        For each job whose it is: jobs of one user have one shade and one marker.
    waits : collection of str, optional
        Those of the groups that the title is about, in the color of waiting.
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
    if len(users) > 5:
        raise ValueError(f"a picture has markers for 5 users, got {len(users)}")
    kinds = dict(zip(users, zip(KINDS * 2, style.MARKERS, strict=False), strict=False))
    look = {user: (WAITING if user in waits else color, shape) for user, (color, shape) in kinds.items()}
    last = until or max(time for points in series.values() for time, _ in points) or 1.0
    highest = most or max(value for points in series.values() for _, value in points) or 1.0
    scale, unit = axis_unit(last)
    height = HEIGHT[width]
    chart = Chart(62, BELOW[width], width - 14, height - TOP[width], last / scale, 1.06 * highest)
    ticks = _ticks(last / scale, 6 if width == style.WIDTH else 4)
    shapes = [
        *heading(title, subtitle, width, height),
        *chart.frame(ticks, _ticks(highest, 6), f"Time ({unit})", "Priority"),
    ]
    lines = {
        name: [(chart.x(time / scale), chart.y(value)) for time, value in points] for name, points in series.items()
    }
    pieces = list(_pieces(lines))
    if any(phase for *_, phase in pieces):
        y = BELOW[width] - 33 if width == style.WIDTH else 18
        shapes.append(Text(width - 14, y, "dashes: jobs with the same priority", color=style.MUTED, align="right"))
    for name, points, phase in pieces:
        color, _ = look[groups[name]]
        dash = phase and (DASH, phase[1] * (DASH + GAP) - DASH)
        line = Line(points, color, 2.2, dash=dash, shift=phase[0] * (DASH + GAP) if phase else 0)
        shapes.append(RowMark(name, (line,)))
    shapes += _ends(lines, groups, look, chart)
    told = f"{title}. " + " ".join(
        f"{name}: from {points[0][1]:,g} at {span(points[0][0])} to {points[-1][1]:,g} at {span(points[-1][0])}."
        for name, points in series.items()
    )
    return of_shapes(shapes, title, told, width, height)


def _pieces(lines):
    """Yield each line in pieces: job, points in px, and where others lie on it, its place among them and their number.

    A priority stays as it is until it is computed anew, so a line has level pieces and upright ones.
    """
    for name, points in lines.items():
        run, before, said = [points[0]], None, None
        for (x, y), (then, value) in pairwise(points):
            for piece in (((x, y), (then, y)), ((then, y), (then, value))):
                if piece[0] == piece[1]:
                    continue
                there = [other for other, others in lines.items() if other == name or _lie_together(piece, others)]
                phase = (there.index(name), len(there)) if len(there) > 1 else None
                key = phase and tuple(there)
                if key != before and len(run) > 1:
                    yield name, tuple(run), said
                    run = [piece[0]]
                run.append(piece[1])
                before, said = key, phase
        if len(run) > 1:
            yield name, tuple(run), said


def _lie_together(piece, points):
    """Whether a piece of a line lies on the same piece of another one."""
    (left, low), (right, high) = piece
    for (x, y), (then, value) in pairwise(points):
        if left != right and x < right and left < then and abs(y - low) <= TOGETHER:
            return True
        if left == right == then and min(max(low, high), max(y, value)) - max(min(low, high), min(y, value)) > TOGETHER:
            return True
    return False


def _ticks(most, many):
    step = 10.0 ** floor(log10(most / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if most / (factor * step) <= many)
    return [place * step for place in range(int(most / step * (1 + 1e-9)) + 1)]


def _ends(lines, groups, look, chart):
    """Yield a marker where each line ends, and near it the name of its job."""
    ends = {name: points[-1] for name, points in lines.items()}
    boxes = [labels.along(points, CLOSE) for points in lines.values() if len(points) > 1]
    axis_name = 8, chart.top + 8, 62, chart.top + 28, SOLID
    taken = np.vstack([*boxes, [axis_name], [[x - 6, y - 6, x + 6, y + 6, SOLID] for x, y in ends.values()]])
    bounds = chart.left, chart.bottom, chart.right, chart.top + 26
    # The order in which names take their places matters where many lines end: that with the shortest leaders is drawn.
    orders = (
        (lambda name: ends[name]),
        (lambda name: (-ends[name][1], ends[name][0])),
        (lambda name: (-ends[name][0], ends[name][1])),
    )
    placed = min((_placed(sorted(ends, key=order), ends, taken, bounds) for order in orders), key=_length)
    for name, (box, leader) in placed.items():
        if leader:
            yield Line(leader, look[groups[name]][0], 0.8)
        yield RowMark(name, (Text((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, name, align="center"),))
    for name, (x, y) in ends.items():
        color, shape = look[groups[name]]
        yield RowMark(name, (Marker(x, y, shape, color, size=9),))


def _placed(order, ends, taken, bounds):
    """Box and leader of each name, one after the other."""
    found = {}
    for name in order:
        found[name] = box, leader = labels.place(ends[name], typesetting.text_size(name, style.TEXT), taken, bounds)
        taken = np.vstack([taken, [[*box, SOLID]], *([labels.along(leader, SOLID)] if leader else [])])
    return found


def _length(placed):
    """Length of all leaders; long ones count more, since they cross lines."""
    return sum((dist(*leader)) ** 2 for _, leader in placed.values() if leader)
