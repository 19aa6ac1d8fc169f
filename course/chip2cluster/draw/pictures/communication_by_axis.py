"""Parallelism axes of a layout on the tiers of a network: communication time of each, and its exposed part.

Drawn with shapes alone, so a frame takes about 1 ms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from ...units import significant
from .. import style, typesetting
from ..chart import round_step
from ..format import giga
from ..heading import heading, opening
from ..palette import COMMUNICATION, GREY, HAIRLINE, MUTED, WAITING
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Point, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import parallelism


class Field(NamedTuple):
    """Of a picture of some width, px: where the bars begin, the legend, the head of a tier, the row of an axis, ticks."""

    left: float
    legend: float
    top: int  # rows are counted from the top
    row: int
    words: tuple[Point, Point]  # of the name of an axis and of its bytes and seconds, from the middle of its bar
    ticks: int

    def right(self, width: float) -> float:
        """Where the bars end."""
        return width - 18


FIELDS = {
    style.WIDTH: Field(150, 70, 92, 38, ((24, 8), (24, -9)), 6),
    style.NARROW: Field(24, 104, 152, 46, ((24, 20), (90, 20)), 4),
}
HEAD, BAR, FOOT = 28, 18, 52  # px: of a tier's name, a bar, and what lies below the rows
HIDDEN = COMMUNICATION
DASH = 4, 3  # px


@two_widths
def communication_by_axis(
    times: Mapping[str, parallelism.AxisTime],
    tiers: Sequence[parallelism.Tier],
    *,
    arithmetic_seconds: float | None = None,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw each axis below the tier that it needs, with its seconds in a step: hidden, and exposed.

    Parameters
    ----------
    times : dict of str to parallelism.AxisTime
        Result of `parallelism.axis_times`.
    tiers : sequence of parallelism.Tier
        Tiers from the innermost out.
    arithmetic_seconds : float, optional
        Time of the kernels of the step, seconds; a line marks it, and the axis of time reaches so far at least.
    subtitle : str
        Owner of the axes, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title names the axis that costs most.

    Raises
    ------
    ValueError
        For an axis on a tier that is not there.

    Examples
    --------
    >>> from chip2cluster.parallelism import AxisTime, Tier
    >>> communication_by_axis({"tensor": AxisTime("tensor", "node", 4e11, 0.9, 0.9)}, [Tier("node", 8, 450e9)]).title
    'Tensor costs most: 0.900 s of messages exposed'
    """
    names = [tier.name for tier in tiers]
    for one in times.values():
        if one.tier not in names:
            raise ValueError(f"tiers must hold {one.tier!r}, where axis {one.axis!r} lies, got {', '.join(map(repr, names))}")  # fmt: skip
    at = {tier.name: [one for one in times.values() if one.tier == tier.name and one.seconds > 0] for tier in tiers}
    field = FIELDS[width]
    # Room for every axis, so that the picture keeps its height while axes come and go.
    height = field.top + HEAD * len(names) + field.row * max(len(times), 1) + FOOT
    title = finding(times)
    most = 1.02 * max([arithmetic_seconds or 0.0, *(one.seconds for one in times.values())]) or 1.0
    step = round_step(most, field.ticks)
    end = ceil(most / step) * step
    rows = list(_tiers(tiers, at, end, height, field, width))
    shapes = [
        *heading(title, subtitle, width, height),
        *_legend(arithmetic_seconds, height, field, width),
        *_axis(end, step, field, width),
        *_arithmetic(arithmetic_seconds, end, height, field, width, [one for one in rows if isinstance(one, Text)]),
        *rows,
    ]
    return of_shapes(shapes, title, _describe(title, subtitle, tiers, at), width, height)


def finding(times: Mapping[str, parallelism.AxisTime]) -> str:
    """The axis that costs most."""
    worst = max(times.values(), key=lambda one: one.exposed_seconds, default=None)
    if worst is None or not worst.exposed_seconds:
        return "All messages are hidden behind the arithmetic"
    return f"{worst.axis.capitalize()} costs most: {_seconds(worst.exposed_seconds)} of messages exposed"


