"""Queue at a switch port over time, with the buffer size and the pause threshold."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ...units import show
from .. import style
from ..heading import heading
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text

# px: left, bottom, right, top; what the lines are stands on the right, of a narrow picture below
AXES = {style.WIDTH: (64, 46, 474, 336), style.NARROW: (66, 76, 316, 338)}
HEADROOM = 1.08  # of the buffer, to the upper end of the axis


@two_widths
def queue(
    seconds: Sequence[float],
    queue_bytes: Sequence[float],
    buffer_bytes: float,
    threshold_bytes: float | None = None,
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the bytes that wait before a port.

    Parameters
    ----------
    seconds, queue_bytes : sequence of float
        The queue over time, as `links.queue_run` gives it.
    buffer_bytes : float
        Room for the queue. Where it is full, the line is thick and says so: bytes are lost.
    threshold_bytes : float, optional
        Queue length at which a switch pauses or marks.
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
        For sequences of different lengths, or of fewer than two points.
    """
    if len(seconds) != len(queue_bytes) or len(seconds) < 2:
        raise ValueError(f"seconds and queue_bytes must be as long, got {len(seconds)} and {len(queue_bytes)}")
    left, bottom, right, top = AXES[width]
    narrow = width == style.NARROW
    across, up = (right - left) / seconds[-1], (top - bottom) / (HEADROOM * buffer_bytes)

    def height(amount):
        return bottom + up * amount

    points = [(left + across * time, height(amount)) for time, amount in zip(seconds, queue_bytes, strict=True)]
    shapes = [
        *heading(title, subtitle, width),
        Text(8, top + 14, "Queue", color=style.MUTED),
        Text((left + right) / 2, bottom - 36, "Time", color=style.MUTED, align="center"),
    ]
    for part in range(5):
        x, time = left + (right - left) * part / 4, seconds[-1] * part / 4
        shapes.append(Line(((x, bottom), (x, top)), style.HAIRLINE))
        shapes.append(Text(x, bottom - 14, show(time, "s", 2) if part else "0", align="center"))
    for part in range(4):
        y, amount = height(buffer_bytes * part / 3), buffer_bytes * part / 3
        shapes.append(Line(((left, y), (right, y)), style.HAIRLINE))
        shapes.append(Text(left - 6, y, f"{amount / 1e3:,.0f} kB" if part else "0", align="right"))
    shapes += [Line(((left, bottom), (left, top)), style.GREY), Line(((left, bottom), (right, bottom)), style.GREY)]
    shapes.append(Line(((left, height(buffer_bytes)), (right, height(buffer_bytes))), style.INK, 2))
    if narrow:
        shapes += [Line(((10, 16), (30, 16)), style.INK, 2), Text(36, 16, "buffer", bold=True)]
    else:
        shapes.append(Text(right + 6, height(buffer_bytes), "buffer", bold=True))
    if threshold_bytes is not None:
        y = height(threshold_bytes)
        shapes.append(Line(((left, y), (right, y)), style.HAND, 1.5))
        # The name gives way to that of the buffer.
        if narrow:
            shapes += [
                Line(((104, 16), (124, 16)), style.HAND, 1.5),
                Text(130, 16, "told from here", color=style.HAND),
            ]
        else:
            shapes.append(Text(right + 6, min(y, height(buffer_bytes) - 17), "told from here", color=style.HAND))
    shapes.append(Line(_corners(points), style.BLUE, 2.4))
    full = list(_full(points, height(buffer_bytes)))
    shapes += [Line((run[0], run[-1]), style.BLUE, 8) for run in full]
    if full:
        (x, y), (end, _) = full[0][0], full[0][-1]
        # Above the first stretch, and inside the axes where that is at an end of them.
        shapes.append(
            Text(min(max((x + end) / 2, left + 32), right - 32), y + 13, "lost here", align="center", bold=True)
        )
    picture = of_shapes(shapes, title, description, width, place=lambda _, amount: (right - 24, height(amount)))
    return replace(picture, sweep=(left, bottom + 1, right, top + 4))


def _corners(points, tolerance=0.05):
    """The points at which a line turns; those between two of them say nothing.

    >>> _corners([(0, 0), (1, 1), (2, 2), (3, 1), (4, 0)])
    ((0, 0), (2, 2), (4, 0))
    """
    kept, slope = [points[0]], None
    for before, point in pairwise(points):
        (x, y), (start, height) = point, kept[-1]
        expected = None if slope is None else height + slope * (x - start)
        if expected is not None and abs(y - expected) > tolerance:
            kept.append(before)
            start, height = before
            expected = None
        if expected is None:
            slope = (y - height) / (x - start)
    return (*kept, points[-1])


def _full(points, ceiling):
    """The stretches along the upper edge."""
    run = []
    for point in points:
        if point[1] >= ceiling - 1e-6:
            run.append(point)
        elif run:
            if len(run) > 1:
                yield tuple(run)
            run = []
    if len(run) > 1:
        yield tuple(run)
