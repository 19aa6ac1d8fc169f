"""Timeline of a long run: shares of each day, and the phases of the worst day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .. import style, typesetting
from ..format import DAY, HOUR, MINUTE, span
from ..heading import ROOM, heading, opening
from ..palette import BLUES, BROKEN, GREY, HAIRLINE, MUTED, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Line, Marker, Shape, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import reliability

FIELD = {style.WIDTH: (56, 584), style.NARROW: (52, 326)}  # px: left and right of both panels
KEY = 20  # px: a line of the key
DAYS = 178, 290  # px: floor and top of the upper panel
CLOSE = 62, 96  # px: of the lower one
MOST_BINS, MOST_PHASES, FEWEST_PHASES = 70, 240, 20
# What a bar of the upper panel may stand for, seconds, and what it is called.
_BINS = {
    1.0: "second", 10.0: "10 seconds", MINUTE: "minute", 300.0: "5 minutes", 900.0: "15 minutes", HOUR: "hour",
    6 * HOUR: "6 hours", DAY: "day", 7 * DAY: "week", 28 * DAY: "4 weeks", 364 * DAY: "52 weeks",
}  # fmt: skip
# Units of the lower panel's axis, and how many of them lie between two ticks.
_TICKS = {
    DAY: ("days", (1, 2, 7, 14, 28, 56, 364)), HOUR: ("h", (1, 2, 3, 6, 12, 24)), MINUTE: ("min", (1, 2, 5, 10, 15, 30)),
    1.0: ("s", (1, 2, 5, 10, 15, 30)),
}  # fmt: skip
# Color, what it is called, and its share of the height in the lower panel: told apart by height, too.
LOOKS = {
    "work": (WORK, "work", 1.0),
    "checkpoint": (BLUES[1], "checkpoints", 1.0),
    "lost": (BROKEN, "lost", 0.75),
    "restart": (GREY, "restarts", 0.5),
    "wait": (WAITING, "waits for nodes", 0.25),
}


@two_widths
def run_timeline(run: reliability.Run, *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw a simulated run.

    Parameters
    ----------
    run : reliability.Run
        Result of `reliability.simulate_run`.
    subtitle : str
        Name of the run, a few words; by default its interval and how often it fails.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Above, a column a day (or hour, or week) with what its time was spent on. Below, the one
        in which most was lost, phase by phase; a triangle is a failure, a diamond one that took
        several nodes.

    Raises
    ------
    ValueError
        For a run of more than 70 years.

    Examples
    --------
    >>> from chip2cluster.reliability import RunPlan, simulate_run
    >>> plan = RunPlan(54 * 86400, 1200, 60, 600, node_mtbf=264 * 86400, nodes=2048)
    >>> run_timeline(simulate_run(plan, seed=1)).title
    '506 failures in 63.7 days: 85 % of the time is work'
    """
    seconds, name = _bin(run.seconds)
    count = len(run.failures)
    title = (
        f"{count:,} failure{'' if count == 1 else 's'} in {span(run.seconds)}: {run.goodput:.0%} of the time is work"
    )
    title = title.replace("%", " %")
    plan = run.plan
    subtitle = (
        subtitle
        or f"A checkpoint after every {span(plan.interval)} of work, a failure every {span(plan.mtbf)} on average"
    )
    spent = _spent(run, seconds)
    kinds = [kind for kind in LOOKS if run.spent[kind]]
    keys = typesetting.flow([LOOKS[kind][1] for kind in kinds], 8, width - 6, gap=22)
    height = DAYS[1] + 34 + KEY * (1 + max(row for _, row in keys)) + ROOM[width]
    shapes = [
        *heading(title, subtitle, width, height),
        *legend(kinds, keys, height - ROOM[width] - 12),
        *_columns(spent, seconds, name, FIELD[width]),
        *_close_up(run, _window(run, spent, seconds), seconds, name, FIELD[width]),
    ]
    parts = ", ".join(f"{LOOKS[kind][1]} {span(time)}" for kind, time in run.spent.items() if time)
    return of_shapes(shapes, title, f"{opening(title, subtitle)} In all: {parts}.", width, height)


def _bin(total):
    for seconds, name in _BINS.items():
        if total <= MOST_BINS * seconds:
            return seconds, name
    raise ValueError(f"run must last at most 70 years, got {total:g} s")


def _spent(run, seconds):
    """Seconds of each kind in each bin: dict of arrays."""
    edges = seconds * np.arange(int(np.ceil(run.seconds / seconds)) + 1)
    found = {}
    for kind in LOOKS:
        times = np.array([(phase.start, phase.end) for phase in run.phases if phase.kind == kind]).reshape(-1, 2)
        gone = np.concatenate([[0.0], np.cumsum(times[:, 1] - times[:, 0])])
        before = np.stack([gone[:-1], gone[1:]], axis=1).ravel()
        found[kind] = np.diff(np.interp(edges, times.ravel(), before)) if len(times) else np.zeros(len(edges) - 1)
    return found