def _seconds(time):
    return f"{significant(time)} s" if time < 999.5 else f"{time:,.0f} s"


def _sent(one):
    """Bytes of an axis in the unit of the table beside the picture."""
    return f"{giga(one.bytes_sent_one_way_per_step)} GB"


def _x(seconds, end, field, width):
    return field.left + (field.right(width) - field.left) * seconds / end


def _tiers(tiers, at, end, height, field, width):
    y = height - field.top
    for tier in tiers:
        words = f"{tier.name}: {tier.devices:,} devices at {giga(tier.bandwidth_one_way)} GB/s one way"
        yield Text(8, y - HEAD / 2, words, bold=True)
        y -= HEAD
        for one in at[tier.name]:
            (name_x, name_up), (x, up) = field.words
            middle = y - field.row / 2 - (name_up + up) / 4
            yield Text(name_x, middle + name_up, one.axis)
            yield Text(x, middle + up, f"{_sent(one)}, {_seconds(one.seconds)}", color=MUTED)
            # What takes any time is seen.
            exposed = max(_x(one.exposed_seconds, end, field, width), field.left + 1.5 * (one.exposed_seconds > 0))
            all_of_it = max(_x(one.seconds, end, field, width), exposed, field.left + 1.5)
            if exposed > field.left:
                yield RowMark(one.axis, (Bar(field.left, middle - BAR / 2, exposed - field.left, BAR, WAITING),))
            if all_of_it - exposed > 1:
                hidden = Bar(exposed, middle - BAR / 2 + 4, all_of_it - exposed, BAR - 8, HIDDEN)
                yield RowMark(one.axis, (hidden,))
            y -= field.row
        yield Line(((8, y), (width - 8, y)), HAIRLINE)


def _axis(end, step, field, width):
    yield Line(((field.left, FOOT - 4), (field.right(width), FOOT - 4)), GREY)
    for place in range(round(end / step) + 1):
        x = _x(place * step, end, field, width)
        yield Line(((x, FOOT - 4), (x, FOOT - 8)), GREY)
        yield Text(x, FOOT - 19, f"{place * step:,.4g}", align="center", color=MUTED)
    yield Text(field.left, FOOT - 38, "Messages of a step, one device (s)", color=MUTED)


def _arithmetic(seconds, end, height, field, width, texts):
    """A line from the ticks to the top, with a gap wherever words stand in its way."""
    if not seconds:
        return
    x, floor = _x(seconds, end, field, width), FOOT - 4
    met = [one.y for one in texts if one.x - 6 < x < one.x + 6 + 1.1 * typesetting.text_size(one.text, style.TEXT)[0]]
    for y in sorted(met):
        yield Line(((x, floor), (x, y - 9)), MUTED, 1.2, dash=DASH)
        floor = y + 9
    if floor < height - field.top:
        yield Line(((x, floor), (x, height - field.top)), MUTED, 1.2, dash=DASH)


def _legend(arithmetic_seconds, height, field, width):
    words = ["exposed: the step waits", "hidden beside arithmetic"]
    if arithmetic_seconds:
        words.append(f"arithmetic: {_seconds(arithmetic_seconds)}")
    marks = (
        lambda x, y: Bar(x, y - 7, 18, 14, WAITING),
        lambda x, y: Bar(x, y - 4, 18, 8, HIDDEN),
        lambda x, y: Line(((x, y), (x + 18, y)), MUTED, 1.2, dash=DASH),
    )
    places = typesetting.flow(words, 8, width - 8, 24, 18)
    for said, mark, (x, line) in zip(words, marks, places, strict=False):
        y = height - field.legend - 20 * line
        yield mark(x, y)
        yield Text(x + 24, y, said)


def _describe(title, subtitle, tiers, at):
    told = [
        f"{one.axis} lies on the {tier.name} and sends {_sent(one)} a device, "
        f"{_seconds(one.seconds)} of which {_seconds(one.exposed_seconds)} are exposed"
        for tier in tiers
        for one in at[tier.name]
    ]
    return f"{opening(title, subtitle)} {'; '.join(told) or 'Nothing is sent'}."
