"""What silent errors cost a run, whether or not it knows when they happened."""

import numpy as np

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def silent(test_hours, test_minutes, error_days):
    """Goodput without and with a known time of the error."""
    run = test_hours * HOUR, test_minutes * MINUTE, error_days * DAY
    return np.array([reliability.silent_goodput(*run, located=located) for located in (False, True)])


def _case(hours, minutes, days):
    return {"test_hours": hours, "test_minutes": minutes, "error_days": days}


def _runs(generator):
    # As many hours between two tests as between two errors: 1 / e is the chance of a clean interval. A student sees this.
    drawn = [_case(24.0, 0.0, 1.0)]
    for hours, minutes, days in ((24.0, 20.0, 9.0), (6.0, 30.0, 2.0), (48.0, 60.0, 4.0), (1.0, 5.0, 0.5)):
        drawn.append(
            _case(
                round(hours * float(generator.uniform(0.7, 1.4)), 1),
                round(minutes * float(generator.uniform(0.7, 1.4))),
                round(days * float(generator.uniform(0.7, 1.4)), 2),
            )
        )
    return drawn


def _edges(generator):
    often = round(float(generator.uniform(5, 9)), 1)
    return [_case(often, 30.0, 1000.0), _case(24.0 * often, 10.0, 1.0)]


def _like(whole, found):
    """Goodput by other rules: hours of work x, of a test t, between errors m."""

    def wrong(test_hours, test_minutes, error_days):
        run = test_hours, test_minutes / 60, 24 * error_days
        return np.array([whole(*run), found(*run)], dtype=float)

    return wrong


def _whole(x, t, m):
    return x * np.exp(-x / m) / (x + t)


def _found(x, t, m):
    return m * -np.expm1(-x / m) / (x + t)


SILENT = Exercise(
    id="storage.silent",
    title="What do silent errors cost?",
    signature="silent(test_hours, test_minutes, error_days)",
    unit="of the time",
    points=4,
    reference=silent,
    shows=(silent, reliability.silent_goodput),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="Where errors are rare, only the tests cost time. Where hardly any interval stays clean, only a run that knows "
            "when the error came still gains work.",
        ),
    ),
    hints=(
        "Take one interval and its test as a unit: it always lasts test_hours and test_minutes, with an error or without. How much "
        "work does it keep on average?",
        "Without a known time it keeps all of its work or none; it is clean with probability exp(−x / M). With a known time it keeps "
        "the work up to the error, or all of it: the mean of the smaller of the two.",
        "x = test_hours, t = test_minutes / 60, M = 24 · error_days: [x · exp(−x / M) / (x + t), M · (1 − exp(−x / M)) / (x + t)].",
    ),
    solution="""
from math import exp


def silent(test_hours, test_minutes, error_days):
    mean, lasts = 24 * error_days, test_hours + test_minutes / 60
    clean = exp(-test_hours / mean)
    return [test_hours * clean / lasts, mean * (1 - clean) / lasts]
""",
    explanation=(
        "A test makes a silent error visible, so the interval between two tests plays the part of the interval between two "
        "checkpoints. For rare errors the loss is t/x + x/M if the whole interval is thrown away, and t/x + x/(2M) if the time of the "
        "error is known. The second is Young's sum again: the best interval between two tests is the square root of 2tM."
    ),
    meaning=lambda: (
        f"With an error every nine days, as in the run of Llama 3, and a test of 20 minutes: a daily test leaves "
        f"{100 * silent(24.0, 20.0, 9.0)[0]:.0f} % of the time if the whole day is lost, {100 * silent(24.0, 20.0, 9.0)[1]:.0f} % if a "
        f"replay finds the step. Six hours between two tests leave {100 * silent(6.0, 20.0, 9.0)[0]:.0f} and "
        f"{100 * silent(6.0, 20.0, 9.0)[1]:.0f} %."
    ),
    mistakes=(
        Mistake(
            "exchanged",
            lambda **run: silent(**run)[::-1],
            "Your two numbers are exchanged: the first is for a run that goes back to the last test.",
        ),
        Mistake(
            "tests forgotten",
            _like(lambda x, t, m: _whole(x, 0, m), lambda x, t, m: _found(x, 0, m)),
            "Your tests take no time. Each interval of work is followed by test_minutes.",
        ),
        Mistake(
            "first order",
            _like(lambda x, t, m: x / (x + t) * (1 - x / m), lambda x, t, m: x / (x + t) * (1 - x / m / 2)),
            "You subtracted the loss of rare errors. An interval is clean with probability exp(−x / M), which is not 1 − x / M.",
        ),
        Mistake(
            "half an interval",
            _like(lambda x, t, m: _found(x, t, m), lambda x, t, m: _found(x, t, m)),
            "Your first run keeps the work before the error. It doesn't know when the error came, so it loses the whole interval.",
        ),
        Mistake(
            "whole interval twice",
            _like(lambda x, t, m: _whole(x, t, m), lambda x, t, m: _whole(x, t, m)),
            "Your second run loses the whole interval. It knows when the error came and keeps the work before it.",
        ),
        Mistake(
            "errors during the test",
            _like(
                lambda x, t, m: x * np.exp(-(x + t) / m) / (x + t),
                lambda x, t, m: m * -np.expm1(-(x + t) / m) / (x + t),
            ),
            "In your run errors also come during a test. Here they come only during work.",
        ),
        Mistake(
            "found at once",
            _like(lambda x, t, m: 1 / ((1 + t / x) * (1 + x / m)), lambda x, t, m: 1 / ((1 + t / x) * (1 + x / m / 2))),
            "You added the costs of a second of work. An interval that is repeated can be hit again: count what it keeps, and divide by "
            "how long it lasts.",
        ),
        Mistake(
            "days for hours",
            _like(lambda x, t, m: _whole(x, t, m / 24), lambda x, t, m: _found(x, t, m / 24)),
            "You took error_days for hours: a day has 24 of them.",
            v.UNIT,
        ),
        Mistake(
            "minutes for hours",
            _like(lambda x, t, m: _whole(x, 60 * t, m), lambda x, t, m: _found(x, 60 * t, m)),
            "You took test_minutes for hours.",
            v.UNIT,
        ),
        Mistake(
            "percent", lambda **run: 100 * silent(**run), "You returned percent. Return a fraction, 0 to 1.", v.UNIT
        ),
        Mistake(
            "the loss",
            lambda **run: 1 - silent(**run),
            "You returned the fraction that is lost. Return the one that is kept.",
        ),
    ),
)
