"""A schedule as a Gantt chart: a row for each node, a bar for each job, and reservations of waiting jobs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from .. import style, typesetting
from ..heading import heading
from ..palette import BLUES, BROKEN, FAINT, HAIRLINE, HAND, INK, MUTED, TINT, WAITING, WORK
from ..picture import Picture, of_shapes, two_widths
from ..row_mark import RowMark
from ..shapes import Inside, Line, Text
from .waterfall import Bar

if TYPE_CHECKING:
    from ... import scheduling

LEFT = 62  # px
TOP, BOTTOM = {style.WIDTH: 84, style.NARROW: 110}, {style.WIDTH: 66, style.NARROW: 86}  # px above and below the nodes
TICKS = {style.WIDTH: 7, style.NARROW: 4}
MOST_NODES, MOST_BARS = 128, 1500
UNITS = ((86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))
STEPS = (1, 2, 3, 5, 6, 10, 12, 15, 20, 30, 50, 60, 100, 200, 500)
LEGEND = {
    "ran": (WORK, "has run"),
    "lost": (BROKEN, "was ended early"),
    "limit": (FAINT, "its limit"),
    "plan": (TINT, "reserved"),
    "candidate": (INK, "if it started now"),
}
DASH = (5, 3)


@dataclass(frozen=True)
class Frame:
    """Where nodes and moments lie, px from the lower left corner."""

    nodes: int
    start: float
    end: float
    height: float
    row: float
    width: int

    def x(self, seconds: float) -> float:
        """Return the horizontal position of a time, px."""
        return LEFT + (self.right - LEFT) * (min(seconds, self.end) - self.start) / self.length

    @property
    def right(self) -> float:
        """Right edge of the axes, px."""
        return self.width - (16 if self.width == style.WIDTH else 12)

    @property
    def length(self) -> float:
        """Length of the axis of time, seconds."""
        return self.end - self.start

    def top(self, node: int) -> float:
        """Return the upper edge of a node's row, px from the bottom."""
        return self.height - TOP[self.width] - self.row * node


@two_widths
def schedule(
    schedule: scheduling.Schedule,
    *,
    at: float | None = None,
    candidate: int | str | None = None,
    until: float | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    width: int = style.WIDTH,
) -> Picture:
    """Draw a schedule, whole or as it stood at a moment.

    Parameters
    ----------
    schedule : scheduling.Schedule
        Schedule of any length.
    at : float, optional
        Present time, seconds: the picture shows what has run until then, the limits of running jobs, and the
        reservations of waiting ones. By default the whole schedule.
    candidate : int or str, optional
        Id of a waiting job. A dashed frame shows the time and the free nodes that it would take if it started at
        ``at``, whether or not a reservation is in its way.
    until : float, optional
        End of the axis, seconds; its ticks count from the first submission.
    title, subtitle : str, optional
        The finding, by default made from the schedule, and what it is about.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        The picture with its title and alternative text.

    Raises
    ------
    ValueError
        For a machine or a schedule too large to be seen, a schedule in which nothing ran, and a candidate that
        doesn't wait at ``at`` or doesn't fit the free nodes.

    Examples
    --------
    >>> from chip2cluster.scheduling import Job, simulate
    >>> jobs = [Job(1, 0, 3, 60), Job(2, 0, 4, 60), Job(3, 0, 1, 90)]
    >>> schedule(simulate(jobs, 4, "easy"), at=0).title
    'At 0 s: 2 jobs wait, 1 has a reservation'
    """
    if schedule.nodes > MOST_NODES or not 1 <= len(schedule.runs) <= MOST_BARS:
        raise ValueError(
            f"a picture has room for {MOST_NODES} nodes and 1 to {MOST_BARS} runs, got {schedule.nodes} and {len(schedule.runs)}"
        )
    pieces = _now(schedule, at) if at is not None else _whole(schedule)
    if candidate is not None:
        pieces.append(_candidate(schedule, at, candidate))
    first = min(job.submit for job in schedule.jobs)
    end = max(until or max((stop for _, _, stop, *_ in pieces), default=0.0), first + 1e-9)
    row = max(1.7, min(30.0, 216 / schedule.nodes))
    height = round(TOP[width] + BOTTOM[width] + row * schedule.nodes)
    frame = Frame(schedule.nodes, first, end, height, row, width)
    said = title or (_finding(schedule) if at is None else _waiting(schedule, at))
    if subtitle is None:
        subtitle = f"{schedule.policy} on {schedule.nodes} nodes"
    shapes = [
        *heading(said, subtitle, width, height),
        *_axis(frame),
        *(RowMark(f"{job}", tuple(_bars(frame, *piece))) for *piece, job in pieces),
        *_key({kind for kind, *_ in pieces}, width),
    ]
    if at is not None:
        x = frame.x(at)
        shapes.append(Line(((x, frame.top(0) + 3), (x, frame.top(schedule.nodes) - 3)), HAND, width=2))
    told = f"{said}. {_described(schedule, at)}"
    if candidate is not None:
        told += f" Dashed: job {candidate}, if it started now, until {_time(pieces[-1][2])}."

    def place(seconds, _=None):
        return frame.x(seconds), frame.top(0) + 6

    return of_shapes(shapes, said, told, width, height, place)


