"""Two runs with one seed, day by day, and the nodes of the second at the end of a day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .. import style, typesetting
from ..format import DAY
from ..heading import ROOM, heading, opening
from ..palette import BLUE, GREY, HAIRLINE, HAND, INK, MUTED, OTHERS
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Shape, Text
from .node_map import BLOCK, KEY, LOOKS, coded, counted, key, planned, squares
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import capstone

FIELD = {style.WIDTH: (56, 584), style.NARROW: (50, 326)}  # px: left and right of the curves
CURVES = {style.WIDTH: 120, style.NARROW: 120}  # px: their height
KEYS = {style.WIDTH: 0, style.NARROW: 40}  # px for the names of the curves, where they stand below the heading
STRUCK = 34  # px: height of the columns below them, the failures of each day
MAP = {style.WIDTH: 108, style.NARROW: 168}  # px: height of the squares
FEW = 20  # days that are enlarged
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # days


@two_widths
def replay(
    plays: Sequence[capstone.Play],
    day: int,
    *,
    days: int,
    first: int = 0,
    names: Sequence[str] = ("as designed", "changed"),
    subtitle: str | None = None,
    width: int = style.WIDTH,
) -> Picture:
    """Draw two runs that meet the same failures, as far as a day.

    Parameters
    ----------
    plays : sequence of capstone.Play
        One, or two whose tokens are compared; the columns and the nodes are those of the last one.
    day : int
        Last day that is shown; 0 is the start.
    days : int
        End of the axis, so that it holds still while the day moves.
    first : int
        Start of the axis. Beyond 0 or with few days the tokens are enlarged, so that a day without any is seen.
    names : sequence of str
        Names of the runs.
    subtitle : str
        Model and machine, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Tokens over days; below, how often the job stopped on each day, with a triangle where a switch did it; then
        every node at the end of the day, those that broke on it in a ring.

    Raises
    ------
    ValueError
        For no run or more than two, and a day that is not on the axis.

    Examples
    --------
    >>> from chip2cluster import capstone
    >>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    >>> run = capstone.play(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario, seed=3)
    >>> replay([run], 5, days=14).title == f"Day 5: {100 * run.days[4].tokens / 1e12:.1f} % of the tokens"
    True
    """
    if not 1 <= len(plays) <= 2:
        raise ValueError(f"plays must be one or two, got {len(plays)}")
    if not 0 <= first <= day <= days:
        raise ValueError(f"day must be {first} to {days}, got {day}")
    now = [min(day * DAY, play.nodes_run.played) for play in plays]
    shares = [
        float(play.tokens_at(moment)) / play.outcome.scenario.tokens for play, moment in zip(plays, now, strict=True)
    ]
    called = [f"{name} " for name in names] if len(plays) > 1 else [""]
    told = ", ".join(f"{name}{100 * share:.1f} %" for name, share in zip(called, shares, strict=True))
    title = f"Day {day}: {told} of the tokens"
    last = plays[-1]
    design = last.outcome.design
    if subtitle is None:
        subtitle = f"{design.nodes:,} nodes of {design.chips_per_node} × {design.accelerator.name}, seed {last.seed}"
    keys = KEY * (2 if width == style.NARROW else 1)
    map_top = 34 + keys + MAP[width]
    floor = map_top + 44 + STRUCK + 34
    height = floor + CURVES[width] + 24 + KEYS[width] + ROOM[width]
    states = last.states_at(now[-1])
    codes = coded(states)
    group = last.nodes_run.plan.group_nodes or BLOCK
    struck = _struck(last, day)
    lends = any(one.lent for one in last.days)
    shapes = [
        *heading(title, subtitle, width, height),
        *_curves(plays, day, (first, days), names, width, floor),
        *_columns(last, day, (first, days), width, map_top + 44),
        Text(8, map_top - 10, _machine(codes, day, width), bold=True),
        *_nodes(codes, struck, group, width, map_top - 24),
        *key([name for name in LOOKS if name != "lent" or lends], LOOKS, 10 + keys - KEY, width),
    ]
    counts = ", ".join(f"{count:,} {LOOKS[name][1]}" for name, count in counted(codes).items())
    described = f"{opening(title, subtitle)} Of the nodes: {counts}. {_told(last, day)}"
    left, right = FIELD[width]

    def place(number, _=None):
        return left + (right - left) * (number - first) / (days - first), floor + 12

    return of_shapes(shapes, title, described, width, height, place)


def strikes(play: capstone.Play) -> tuple[list[int], list[int]]:
    """Failures that stopped the job, and those of them by a switch, on each day: two lists, day 1 first."""
    several = {change.time for change in play.nodes_run.changes if change.kind == "switch breaks"}
    count = int(np.ceil(play.nodes_run.played / DAY))
    all_of_them, by_switch = [0] * count, [0] * count
    for failure in play.nodes_run.failures:
        place = min(int(failure.time // DAY), count - 1)
        all_of_them[place] += 1
        by_switch[place] += any(abs(failure.time - time) < 1e-3 for time in several)
    return all_of_them, by_switch


def _struck(play, day):
    """Nodes that broke on this day, together where a switch took them."""
    return sorted({
        change.nodes for change in play.nodes_run.changes
        if change.kind in ("node breaks", "switch breaks") and (day - 1) * DAY <= change.time < day * DAY
    })  # fmt: skip


def _ends(plays, first, days):
    """Between which shares of the tokens the curves run: all, or in steps of a tenth those of a few days."""
    if days - first > FEW:
        return 0.0, 1.0
    low, high = (
        [float(play.tokens_at(min(end * DAY, play.nodes_run.played))) / play.outcome.scenario.tokens for play in plays]
        for end in (first, days)
    )
    least = np.floor(10 * min(low)) / 10
    return least, max(np.ceil(10 * max(high)) / 10, least + 0.1)


def _curves(plays, day, axis, names, width, floor):
    (left, right), tall = FIELD[width], CURVES[width]
    first, days = axis
    least, most = _ends(plays, first, days)
    yield Text(8, floor + tall + 14 + KEYS[width], "Tokens trained on, of all", bold=True)
    for share in (0, 0.5, 1):
        y = floor + tall * share
        yield Line(((left, y), (right, y)), HAIRLINE if share else GREY)
        yield Text(left - 7, y, f"{100 * (least + share * (most - least)):.0f} %", align="right", color=MUTED)
    x = left + (right - left) * (day - first) / (days - first)
    yield Line(((x, floor), (x, floor + tall)), HAND, 1.5, 0.7)
    moments = np.linspace(first * DAY, days * DAY, 169)
    looks = ((BLUE, 3.0, None), (OTHERS, 2.0, (6, 4)))
    for name, play, (color, line, dash) in zip(names, plays, looks, strict=False):
        end = play.nodes_run.played
        seen = np.unique(np.append(moments[moments < min(day * DAY, end)], min(day * DAY, end)))
        share = (np.atleast_1d(play.tokens_at(seen)) / play.outcome.scenario.tokens - least) / (most - least)
        across = left + (right - left) * (seen / DAY - first) / (days - first)
        marks: list[Shape] = [Marker(across[-1], floor + tall * share[-1], "o" if dash is None else "D", color, size=9)]
        if len(seen) > 1:
            points = tuple(zip(across.tolist(), (floor + tall * share).tolist(), strict=True))
            marks.insert(0, Line(points, color, line, dash=dash))
        yield RowMark(name, tuple(marks))
    if len(plays) > 1:
        y = floor + tall + 14 + KEYS[width]
        places = typesetting.flow(names, 8 if width == style.NARROW else 230, width - 8, mark=30, gap=12)
        for name, (x, row), (color, line, dash) in zip(names, places, looks, strict=True):
            lower = y - KEY * (row + (width == style.NARROW))
            yield RowMark(
                name, (Line(((x, lower), (x + 24, lower)), color, line, dash=dash), Text(x + 30, lower, name))
            )


def _columns(play, day, axis, width, floor):
    left, right = FIELD[width]
    first, days = axis
    counts, switches = strikes(play)
    most = max(4, *counts) if counts else 4
    wide = (right - left) / (days - first)
    yield Text(8, floor + STRUCK + 12, "Failures; with a triangle: a switch", color=MUTED)
    yield Text(left - 7, floor + STRUCK - 6, f"{most}", align="right", color=MUTED)
    yield Line(((left, floor), (right, floor)), GREY)
    for place, (count, by_switch) in enumerate(zip(counts[first:day], switches[first:day], strict=True)):
        x = left + wide * place
        if count:
            yield Bar(x + 0.15 * wide, floor, 0.7 * wide, (STRUCK - 8) * count / most, INK if by_switch else GREY)
        if by_switch:
            yield Marker(x + wide / 2, floor + STRUCK - 1, "v", INK, size=9)
    step = next((tick for tick in TICKS if (days - first) / tick <= (7 if width == style.WIDTH else 4)), TICKS[-1])
    ticks = [tick for tick in range(-(-first // step) * step, days + 1, step) if tick > first]
    for tick in ticks:  # days are counted from 1, and a day's number stands below the middle of its column
        words = f"day {tick}" if tick == ticks[0] else f"{tick}"
        yield Text(left + wide * (tick - first - 0.5), floor - 11, words, align="center", color=MUTED)


def _machine(codes, day, width):
    broken = counted(codes)["broken"]
    return f"The machine at the end of day {day}: {broken:,} broken"


def _nodes(codes, struck, group, width, top):
    """Every node, and a ring round each that broke on this day, or round all that went with a switch."""
    plan = planned(len(codes), group, width - 16, MAP[width])
    yield from squares(codes, LOOKS, plan, 8, top)
    for nodes in struck:
        places = [plan.place(node // plan.per, 8, top) for node in nodes]
        xs, ys = zip(*places, strict=True)
        half = plan.pitch / 2 + 1
        x0, x1, y0, y1 = min(xs) - 1, max(xs) + plan.pitch + 1, min(ys) - half, max(ys) + half
        yield Line(((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)), INK, 1)


def _told(play, day):
    counts, switches = strikes(play)
    return f"The job stopped {sum(counts[:day])} times until then, {sum(switches[:day])} of them by a switch."
