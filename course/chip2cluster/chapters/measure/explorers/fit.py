"""Explorer of a fit: a latency and a bandwidth from recorded times, by one line or two, over sizes that one chooses."""

from typing import Any

import numpy as np

from chip2cluster import collectives, draw, measure
from chip2cluster.draw.format import binary
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Nearest, in_bytes
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import Strip
from chip2cluster.units import show, significant

YOURS = "your run"
RUNS = (
    "mpi ping-pong, 2 ranks, quiet",
    "mpi ring, 2 ranks, quiet",
    "mpi all-reduce, 2 ranks, quiet",
    "mpi all-reduce, 2 ranks, overloaded",
    "mpi all-reduce, 4 ranks, overloaded",
    "aws-p5-2n",
    "mi300x-2n",
)
LINES = {
    "one line, absolute error": (1, "absolute"),
    "one line, relative error": (1, "relative"),
    "two lines, absolute error": (2, "absolute"),
    "two lines, relative error": (2, "relative"),
}
LEAST = 6  # sizes in a fit: three for each of two lines
STATISTICS = ("best", "median", "mean", "first")


class Fit(Explorer):
    """Fit a latency α and a bandwidth β to recorded times, and see which sizes the line forgets.

    Parameters
    ----------
    lines : str
        ``"one line, absolute error"``, ``"one line, relative error"``, ``"two lines, absolute error"`` or
        ``"two lines, relative error"``: by what the errors are weighed, and whether small messages have a line of their own.
    smallest : int or str
        Size from which on the lines are fitted: bytes, or a text such as ``"1 MiB"``. It must be a size of the run.
    largest : int or str
        Size up to which they are fitted, like ``smallest``.
    run : str or measure.Recording
        A recorded run by its name, or your own, as `measure.ping_pong` and `measure.all_reduce` give it.
    statistic : str
        ``"best"``, ``"median"``, ``"mean"`` or ``"first"``: which time of each size.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a value that it does not offer, and a run with fewer than six sizes.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.fit("one line, absolute error", run="mpi ping-pong, 2 ranks, quiet")
    >>> [round(row["typical error (%)"]) for row in view.table]
    [144, 11, 31, 6]
    """

    title = "Fit a latency and a bandwidth"
    extent = Extent(letters=320)
    positional = ("lines", "smallest", "largest")

    def __init__(self, *given, run=None, **values):
        self._runs = {name: measure.recorded(name) for name in RUNS}
        if isinstance(run, measure.Recording):
            if len(np.unique(run.message_bytes)) < LEAST:
                raise ValueError(f"run must have at least {LEAST} sizes to be fitted, got {len(run.message_bytes)}")
            self._runs = {YOURS: run} | self._runs
            values["run"] = YOURS
        elif run is not None:
            values["run"] = run
        self.controls = (
            Choice(name="lines", label="Fit", options=tuple(LINES), default="one line, absolute error"),
            Choice(name="run", label="Run", options=tuple(self._runs), default=RUNS[0], more=True, prefer=(YOURS,)),
            Nearest(
                name="smallest", label="From", default=8, text=binary, parse=in_bytes,
                options=lambda values: self._sizes(values)[: 1 - LEAST],
            ),
            Nearest(
                name="largest", label="Up to", default=2**40, text=binary, parse=in_bytes,
                options=lambda values: tuple(
                    size for size in self._sizes(values)
                    if sum(values["smallest"] <= other <= size for other in self._sizes(values)) >= LEAST
                ),
            ),
            Choice(
                name="statistic", label="Statistic per size", default="median", prefer=("mean",), more=True,
                options=lambda values: tuple(name for name in STATISTICS if name in self._runs[values["run"]].statistics),
            ),
        )  # fmt: skip
        super().__init__(*given, **values)

    strip = Strip("lines", {"largest": (2**17, 2**20, 2**26), "smallest": (8, 4096), "run": RUNS[:3]})

    def _sizes(self, values):
        return tuple(int(size) for size in np.unique(self._runs[values["run"]].message_bytes))

    def frame(self, values: dict[str, Any]) -> Frame:
        run = self._runs[values["run"]]
        order = np.argsort(run.message_bytes, kind="stable")
        size, seconds = run.message_bytes[order], run.statistics[values["statistic"]][order]
        used = (values["smallest"] <= size) & (size <= values["largest"])
        fits = {name: _fitted(size[used], seconds[used], run.ranks, *how) for name, how in LINES.items()}
        rows = tuple(_row(name, fit, size, seconds, used) for name, fit in fits.items())
        mine = tuple(LINES).index(values["lines"])
        fit = fits[values["lines"]]
        subject = f"{values['run']}: the {values['statistic']} of each size, fitted from {binary(values['smallest'])}"
        subject += f" to {binary(values['largest'])}"
        title = _title(fit, rows[mine])
        boundary = fit.boundary_bytes if isinstance(fit, measure.RegimeFit) else None
        picture = draw.fit_residuals(
            size, seconds, used, fit.predict(size) if fit else None, boundary, title=title,
            description=f"{title}. {_say(rows, mine, fit)}",
        )  # fmt: skip
        return Frame(picture, Table(subject, COLUMNS, rows, marked=mine), _say(rows, mine, fit))