def _whole(schedule):
    """Every run: its kind, from when to when, its nodes, its name, the shade of that, its job."""
    return [
        ("lost" if run.state == "PREEMPTED" else "ran", run.start, run.end, nodes, run.job, _shade(run.job), run.job)
        for run, nodes in zip(schedule.runs, schedule.node_lists, strict=True)
    ]


def _now(schedule, at):
    """What has run, the rest of the limits, and reservations on nodes that are free by then."""
    pieces, busy = [], []
    for run, nodes in zip(schedule.runs, schedule.node_lists, strict=True):
        if run.start > at:
            continue
        lost = run.state == "PREEMPTED" and run.end <= at
        shade = _shade(run.job)
        runs_on, done, rest = run.end > at, min(run.end, at) - run.start, run.start + run.limit - at
        pieces.append(("lost" if lost else "ran", run.start, run.start + done, nodes, run.job, shade, run.job))
        if runs_on:
            pieces.append(("limit", at, at + rest, nodes, run.job, shade, run.job))
            busy.append((run.start + run.limit, nodes))
    taken = {node for _, nodes in busy for node in nodes}
    free = [node for node in range(schedule.nodes) if node not in taken]
    for place in sorted(schedule.reservations_at(at), key=lambda place: place.start):
        back = [one for one in busy if one[0] <= place.start]
        busy = [one for one in busy if one[0] > place.start]
        free = sorted(free + [node for _, nodes in back for node in nodes])
        mine, free = tuple(free[: place.nodes]), free[place.nodes :]
        busy.append((place.end, mine))
        pieces.append(("plan", place.start, place.end, mine, place.job, 0, place.job))
    return pieces


def _candidate(schedule, at, candidate):
    """Frame of a waiting job from ``at`` to the end of its limit, on the first nodes that are free at ``at``."""
    queue = [] if at is None else [schedule.jobs[number] for number in schedule.snapshot_at(at).queue]
    job = next((job for job in queue if job.id == candidate), None)
    if job is None:
        waiting = ", ".join(str(job.id) for job in queue) or "none"
        raise ValueError(f"candidate must be a job that waits at `at` (waiting: {waiting}); got {candidate!r}")
    pairs = zip(schedule.runs, schedule.node_lists, strict=True)
    taken = {node for run, nodes in pairs if run.start <= at < run.end for node in nodes}
    free = [node for node in range(schedule.nodes) if node not in taken]
    if job.nodes > len(free):
        raise ValueError(
            f"candidate {candidate!r} needs {job.nodes} nodes, and {len(free)} are free; choose a smaller job"
        )
    return "candidate", at, at + job.walltime, tuple(free[: job.nodes]), job.id, 0, job.id


def _frame(x, y, wide, tall, color, dash=None):
    """Rectangle without a fill."""
    right, top = x + wide, y + tall
    return Line(((x, y), (right, y), (right, top), (x, top), (x, y)), color, width=1.6, dash=dash)


