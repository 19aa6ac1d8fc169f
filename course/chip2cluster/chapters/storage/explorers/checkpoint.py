"""Explorer of the interval between checkpoints: what is left of the time, exactly and in one run."""

from typing import Any

import numpy as np

from chip2cluster import draw, reliability
from chip2cluster._validate import one_positive
from chip2cluster.draw.format import span
from chip2cluster.draw.pictures.checkpoint_interval import RULES, SHOWN, percent
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import Strip
from chip2cluster.units import parse, significant

MINUTE, HOUR = 60.0, 3600.0
INTERVALS = tuple(MINUTE * minutes for minutes in (
    0.5, 1, 2, 3, 5, 7.5, 10, 12.5, 15, 20, 25, 30, 45, 60, 90, 120, 180, 240, 360, 720
))  # fmt: skip
DUMPS = (1.0, 5.0, 10.0, 15.0, 30.0, *(MINUTE * minutes for minutes in (1, 2, 5, 10, 20, 30, 60)))
RESTARTS = tuple(MINUTE * minutes for minutes in (1, 2, 5, 10, 15, 20, 30, 60))
MTBFS = tuple(HOUR * hours for hours in (1 / 6, 0.5, 1, 2, 3.09, 6, 12, 24))
FAILURES = 8  # in the run that is shown, on average
MOST_DUMPS = 2000  # in that run


def in_seconds(time):
    """A time as a caller may write it, for ``parse``: seconds, or a text with its unit."""
    return parse(time, "s") if isinstance(time, str) else time


def _seen(interval, values):
    return FAILURES * values["mtbf"] <= MOST_DUMPS * interval


def _why(_, values):
    return f"so short that a run of {span(FAILURES * values['mtbf'])} would be all stripes"


def _controls(own):
    """The controls, with times of the reader's own among their options."""

    def options(name, ours):
        return tuple(sorted({*ours, *own.get(name, ())}))

    intervals = options("interval", INTERVALS)
    looks: dict[str, Any] = {"text": span, "parse": in_seconds}
    return (
        Slider(name="mtbf", label="A failure every", options=options("mtbf", MTBFS), default=3.09 * HOUR, **looks),
        Slider(name="dump", label="A checkpoint takes", options=options("dump", DUMPS), default=MINUTE, **looks),
        Slider(
            name="interval", label="Work between two checkpoints", default=HOUR, why=_why, **looks,
            options=lambda values: tuple(interval for interval in intervals if _seen(interval, values)),
        ),
        Slider(
            name="restart", label="A restart takes", options=options("restart", RESTARTS), default=10 * MINUTE, more=True, **looks
        ),
        Slider(name="seed", label="Run number", options=tuple(range(1, 9)), default=8, more=True),
    )  # fmt: skip


class Checkpoint(Explorer):
    """Choose how often a run saves itself, and watch what its failures leave of the time.

    The run fails at the same moments while you move the interval, the dump and the restart.

    Parameters
    ----------
    interval : float or str
        Work between two checkpoints: seconds, or a text such as ``"20 min"``.
    dump : float or str
        How long one of them takes, in the same ways; so is ``restart``.
    mtbf : float or str
        Mean time between failures of the whole job: seconds, or a text.
    seed : int
        Number of the run that is drawn: 1 to 8.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a time that is not above zero, an interval below half a minute or
        above twelve hours, and one that is too short to be seen.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.checkpoint("60 min", dump="60 s", mtbf="3.09 h")
    >>> round(view.table[0]["work (%)"]), round(view.table[-1]["work (%)"])
    (79, 85)
    """

    title = "Checkpoint explorer"
    extent = Extent(letters=200)
    positional = ("interval", "dump", "mtbf")
    controls = _controls({})
    strip = Strip("interval", {"mtbf": (600.0, 3.09 * HOUR, 24 * HOUR), "dump": (60.0, 1200.0), "seed": (1, 2, 3, 8)})

    def __init__(self, *given, **values):
        values = self._named(given, values)
        own = {}
        for name in ("interval", "dump", "restart", "mtbf"):
            if name in values:
                own[name] = (values[name],) = (one_positive(name, in_seconds(values[name])),)
        if "interval" in own and not SHOWN[0] <= values["interval"] <= SHOWN[1]:
            raise ValueError(f"interval must be {span(SHOWN[0])} to {span(SHOWN[1])}, got {span(values['interval'])}")
        self.controls = _controls(own)
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        dump, mtbf = values["dump"], values["mtbf"]
        intervals = {"yours": values["interval"]} | {name: rule(dump, mtbf) for name, (rule, _) in RULES.items()}
        runs = {name: _run(interval, values) for name, interval in intervals.items()}
        rows = tuple(_row(name, interval, runs[name], values) for name, interval in intervals.items())
        picture = draw.checkpoint_interval(runs["yours"], subtitle="")
        caption = f"Dump {span(dump)}, restart {span(values['restart'])}, a failure every {span(mtbf)} on average"
        intervals = self._choices("interval", values)
        shares = reliability.goodput(np.array(intervals), dump, values["restart"], mtbf)
        handle = Handle("interval", tuple(zip(intervals, np.asarray(shares).tolist(), strict=True)))
        table, say = Table(caption, COLUMNS, rows, marked=0), _say(rows, runs["yours"], values)
        return Frame(picture, table, say, handles=(handle,))


def _run(interval, values):
    """The run of the reader's number, with this interval, for as long as it takes to fail some times."""
    times = interval, values["dump"], values["restart"], values["mtbf"]
    plan = reliability.RunPlan(2 * FAILURES * values["mtbf"], *times)
    return reliability.simulate_run(plan, values["seed"], until=FAILURES * values["mtbf"])


def _row(name, interval, run, values):
    spent = reliability.time_breakdown(1.0, interval, values["dump"], values["restart"], values["mtbf"])
    parts = (spent.work, spent.checkpoints, spent.lost, spent.restarts)
    return name, interval / MINUTE, *(100 * part / spent.total for part in parts), 100 * run.goodput


def _say(rows, run, values):
    _, _, work, dumps, lost, restarts, kept = rows[0]
    return (
        f"On average {percent(work / 100)} of the time is work, {percent(dumps / 100)} goes to checkpoints, "
        f"{percent(lost / 100)} is lost and done again, and {percent(restarts / 100)} goes to restarts. Run "
        f"{values['seed']} fails {len(run.failures)} times in {span(run.seconds)}, and "
        f"{percent(kept / 100)} of that time is work that it keeps."
    )


_tenths = "{:.1f}".format
COLUMNS = (
    Column("interval"),
    Column("of work", "min", lambda minutes: significant(minutes, 3 if minutes >= 1 else 2)),
    Column("work", "%", _tenths),
    Column("checkpoints", "%", _tenths),
    Column("lost", "%", _tenths),
    Column("restarts", "%", _tenths),
    Column("this run", "%", _tenths),
)
