"""Task on the checkpoint interval with the least expected time."""

from math import sqrt

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

MINUTE, HOUR = 60.0, 3600.0


def best_interval(dump_seconds, mtbf_hours):
    """Minutes of work between two checkpoints that minimize the expected time."""
    return reliability.optimal_interval(dump_seconds, mtbf_hours * HOUR) / MINUTE


def _case(share, mtbf_hours):
    return {"dump_seconds": round(share * mtbf_hours * HOUR, 1), "mtbf_hours": round(mtbf_hours, 2)}


def _runs(generator):
    # A checkpoint of 360 s, a failure every five hours. It is the one that a student sees.
    drawn = [{"dump_seconds": 360.0, "mtbf_hours": 5.0}]
    return drawn + [
        _case(share * float(generator.uniform(0.8, 1.25)), float(generator.uniform(0.4, 12)))
        for share in (0.02, 0.05, 0.1, 0.2, 0.25)
    ]


def _edges(generator):
    return [_case(float(generator.uniform(1.2, 1.6)), 0.5), _case(float(generator.uniform(2.6, 3.4)), 1.0)]


def _like(seconds):
    return lambda dump_seconds, mtbf_hours: seconds(dump_seconds, mtbf_hours * HOUR) / MINUTE


INTERVAL = Exercise(
    id="lab.storage.best_interval",
    title="The best interval, exactly",
    signature="best_interval(dump_seconds, mtbf_hours)",
    unit="minutes",
    graded=True,
    points=4,
    tolerance=5e-3,
    reference=best_interval,
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "dumps longer than the machine lives",
            0.2,
            _edges,
            advice="If a checkpoint takes longer than the time between failures, the square root and its series are far off: "
            "search for the minimum itself.",
        ),
    ),
    hints=(
        "The expected time of a run is proportional to (exp((τ + d) / M) − 1) / τ. For which τ is that smallest?",
        "Its derivative is zero where 1 − τ / M = exp(−(τ + d) / M). The left side falls to zero at τ = M, so the answer lies "
        "between 0 and M.",
        "Bisect the range from 0 to M forty times: compare the two sides of that equation in the middle, and continue with the half in which they cross. Compute in seconds, and divide by 60 at the end.",
    ),
    explanation="The root of 2 d M is a first guess. The minimum is below it, and always below M, however long a checkpoint takes.",
    mistakes=(
        Mistake(
            "Young",
            _like(reliability.young_interval),
            "That is Young's root of 2 d M. It holds for checkpoints that take much less than M; here the minimum is several "
            "percent lower.",
        ),
        Mistake(
            "Daly, first order",
            _like(lambda d, m: abs(sqrt(2 * d * m) - d)),
            "You subtracted the whole checkpoint time from Young's root. The exact minimum is lower by about two thirds of it: search for it.",
        ),
        Mistake(
            "Daly's series",
            _like(lambda d, m: reliability.daly_interval(d, m)),
            "That is Daly's series. It is close for checkpoints shorter than half of M, but not for longer ones: search for the minimum itself.",
            share=0.8,
        ),
        Mistake(
            "the dump within",
            _like(lambda d, m: reliability.optimal_interval(d, m) + d),
            "You included the checkpoint. The interval is the work alone: subtract dump_seconds.",
        ),
        Mistake(
            "no two",
            _like(lambda d, m: sqrt(d * m)),
            "You forgot the 2 under the root. And the root is only a first guess: search for the minimum.",
        ),
        Mistake(
            "as often as it fails",
            _like(lambda d, m: m),
            "Your interval is the mean time between failures. Half of the work would be lost each time.",
        ),
        Mistake(
            "seconds",
            lambda dump_seconds, mtbf_hours: reliability.optimal_interval(dump_seconds, mtbf_hours * HOUR),
            "Your interval is in seconds. Return minutes.",
            v.UNIT,
        ),
        Mistake(
            "hours",
            lambda dump_seconds, mtbf_hours: reliability.optimal_interval(dump_seconds, mtbf_hours * HOUR) / HOUR,
            "Your interval is in hours. Return minutes.",
            v.UNIT,
        ),
        Mistake(
            "the mean in minutes",
            _like(lambda d, m: reliability.optimal_interval(d, m / 60)),
            "You counted 60 s in an hour. An hour has 3,600 s.",
            v.UNIT,
        ),
    ),
)
