"""Pipeline schedule over time: a row for each device, a box for each pass, and the micro-batches held.

Written as shapes alone; boxes of one look are one path.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from .. import style, typesetting
from ..chart import round_step
from ..heading import heading, opening
from ..palette import BLUES, FAINT, GREY, HAIRLINE, HAND, KINDS, MUTED, WORK
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Inside, Line, Text
from .warp_timeline import Boxes

if TYPE_CHECKING:
    from ... import parallelism

MOST = 16  # devices
ROW = 56  # px: of one device, at most
CURVE = 84  # px: the field of the curves
BESIDE_GRIP = 22  # px to the right of the grip, whose arrows end 20 px from its middle


class Field(NamedTuple):
    """Of a picture of some width, px: its height, both ends of the axis, and what lies where from the top."""

    height: int
    left: float
    right: float
    legend: float
    top: float
    tall: float  # of all rows together
    ticks: int


FIELDS = {
    style.WIDTH: Field(528, 72, 500, 70, 112, 248, 8),
    style.NARROW: Field(584, 66, 284, 104, 168, 248, 4),
}
# Color, and height as a share of the row: told apart by height, too.
LOOKS = {
    "forward": (WORK, 1.0),
    "backward": (BLUES[1], 1.0),
    "input_gradient": (BLUES[1], 1.0),
    "weight_gradient": (GREY, 0.62),
}
LATER = {"forward": BLUES[2]}  # of every second chunk
NAMES = {
    "forward": "forward",
    "backward": "backward",
    "input_gradient": "backward, inputs",
    "weight_gradient": "backward, weights",
}


@two_widths
def pipeline(
    schedule: parallelism.Schedule,
    *,
    until: float | None = None,
    most_held: float | None = None,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw who computes which micro-batch, when, and what each device holds; empty places are the bubble.

    Parameters
    ----------
    schedule : parallelism.Schedule
        Schedule with up to 16 devices.
    until : float, optional
        Draw what has begun before this moment, seconds; all when left out.
    most_held : float, optional
        Micro-batches at the upper end of the lower axis, to compare schedules; those in flight when left out.
    subtitle : str
        Name of the pipeline, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title states the bubble and the most that any device holds.

    Raises
    ------
    ValueError
        For more than 16 devices.

    Examples
    --------
    >>> from chip2cluster.parallelism import schedule
    >>> pipeline(schedule("1f1b", 4, 8, forward_seconds=1.0, backward_seconds=2.0)).title
    'Waiting takes 27 % of the step; at most 4 micro-batches in flight'
    """
    if schedule.stages > MOST:
        raise ValueError(f"a picture has up to {MOST} devices, got {schedule.stages}")
    at = FIELDS[width]
    row = min(ROW, at.tall / schedule.stages)
    title = finding(schedule)
    slots = [slot for slot in schedule.slots if until is None or slot.start < until]
    shapes = [
        *heading(title, subtitle, width, at.height),
        *_legend(schedule, at, width),
        *_rows(schedule, row, at, width),
        *_boxes(schedule, slots, row, at),
        *_curves(schedule, until, most_held, at),
        *_axis(schedule.makespan_seconds, at),
        *_now(until, schedule.makespan_seconds, at),
    ]

    def place(seconds, _=None):
        return _x(min(seconds, schedule.makespan_seconds), schedule.makespan_seconds, at), at.height - at.top + 4

    return of_shapes(shapes, title, _describe(title, subtitle, schedule), width, at.height, place)


def finding(schedule: parallelism.Schedule) -> str:
    """The bubble, and the most that any device holds."""
    # Where devices end at different times each begins its next step by itself.
    apart = max(schedule.span_seconds) < schedule.makespan_seconds * (1 - 1e-9)
    step = "a device’s step" if apart else "the step"
    return f"Waiting takes {abs(100 * schedule.bubble_over_makespan):.0f} % of {step}; at most {_number(max(schedule.in_flight))} micro-batches in flight"  # fmt: skip


def _number(count):
    return f"{count:.1f}".removesuffix(".0")


def _x(seconds, end, at):
    return at.left + (at.right - at.left) * seconds / end


def _rows(schedule, row, at, width):
    # The grip is at the end of the axis when the whole step is shown.
    words = "peak in flight" if width == style.WIDTH else "peak"
    yield Text(at.right + BESIDE_GRIP, at.height - at.top + 12, words, color=MUTED)
    for device in range(schedule.stages):
        middle = at.height - at.top - row * (device + 0.5)
        yield Text(at.left - 6, middle, f"device {device}", align="right")
        yield Boxes(((at.left, middle - row / 2 + 1, at.right - at.left, row - 2),), HAIRLINE)
        yield Text(at.right + BESIDE_GRIP, middle, _number(schedule.in_flight[device]))


