"""Exercise on the interval of a run's days when its MTBF is known as an interval."""

from math import ceil, exp, expm1, sqrt

import numpy as np

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def days(work_days, interval_minutes, dump_seconds, restart_minutes, mtbf_hours):
    """Fewest and most days to be expected, for the longest and the shortest mean time between failures."""
    means = np.sort(np.asarray(mtbf_hours, dtype=float))[::-1] * HOUR
    taken = reliability.expected_time(
        work_days * DAY, interval_minutes * MINUTE, dump_seconds, restart_minutes * MINUTE, means
    )
    return taken / DAY


def _case(work, interval, dump, restart, least, most):
    return {
        "work_days": work,
        "interval_minutes": interval,
        "dump_seconds": dump,
        "restart_minutes": restart,
        "mtbf_hours": np.array([least, most], dtype=float),
    }


def _runs(generator):
    # A segment is as long as the shorter mean here: e - 1 of it. A student sees this one.
    drawn = [_case(10.0, 59.0, 60.0, 0.0, 1.0, 2.0)]
    for interval, dump, restart in ((20.0, 60.0, 10.0), (45.0, 300.0, 15.0), (7.0, 12.0, 5.0), (90.0, 600.0, 30.0)):
        least = float(generator.uniform(0.8, 3))
        drawn.append(
            _case(
                round(float(generator.uniform(11, 90)), 1),
                round(interval * float(generator.uniform(0.8, 1.3)), 1),
                round(dump * float(generator.uniform(0.8, 1.3))),
                round(restart * float(generator.uniform(0.8, 1.3)), 1),
                round(least, 2),
                round(least * float(generator.uniform(1.8, 4)), 2),
            )
        )
    return drawn


def _edges(generator):
    known = round(float(generator.uniform(2, 9)), 2)
    return [_case(30.0, 25.0, 60.0, 0.0, known, known), _case(40.0, 30.0, 0.0, 8.0, 9.0, 2.0)]


def _like(time, ends=(1, 0), scale=1 / DAY):
    """Days by another rule, for the shorter and the longer mean in this order."""

    def wrong(work_days, interval_minutes, dump_seconds, restart_minutes, mtbf_hours):
        run = work_days * DAY, interval_minutes * MINUTE, dump_seconds, restart_minutes * MINUTE
        means = sorted(mtbf_hours)
        return np.array([time(*run, means[end] * HOUR) for end in ends]) * scale

    return wrong


def _reversed(mtbf_hours, **rest):
    return [float(days(mtbf_hours=[hours], **rest)[0]) for hours in mtbf_hours][::-1]


def _exact(work, interval, dump, restart, mean):
    return mean * exp(restart / mean) * expm1((interval + dump) / mean) * work / interval


def _overflowing(work, interval, dump, restart, mean):
    with np.errstate(over="ignore"):
        hours = mean / HOUR
        return hours * np.exp(restart / hours) * np.expm1((interval + dump) / hours) * work / interval


