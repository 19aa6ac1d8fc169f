"""Exercise on the cost of a million tokens on whole rented instances, by day and by night."""

from math import ceil, floor

from chip2cluster import economics
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until, forgives, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake


def dollars_per_million(gpus, gpus_per_instance, dollars_per_instance_hour, tokens_per_second, used_fraction):
    """Dollars for a million tokens of a service that pays for whole instances all the time."""
    instances = ceil(gpus / gpus_per_instance)
    return economics.dollars_per_million_tokens(
        instances, dollars_per_instance_hour, tokens_per_second, used_fraction=used_fraction
    )


def _case(gpus, each, price, rate, used):
    return {
        "gpus": gpus,
        "gpus_per_instance": each,
        "dollars_per_instance_hour": price,
        "tokens_per_second": rate,
        "used_fraction": used,
    }


def _drawn(generator, whole):
    each = int(generator.choice([4, 8, 16]))
    count = int(generator.integers(2, 9))
    return _case(
        each * count - (0 if whole else int(generator.integers(1, each))),
        each,
        round(float(generator.uniform(8, 90)), 2),
        round(float(generator.uniform(300, 40_000)), 1),
        round(float(generator.uniform(0.15, 0.93)), 2),
    )


def _services(generator):
    # 36 dollars an hour are one cent a second, for 1,000 tokens; half of the time. A student sees this one.
    drawn = [_case(5, 8, 36.0, 1000.0, 0.5)]
    names = "used all the time", "parts of instances", "a price for each GPU", "what is left over", "GPUs for instances"
    drawn += [
        draw_until(lambda case: tells_apart(TOKENS, case, *names), lambda: _drawn(generator, whole=False))
        for _ in range(4)
    ]
    # No more than half of one instance: the whole service writes at this rate, and pays for all of it.
    each = int(generator.choice([8, 16]))
    drawn += [{**_drawn(generator, whole=False), "gpus": each // 4, "gpus_per_instance": each}]
    return drawn


def _full(generator):
    return [
        draw_until(
            lambda case: forgives(TOKENS, case, "parts of instances", "what is left over"),
            lambda: _drawn(generator, whole=True),
        )
        for _ in range(2)
    ]


def _like(instances=lambda gpus, each: ceil(gpus / each), use=lambda used: 1 / used, scale=1e6 / 3600):
    """Dollars with another count of instances, another treatment of the idle hours, another unit."""

    def wrong(gpus, gpus_per_instance, dollars_per_instance_hour, tokens_per_second, used_fraction):
        count = instances(gpus, gpus_per_instance)
        return scale * count * dollars_per_instance_hour / tokens_per_second * use(used_fraction)

    return wrong


TOKENS = Exercise(
    id="economics.tokens",
    title="A million tokens",
    signature="dollars_per_million(gpus, gpus_per_instance, dollars_per_instance_hour, tokens_per_second, used_fraction)",
    unit="dollars",
    points=3,
    reference=dollars_per_million,
    shows=(dollars_per_million, economics.dollars_per_million_tokens),
    groups=(
        Group("services", 0.8, _services),
        Group(
            "full instances",
            0.2,
            _full,
            advice="Where the GPUs fill their instances exactly, none is left over and none is added.",
        ),
    ),
    hints=(
        "What does one second of the service cost? And how many tokens does it generate in that second?",
        "You pay for whole instances: round up. You pay for all hours and generate tokens in some of them, so each token carries the idle hours.",
        "ceil(gpus / gpus_per_instance) * dollars_per_instance_hour / 3600 dollars a second, over used_fraction * tokens_per_second, times 1e6.",
    ),
    solution="""
from math import ceil


def dollars_per_million(gpus, gpus_per_instance, dollars_per_instance_hour, tokens_per_second, used_fraction):
    per_second = ceil(gpus / gpus_per_instance) * dollars_per_instance_hour / 3600
    return 1e6 * per_second / (used_fraction * tokens_per_second)
""",
    explanation=(
        "A contract fixes the price of an hour; you decide how many tokens it yields. Unused GPUs in an instance, unused slots in a "
        "batch and idle hours all raise the price of a token, and they multiply."
    ),
    meaning=lambda: (
        f"A 70B model on four H100 of an instance of eight, at 23.92 dollars an hour: {_told(4, 1):.2f} dollars a million tokens, full day and "
        f"night. A second replica in the other half would double the tokens: {_told(8, 1) / 2:.2f}, the figure of the chapter. "
        f"One replica, used eight hours of the day: {_told(4, 1 / 3):.2f}."
    ),
    mistakes=(
        Mistake(
            "used all the time",
            _like(use=lambda used: 1.0),
            "You left out the utilization. You pay for the instances in idle hours, too, and the tokens of the used hours must cover that.",
        ),
        Mistake(
            "idle hours make it cheaper",
            _like(use=lambda used: used),
            "You multiplied by the utilization. A lower one makes each token more expensive: divide.",
        ),
        Mistake(
            "the idle share",
            _like(use=lambda used: 1 / (1 - used)),
            "You divided by the idle fraction. Tokens are generated in the used one.",
        ),
        Mistake(
            "parts of instances",
            _like(lambda gpus, each: gpus / each),
            "You paid for parts of instances. Instances are rented whole: round up.",
            share=0.0,
        ),
        Mistake(
            "what is left over",
            _like(lambda gpus, each: max(floor(gpus / each), 1)),
            "You rounded down. The remaining GPUs need an instance, too.",
        ),
        Mistake(
            "a second copy",
            _like(lambda gpus, each: ceil(gpus / each) / max(each // gpus, 1)),
            "You divided the price by the replicas that would fit into an instance. The rate is that of the whole service; no second replica runs.",
        ),
        Mistake(
            "always one instance",
            _like(lambda gpus, each: 1),
            "You always pay for one instance. A large service needs several.",
        ),
        Mistake(
            "one instance more",
            _like(lambda gpus, each: gpus // each + 1),
            "You always add an instance. Where the GPUs fill theirs exactly, none is needed.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "GPUs for instances",
            _like(lambda gpus, each: gpus),
            "You paid the price of an instance for every GPU.",
        ),
        Mistake(
            "a price for each GPU",
            _like(lambda gpus, each: ceil(gpus / each) / each),
            "You divided the price by the GPUs of an instance, and paid for one of them.",
        ),
        Mistake(
            "hours for seconds",
            _like(scale=1e6),
            "You divided dollars an hour by tokens a second. An hour has 3600 of them.",
            v.UNIT,
        ),
        Mistake(
            "one token",
            _like(scale=1 / 3600),
            "That is the price of one token. A million are wanted.",
            v.UNIT,
        ),
    ),
)


def _told(gpus, used):
    rate = economics.measured_answers("Llama 3.1 70B")[-1].output_tokens_per_second
    return dollars_per_million(gpus, 8, 8 * 2.99, rate, used)
