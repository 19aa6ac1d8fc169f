"""Goodput against the checkpoint interval, and one run at the chosen interval."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from ...reliability import daly_interval, goodput, goodput_first_order, optimal_interval, young_interval
from .. import style, typesetting
from ..format import HOUR, MINUTE, span
from ..heading import ROOM, heading, opening
from ..palette import BLUE, GREY, HAIRLINE, HAND, INK, MUTED
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Line, Marker, Text
from .run_timeline import CLOSE, FIELD, LOOKS, clock, legend
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import reliability

SHOWN = 30.0, 12 * HOUR  # seconds of work between two checkpoints
TICKS = {MINUTE: "1 min", 5 * MINUTE: "5 min", 20 * MINUTE: "20 min", HOUR: "1 h", 3 * HOUR: "3 h", 12 * HOUR: "12 h"}
TOP, KEY = 414, 396  # px: what the curves are, and their key
CURVES = 252, 380  # px: floor and top of the curves
MARKS, ROW = 236, 17  # px: the highest of the rows with the intervals of the rules, and their distance
RULES = {"Young": (young_interval, "^"), "Daly": (daly_interval, "D"), "exact": (optimal_interval, "o")}
LOWEST = MARKS - ROW * (len(RULES) - 1)
BELOW, SPENT = 134, 118  # px: what the run is, and its key
NARROWEST = 3.0  # px: of an interval and its checkpoint; narrower ones are drawn as one
HEIGHT = TOP + 14


@two_widths
def checkpoint_interval(run: reliability.Run, *, subtitle: str | None = None, width: int = style.WIDTH) -> Picture:
    """Draw the goodput at each interval between checkpoints, and a run that was simulated with one of them.

    Parameters
    ----------
    run : reliability.Run
        Result of `reliability.simulate_run`; its plan says what the curves are drawn for.
    subtitle : str
        Name of the run, a few words; by default its checkpoint and restart times and how often it fails.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Above, the intervals of Young, of Daly and the best one; then the exact goodput and its
        first terms, with the plan's interval in red; below, the run, failure by failure.

    Raises
    ------
    ValueError
        For an interval below half a minute or above twelve hours.

    Examples
    --------
    >>> from chip2cluster.reliability import RunPlan, simulate_run
    >>> plan = RunPlan(54 * 86400, 3600, 60, 600, node_mtbf=3.09 * 3600)
    >>> checkpoint_interval(simulate_run(plan, seed=1, until=86400)).title
    'Saved after every 60 min of work: 79 % of the time is work'
    """
    plan = run.plan
    if not SHOWN[0] <= plan.interval <= SHOWN[1]:
        raise ValueError(f"interval must be {SHOWN[0]:g} to {SHOWN[1]:g} s, got {plan.interval:g}")
    costs = plan.checkpoint_seconds, plan.restart_seconds, plan.mtbf
    share = goodput(plan.interval, *costs)
    title = f"Saved after every {span(plan.interval)} of work: {percent(share)} of the time is work"
    if subtitle is None:
        subtitle = f"Dump {span(costs[0])}, restart {span(costs[1])}, a failure every {span(costs[2])} on average"
    best = optimal_interval(costs[0], costs[2])
    shapes = [
        *heading(title, subtitle, width, HEIGHT + ROOM[width]),
        *_rules(costs, FIELD[width]),
        *_axes(FIELD[width]),
        *_curves(plan.interval, share, costs, FIELD[width]),
        *_run(run, FIELD[width], width),
    ]
    description = (
        f"{opening(title, subtitle)} The best interval is {span(best)} with {percent(goodput(best, *costs))}, Young's "
        f"{span(young_interval(costs[0], costs[2]))}, Daly's {span(daly_interval(costs[0], costs[2]))}. "
        f"The run below fails {len(run.failures)} times in {span(run.seconds)}, and {percent(run.goodput)} of it is kept."
    )

    def place(interval, kept):
        return _x(interval, FIELD[width]), _y(kept)

    field = FIELD[width][0], CLOSE[0] - 1, FIELD[width][1], CLOSE[1] + 16
    return replace(of_shapes(shapes, title, description, width, HEIGHT + ROOM[width], place), sweep=field)


def percent(share: float) -> str:
    """A share of the time.

    >>> percent(0.8517), percent(0.031), percent(1e-9)
    ('85 %', '3.1 %', '0.0 %')
    """
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f} %"


def _x(interval, field):
    left, right = field
    return left + (right - left) * np.log(interval / SHOWN[0]) / np.log(SHOWN[1] / SHOWN[0])


def _y(share):
    floor, top = CURVES
    return floor + (top - floor) * share


def _rules(costs, field):
    """A row for each rule, with its mark at the interval that it gives."""
    dump, _, mean = costs
    for row, (name, (rule, shape)) in enumerate(RULES.items()):
        y = MARKS - ROW * row
        yield Text(field[0] - 7, y, name, align="right")
        yield Line(((field[0], y), (field[1], y)), HAIRLINE)
        interval = rule(dump, mean)
        if SHOWN[0] <= interval <= SHOWN[1]:
            yield RowMark(name, (Marker(_x(interval, field), y, shape, INK, size=8),))


def _axes(field):
    yield Text(8, TOP, "Share of the time that is work", bold=True)
    yield Line(((field[0], KEY), (field[0] + 18, KEY)), BLUE, 2.4)
    yield Text(field[0] + 24, KEY, "exact")
    yield Line(((field[0] + 78, KEY), (field[0] + 96, KEY)), GREY, 2, dash=(6, 4))
    yield Text(field[0] + 102, KEY, "first terms alone")
    for share in (0, 0.5, 1):
        yield Line(((field[0], _y(share)), (field[1], _y(share))), HAIRLINE if share else GREY)
        yield Text(field[0] - 7, _y(share), f"{100 * share:.0f} %", align="right", color=MUTED)
    for tick, name in TICKS.items():
        x = _x(tick, field)
        yield Line(((x, LOWEST - 6), (x, LOWEST - 10)), GREY)
        yield Text(x, LOWEST - 19, name, align="center", color=MUTED)
    yield Text((field[0] + field[1]) / 2, LOWEST - 36, "Work between two checkpoints", align="center", color=MUTED)


def _curves(interval, share, costs, field):
    intervals = np.geomspace(*SHOWN, 90)
    x = _x(intervals, field)
    exact = np.asarray(goodput(intervals, *costs))
    rough = np.asarray(goodput_first_order(intervals, *costs))
    seen = rough > 0
    if np.count_nonzero(seen) > 1:
        yield Line(tuple(zip(x[seen].tolist(), _y(rough[seen]).tolist(), strict=True)), GREY, 2, dash=(6, 4))
    yield Line(tuple(zip(x.tolist(), _y(exact).tolist(), strict=True)), BLUE, 2.4)
    here = _x(interval, field)
    yield Line(((here, LOWEST - 6), (here, CURVES[1])), HAND, 1.5, 0.7)
    yield RowMark("yours", (Marker(here, _y(share), "o", HAND, size=11),))


def _run(run, field, width):
    (floor, top), (left, right) = CLOSE, field
    across = (right - left) / run.seconds
    count = len(run.failures)
    struck = f"{count} failure{'' if count == 1 else 's'}"
    yield Text(8, BELOW, f"One run, {struck}: {percent(run.goodput)} of this time is kept", bold=True)
    kinds = [kind for kind in LOOKS if kind != "wait"]
    yield from legend(kinds, typesetting.flow([LOOKS[kind][1] for kind in kinds], 8, width - 6, gap=10), SPENT)
    yield from clock(run.seconds, across, field, "Time since the start")
    plan = run.plan
    narrow = across * plan.segment_seconds < NARROWEST
    saved = plan.interval / plan.segment_seconds
    for kept, phases in groupby(run.phases, lambda phase: phase.kind in ("work", "checkpoint")):
        if kept and narrow:
            stretch = list(phases)
            x, wide = left + across * stretch[0].start, across * (stretch[-1].end - stretch[0].start)
            yield Bar(x, floor, wide, (top - floor) * saved, LOOKS["work"][0])
            yield Bar(x, floor + (top - floor) * saved, wide, (top - floor) * (1 - saved), LOOKS["checkpoint"][0])
            continue
        for phase in phases:
            color, _, tall = LOOKS[phase.kind]
            wide = across * (phase.end - phase.start)
            yield Bar(left + across * phase.start, floor, wide, (top - floor) * tall, color)
    for failure in run.failures:
        yield Marker(left + across * failure.time, top + 9, "v", INK, size=7)
