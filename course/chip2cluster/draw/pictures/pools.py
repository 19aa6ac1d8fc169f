"""Prefill and decode pools that share a number of replicas: capacity of each against the split.

Drawn with shapes alone, so a frame takes about 1 ms.
"""

from .. import style, typesetting
from ..chart import Chart
from ..heading import heading
from ..palette import HAND, KINDS, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text

AXES = {style.WIDTH: (64, 578, 86, 292), style.NARROW: (52, 322, 92, 286)}  # px: left, right, bottom, top
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 470}
KEY = {style.WIDTH: 350, style.NARROW: 372}  # px: the upper row of the key
LOOKS = ((KINDS[2], "prefill", None), (KINDS[0], "decode", (7, 3)), (KINDS[1], "requests arriving", (2, 3)))


@two_widths
def pools(
    reading_rate: float,
    writing_rate: float,
    replicas: int,
    reading: int,
    arriving: float,
    *,
    title: str = "",
    subtitle: str = "",
    description: str = "",
    row: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the most requests a second that each kind of instance serves, by the number of prefill instances.

    Parameters
    ----------
    reading_rate, writing_rate : float
        Requests/s of one replica in each pool.
    replicas : int
        Replicas of both pools together, at least two.
    reading : int
        Number of prefill instances in the marked split.
    arriving : float
        Requests/s.
    title, subtitle, description : str
        The finding, what it is about, and the alternative text.
    row : str
        Row of the table beside the picture that the marked split belongs to.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For fewer than two replicas, and a split that leaves a pool empty.

    Examples
    --------
    >>> pools(20.0, 80.0, 8, 6, 100.0, title="Six prefill").title
    'Six prefill'
    """
    if replicas < 2 or not 0 < reading < replicas:
        raise ValueError(f"each pool needs a replica, got {reading!r} of {replicas!r}")
    left, right, bottom, top = AXES[width]
    most = _round_up(1.6 * max((replicas - 1) * min(reading_rate, writing_rate), arriving))
    chart = Chart(left, bottom, right, top, replicas, most)
    shapes = [*heading(title, subtitle, width, HEIGHTS[width])]
    shapes += chart.frame((), (0, most / 2, most), y_name="Requests a second, at most")
    for count in range(1, replicas):
        x = chart.x(count)
        shapes.append(Line(((x, bottom), (x, bottom - 4)), style.GREY))
        moved = count == reading
        for y, number in ((bottom - 15, count), (bottom - 35, replicas - count)):
            shapes.append(Text(x, y, f"{number}", align="center", color=HAND if moved else MUTED, bold=moved))
    shapes += [Text(8, bottom - 15, "prefill", color=MUTED), Text(8, bottom - 35, "decode", color=MUTED)]
    shapes.append(Text((left + right) / 2, bottom - 58, f"of {replicas} replicas", align="center", color=MUTED))
    ends = _inside(1, reading_rate, replicas - 1, (replicas - 1) * reading_rate, most)
    other = _inside(replicas - 1, writing_rate, 1, (replicas - 1) * writing_rate, most)
    flat = ((0, arriving), (replicas, arriving))
    for points, (color, _, dash) in zip((ends, other, flat), LOOKS, strict=True):
        shapes.append(Line(tuple((chart.x(x), chart.y(y)) for x, y in points), color, 2.2, dash=dash))
    carried = min(reading * reading_rate, (replicas - reading) * writing_rate)
    down = Line(((chart.x(reading), bottom), (chart.x(reading), chart.y(carried))), HAND, 1.5)
    shapes.append(RowMark(row, (down, Marker(chart.x(reading), chart.y(carried), "o", HAND, size=11))))
    names = [words for _, words, _ in LOOKS]
    places = typesetting.flow(names, 8, width - 8, mark=30)
    for (color, words, dash), (x, line) in zip(LOOKS, places, strict=True):
        y = KEY[width] - 19 * line
        shapes += [Line(((x, y), (x + 22, y)), color, 2.2, dash=dash), Text(x + 30, y, words)]
    return of_shapes(shapes, title, description or title, width, HEIGHTS[width])


def _inside(x, y, end_x, end_y, most):
    """Both ends of a line that rises, cut off at the top of the axis.

    >>> _inside(1, 20.0, 7, 140.0, 100.0)
    ((1, 20.0), (5.0, 100.0))
    """
    if end_y > most:
        end_x, end_y = x + (end_x - x) * (most - y) / (end_y - y), most
    return (x, y), (end_x, end_y)


def _round_up(most):
    """The next number of one digit, doubled where that is odd, so that its half is round too.

    >>> _round_up(132.0), _round_up(95.0), _round_up(400.0)
    (200.0, 100.0, 400.0)
    """
    power = 10.0
    while power * 10 < most:
        power *= 10
    while power > most:
        power /= 10
    return next(factor * power for factor in (1.0, 2.0, 4.0, 6.0, 8.0, 10.0) if factor * power >= most)
