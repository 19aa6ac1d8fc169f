"""What fills the memory of each device: one bar a stage, one colour a kind of bytes.

Written as shapes alone, so a frame takes about a millisecond.
"""

from .. import style, typesetting
from ..palette import ACCENT, BLUE, BLUES, GREY, HAIRLINE, MUTED, ORANGE, PLUM, VIOLET
from ..picture import Picture, compose
from ..shapes import Line, Text
from .waterfall import Bar

LEFT, RIGHT, TOP = 76, 512, 128  # px; rows are counted from the top
ROWS = {4: 34, 8: 26, 16: 18}  # px: height of a row, by how many there are at most
# Kinds of bytes, in the order in which they are stacked: colour and name.
KINDS = {
    "weights": (BLUE, "weights"),
    "gradients": (BLUES[2], "gradients"),
    "optimizer": (BLUES[1], "optimizer"),
    "activations": (ORANGE, "activations"),
    "rerun": (GREY, "layer being rerun"),
    "gathered": (VIOLET, "gathered"),
    "logits": (PLUM, "logits"),
}


def memory_bars(stages, *, memory_bytes=None, subtitle=""):
    """Draw the memory of each pipeline stage, by what it holds.

    Parameters
    ----------
    stages : sequence of parallelism.StageMemory
        One for each stage, the first one on top; up to 16.
    memory_bytes : float, optional
        What a device has; a line marks it.
    subtitle : str
        Whose memory it is, in a few words.

    Returns
    -------
    Picture
        Its title names the fullest stage, and whether it has room.

    Raises
    ------
    ValueError
        For no stages, or more than 16.

    Examples
    --------
    >>> from chip2cluster.parallelism import StageMemory
    >>> memory_bars([StageMemory(20e9, 20e9, 10e9, 40e9, 0, 1e9), StageMemory(20e9, 20e9, 10e9, 20e9, 0, 1e9)],
    ...             memory_bytes=80e9).title
    'Stage 0 does not fit: 91 of 80 GB'
    """
    stages = tuple(stages)
    if not 1 <= len(stages) <= 16:
        raise ValueError(f"a picture has one to 16 stages, got {len(stages)}")
    row = next(height for most, height in ROWS.items() if len(stages) <= most)
    height = TOP + row * len(stages) + 52
    title = finding(stages, memory_bytes)
    end = 1.02 * max(memory_bytes or 0.0, *(stage.total for stage in stages))
    shapes = [
        Text(8, height - 20, title, size=style.TITLE, bold=True),
        Text(8, height - 43, subtitle, color=MUTED),
        *_legend(stages, height),
        *_axis(end, row * len(stages), height),
        *(shape for number, stage in enumerate(stages) for shape in _row(number, stage, row, end, height)),
        *_limit(memory_bytes, row * len(stages), end, height),
    ]
    description = _describe(title, subtitle, stages)

    def figure():
        whole = style.figure(style.WIDTH, height)
        for shape in shapes:
            shape.join(whole)
        return whole

    svg = compose("", shapes, title, description, style.WIDTH, height)
    return Picture(svg, title, description, style.WIDTH, height, figure)


def finding(stages, memory_bytes):
    """The fullest stage, and whether it has room."""
    totals = [stage.total for stage in stages]
    number = totals.index(max(totals))
    need = f"{totals[number] / 1e9:,.0f}"
    if memory_bytes is None:
        return f"Stage {number} is the fullest: {need} GB"
    if totals[number] > memory_bytes:
        return f"Stage {number} does not fit: {need} of {memory_bytes / 1e9:,.0f} GB"
    return f"All stages fit; stage {number} is the fullest: {need} of {memory_bytes / 1e9:,.0f} GB"


def _x(size, end):
    return LEFT + (RIGHT - LEFT) * size / end


def _row(number, stage, row, end, height):
    middle = height - TOP - row * (number + 0.5)
    tall = row - (4 if row < 26 else 8)
    yield Text(LEFT - 8, middle, f"stage {number}", align="right")
    start = 0.0
    for kind, (color, _) in KINDS.items():
        size = getattr(stage, kind)
        # A hairline of paper between two kinds.
        if (wide := _x(start + size, end) - _x(start, end) - 0.8) > 0:
            yield Bar(_x(start, end), middle - tall / 2, wide, tall, color)
        start += size
    words = f"{start / 1e9:,.1f} GB" if start < 99.95e9 else f"{start / 1e9:,.0f} GB"
    yield Text(style.WIDTH - 8, middle, words, align="right")


def _axis(end, deep, height):
    step = next(10**power * factor for power in range(6, 16) for factor in (1, 2, 5) if end / (10**power * factor) <= 6)
    for place in range(int(end / step) + 1):
        x = _x(place * step, end)
        yield Line(((x, height - TOP + 4), (x, height - TOP - deep)), HAIRLINE if place else GREY)
        yield Text(x, height - TOP - deep - 13, f"{place * step / 1e9:,g}", align="center", color=MUTED)
    yield Text((LEFT + RIGHT) / 2, height - TOP - deep - 35, "Memory of one device (GB)", align="center", color=MUTED)


def _limit(memory_bytes, deep, end, height):
    if memory_bytes is None:
        return
    x = _x(memory_bytes, end)
    words = f"a device has {memory_bytes / 1e9:,.0f} GB"
    room = typesetting.text_size(words, style.TEXT)[0]
    yield Line(((x, height - TOP + 8), (x, height - TOP - deep)), ACCENT, width=1.5)
    yield Text(max(x - room, LEFT), height - TOP + 16, words, color=ACCENT)


def _legend(stages, height):
    x, y = 8, height - 70
    for kind, (color, words) in KINDS.items():
        if not any(getattr(stage, kind) for stage in stages):
            continue
        wide = typesetting.text_size(words, style.TEXT)[0]
        if x + 20 + wide > style.WIDTH - 8:
            x, y = 8, y - 20
        yield Bar(x, y - 6, 12, 12, color)
        yield Text(x + 18, y, words)
        x += 34 + wide


def _describe(title, subtitle, stages):
    told = []
    for number, stage in enumerate(stages):
        parts = ", ".join(f"{words} {getattr(stage, kind) / 1e9:.1f}" for kind, (_, words) in KINDS.items() if getattr(stage, kind))  # fmt: skip
        told.append(f"stage {number} holds {stage.total / 1e9:.1f} GB: {parts}")
    return f"{title}. {subtitle}. {'; '.join(told)}."
