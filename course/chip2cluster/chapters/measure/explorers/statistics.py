"""Explorer of one benchmark: its times, five numbers that could be quoted, and how far each can be trusted."""

from typing import Any

import numpy as np

from chip2cluster import draw, measure
from chip2cluster.draw.format import binary
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Control, Slider, Toggle, in_bytes
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import show, significant

LOADS = ("quiet", "loaded", "overloaded")
YOURS = "yours"
OPERATIONS = ("all-reduce", "ring", "ping-pong")
REPEATS = (3, 5, 10, 20, 50, 100, 200, 500)
SIZES = tuple(8 * 4**power for power in range(12))  # 8 bytes to 32 MiB
RUNS = 300  # others like the one that is shown
MEANT = {
    "best": "undisturbed time",
    "median": "typical time",
    "mean": "total cost of many repeats",
    "95 %": "one in twenty is slower",
    "worst": "largest disturbance",
}


class Statistics(Explorer):
    """Repeat one benchmark under load, and watch which of its five statistics holds still.

    Nothing is measured while you look: times are drawn from recorded quantiles, by a seed.

    Parameters
    ----------
    repeats : int
        Times that are taken: 3 to 500.
    load : str
        ``"quiet"``, ``"loaded"`` or ``"overloaded"``: when the recording was made.
    sample : measure.Sample
        Your own benchmark, drawn from again and again; left out, a recorded one.
    **values
        Start values of the other controls: ``warm_up`` (True leaves the first call out), ``operation``,
        ``message_bytes`` (a number or a text such as ``"2 MiB"``), ``seed`` (1 to 8).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and a sample that is none.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> quiet, loaded = (explore.statistics(load=load).table for load in ("quiet", "loaded"))
    >>> [round(rows[2]["this run (µs)"] / rows[1]["this run (µs)"], 1) for rows in (quiet, loaded)]
    [1.1, 4.1]
    """

    title = "One benchmark, five statistics"
    positional = ("repeats", "load")
    controls: tuple[Control, ...] = (
        Slider(name="repeats", label="Repeats", options=REPEATS, default=50),
        Choice(name="load", label="The machine was", options=LOADS, default="quiet"),
        Toggle(name="warm_up", label="Leave out the first call", default=True),
        Choice(
            name="operation", label="What is timed", default="all-reduce", more=True,
            options=lambda values: ("your benchmark",) if values["load"] == YOURS else OPERATIONS,
        ),
        Slider(
            name="message_bytes", label="Message", default=2**19, text=binary, parse=in_bytes, more=True,
            options=lambda values: (0,) if values["load"] == YOURS else SIZES,
        ),
        Slider(name="seed", label="Run number", options=tuple(range(1, 9)), default=1, more=True),
    )  # fmt: skip
    strip = Strip("repeats", {"load": LOADS, "warm_up": ALL, "message_bytes": (8, 2**19), "seed": (1, 2, 3)})

    def __init__(self, *given, sample=None, **values):
        self._sample = sample
        if sample is not None:
            if not isinstance(sample, measure.Sample):
                raise TypeError(f"sample must be a measure.Sample, as measure.benchmark gives it, got {sample!r}")
            if sample.best <= 0:
                raise ValueError("sample must hold times above zero: time many calls as one, with calls=100")
            values.setdefault("load", YOURS)
            load = Choice(name="load", label="The machine was", options=(YOURS, *LOADS), default=YOURS)
            self.controls = tuple(load if control.name == "load" else control for control in self.controls)
        super().__init__(*given, **values)

    def frame(self, values: dict[str, Any]) -> Frame:
        measured, size, about = self._measured(values)
        # The run that is shown is one of the many.
        times = measure.redraw(
            measured, values["repeats"], message_bytes=size, runs=RUNS, warm_up=values["warm_up"], seed=values["seed"]
        )
        told = measure.five_statistics(times[0])
        many = measure.five_statistics(times)
        ranges = {name: tuple(np.quantile(many[name], [0.05, 0.95]).tolist()) for name in told}
        rows = tuple(_row(name, told[name], *ranges[name]) for name in told)
        title = f"The mean is {_times(told, 'mean')} times the median, the worst {_times(told, 'worst')} times"
        subject = f"{about}, {values['repeats']} repeats{'' if values['warm_up'] else ', the first call included'}"
        described = "; ".join(f"{name} {show(value, 's')}" for name, value in told.items())
        picture = draw.statistics(
            times[0], told, ranges, _limits(measured, size), title=title,
            description=f"{title}. {described[0].upper()}{described[1:]}.",
        )  # fmt: skip
        return Frame(picture, Table(subject, COLUMNS, rows, marked=1), _say(rows, values))

    def _measured(self, values):
        """What the times are drawn from, which of its sizes, and its name."""
        if values["load"] == YOURS:
            return self._sample, None, "Your own times, drawn again"
        recording = measure.recorded(f"mpi {values['operation']}, 2 ranks, {values['load']}")
        name = values["operation"].capitalize()
        return (
            recording,
            values["message_bytes"],
            f"{name} of {binary(values['message_bytes'])}, 2 ranks, {values['load']}",
        )


def _limits(measured, size):
    """Ends of the axis: they hold still while repeats and warm-up move."""
    if isinstance(measured, measure.Sample):
        times = [*measured.times_seconds.tolist(), *measured.warm_up_seconds[:1].tolist()]
        return min(times) / 1.2, max(times) * 1.2
    at = measured.message_bytes.tolist().index(size)
    times = [float(measured.statistics[name][at]) for name in ("best", "worst", "first")]
    return min(times) / 1.2, max(times) * 1.2


def _times(told, name):
    return significant(told[name] / told["median"], 2)


def _row(name, value, low, high):
    return name, MEANT[name], 1e6 * value, 1e6 * low, 1e6 * high, high / low


def _say(rows, values):
    best, median, mean = (significant(row[-1], 3) for row in rows[:3])
    first = "" if values["warm_up"] else " The first call is included here, as it should not be."
    return f"In nine of ten such runs the best stays within a factor of {best}, the median within {median} and the mean within {mean}.{first} {_enclosed(values['repeats'])}"


def _enclosed(repeats):
    """Which times enclose the median, or that there are too few."""
    try:
        ranks = measure.confidence_ranks(repeats)
    except ValueError:
        return f"{repeats} repeats cannot enclose the median at 95 %: you need at least 6."
    return (
        f"The {_ordinal(ranks.low)} and the {_ordinal(ranks.high)} of the sorted times enclose the median at "
        f"{100 * ranks.coverage:.1f} %."
    )


def _ordinal(number):
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _time(value):
    return significant(value, 3)


COLUMNS = (
    Column("statistic"),
    Column("what it says"),
    Column("this run", "µs", _time),
    Column("nine of ten from", "µs", _time),
    Column("to", "µs", _time),
    Column("factor", "", "{:.2f}".format),
)
