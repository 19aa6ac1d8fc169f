"""Explorer of flow control: several senders, one port, and four ways to tell them to stop."""

from typing import Any

from chip2cluster import draw
from chip2cluster import links as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

RATE, BUFFER, DURATION = 50e9, 1.5e6, 80e-6  # a port of 400 Gb/s, its share of a switch's memory, what is shown
METHODS = {"no flow control": "drop", "pause (PFC)": "pause", "marks (ECN)": "mark", "credits": "credits"}
LEVELS = (50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500)  # kB


class FlowControl(Explorer):
    """Let several senders fill the queue before one port, and tell them to stop in four ways.

    A port of 400 Gb/s with 1.5 MB of room: how long the queue becomes, what is lost, and how
    busy the port stays.

    Parameters
    ----------
    method : str
        ``"no flow control"``, ``"pause (PFC)"``, ``"marks (ECN)"`` or ``"credits"``.
    own : OwnLink, optional
        A line of yours in place of 400 Gb/s, for every sender and the port: ``links.own("100 Gb/s", "5 µs")``. Its
        bandwidth counts; the time until an order shows is a control.
    **values
        Start values of the other controls: ``senders`` (2, 3, 4, 6, 8, 12 or 16), ``level`` (kB in the queue at which the
        switch pauses or marks) and ``trip`` (µs until that shows).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, or an ``own`` that is no link.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> [explore.flow_control(level=level).table[1]["lost (kB)"] > 0 for level in (800, 900)]
    [False, True]
    """

    title = "Flow control explorer"
    controls = (
        Choice(name="method", label="Flow control", options=tuple(METHODS), default="pause (PFC)"),
        Choice(name="senders", label="Senders", options=(2, 3, 4, 6, 8, 12, 16), default=8),
        Slider(name="level", label="Queue threshold", options=LEVELS, default=1000, unit="kB"),
        Choice(name="trip", label="Feedback delay", options=(1, 2, 4, 8), default=2, unit="µs", more=True),
    )
    strip = Strip("level", {"method": ALL, "senders": (2, 4, 8, 16)})

    def __init__(self, *given, own=None, **values):
        if own is not None and not isinstance(own, model.OwnLink):
            raise TypeError(f"own must be a link such as links.own('100 Gb/s', '5 µs'), got {own!r}")
        self._rate = RATE if own is None else own.bandwidth_one_way
        super().__init__(*given, **values)

    def frame(self, values: dict[str, Any]) -> Frame:
        level, chosen = 1e3 * values["level"], METHODS[values["method"]]
        setting = (values["senders"], self._rate, 1e-6 * values["trip"], BUFFER, level, DURATION)
        runs = {name: model.queue_run(method, *setting) for name, method in METHODS.items()}
        run = runs[values["method"]]
        rows = tuple((name, *_numbers(one)) for name, one in runs.items())
        line = f"{8 * self._rate / 1e9:g} Gb/s"
        subject = f"{values['method']}, {values['senders']} senders, queue threshold {values['level']:,} kB"
        subtitle = f"The port and each sender: {line}"
        title = f"{_found(run)}, the port is busy {100 * run.busy_share:.0f} % of the time"
        description = f"{title}. The queue over {DURATION * 1e6:.0f} µs; it reaches {run.fullest_bytes / 1e3:,.0f} kB."
        told = level if chosen in ("pause", "mark") else None
        picture = draw.queue(
            run.seconds, run.queue_bytes, BUFFER, told,
            title=title, subtitle=subtitle, description=description,
        )  # fmt: skip
        table = Table(subject, _COLUMNS, rows, marked=tuple(runs).index(values["method"]))
        handle = Handle("level", tuple((0.0, 1e3 * one) for one in LEVELS), "y")
        return Frame(picture, table, _say(values, run, self._rate), handles=(handle,) if told else ())


_COLUMNS = (
    Column("flow control"),
    Column("longest queue", "kB", "{:,.0f}".format),
    Column("lost", "kB", "{:,.0f}".format),
    Column("port busy", "%", "{:.0f}".format),
)


def _numbers(run):
    return run.fullest_bytes / 1e3, run.lost_bytes / 1e3, 100 * run.busy_share


def _found(run):
    return "Nothing is lost" if not run.lost_bytes else f"{run.lost_bytes / 1e3:,.0f} kB are lost"


def _say(values, run, rate):
    first = (
        f"{_found(run)}; the queue reaches {run.fullest_bytes / 1e3:,.0f} of {BUFFER / 1e3:,.0f} kB and the port is busy "
        f"{100 * run.busy_share:.0f} % of the time."
    )
    trip = 1e-6 * values["trip"]
    if METHODS[values["method"]] == "pause":
        headroom = model.pause_headroom(values["senders"], rate, trip)
        grown = f"Until the order shows, the queue grows by {headroom / 1e3:,.0f} kB more"
        late = "" if headroom < BUFFER else ": no level is low enough"
        return f"{first} {grown}{late}. The senders go again at half of the level."
    if METHODS[values["method"]] == "credits":
        return f"{first} All the room is handed out as credits, and {rate * trip / 1e3:,.0f} kB of them are in flight: that many would have been enough for the full rate."
    if METHODS[values["method"]] == "mark":
        return f"{first} Marked senders halve their rates, once in {values['trip']} µs, and come back in small steps."
    return f"{first} What has no room is dropped, and the sender has to find out for itself."
