"""Memory of each device: one bar for each pipeline stage, one color for each kind of bytes.

Drawn with shapes alone, so a frame takes about 1 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from .. import style, typesetting
from ..chart import round_step
from ..heading import heading, opening
from ..palette import BLUE, BLUES, COMMUNICATION, GREY, HAIRLINE, LIMIT, MUTED
from ..palette import KINDS as SHADES
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import parallelism

MOST = 16  # stages


class Field(NamedTuple):
    """Of a picture of some width, px: its height, the bars' left and right end, and what lies above them, from the top."""

    height: int
    left: float
    right: float
    legend: float
    top: float
    tall: float  # of all bars together
    ticks: int


FIELDS = {
    style.WIDTH: Field(446, 76, 512, 70, 130, 264, 6),
    style.NARROW: Field(512, 66, 268, 104, 188, 272, 4),
}
# Part of the field that all bars together fill, by the number of stages: more stages always reach farther down, so that
# a hand can draw them out, and few are not blown up.
FILL = (0.0, 0.22, 0.42, 0.56, 0.68, 0.72, 0.76, 0.8, 0.84, 0.86, 0.88, 0.9, 0.92, 0.94, 0.96, 0.98, 1.0)
GRIP = 0.08  # place of the hand on the lowest edge, as a part of the axis
# Kinds of bytes, in the order in which they are stacked: color and name. What is kept for a whole step is of one blue family.
KINDS = {
    "weights": (BLUE, "weights"),
    "gradients": (BLUES[2], "gradients"),
    "optimizer": (BLUES[1], "optimizer"),
    "activations": (SHADES[1], "activations"),
    "rerun": (SHADES[2], "layer being rerun"),
    "gathered": (COMMUNICATION, "gathered"),
    "logits": (SHADES[0], "logits"),
}


@two_widths
def memory_bars(
    stages: Sequence[parallelism.StageMemory],
    *,
    memory_bytes: float | None = None,
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw the memory of each pipeline stage, by what it holds.

    Parameters
    ----------
    stages : sequence of parallelism.StageMemory
        One for each stage, the first one on top; up to 16.
    memory_bytes : float, optional
        Memory of a device; a line marks it.
    subtitle : str
        Owner of the memory, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title names the fullest stage, and whether it has room. Its ``place`` is the lower edge of so many stages.

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
    if not 1 <= len(stages) <= MOST:
        raise ValueError(f"a picture has one to {MOST} stages, got {len(stages)}")
    at = FIELDS[width]
    title = finding(stages, memory_bytes)
    most = 1.02 * max(memory_bytes or 0.0, *(stage.total for stage in stages))
    step = round_step(most, at.ticks)
    end = ceil(most / step) * step  # round, so that the axis holds still while little changes
    row = at.tall * FILL[len(stages)] / len(stages)
    shapes = [
        *heading(title, subtitle, width, at.height),
        *_legend(stages, at, width),
        *_axis(end, step, at),
        *(shape for number, stage in enumerate(stages) for shape in _row(number, stage, row, end, at, width)),
        *_limit(memory_bytes, end, at),
    ]
    return of_shapes(
        shapes, title, _describe(title, subtitle, stages), width, at.height, lambda count, _: _foot(count, at)
    )


def finding(stages: Sequence[parallelism.StageMemory], memory_bytes: float | None) -> str:
    """The fullest stage, and whether it has room."""
    totals = [stage.total for stage in stages]
    number = totals.index(max(totals))
    need = f"{totals[number] / 1e9:,.0f}"
    if memory_bytes is None:
        return f"Stage {number} is the fullest: {need} GB"
    if totals[number] > memory_bytes:
        return f"Stage {number} does not fit: {need} of {memory_bytes / 1e9:,.0f} GB"
    return f"All stages fit; stage {number} is the fullest: {need} of {memory_bytes / 1e9:,.0f} GB"


def _x(size, end, at):
    return at.left + (at.right - at.left) * size / end


def _foot(count, at):
    """Point on the lower edge of the last of so many stages."""
    return at.left + GRIP * (at.right - at.left), at.height - at.top - at.tall * FILL[count]


def _row(number, stage, row, end, at, width):
    middle = at.height - at.top - row * (number + 0.5)
    tall = row - (3 if row < 26 else 8)
    yield Text(at.left - 8, middle, f"stage {number}", align="right")
    start = 0.0
    for kind, (color, name) in KINDS.items():
        size = getattr(stage, kind)
        # A hairline of paper between two kinds.
        if (wide := _x(start + size, end, at) - _x(start, end, at) - 0.8) > 0:
            yield RowMark(name, (Bar(_x(start, end, at), middle - tall / 2, wide, tall, color),))
        start += size
    words = f"{start / 1e9:,.1f} GB" if start < 99.95e9 else f"{start / 1e9:,.0f} GB"
    yield Text(width - 8, middle, words, align="right")


def _axis(end, step, at):
    floor = at.height - at.top - at.tall
    for place in range(round(end / step) + 1):
        x = _x(place * step, end, at)
        yield Line(((x, at.height - at.top + 4), (x, floor)), HAIRLINE if place else GREY)
        yield Text(x, floor - 13, f"{place * step / 1e9:,g}", align="center", color=MUTED)
    yield Text((at.left + at.right) / 2, floor - 34, "Memory of one device (GB)", align="center", color=MUTED)


def _limit(memory_bytes, end, at):
    if memory_bytes is None:
        return
    x, y = _x(memory_bytes, end, at), at.height - at.top
    words = f"a device has {memory_bytes / 1e9:,.0f} GB"
    room = typesetting.text_size(words, style.TEXT)[0]
    yield Line(((x, y + 8), (x, y - at.tall)), LIMIT, width=1.5)
    yield Text(max(x - room, 8), y + 17, words)


def _legend(stages, at, width):
    found = [(color, words) for kind, (color, words) in KINDS.items() if any(getattr(stage, kind) for stage in stages)]
    places = typesetting.flow([words for _, words in found], 8, width - 8, 18, 14)
    for (color, words), (x, row) in zip(found, places, strict=True):
        y = at.height - at.legend - 20 * row
        yield RowMark(words, (Bar(x, y - 6, 12, 12, color), Text(x + 18, y, words)))


def _describe(title, subtitle, stages):
    told = []
    for number, stage in enumerate(stages):
        parts = ", ".join(f"{words} {getattr(stage, kind) / 1e9:.1f}" for kind, (_, words) in KINDS.items() if getattr(stage, kind))  # fmt: skip
        told.append(f"stage {number} holds {stage.total / 1e9:.1f} GB: {parts}")
    return f"{opening(title, subtitle)} {'; '.join(told)}."
