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
    title="The 99th percentile",
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
            advice="If one in a hundred takes too long even without a queue, no number of replicas is enough: math.inf.",
        ),
    ),
    hints=(
        "With c replicas each is busy for the fraction requests_per_second · service_seconds / c of its time.",
        "The time of an answer is exponential, so the fraction exp(-(1 - busy) · limit / service) of them exceeds the limit. Set it to 1/100.",
        "Take the logarithm of both sides and solve for busy, then solve the first hint for c, and round up. If busy is not positive, no number of replicas is enough.",
    ),
    explanation="A mean that meets the limit says little about the slowest one in a hundred: its answer takes 4.6 times as long, and the queue stretches both.",
    mistakes=(
        Mistake(
            "mean within the limit",
            _rule(late=1.0),
            "You kept the mean within the limit. The 99th percentile is log(100), or 4.6 times the mean.",
        ),
        Mistake(
            "no queue",
            lambda requests_per_second, service_seconds, limit_seconds: (
                math.ceil(requests_per_second * service_seconds) if LATE * service_seconds < limit_seconds else math.inf
            ),
            "You bought as many replicas as the work needs. A replica that is always busy has a queue that grows without limit.",
        ),
        Mistake(
            "decimal logarithm",
            _rule(late=2.0),
            "You used log10(100) = 2. The exponential distribution needs the natural logarithm.",
        ),
        Mistake(
            "95th percentile",
            _rule(late=math.log(20)),
            "You let one in twenty be late. The task allows one in a hundred.",
        ),
        Mistake(
            "1 of 100 on time",
            _rule(late=-math.log(0.99)),
            "You set exp(-…) to 99/100. That fraction exceeds the limit, so it is the 1 of 100: the logarithm is that of 100.",
        ),
        Mistake(
            "one fast replica",
            lambda requests_per_second, service_seconds, limit_seconds: math.ceil(
                service_seconds * (requests_per_second + LATE / limit_seconds)
            ),
            "You combined the replicas into one that is c times as fast. A request is served by one of them, at its normal speed.",
        ),
        Mistake("rounded down", _rule(rounding=math.floor), "You rounded down, so the limit doesn't hold. Round up."),
        Mistake("not rounded", _rule(rounding=float), "Replicas are whole: round up."),
        Mistake(
            "limit for the wait only",
            lambda requests_per_second, service_seconds, limit_seconds: (
                math.ceil(
                    requests_per_second
                    * service_seconds
                    / (1 - LATE * service_seconds / (limit_seconds + service_seconds))
                )
                if limit_seconds > LATE * service_seconds
                else math.inf
            ),
            "You gave the queue the whole limit and added an average service time. The limit covers both together.",
        ),
        Mistake(
            "0 instead of math.inf",
            _rule(hopeless=0),
            "You returned 0 where no number of replicas is enough. Return math.inf.",
            share=0.75,
        ),
    ),
    mutants=MUTANTS["lab.serving.unlucky"],
)
