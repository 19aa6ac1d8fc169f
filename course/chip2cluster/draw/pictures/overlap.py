"""Requests on a path, one at a time and several in flight: latency that overlap hides."""

from typing import NamedTuple

from ...hierarchy import flight
from ...units import show
from .. import style
from ..heading import ROOM, heading
from ..palette import BLUE, BLUES, GREY, HAIRLINE, INK, MUTED, ORANGE
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text
from .multiprocessor import Box

LEFT = {style.WIDTH: 96, style.NARROW: 62}  # px: where the axis of time begins; it ends 16 px before the picture
ROW, BAR, FLOOR = 21, 13, 44  # px: a row, what is drawn in it, and the axis of time from below
MOST = 8  # requests at once that there is room for


@two_widths
def overlap(
    requests: int,
    in_flight: int,
    request_bytes: float,
    bandwidth_one_way: float,
    latency: float,
    width: int = style.WIDTH,
) -> Picture:
    """Draw equal requests on one path twice: one at a time, and so many at a time.

    A thin line is a request that waits for its first byte, a bar one that arrives. The row
    *path* below each half shows when bytes come at all.

    Parameters
    ----------
    requests : int
        How many there are.
    in_flight : int
        How many of them are under way at once in the lower half: 2 to 8.
    request_bytes, bandwidth_one_way, latency : float
        Bytes, bytes/s and seconds, as `hierarchy.flight` takes them.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError, TypeError
        Raised as by `hierarchy.flight`, and for another number in flight.

    Examples
    --------
    >>> overlap(10, 5, 353e3, 3.35e12, 421e-9).title
    'Ten requests: 5.3 µs one at a time, 1.5 µs with five under way'
    """
    if not 2 <= in_flight <= MOST:
        raise ValueError(f"in_flight must be 2 to {MOST}, got {in_flight!r}")
    alone, together = (flight(requests, many, request_bytes, bandwidth_one_way, latency) for many in (1, in_flight))
    end, soon = alone.last_byte[-1], together.last_byte[-1]
    title = (
        f"{_word(requests).capitalize()} requests: {show(end, 's', 2)} one at a time, "
        f"{show(soon, 's', 2)} with {_word(in_flight)} under way"
    )
    subtitle = f"{show(request_bytes, 'B', 3)} each, {show(latency, 's', 3)} until the first byte, then {show(bandwidth_one_way, 'B/s', 3)}"
    height = ROOM[width] + 30 + (1 + in_flight + 2) * ROW + 2 * 30 - 16 + FLOOR
    axis = _Axis(LEFT[width], width - 16, end)
    shapes = [*heading(title, subtitle, width, height), *_axis(axis, height - ROOM[width] - 24, width)]
    top = height - ROOM[width] - 18
    for run, many in ((alone, 1), (together, in_flight)):
        shapes += _half(run, many, top, axis)
        top -= (many + 1) * ROW + 30
    each = request_bytes / bandwidth_one_way
    full = soon - together.first_byte[0] <= 1.001 * requests * each
    description = (
        f"{title}. Each request waits {show(latency, 's', 3)} and arrives in {show(each, 's', 3)}. One at a time, the path "
        f"carries bytes {requests * each / end:.0%} of the time. With {_word(in_flight)} under way it carries them "
        f"{requests * each / soon:.0%} of the time{', and from the first byte on without a pause' if full else ', with pauses'}."
    )
    return of_shapes(shapes, title, description, width, height)


class _Axis(NamedTuple):
    """The axis of time: from ``left`` to ``right``, px, lie ``end`` seconds."""

    left: float
    right: float
    end: float

    def __call__(self, seconds):
        return self.left + (self.right - self.left) * seconds / self.end


def _half(run, many, top, axis):
    """One way of doing it: a row for each request under way, and the path."""
    yield Text(8, top - 8, "One at a time" if many == 1 else f"{_word(many).capitalize()} under way", bold=True)
    first = top - 30
    for place, times in enumerate(zip(*run, strict=True)):
        asked, begins, ends = map(axis, times)
        y = first - ROW * (place % many)
        yield Line(((asked, y), (begins, y)), GREY, 2)
        yield Box(begins, y - BAR / 2, ends - begins - 1, BAR, BLUES[1], BLUE)
    for row in range(many):
        yield Text(axis.left - 10, first - ROW * row, f"slot {row + 1}", color=MUTED, align="right")
    y = first - ROW * many
    yield Text(axis.left - 10, y, "path", align="right")
    yield Line(((axis.left, y), (axis.right, y)), HAIRLINE)
    for begins, ends in zip(run.first_byte, run.last_byte, strict=True):
        yield Box(axis(begins), y - BAR / 2, axis(ends) - axis(begins), BAR, ORANGE)


def _axis(axis, top, width):
    """Ticks at whole units, four to eight of them, half as many on a phone."""
    end = axis.end
    power = 10.0 ** len(f"{int(end * 1e9)}") / 1e10
    most = 8 if width == style.WIDTH else 4
    step = next(step * power for step in (1, 2, 5, 10) if end / (step * power) <= most)
    floor = FLOOR - 8
    for tick in range(int(end / step) + 1):
        x = axis(tick * step)
        yield Line(((x, floor), (x, top)), HAIRLINE)
        if x < axis.right - 14:
            yield Text(x, floor - 12, show(tick * step, "s", 1) if tick else "0", align="center", color=INK)
    yield Line(((axis.left, floor), (axis.right, floor)), GREY)
    yield Text(axis.left - 10, floor - 12, "time", align="right", color=MUTED)


def _word(number):
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else f"{number:,}"
