"""A pipeline schedule in time: a row for each device, a box for each pass, and how much each device holds.

Written as shapes alone; boxes of one look are one path.
"""

from collections import defaultdict

from .. import style, typesetting
from ..palette import BLUE, BLUES, FAINT, GREY, HAIRLINE, MUTED, ORANGE
from ..picture import Picture, compose
from ..shapes import Inside, Line, Text
from .warp_timeline import Boxes

LEFT, RIGHT, TOP = 72, 500, 104  # px; rows are counted from the top
MOST = 16  # devices
ROWS = {4: 34, 8: 26, 16: 18}  # px: height of a row, by how many there are at most
SMALL = 11  # px: letters in a box
# Colour, and height as a share of the row: told apart by height, too.
LOOKS = {
    "forward": (BLUE, 1.0),
    "backward": (ORANGE, 1.0),
    "input_gradient": (ORANGE, 1.0),
    "weight_gradient": (GREY, 0.62),
}
LATER = {"forward": BLUES[1]}  # of every second chunk
NAMES = {
    "forward": "forward",
    "backward": "backward",
    "input_gradient": "backward, inputs",
    "weight_gradient": "backward, weights",
}


def pipeline(schedule, *, until=None, subtitle=""):
    """Draw who computes which micro-batch, and when; empty places are the bubble.

    Parameters
    ----------
    schedule : parallelism.Schedule
        Of up to 16 devices.
    until : float, optional
        Draw what has begun before this moment, seconds; all when left out.
    subtitle : str
        Whose pipeline it is, in a few words.

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
    'Waiting takes 27 % of the step; 4 micro-batches in flight'
    """
    if schedule.stages > MOST:
        raise ValueError(f"a picture has up to {MOST} devices, got {schedule.stages}")
    row = next(height for most, height in ROWS.items() if schedule.stages <= most)
    height = TOP + row * schedule.stages + 52
    title = finding(schedule)
    slots = [slot for slot in schedule.slots if until is None or slot.start < until]
    shapes = [
        Text(8, height - 20, title, size=style.TITLE, bold=True),
        Text(8, height - 43, subtitle, color=MUTED),
        *_legend(schedule, height),
        *_rows(schedule, row, height),
        *_boxes(schedule, slots, row, height),
        *_axis(schedule.makespan_seconds, row * schedule.stages, height),
    ]
    description = _describe(title, subtitle, schedule)

    def figure():
        whole = style.figure(style.WIDTH, height)
        for shape in shapes:
            shape.join(whole)
        return whole

    svg = compose("", shapes, title, description, style.WIDTH, height)
    return Picture(svg, title, description, style.WIDTH, height, figure)


def finding(schedule):
    """The bubble, and the most that any device holds."""
    # Where devices end at different times each begins its next step by itself.
    apart = max(schedule.span_seconds) < schedule.makespan_seconds * (1 - 1e-9)
    step = "a device’s step" if apart else "the step"
    return f"Waiting takes {abs(100 * schedule.bubble_over_makespan):.0f} % of {step}; {_number(max(schedule.in_flight))} micro-batches in flight"  # fmt: skip


def _number(count):
    return f"{count:.1f}".removesuffix(".0")


def _x(seconds, end):
    return LEFT + (RIGHT - LEFT) * seconds / end


def _rows(schedule, row, height):
    yield Text(RIGHT + 12, height - TOP + 14, "in flight", color=MUTED)
    for device in range(schedule.stages):
        middle = height - TOP - row * (device + 0.5)
        yield Text(LEFT - 8, middle, f"device {device}", align="right")
        yield Boxes(((LEFT, middle - row / 2 + 1, RIGHT - LEFT, row - 2),), HAIRLINE)
        yield Text(RIGHT + 12, middle, _number(schedule.in_flight[device]))


def _boxes(schedule, slots, row, height):
    end, found, words = schedule.makespan_seconds, defaultdict(list), []
    numbered = _numbered(schedule)
    for slot in slots:
        color, share = LOOKS[slot.kind]
        if slot.chunk % 2:
            color = LATER.get(slot.kind, color)
        tall = share * (row - 4)
        middle = height - TOP - row * (slot.device + 0.5)
        if slot.paired:  # forward above, backward below
            tall /= 2
            middle += tall / 2 if slot.kind == "forward" else -tall / 2
        x, wide = _x(slot.start, end), _x(slot.end, end) - _x(slot.start, end)
        found[color].append((x, middle - tall / 2, wide - min(0.8, 0.2 * wide), tall))
        if slot.kind in numbered and tall >= SMALL + 2:
            words.append(Inside(x + wide / 2, middle, str(slot.micro_batch), size=SMALL, align="center"))
    yield from (Boxes(tuple(places), color) for color, places in found.items())
    yield from words


def _numbered(schedule):
    """The kinds of passes whose boxes all have room for the longest number."""
    room = {}
    for slot in schedule.slots:
        wide = _x(slot.end, schedule.makespan_seconds) - _x(slot.start, schedule.makespan_seconds)
        room[slot.kind] = min(wide, room.get(slot.kind, wide))
    longest = max(typesetting.text_size(str(number), SMALL)[0] for number in range(schedule.micro_batches)) + 3
    return {kind for kind, wide in room.items() if wide >= longest}


def _axis(end, deep, height):
    floor = height - TOP - deep
    step = next(10.0**power * factor for power in range(-9, 9) for factor in (1, 2, 5) if end / (10.0**power * factor) <= 8)  # fmt: skip
    scale, unit = (1.0, "s") if end >= 1 else (1e3, "ms") if end >= 1e-3 else (1e6, "µs")
    for place in range(int(end / step * (1 + 1e-9)) + 1):
        x = _x(place * step, end)
        yield Line(((x, floor), (x, floor - 4)), FAINT)
        yield Text(x, floor - 14, f"{place * step * scale:,.4g}", align="center", color=MUTED)
    yield Text((LEFT + RIGHT) / 2, floor - 35, f"Time ({unit})", align="center", color=MUTED)


def _legend(schedule, height):
    kinds = [kind for kind in LOOKS if any(slot.kind == kind for slot in schedule.slots)]
    entries = []
    for kind in kinds:
        words = "backward" if kind == "backward" and "input_gradient" in kinds else NAMES[kind]
        if kind == "input_gradient" and "backward" in kinds:
            continue  # the same colour, whole or half
        entries.append((*LOOKS[kind], words))
        if kind in LATER and schedule.chunks > 1:
            what = "forward, other end first" if schedule.name == "dualpipe" else "forward, every second chunk"
            entries.append((LATER[kind], 1.0, what))
    x, y = 8, height - 70
    for color, share, words in entries:
        yield Boxes(((x, y - 6 * share, 14, 12 * share),), color)
        yield Text(x + 20, y, words)
        x += 36 + typesetting.text_size(words, style.TEXT)[0]


def _describe(title, subtitle, schedule):
    told = [
        f"device {device} computes {busy:.4g} s, waits {idle:.4g} s and holds {_number(held)} micro-batches at most"
        for device, (busy, idle, held) in enumerate(
            zip(schedule.busy_seconds, schedule.idle_seconds, schedule.in_flight, strict=True)
        )
    ]
    return f"{title}. {subtitle}. The step takes {schedule.makespan_seconds:.4g} s; {'; '.join(told)}."
