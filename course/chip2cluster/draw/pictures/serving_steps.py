"""Steps of a serving replica over time: duration, prefill or decode, and used KV cache.

Drawn with shapes alone, so a frame takes a few ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...units import show
from .. import style, typesetting
from ..chart import Chart
from ..heading import heading
from ..palette import BLUE, GREY, MUTED, ORANGE, PLUM, VIOLET
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import serving

# px: left and right, then bottom and top of the tokens and of the cache
AXES = {style.WIDTH: (64, 578, (176, 322), (72, 128)), style.NARROW: (56, 322, (190, 330), (82, 132))}
HEIGHTS = {style.WIDTH: style.HEIGHT, style.NARROW: 470}
WAITS = 46  # px: more height for marked waits, between the steps and the cache
MOST = 800  # steps
APART = 6.0  # px: from this width on a step keeps a gap to its neighbour, so equal steps can be counted
KEY = (
    (BLUE, "decode only"),
    (ORANGE, "prefill and decode"),
    (VIOLET, "prefill only"),
    (PLUM, "blocks of the cache"),
)


@dataclass(frozen=True)
class _Seen:
    """The steps of one replica that are drawn; arrays of one length."""

    start: np.ndarray
    end: np.ndarray
    decoding: np.ndarray
    prompt: np.ndarray
    blocks: np.ndarray


@dataclass(frozen=True)
class Wait:
    """An interval of a run that is marked: what waits, and the seconds of the run at which it begins and ends."""

    words: str
    begin: float
    end: float


@two_widths
def serving_steps(
    run: serving.ServingRun,
    cache_blocks: int,
    *,
    replica: int = 0,
    first: int = 0,
    steps: int = 120,
    seconds: float | None = None,
    step_seconds: float | None = None,
    waits: Sequence[Wait] = (),
    title: str = "",
    subtitle: str = "",
    width: int = style.WIDTH,
) -> Picture:
    """Draw steps of a simulated replica: as wide and as high as they took, which is what the others wait.

    Parameters
    ----------
    run : serving.ServingRun
        Result of a simulated service.
    cache_blocks : int
        Blocks of the replica's KV cache.
    replica : int
        Index of the replica.
    first, steps : int
        First step, and number of steps: one to 800.
    seconds, step_seconds : float, optional
        Ends of the axes of the time and of the time of a step, to compare pictures; left out, both follow the steps.
    waits : sequence of Wait
        Up to two intervals to mark under the steps; an arrow shows that one goes on outside of the picture.
    title, subtitle : str
        The finding, and what it is about; without a title the longest step and what was in it.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For a replica without steps there, more than 800 of them, more than two waits, axes that are too short,
        and a cache smaller than what was in use.
    """
    if not 1 <= steps <= MOST:
        raise ValueError(f"steps must be from 1 to {MOST}, got {steps!r}")
    own = np.flatnonzero(run.steps.replica == replica)[first : first + steps] if first >= 0 else np.array([], int)
    if not own.size:
        raise ValueError(f"replica {replica!r} has no step number {first!r}")
    seen = _Seen(*(getattr(run.steps, name)[own] for name in _Seen.__dataclass_fields__))
    if seen.blocks.max() > cache_blocks:
        raise ValueError(f"cache_blocks must be at least the {seen.blocks.max()} in use, got {cache_blocks!r}")
    if len(waits) > 2:
        raise ValueError(f"waits must be at most two, got {len(waits)}")
    more = WAITS if waits else 0
    title, height = title or finding(seen), HEIGHTS[width] + more
    left, right, upper, lower = AXES[width]
    upper = upper[0] + more, upper[1] + more
    drawn, longest = float(seen.end[-1] - seen.start[0]), float((seen.end - seen.start).max())
    span = drawn if seconds is None else seconds
    top = round_up(1e3 * longest) if step_seconds is None else 1e3 * step_seconds
    if span < drawn * (1 - 1e-9) or top < 1e3 * longest * (1 - 1e-9):
        raise ValueError(f"seconds and step_seconds must be at least {drawn:.4g} and {longest:.4g}")
    took = Chart(left, upper[0], right, upper[1], span, top)
    cache = Chart(left, lower[0], right, lower[1], span, 100.0)
    shapes = [*heading(title, subtitle, width, height)]
    shapes += _frames(took, cache)
    shapes += _bars(took, seen)
    for row, wait in enumerate(waits):
        shapes += _marked(took, wait, float(seen.start[0]), took.bottom - 23 - 27 * row)
    shares = 100.0 * seen.blocks / cache_blocks
    begins, ends = seen.start - seen.start[0], seen.end - seen.start[0]
    corners = [point for a, b, share in zip(begins, ends, shares, strict=True) for point in ((a, share), (b, share))]
    shapes.append(cache.line(corners, PLUM, 2))
    places = typesetting.flow([words for _, words in KEY], 8, width - 8)
    for (color, words), (x, row) in zip(KEY, places, strict=True):
        y = 14 + 19 * (places[-1][1] - row)
        shapes += [Bar(x, y - 5, 12, 10, color), Text(x + 20, y, words)]
    described = (
        f"{len(own)} steps over {show(drawn, 's')}: {int(seen.decoding.sum()):,} tokens decoded, "
        f"{int(seen.prompt.sum()):,} of prompts prefilled; the cache is {shares.max():.0f} % full at most."
        + "".join(f" {wait.words[:1].upper()}{wait.words[1:]}." for wait in waits)
    )
    field = left, lower[0] - 1, right, upper[1] + 2
    return replace(of_shapes(shapes, title, f"{title}. {described}", width, height), sweep=field)


def finding(seen: _Seen) -> str:
    """The longest step, and what was in it."""
    took = seen.end - seen.start
    worst, usual = int(np.argmax(took)), float(np.median(took))
    inside = f"{int(seen.prompt[worst]):,} tokens of prompts" if seen.prompt[worst] else "no prompt"
    return f"Steps of {show(usual, 's', 2)}; the longest, {show(float(took[worst]), 's', 2)}, has {inside}"


def round_up(most: float) -> float:
    """The next of 1, 2, 5 times a power of ten.

    >>> round_up(1.0), round_up(2300.0)
    (1.0, 5000.0)
    """
    power = 10.0 ** np.floor(np.log10(most))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= most))


def _frames(took, cache):
    for chart, ticks, name, above in (
        (took, (0, took.most_y / 2, took.most_y), "Time of a step, ms", 18),
        (cache, (0, 50, 100), "Cache in use, %", 16),
    ):
        for value in ticks:
            y = chart.y(value)
            yield Line(((chart.left, y), (chart.right, y)), style.HAIRLINE if value else GREY)
            yield Text(chart.left - 7, y, f"{value:,g}", align="right", color=MUTED)
        yield Text(8, chart.top + above, name, color=MUTED)
    step = round_up(took.most_x / 4)
    for part in range(int(took.most_x / step * (1 + 1e-9)) + 1):
        x = took.x(part * step)
        yield Line(((x, cache.bottom), (x, cache.bottom - 4)), GREY)
        text = f"{1e3 * part * step:,g} ms" if took.most_x < 2 else f"{part * step:,g} s"
        wide = typesetting.text_size(text, style.TEXT)[0]
        x = min(x, took.right + 16 - wide / 2)
        yield Text(x, cache.bottom - 14, text if part else "0", align="center", color=MUTED)


def _marked(chart, wait, origin, y):
    """A line from the begin to the end of a wait, as far as it is in the picture, under its words."""
    begin, end = wait.begin - origin, wait.end - origin
    x0, x1 = (chart.x(min(max(time, 0.0), chart.most_x)) for time in (begin, end))
    yield Line(((x0, y), (x1, y)), style.INK, 1.5)
    for x, inward, inside in ((x0, 5, begin >= 0), (x1, -5, end <= chart.most_x)):
        ending = ((x, y - 4), (x, y + 4)) if inside else ((x + inward, y - 4), (x, y), (x + inward, y + 4))
        yield Line(ending, style.INK, 1.5)
    wide = typesetting.text_size(wait.words, style.TEXT)[0]
    yield Text(max(min(x0, chart.right - wide), 8), y + 11, wait.words)


def _bars(chart, seen):
    """A bar for each step; narrow neighbours of one kind that took as long are one bar."""
    begin = seen.start[0]
    run: tuple[float, float, float, str] | None = None
    for start, end, prompt, writing in zip(seen.start, seen.end, seen.prompt, seen.decoding, strict=True):
        y, color = round(chart.y(1e3 * float(end - start)), 1), (ORANGE if writing else VIOLET) if prompt else BLUE
        wide = chart.x(float(end - begin)) - chart.x(float(start - begin)) >= APART
        if run and run[2:] == (y, color) and abs(start - run[1]) < 1e-9 and not wide:
            run = (run[0], end, y, color)
            continue
        if run:
            yield _bar(chart, begin, *run)
        run = start, end, y, color
    if run:
        yield _bar(chart, begin, *run)


def _bar(chart, begin, start, end, y, color):
    x0, x1 = chart.x(float(start - begin)), chart.x(float(end - begin))
    gap = 1.0 if x1 - x0 >= APART else 0.0
    return Bar(x0, chart.bottom, max(x1 - x0 - gap, 0.4), max(y - chart.bottom, 1.0), color)