def _fitted(size, seconds, ranks, lines, weighting):
    """A fit, or None where no line has a bandwidth."""
    fitting = collectives.fit_alpha_beta if lines == 1 else measure.fit_regimes
    try:
        return fitting(size, seconds, ranks, weighting=weighting)
    except ValueError:
        return None


def _row(name, fit, size, seconds, used):
    if fit is None:
        return name, None, None, None, None, None, None
    ends = (fit.small, fit.large) if isinstance(fit, measure.RegimeFit) else (fit, fit)
    off = 100 * np.abs(fit.predict(size) - seconds) / seconds
    return (
        name, 1e6 * ends[0].collective_latency, ends[1].algorithm_bandwidth / 1e9,
        fit.boundary_bytes if isinstance(fit, measure.RegimeFit) else None,
        float(np.median(off[used])), float(off[used].max()), float(np.median(off)),
    )  # fmt: skip


def _title(fit, row):
    if fit is None:
        return "These times do not grow with the size, so no line has a bandwidth"
    return f"α {_latency(row[1])}, β {show(1e9 * row[2], 'B/s')}: typically {significant(row[4], 2)} % off"


def _latency(microseconds):
    return "below zero" if microseconds < 0 else show(1e-6 * microseconds, "s")


def _say(rows, mine, fit):
    if fit is None:
        return "Between these sizes the times do not grow, or too few sizes are left for two lines. Include more sizes."
    name, latency, bandwidth, boundary, typical, worst, _ = rows[mine]
    parts = f"Two lines, the second from {binary(boundary)} on" if boundary else "One line for all"
    below = " A latency α below zero is impossible: the long messages have pulled the line down." if latency < 0 else ""
    best = min((row for row in rows if row[4] is not None), key=lambda row: row[4])
    other = "" if best[0] == name else f" {best[0].capitalize()}: typically {significant(best[4], 2)} % off."
    return (
        f"{parts}: α {_latency(latency)}, β {show(1e9 * bandwidth, 'B/s')}. Half of the sizes are off by "
        f"{significant(typical, 2)} % or more, the worst by {significant(worst, 2)} %.{below}{other}"
    )


def _number(digits):
    return lambda value: "–" if value is None else significant(value, digits)


COLUMNS = (
    Column("fit"),
    Column("α, small", "µs", _number(3)),
    Column("β, large", "GB/s", _number(3)),
    Column("second line from", "", lambda size: "–" if size is None else binary(size)),
    Column("typical error", "%", _number(2)),
    Column("largest error", "%", _number(2)),
    Column("typical, all sizes", "%", _number(2)),
)
