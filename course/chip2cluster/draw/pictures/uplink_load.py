"""Load of hashed uplinks: distribution of the fullest one, and one draw as an example.

Drawn with shapes alone, so a frame takes less than 1 ms.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil

from .. import style, typesetting
from ..heading import heading
from ..palette import GREY, HAIRLINE, INK, MUTED, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Text
from .waterfall import Bar

EDGES = {style.WIDTH: (66, 584), style.NARROW: (60, 330)}  # px: left and right
CHANCES = 206, 336  # px: floor and top of the upper panel
THROW = 52, 132  # px: of the lower one
WORTH = 5e-4  # chances below this are not drawn


@two_widths
def uplink_load(
    loads: Sequence[float],
    chances: Sequence[float],
    throw: Sequence[float],
    even: float,
    mean: float,
    *,
    title: str,
    subtitle: str = "",
    description: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the chances of the fullest uplink's load over what one throw put on each uplink.

    Parameters
    ----------
    loads : sequence of float
        Possible loads of the fullest uplink, in flows, ascending.
    chances : sequence of float
        How likely each is.
    throw : sequence of float
        Flows on each uplink in one example.
    even, mean : float
        Flows on each uplink if they were spread evenly, and on the fullest one on average.
    title, subtitle, description : str
        The finding, what it is about, and the same for those who do not see the picture.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.
    """
    shapes = [
        *heading(title, subtitle, width),
        *_chances(loads, chances, mean, *EDGES[width]),
        *_throw(throw, even, *EDGES[width]),
    ]
    return of_shapes(shapes, title, description, width)


def _chances(loads, chances, mean, start, end):
    floor, top = CHANCES
    shown = [(load, chance) for load, chance in zip(loads, chances, strict=True) if chance >= WORTH]
    step = min([b[0] - a[0] for a, b in pairwise(shown)], default=1.0)
    low, high = shown[0][0] - 1.5 * step, shown[-1][0] + 1.5 * step
    highest = max(chance for _, chance in shown)

    def x(load):
        return start + (end - start) * (load - low) / (high - low)

    width = min(0.76 * (x(step) - x(0)), 64)
    yield Line(((start, floor), (end, floor)), GREY)
    every = ceil(len(shown) * 36 / (end - start))
    for place, (load, chance) in enumerate(shown):
        height = max((top - floor) * chance / highest, 1.0)
        yield Bar(x(load) - width / 2, floor, width, height, WORK)
        text = percent(chance)
        if typesetting.text_size(text, style.TEXT)[0] + 6 < x(step) - x(0) or chance == highest:
            yield Text(x(load), floor + height + 10, text, align="center")
        if place % every == 0:
            yield Text(x(load), floor - 12, f"{load:g}" if load == round(load) else f"{load:.2f}", align="center")
    yield Marker(x(mean), floor - 2, "^", INK, size=9)
    yield Text(
        (start + end) / 2,
        floor - 31,
        f"Flows on the fullest uplink (triangle: mean {mean:.2f})",
        color=MUTED,
        align="center",
    )
    yield Text(8, top + 14, "Chance", color=MUTED)


def _throw(throw, even, start, end):
    floor, top = THROW
    highest = max(*throw, even, 1.0)
    pitch = (end - start) / len(throw)
    worst = max(throw)
    for level in (even, worst) if worst > even * 1.01 else (worst,):
        y = floor + (top - floor) * level / highest
        yield Line(((start, y), (end, y)), HAIRLINE if level == worst else GREY)
        below = y if level == worst else min(y, floor + (top - floor) * worst / highest - 14)
        yield Text(start - 8, below, f"{level:.3g}", align="right")
    for uplink, load in enumerate(throw):
        left, height = start + pitch * (uplink + 0.12), (top - floor) * load / highest
        if load:
            yield Bar(left, floor, 0.76 * pitch, height, WAITING if load == worst and worst > even * 1.01 else WORK)
    yield Line(((start, floor), (end, floor)), GREY)
    idle = sum(not load for load in throw)
    words = (
        f"one throw: flows on each of {len(throw)} uplinks; {idle} idle"
        if idle
        else f"one throw: flows on each of {len(throw)} uplinks"
    )
    yield Text((start + end) / 2, floor - 16, words, color=MUTED, align="center")


def percent(chance: float) -> str:
    """A chance for people.

    >>> percent(0.0024), percent(0.5), percent(0.0421), percent(1.0), percent(3e-7)
    ('0.24 %', '50 %', '4.2 %', '100 %', 'below 0.01 %')
    """
    value = 100 * chance
    if value < 0.005:
        return "below 0.01 %"
    return f"{value:.2f} %" if value < 0.995 else f"{value:.1f} %" if value < 9.95 else f"{value:.0f} %"
