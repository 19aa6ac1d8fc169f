"""Task on the longest restart that a published goodput allows."""

from math import exp, log

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE, HOUR = 60.0, 3600.0


def longest_restart(dump_seconds, mtbf_hours, goodput):
    """Minutes from a failure until work goes on, at most, for this goodput at the best interval."""
    return reliability.longest_restart(goodput, dump_seconds, mtbf_hours * HOUR) / MINUTE


def _case(dump, mtbf, goodput):
    return {"dump_seconds": dump, "mtbf_hours": mtbf, "goodput": goodput}


def _published(generator):
    drawn = [_case(36.0, 10.0, 0.8)]
    for share, left in ((0.001, 0.85), (0.004, 0.7), (0.0005, 0.93), (0.01, 0.6)):
        mtbf = round(float(generator.uniform(1, 12)), 2)
        dump = round(share * float(generator.uniform(0.7, 1.4)) * mtbf * HOUR, 1)
        drawn.append(_case(dump, mtbf, round(left + float(generator.uniform(-0.03, 0.02)), 3)))
    return drawn


def _edges(generator):
    # Where a checkpoint takes a quarter of the mean time, Young's rule is far from the best interval.
    hours = round(float(generator.uniform(0.5, 1.5)), 2)
    return [
        _case(600.0, round(float(generator.uniform(2, 4)), 1), 0.9),
        _case(5.0, 24.0, 0.99),
        _case(round(0.25 * hours * HOUR, 1), hours, 0.4),
    ]


def _like(seconds, clipped=True):
    """Minutes by another rule, from the dump and the mean in seconds, the goodput, and the best interval over the mean."""

    def wrong(dump_seconds, mtbf_hours, goodput):
        mean = mtbf_hours * HOUR
        best = reliability.optimal_interval(dump_seconds, mean) / mean
        minutes = seconds(dump_seconds, mean, goodput, best) / MINUTE
        return max(minutes, 0.0) if clipped else minutes

    return wrong


def _alone(dump, mean, share):
    """Goodput without restarts, where the interval is this share of the mean time."""
    return share / (exp(share + dump / mean) - 1)


RESTART = Exercise(
    id="lab.storage.longest_restart",
    title="What must have been true",
    signature="longest_restart(dump_seconds, mtbf_hours, goodput)",
    unit="minutes",
    graded=True,
    points=4,
    tolerance=2e-3,
    reference=longest_restart,
    groups=(
        Group("published shares", 0.8, _published),
        Group(
            "edges",
            0.2,
            _edges,
            advice="If checkpoints and lost work alone cost more than the goodput allows, no restart is short enough: return 0. And a "
            "checkpoint may be long compared with the mean time between failures: use your best_interval.",
        ),
    ),
    hints=(
        "Begin with restarts that take no time: which fraction of the time would then be work, at the best interval?",
        "The goodput is exp(−R / M) · τ / (M · (exp((τ + d) / M) − 1)). The second part has no R in it; call it g₀, with τ from your "
        "best_interval.",
        "So exp(−R / M) must be at least goodput / g₀, which gives R = M · log(g₀ / goodput). If that is negative, return 0. The answer is in minutes.",
    ),
    explanation="Fast storage makes checkpoints and lost work cheap. A restart costs R/M of the time with any storage.",
    mistakes=(
        Mistake(
            "dumps cost nothing",
            _like(lambda d, m, g, u: m * log(1 / g)),
            "You gave the whole loss to the restarts. Checkpoints and lost work cause a part of it.",
        ),
        Mistake(
            "the whole loss, added up",
            _like(lambda d, m, g, u: m * (1 - g)),
            "You gave the whole loss to the restarts, and added it up. Checkpoints and lost work cause a part of it, and a restart can "
            "fail, too: start from the formula for the goodput.",
        ),
        Mistake(
            "first order",
            _like(lambda d, m, g, u: m * (1 - g - (2 * d / m) ** 0.5)),
            "You added up first-order losses. That is right for losses of a few percent: start from the formula for the goodput.",
        ),
        Mistake(
            "first order, dumps that fail as well",
            _like(lambda d, m, g, u: m * (1 - g - d / (u * m) - u / 2 - d / m)),
            "You added up first-order losses. That is right for losses of a few percent: start from the formula for the goodput.",
        ),
        Mistake(
            "first order, over the work",
            _like(lambda d, m, g, u: m * (1 / g - 1 - d / (u * m) - u / 2 - d / m)),
            "You added up first-order losses. That is right for losses of a few percent: start from the formula for the goodput.",
        ),
        Mistake(
            "a difference for a ratio",
            _like(lambda d, m, g, u: m * (1 - u - g)),
            "You took the difference of the two goodputs. Restarts are a factor, exp(−R / M): take the logarithm of the ratio.",
        ),
        Mistake(
            "Young's interval",
            _like(lambda d, m, g, u: m * log(_alone(d, m, (2 * d / m) ** 0.5) / g)),
            "You used Young's interval. If a checkpoint is long compared with the mean time, it is not the best one: use your best_interval.",
            share=0.8,
        ),
        Mistake(
            "restarts that nothing strikes",
            _like(lambda d, m, g, u: m * ((1 - u) / g - 1)),
            "Your restarts never fail. Here they can: the formula has exp(−R / M), not 1 / (1 + R / M).",
        ),
        Mistake(
            "no limit",
            _like(lambda d, m, g, u: m * log((1 - u) / g), clipped=False),
            "Your restart is negative if checkpoints and lost work alone cost too much. No restart is short enough then: return 0.",
            share=0.8,
        ),
        Mistake(
            "lost for kept",
            _like(lambda d, m, g, u: m * log((1 - u) / (1 - g))),
            "You took the goodput for the fraction that is lost. It is the fraction that is work.",
        ),
        Mistake(
            "seconds",
            lambda **run: 60 * longest_restart(**run),
            "Your restart is in seconds. Return minutes.",
            v.UNIT,
        ),
        Mistake("hours", lambda **run: longest_restart(**run) / 60, "Your restart is in hours. Return minutes.", v.UNIT),
        Mistake(
            "logarithm to base ten",
            _like(lambda d, m, g, u: m * log((1 - u) / g) / log(10)),
            "You took the logarithm to base ten. Use the natural one: math.log.",
            v.FACTOR,
        ),
        Mistake(
            "saved once in a mean time",
            _like(lambda d, m, g, u: m * log(1 / (exp(1 + d / m) - 1) / g)),
            "Your interval is the mean time between failures. Use the best interval.",
        ),
    ),
)  # fmt: skip
