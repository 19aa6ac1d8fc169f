"""Task on the confidence interval of a job's MTBF, from a count of failures."""

from math import inf, sqrt

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

HOUR, DAY = 3600.0, 86400.0


def mtbf_range(count, days, gpus, job_gpus):
    """Shortest and longest mean time between failures of a job, hours: the count give or take twice its root."""
    spread = 2 * sqrt(count)
    return [_hours(count + spread, days, gpus, job_gpus), _hours(count - spread, days, gpus, job_gpus)]


def _hours(count, days, gpus, job_gpus):
    if count <= 0:
        return inf
    return reliability.mtbf(job_gpus, reliability.failure_rate(count, gpus, days * DAY)) / HOUR


def _case(count, days, gpus, job_gpus):
    return {"count": int(count), "days": float(days), "gpus": int(gpus), "job_gpus": int(job_gpus)}


def _jobs(generator):
    # A hundred in a hundred days: one a day, give or take a fifth. It is the one that a student sees.
    drawn = [_case(100, 100, 1024, 512)]
    for gpus in (16384, 4096, 24576, 992, 6144):
        count, part = generator.integers(30, 700), generator.choice((0.25, 0.5, 2.0, 4.0))
        drawn.append(_case(count, round(float(generator.uniform(20, 90)), 1), gpus, int(gpus * part)))
    return drawn


def _edges(generator):
    gpus = int(8 * generator.integers(20, 300))
    return [
        _case(4, 11.5, gpus, gpus),
        _case(generator.integers(1, 4), 30, gpus, 2 * gpus),
        _case(6, 20, gpus, gpus // 2),
    ]


def _like(low, high, scale=lambda gpus, job_gpus: gpus / job_gpus, hours=24.0):
    """The range by other counts, for a job of another size, in another unit."""

    def wrong(count, days, gpus, job_gpus):
        time = hours * days * scale(gpus, job_gpus)
        return [time / n if n > 0 else inf for n in (low(count), high(count))]

    return wrong


def _plus(k):
    return lambda n: n + k * sqrt(n)


RANGE = Exercise(
    id="lab.storage.mtbf_range",
    title="How often, and how certain?",
    signature="mtbf_range(count, days, gpus, job_gpus)",
    unit="hours",
    graded=True,
    points=4,
    reference=mtbf_range,
    groups=(
        Group("jobs", 0.8, _jobs),
        Group(
            "few failures",
            0.2,
            _edges,
            advice="With four failures or fewer the low end of the count is zero or less. The longest time is then float('inf').",
        ),
    ),
    hints=(
        "The true mean may be as high as n + 2 √n or as low as n − 2 √n. Which of the two gives the shorter time?",
        "The mean time on all gpus is the observed time over the count. A job with fewer GPUs fails less often, in proportion.",
        "Compute the time in hours for both counts. If the lower count is zero or less, the time has no upper bound.",
    ),
    explanation="The time between failures is as certain as the count: within a tenth for four hundred failures, within a fifth for one hundred.",
    mistakes=(
        Mistake("ends exchanged", _like(_plus(-2), _plus(2)), "Your two ends are in the wrong order: return the shortest time first."),
        Mistake(
            "one root",
            _like(_plus(1), _plus(-1)),
            "You used one root of the count. Use two: a count falls outside that range about once in twenty times.",
        ),
        Mistake(
            "the middle twice",
            _like(_plus(0), _plus(0)),
            "You returned the time for the count itself, twice. Return both ends, for the count plus and minus twice its root.",
        ),
        Mistake(
            "spread of the time",
            lambda count, days, gpus, job_gpus: [
                24 * days * gpus / job_gpus / count * (1 + sign * 2 / sqrt(count)) for sign in (-1, 1)
            ],
            "You applied ± 2 / √n to the time. Apply it to the count: the time is proportional to 1 / count, so its range is not symmetric.",
        ),
        Mistake(
            "the whole machine",
            _like(_plus(2), _plus(-2), lambda gpus, job_gpus: 1.0),
            "That is the time of all gpus. Your job has job_gpus of them.",
        ),
        Mistake(
            "scaled the wrong way",
            _like(_plus(2), _plus(-2), lambda gpus, job_gpus: job_gpus / gpus),
            "You scaled in the wrong direction: a job on more GPUs fails more often.",
        ),
        Mistake(
            "of one GPU",
            _like(_plus(2), _plus(-2), lambda gpus, job_gpus: gpus),
            "That is the time of one GPU. A job stops when any of its job_gpus does: divide by them.",
        ),
        Mistake("days", _like(_plus(2), _plus(-2), hours=1.0), "Your times are in days. Return hours.", v.UNIT),
        Mistake("seconds", _like(_plus(2), _plus(-2), hours=86400.0), "Your times are in seconds. Return hours.", v.UNIT),
        Mistake("never below one", _like(_plus(2), lambda n: max(n - 2 * sqrt(n), 1)), "You kept the low end of the count at 1. "
                "If it is zero or less, the time has no upper bound: return float('inf').", share=0.8),
    ),
)  # fmt: skip