def _boxes(schedule, slots, row, at):
    end, found, words = schedule.makespan_seconds, defaultdict(list), []
    numbered = _numbered(schedule, at)
    for slot in slots:
        color, share = LOOKS[slot.kind]
        if slot.chunk % 2:
            color = LATER.get(slot.kind, color)
        tall = share * (row - 3)
        middle = at.height - at.top - row * (slot.device + 0.5)
        if slot.paired:  # forward above, backward below
            tall /= 2
            middle += tall / 2 if slot.kind == "forward" else -tall / 2
        x, wide = _x(slot.start, end, at), _x(slot.end, end, at) - _x(slot.start, end, at)
        found[color].append((x, middle - tall / 2, wide - min(0.8, 0.2 * wide), tall))
        if slot.kind in numbered and tall >= style.TEXT + 1:
            words.append(Inside(x + wide / 2, middle, str(slot.micro_batch), align="center"))
    yield from (Boxes(tuple(places), color) for color, places in found.items())
    yield from words


def _curves(schedule, until, most_held, at):
    """Micro-batches in flight over time: on the first device, on the last, faint on the others."""
    top = at.height - at.top - at.tall - 34
    most = most_held or max(schedule.in_flight)
    end = schedule.makespan_seconds
    stop = end if until is None else until
    yield Text(8, top + 14, "Micro-batches in flight", color=MUTED)
    for count in (0, most):
        y = top - CURVE + CURVE * count / most
        yield Line(((at.left, y), (at.right, y)), HAIRLINE if count else GREY)
        yield Text(at.left - 6, y, _number(count), align="right", color=MUTED)
    last = schedule.stages - 1
    for device in sorted(range(schedule.stages), key=lambda one: one in (0, last)):
        points, before = [], 0.0
        for moment, count in schedule.micro_batches_held[device]:
            if moment > stop:
                break
            points += [(moment, before), (moment, count)]
            before = count
        points.append((stop, before))
        placed = tuple((_x(moment, end, at), top - CURVE + CURVE * count / most) for moment, count in points)
        color, wide = (KINDS[0], 2.2) if device == 0 else (KINDS[2], 1.6) if device == last else (FAINT, 1)
        yield Line(placed, color, wide)
        if device in (0, last):
            # Both names in the field's upper right corner, where the first falls and the last is low.
            y = top - 8 - 17 * (device > 0)
            yield Line(((at.right + 10, y), (at.right + 22, y)), color, wide)
            yield Text(at.right + 26, y, "first" if device == 0 else "last")


def _now(until, end, at):
    """Where in time the reader stands."""
    if until is None:
        return
    x, floor = _x(min(until, end), end, at), at.height - at.top - at.tall - 34 - CURVE
    yield Line(((x, at.height - at.top + 2), (x, floor)), HAND, 1.5)


def _numbered(schedule, at):
    """The kinds of passes whose boxes all have room for the longest number."""
    room: dict[str, float] = {}
    for slot in schedule.slots:
        wide = _x(slot.end, schedule.makespan_seconds, at) - _x(slot.start, schedule.makespan_seconds, at)
        room[slot.kind] = min(wide, room.get(slot.kind, wide))
    longest = max(typesetting.text_size(str(number), style.TEXT)[0] for number in range(schedule.micro_batches)) + 3
    return {kind for kind, wide in room.items() if wide >= longest}


def _axis(end, at):
    floor = at.height - at.top - at.tall - 34 - CURVE
    step = round_step(end, at.ticks)
    scale, unit = (1.0, "s") if end >= 1 else (1e3, "ms") if end >= 1e-3 else (1e6, "µs")
    for place in range(int(end / step * (1 + 1e-9)) + 1):
        x = _x(place * step, end, at)
        yield Line(((x, floor), (x, floor - 4)), GREY)
        yield Text(x, floor - 13, f"{place * step * scale:,.4g}", align="center", color=MUTED)
    yield Text((at.left + at.right) / 2, floor - 31, f"Time ({unit})", align="center", color=MUTED)


def _legend(schedule, at, width):
    kinds = [kind for kind in LOOKS if any(slot.kind == kind for slot in schedule.slots)]
    entries = []
    for kind in kinds:
        words = "backward" if kind == "backward" and "input_gradient" in kinds else NAMES[kind]
        if kind == "input_gradient" and "backward" in kinds:
            continue  # the same color, whole or half
        entries.append((*LOOKS[kind], words))
        if kind in LATER and schedule.chunks > 1:
            what = "forward, other end first" if schedule.name == "dualpipe" else "forward, every second chunk"
            entries.append((LATER[kind], 1.0, what))
    places = typesetting.flow([words for *_, words in entries], 8, width - 8, 20, 16)
    for (color, share, words), (x, line) in zip(entries, places, strict=True):
        y = at.height - at.legend - 20 * line
        yield Boxes(((x, y - 6 * share, 14, 12 * share),), color)
        yield Text(x + 20, y, words)


def _describe(title, subtitle, schedule):
    told = [
        f"device {device} computes {busy:.4g} s, waits {idle:.4g} s and holds {_number(held)} micro-batches at most"
        for device, (busy, idle, held) in enumerate(
            zip(schedule.busy_seconds, schedule.idle_seconds, schedule.in_flight, strict=True)
        )
    ]
    return f"{opening(title, subtitle)} The step takes {schedule.makespan_seconds:.4g} s; {'; '.join(told)}."
