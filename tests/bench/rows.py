"""Rows of the benchmark table: what is measured, in which unit, and its budget."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from time import process_time
from timeit import Timer

REPEATS, LONG_SECONDS = 3, 5.0


class MissingTool(Exception):
    """A program or package that a part needs and this machine lacks."""


@dataclass(frozen=True)
class Row:
    """One line of the table, measured when its functions are called.

    Parameters
    ----------
    name : str
    ours, baseline : callable
        Each measures and returns a number in ``unit``. The baseline is bare NumPy or a stock tool, or None.
    budget : float, optional
        Most that ours may be, in ``unit``.
    unit : {"s", "B"}
        Seconds or bytes.
    max_ratio : float, optional
        Most that ours may be as a multiple of the baseline.
    """

    name: str
    ours: Callable[[], float]
    baseline: Callable[[], float] | None = None
    budget: float | None = None
    unit: str = "s"
    max_ratio: float | None = None


def best_of(function, clock=process_time):
    """Measure the seconds of one call: the best of a few repeats, of fewer if they take long.

    Processor time equals wall time for a call that neither waits nor starts threads, and other programs on the
    machine disturb it less.
    """
    timer = Timer(function, timer=clock)
    number, first = timer.autorange()
    more = min(REPEATS - 1, int(LONG_SECONDS / first))
    return min([first, *timer.repeat(more, number)]) / number


def call_row(name, function, baseline=None, *, budget=None, max_ratio=None, clock=process_time):
    """Return the row of a call that is repeated and timed, next to the call of its baseline."""
    return Row(
        name,
        partial(best_of, function, clock),
        partial(best_of, baseline, clock) if baseline else None,
        budget=budget,
        max_ratio=max_ratio,
    )


def once(function):
    """Keep the outcome of a long measurement by its arguments; one that failed fails again without being repeated."""
    outcomes = {}

    @wraps(function)
    def call(*arguments):
        if arguments not in outcomes:
            try:
                outcomes[arguments] = function(*arguments), None
            except Exception as error:
                outcomes[arguments] = None, error
        value, error = outcomes[arguments]
        if error:
            raise error
        return value

    return call


def percentile_95(values):
    """Return the 95th percentile of measured values, which is one of them."""
    return sorted(values)[int(0.95 * (len(values) - 1))]


def find_chromium():
    """Return the path of Chromium and its flags; raise `MissingTool` where there is none."""
    import gc

    from tests.conftest import BROWSERS, FLAGS

    gc.enable()  # the tests' configuration turns it off, and what is measured here runs with it
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None or not shutil.which(path):
        wanted = path or ", ".join(BROWSERS)
        raise MissingTool(f"no Chromium on the path (looked for {wanted}); name its program in CHROMIUM")
    return path, FLAGS