def _columns(spent, seconds, name, field):
    left, right = field
    floor, top = DAYS
    bins = len(spent["work"])
    wide = (right - left) / max(bins, 10)
    yield Text(8, top + 16, f"Share of each {name}", bold=True)
    for share in (0, 0.5, 1):
        y = floor + share * (top - floor)
        yield Line(((left, y), (right, y)), HAIRLINE if share else GREY)
        yield Text(left - 7, y, f"{100 * share:.0f} %", align="right", color=MUTED)
    for place in range(bins):
        y = floor
        for kind, (color, _, _) in LOOKS.items():
            tall = (top - floor) * spent[kind][place] / seconds
            if tall > 0.05:
                yield Bar(left + wide * place, y, max(wide - 1, 0.7 * wide), tall, color)
            y += tall
    step = next(step for step in (1, 2, 5, 10, 20) if bins / step <= 10)
    for place in range(0, bins, step):
        yield Text(left + wide * (place + 0.5), floor - 14, f"{place + 1}", align="center", color=MUTED)


def _window(run, spent, seconds):
    """Start and end of what is shown closely: the bin that lost most, wider or narrower where its phases ask for it."""
    worst = int(np.argmax(spent["lost"] + spent["restart"] + spent["wait"]))
    start, end = worst * seconds, min((worst + 1) * seconds, run.seconds)
    losses = [phase for phase in run.phases if phase.kind in ("lost", "wait")] or run.phases
    longest = max(losses, key=lambda phase: min(phase.end, end) - max(phase.start, start))
    middle = (max(longest.start, start) + min(longest.end, end)) / 2
    while len(_between(run, start, end)) > MOST_PHASES:
        half = (end - start) / 4
        start, end = max(start, middle - half), min(end, middle + half)
    while len(_between(run, start, end)) < FEWEST_PHASES and end - start < run.seconds:
        half = end - start
        start, end = max(0.0, middle - half), min(run.seconds, middle + half)
    return start, end


def _between(run, start, end):
    return [phase for phase in run.phases if phase.start < end and phase.end > start]


def _close_up(run, window, seconds, name, field):
    (low, high), (floor, top), (left, right) = window, CLOSE, field
    across = (right - left) / (high - low)
    number = round(low / seconds)
    if low == number * seconds and high in (low + seconds, run.seconds) and not name[0].isdigit():
        yield Text(8, top + 34, f"{name.capitalize()} {number + 1}, in which most was lost", bold=True)
    else:
        since = f"From {span(low)} on" if low else "From the start on"
        yield Text(8, top + 34, f"{since}, around the worst loss", bold=True)
    yield from clock(high - low, across, field)
    for phase in _between(run, low, high):
        color, _, tall = LOOKS[phase.kind]
        start, end = max(phase.start, low), min(phase.end, high)
        wide = max(across * (end - start), 0.5)
        yield Bar(left + across * (start - low), floor, wide, (top - floor) * tall, color)
    for failure in run.failures:
        if low <= failure.time <= high:
            shape = "D" if failure.nodes > 1 else "v"
            yield Marker(left + across * (failure.time - low), top + 9, shape, style.INK, size=7)


def clock(length: float, across: float, field: tuple[float, float], name: str = "Time since then") -> Iterator[Shape]:
    """Ticks of the lower panel, at times that a clock shows."""
    (floor, top), (left, right) = CLOSE, field
    unit = next((unit for unit in _TICKS if length >= 3 * unit), 1.0)
    word, steps = _TICKS[unit]
    step = next((step for step in steps if length / unit / step <= 8), steps[-1])
    for tick in range(int(length / unit / step * (1 + 1e-9)) + 1):
        x = left + across * tick * step * unit
        yield Line(((x, top + 4), (x, floor - 4)), HAIRLINE)
        yield Text(x, floor - 16, f"{tick * step:g}", align="center", color=MUTED)
    yield Text((left + right) / 2, 14, f"{name} ({word})", align="center", color=MUTED)


def legend(kinds: Sequence[str], keys: Sequence[tuple[float, int]], top: float) -> Iterator[Shape]:
    """The key of these kinds, laid out by `typesetting.flow`."""
    for kind, (x, row) in zip(kinds, keys, strict=True):
        color, words, _ = LOOKS[kind]
        yield Bar(x, top - KEY * row - 6, 14, 12, color)
        yield Text(x + 20, top - KEY * row, words)
