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
        Group("edges", 0.15, _fast, advice="However fast it is, you need at least one replica."),
    ),
    hints=(
        'Your numbers are in the cell above: service["requests_per_second"], service["output"] and service["used"].',
        "All answers together are requests · output tokens a second. A replica may use only the fraction used of its speed.",
        "Divide the first by the second. Replicas are whole: round up.",
    ),
    explanation="The unused capacity is not wasted: it serves the next burst.",
    mistakes=(
        Mistake(
            "always busy",
            _rule(use=lambda used: 1.0),
            "You let the replicas work all the time. Then the queue grows without limit: divide by used as well.",
        ),
        Mistake(
            "multiplied by used",
            _rule(use=lambda used: 1 / used),
            "You multiplied by used. A replica that may work less serves fewer requests, so you need more of them: divide.",
        ),
        Mistake(
            "idle fraction",
            _rule(use=lambda used: 1 - used),
            "You used the idle fraction, 1 − used, instead of used.",
        ),
        Mistake(
            "requests instead of tokens",
            _rule(tokens=lambda output: 1),
            "You divided requests by tokens a second. Each request asks for output tokens.",
        ),
        Mistake(
            "one token too few",
            _rule(tokens=lambda output: output - 1),
            "You left the first token out. The measured rate counts all tokens of an answer: output each.",
        ),
        Mistake("rounded down", _rule(rounding=math.floor), "You rounded down, so the requests pile up. Round up."),
        Mistake(
            "rounded to the nearest",
            _rule(rounding=round),
            "You rounded to the nearest whole number. A fraction of a replica does not exist: round up.",
        ),
        Mistake("not rounded", _rule(rounding=float), "Replicas are whole: round up."),
        Mistake(
            "one more for safety",
            lambda **given: own_replicas(**given) + 1,
            "You return one replica more than the work needs. Return the fewest.",
        ),
    ),
)
