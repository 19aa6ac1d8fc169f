"""Task on the replicas of a service with personal numbers."""

import math

from chip2cluster.exercise.model import Exercise, Group, Mistake


def _service(generator):
    """Requests a second, tokens of an answer, and which share of its time a replica may work."""
    return {
        "requests_per_second": float(int(generator.integers(21, 180))),
        "output": 50 * int(generator.integers(5, 40)) + 10,
        "used": round(0.52 + 0.03 * int(generator.integers(0, 11)), 2),
    }


def own_replicas(tokens_per_second, requests_per_second, output, used):
    """Fewest replicas of a measured speed that carry the service."""
    return math.ceil(requests_per_second * output / (used * tokens_per_second))


def _speeds(generator):
    # A case that can be done with a pocket calculator comes first: it is the one that a student sees.
    # So many that rounding to the nearest goes wrong somewhere, whatever the service.
    speeds = generator.uniform(400, 6000, 60).round(1)
    return [{"tokens_per_second": float(speed)} for speed in (1000.0, *speeds)]


def _fast(generator):
    return [{"tokens_per_second": 5e7}, {"tokens_per_second": round(float(generator.uniform(1e8, 9e8)), -3)}]


def _rule(use=lambda used: used, rounding=math.ceil, tokens=lambda output: output, rate=lambda requests: requests):
    def wrong(tokens_per_second, requests_per_second, output, used):
        return rounding(rate(requests_per_second) * tokens(output) / (use(used) * tokens_per_second))

    return wrong


OWN_REPLICAS = Exercise(
    id="lab.serving.own_replicas",
    title="Your own service",
    signature="own_replicas(tokens_per_second)",
    unit="replicas",
    graded=True,
    points=3,
    constants=_service,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=own_replicas,
    tolerance=1e-9,
    groups=(
        Group("speeds", 0.85, _speeds),
        Group("edges", 0.15, _fast, advice="However fast it is, one replica must be there."),
    ),
    hints=(
        'Your numbers are in the cell above: service["requests_per_second"], service["output"] and service["used"].',
        "All answers together are requests · output tokens a second. A replica may give only its used share of its speed.",
        "Divide the first by the second. Half a replica can't be bought: round up.",
    ),
    explanation="What is not used is not wasted: it is what the burst of the next minute is served with.",
    mistakes=(
        Mistake(
            "always busy",
            _rule(use=lambda used: 1.0),
            "You let the replicas work all the time. Then the queue grows without end: divide by used as well.",
        ),
        Mistake(
            "multiplied by used",
            _rule(use=lambda used: 1 / used),
            "You multiplied by used. A replica that may work less does less: you need more of them.",
        ),
        Mistake(
            "idle share",
            _rule(use=lambda used: 1 - used),
            "You took what is left idle for what may be used.",
        ),
        Mistake(
            "requests for tokens",
            _rule(tokens=lambda output: 1),
            "You divided requests by tokens a second. Each asks for output tokens.",
        ),
        Mistake(
            "one token less",
            _rule(tokens=lambda output: output - 1),
            "You left the first token out. These replicas were measured with all they write: each answer has output tokens.",
        ),
        Mistake("rounded down", _rule(rounding=math.floor), "You rounded down: what is missing piles up. Round up."),
        Mistake(
            "rounded to the nearest",
            _rule(rounding=round),
            "You rounded to the nearest. A part of a replica carries nothing: round up.",
        ),
        Mistake("not rounded", _rule(rounding=float), "Replicas come whole: round up."),
        Mistake(
            "one more for luck",
            lambda **given: own_replicas(**given) + 1,
            "That is one more than the work needs. The fewest are asked for.",
        ),
    ),
)
