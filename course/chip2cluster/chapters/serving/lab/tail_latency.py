"""Task on the fewest replicas at which the 99th percentile (p99) of latency meets a limit."""

import math

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

LATE = math.log(100)  # in mean times: 1 of 100 of an exponential lie beyond


def unlucky(requests_per_second, service_seconds, limit_seconds):
    """Fewest replicas, each with a queue of its own that gets requests by chance."""
    left = 1 - LATE * service_seconds / limit_seconds
    return math.ceil(requests_per_second * service_seconds / left) if left > 0 else math.inf


def _case(generator, ratio):
    """With a limit of so many service times; the answer is no near miss."""
    while True:
        service = round(float(generator.uniform(0.05, 4)), 3)
        case = {
            "requests_per_second": round(float(generator.uniform(1, 60)), 2),
            "service_seconds": service,
            "limit_seconds": round(service * ratio, 3),
        }
        exact = case["requests_per_second"] * service / (1 - LATE * service / case["limit_seconds"])
        if 0.15 < exact % 1 < 0.85 and exact > 3:
            return case


def _services(generator):
    # A case that can be done with a pocket calculator comes first: it is the one that a student sees.
    easy = {"requests_per_second": 10.0, "service_seconds": 1.0, "limit_seconds": 10.0}
    return [easy, *(_case(generator, float(ratio)) for ratio in generator.uniform(5.5, 40, 12))]


def _hopeless(generator):
    found = [_case(generator, float(ratio)) for ratio in generator.uniform(5.5, 9, 2)]
    return [
        one | {"limit_seconds": round(one["service_seconds"] * share, 3)}
        for one, share in zip(found, (3.0, 4.4), strict=True)
    ]


def _rule(late=LATE, rounding=math.ceil, hopeless=math.inf):
    def wrong(requests_per_second, service_seconds, limit_seconds):
        left = 1 - late * service_seconds / limit_seconds
        if left <= 0:
            return hopeless
        return rounding(requests_per_second * service_seconds / left)

    return wrong


UNLUCKY = Exercise(
    id="lab.serving.unlucky",
    title="The unlucky one in a hundred",
    signature="unlucky(requests_per_second, service_seconds, limit_seconds)",
    unit="replicas",
    graded=True,
    points=4,
    reference=unlucky,
    tolerance=1e-9,
    groups=(
        Group("services", 0.75, _services),
        Group(
            "hopeless",
            0.25,
            _hopeless,
            advice="Even alone one in a hundred may take too long: then no number helps, math.inf.",
        ),
    ),
    hints=(
        "With c replicas each is busy for the share requests_per_second · service_seconds / c of its time.",
        "The time of an answer is exponential, so exp(-(1 - busy) · limit / service) of them are later than the limit. Set that to 1/100.",
        "Take the logarithm of both sides and solve for busy, then the first hint for c, and round up. Where busy would not be above "
        "zero no number of replicas will do.",
    ),
    explanation="An average that holds says little about the last of a hundred: he waits 4.6 times as long, and the queue stretches both.",
    mistakes=(
        Mistake(
            "the mean",
            _rule(late=1.0),
            "You kept the mean within the limit. The 99th percentile is log(100), 4.6 times as long.",
        ),
        Mistake(
            "no queue",
            lambda requests_per_second, service_seconds, limit_seconds: (
                math.ceil(requests_per_second * service_seconds) if LATE * service_seconds < limit_seconds else math.inf
            ),
            "You bought as many as the work needs. A replica that is always busy has a queue without end.",
        ),
        Mistake(
            "decimal logarithm",
            _rule(late=2.0),
            "You took log10(100) = 2. The exponential wants the natural logarithm.",
        ),
        Mistake(
            "95 of 100",
            _rule(late=math.log(20)),
            "You let one in twenty be late. One in a hundred is asked for.",
        ),
        Mistake("rounded down", _rule(rounding=math.floor), "You rounded down: then the limit doesn't hold. Round up."),
        Mistake("not rounded", _rule(rounding=float), "Replicas come whole: round up."),
        Mistake(
            "the wait alone",
            lambda requests_per_second, service_seconds, limit_seconds: (
                math.ceil(
                    requests_per_second
                    * service_seconds
                    / (1 - LATE * service_seconds / (limit_seconds + service_seconds))
                )
                if limit_seconds > LATE * service_seconds
                else math.inf
            ),
            "You gave the queue the whole limit and an average service on top. The limit holds for both together.",
        ),
        Mistake(
            "hopeless told as zero",
            _rule(hopeless=0),
            "Where no number helps you returned 0. No replicas help even less: return math.inf.",
            share=0.75,
        ),
    ),
    mutants=MUTANTS["lab.serving.unlucky"],
)