def _bars(frame, kind, start, stop, nodes, job, shade):
    """One bar for each block of neighbouring nodes, with the job's name on each that has room."""
    color = LEGEND[kind][0] if kind != "ran" else BLUES[shade]
    blocks = [list(block) for _, block in groupby(enumerate(sorted(nodes)), lambda pair: pair[1] - pair[0])]
    spans = [(block[0][1], len(block)) for block in blocks]
    gap = 1 if frame.row > 3 else 0.4
    x, wide = frame.x(start), frame.x(stop) - frame.x(start)
    for first, many in spans:
        low, tall = frame.top(first + many), frame.row * many - gap
        if kind == "candidate":
            yield _frame(x, low, wide, tall, color, DASH)
            continue
        yield Bar(x, low, max(wide - 0.8, 0.4), tall, color)
        if kind == "plan" and wide > 2:
            yield _frame(x + 0.8, low, wide - 2.4, tall, WAITING)
    word = f"{job}"
    for first, many in spans:
        if typesetting.text_size(word, style.TEXT)[0] + 6 < wide and frame.row * many >= 16:
            kind_of_text = Inside if kind == "ran" else Text  # a full hue, or a pale ground
            yield kind_of_text(x + wide / 2, frame.top(first + many / 2), word, align="center")


def _shade(job):
    """Neighbours get other shades: by the last number in the job's name."""
    digits = "".join(character if character.isdigit() else " " for character in str(job)).split()
    return int(digits[-1]) % 3 if digits else 0


def axis_unit(seconds: float) -> tuple[float, str]:
    """The unit in which an axis of so many seconds counts: its seconds and its name."""
    return next((scale, unit) for scale, unit in UNITS if seconds >= 4 * scale or scale == 1)


def _axis(frame):
    scale, unit = axis_unit(frame.length)
    step = next((step for step in STEPS if frame.length / scale / step <= TICKS[frame.width]), frame.length / scale / 4)
    low = frame.top(frame.nodes)
    for place in range(int(frame.length / scale / step * (1 + 1e-9)) + 1):
        x = frame.x(frame.start + place * step * scale)
        yield Line(((x, frame.top(0)), (x, low - 4)), HAIRLINE)
        yield Text(x, low - 15, f"{place * step:g}", align="center", color=MUTED)
    yield Text(frame.right, low - 33, f"Time ({unit})", align="right", color=MUTED)
    yield Text(LEFT - 8, frame.top(0) - 8, "node 1", align="right", color=MUTED)
    if frame.nodes > 1:
        yield Text(LEFT - 8, low + 8, f"{frame.nodes}", align="right", color=MUTED)


def _key(kinds, width):
    """Where there is more than runs: what each look means, from the lowest row up."""
    shown = [kind for kind in LEGEND if kind in kinds and kinds != {"ran"}]
    places = typesetting.flow([LEGEND[kind][1] for kind in shown], 8, width - 8, mark=24)
    for kind, (x, row) in zip(shown, places, strict=True):
        color, words = LEGEND[kind]
        y = 12 + 20 * (places[-1][1] - row)
        if kind == "candidate":
            yield _frame(x, y, 18, 12, color, DASH)
        elif kind == "ran":  # neighbours have other shades of the same meaning
            yield from (Bar(x + 6 * place, y, 6, 12, hue) for place, hue in enumerate(BLUES))
        else:
            yield Bar(x, y, 18, 12, color)
        if kind == "plan":
            yield _frame(x, y, 18, 12, WAITING)
        yield Text(x + 24, y + 6, words)


def _finding(schedule):
    metrics = schedule.metrics()
    return f"Jobs wait {_time(metrics.mean_wait)} on average; {metrics.utilization:.0%} of the node time is used"


def _waiting(schedule, at):
    waiting, kept = len(schedule.snapshot_at(at).queue), len(schedule.reservations_at(at))
    jobs = f"{waiting} job{' waits' if waiting == 1 else 's wait'}" if waiting else "nobody waits"
    have = f", {kept} ha{'s a reservation' if kept == 1 else 've reservations'}" if waiting else ""
    return f"At {_time(at)}: {jobs}{have}"


def _described(schedule, at):
    if at is None:
        return f"{len(schedule.runs)} runs of {len(schedule.jobs)} jobs, each a bar over its nodes from start to end."
    reserved = [f"job {place.job} at {_time(place.start)}" for place in schedule.reservations_at(at)]
    waiting = [str(schedule.jobs[number].id) for number in schedule.snapshot_at(at).queue]
    return f"Waiting: {', '.join(waiting) or 'nobody'}. Reserved: {', '.join(reserved) or 'nothing'}."


def _time(seconds):
    for scale, unit in UNITS[:-1]:
        if seconds >= 2 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.3g} s"