DAYS = Exercise(
    id="storage.days",
    title="How many days will the run take?",
    signature="days(work_days, interval_minutes, dump_seconds, restart_minutes, mtbf_hours)",
    unit="days",
    points=4,
    reference=days,
    shows=(days, reliability.expected_time),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="mtbf_hours may hold the longer mean first. If both are equal, so are the answers; a checkpoint or a restart may take no time.",
        ),
    ),
    hints=(
        "Convert all times to one unit. How long does one segment take on average until it succeeds?",
        "A run that fails often takes longest: which end of mtbf_hours gives the fewest days?",
        "M · exp(R / M) · (exp((interval + d) / M) − 1) · work / interval, all in seconds; first with the long M, then with the short one; "
        "divide by 86400.",
    ),
    solution="""
from math import exp


def days(work_days, interval_minutes, dump_seconds, restart_minutes, mtbf_hours):
    interval, restart = 60 * interval_minutes, 60 * restart_minutes
    found = []
    for hours in (max(mtbf_hours), min(mtbf_hours)):
        mean = 3600 * hours
        segment = mean * exp(restart / mean) * (exp((interval + dump_seconds) / mean) - 1)
        found.append(segment / interval * work_days)
    return found
""",
    explanation=(
        "The longer mean gives the fewer days. The days don't grow evenly between the ends: halving the mean costs more the "
        "second time, because lost work must be repeated under the same failures."
    ),
    meaning=lambda: (
        f"For the 54 days of the question, with a checkpoint every 19 minutes, a mean between 2 and 5 hours gives "
        f"{_told(0):.0f} to {_told(1):.0f} days. The interval was chosen for 3.1 hours; choosing the best one for either end "
        f"would change these by less than {_regret():.1f} days. So find out how often your run fails before you tune the interval."
    ),
    mistakes=(
        Mistake(
            "ends exchanged",
            _like(_exact, (0, 1)),
            "Your ends are in the wrong order: the fewest days come first, and they belong to the longer mean.",
        ),
        Mistake(
            "as they are given",
            _reversed,
            "You trust the order of mtbf_hours. It may hold the longer mean first: sort the answers, fewest days first.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "an interval of one's own",
            _like(lambda w, t, d, r, m: _exact(w, sqrt(2 * d * m) or t, d, r, m)),
            "You used Young's interval instead of the given one. The run checkpoints every interval_minutes, whether that is best or not.",
        ),
        Mistake(
            "the middle",
            lambda mtbf_hours, **rest: days(mtbf_hours=np.repeat(np.mean(mtbf_hours), 2), **rest),
            "You used the middle of the two means. Return the answer for both ends.",
        ),
        Mistake(
            "losses added up",
            _like(lambda w, t, d, r, m: w * (1 + d / t + (t / 2 + d + r) / m)),
            "You added up first-order losses. Lost work must be repeated under the same failures: use the exponentials.",
        ),
        Mistake(
            "first-order goodput",
            _like(lambda w, t, d, r, m: w / (1 - d / t - (t / 2 + d + r) / m)),
            "You divided by a first-order goodput. It holds only for losses of a few percent: use the exponentials.",
        ),
        Mistake(
            "whole segments",
            _like(lambda w, t, d, r, m: _exact(w, t, d, r, m) * ceil(w / t) * t / w),
            "You rounded the number of segments. The formula uses work divided by interval without rounding.",
        ),
        Mistake(
            "no dumps",
            _like(lambda w, t, d, r, m: _exact(w, t, 0.0, r, m)),
            "You left out the checkpoints: each segment is an interval and a checkpoint.",
        ),
        Mistake(
            "dumps that nothing strikes",
            _like(lambda w, t, d, r, m: _exact(w, t, 0.0, r, m) + d * w / t),
            "Your checkpoints never fail. A failure can hit a checkpoint as well, so its time belongs in the exponent.",
        ),
        Mistake(
            "no restarts",
            _like(lambda w, t, d, r, m: _exact(w, t, d, 0.0, m)),
            "You left out the restarts.",
        ),
        Mistake(
            "restarts that nothing strikes",
            _like(lambda w, t, d, r, m: (m + r) * expm1((t + d) / m) * w / t),
            "Your restarts never fail. Here they can: it is M · exp(R / M), not M + R.",
        ),
        Mistake(
            "no failures",
            _like(lambda w, t, d, r, m: w * (1 + d / t)),
            "You left out the failures: your time has only work and checkpoints.",
        ),
        Mistake(
            "hours",
            _like(_exact, scale=1 / HOUR),
            "You returned hours. Return days.",
            v.UNIT,
        ),
        Mistake(
            "seconds",
            _like(_exact, scale=1.0),
            "You returned seconds. Return days.",
            v.UNIT,
        ),
        Mistake(
            "restart in minutes",
            _like(lambda w, t, d, r, m: _exact(w, t, d, r / 60, m)),
            "You used the minutes of a restart as if they were seconds. Convert them like the interval.",
            v.UNIT,
        ),
        Mistake(
            "mean in hours beside minutes",
            _like(lambda w, t, d, r, m: _exact(w, t, d, r, m / 60)),
            "You used the hours of the mean as if they were minutes. Bring the mean into the unit of the interval.",
            v.UNIT,
        ),
        Mistake(
            "mean in hours beside seconds",
            _like(_overflowing),
            "You used the hours of the mean as if they were seconds, so the exponential overflows. Multiply mtbf_hours by 3600.",
            v.UNIT,
        ),
        Mistake(
            "minutes for seconds",
            _like(lambda w, t, d, r, m: _exact(w, t / 60, d, r / 60, m)),
            "You took minutes for seconds: interval and restart are in minutes, the checkpoint time in seconds.",
            v.UNIT,
        ),
    ),
)


def _told(end, interval=19.0):
    return float(days(54.0, interval, 60.0, 10.0, np.array([2.0, 5.0]))[end])


def _regret():
    best = [reliability.optimal_interval(60.0, hours * HOUR) / MINUTE for hours in (5.0, 2.0)]
    return max(_told(end) - _told(end, interval) for end, interval in enumerate(best)) + 0.05
