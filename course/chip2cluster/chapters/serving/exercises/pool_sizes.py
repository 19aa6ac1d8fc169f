"""Exercise on the sizes of prefill and decode pools, as intervals."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake, Together
from chip2cluster.utilization import product_interval

from ..mutants import MUTANTS


def pools(prompt_tokens, output_tokens, requests_per_second, reading, writing, used):
    """Fewest and most replicas that read prompts, fewest and most that write answers."""
    read = _ends(prompt_tokens / used, requests_per_second, reading)
    write = _ends((output_tokens - 1) / used, requests_per_second, writing)
    return np.ceil(np.round([*read, *write], 9))


def _ends(work, rate, speed):
    low, high = zip(rate, speed, strict=True)
    return work * np.array(product_interval(1.0, low, high, (1, -1)))


def _pair(generator, low, high, spread, digits):
    least = generator.uniform(low, high)
    return np.round([least, least * generator.uniform(1.15, spread)], digits)


def _case(generator, output):
    writing = _pair(generator, 800, 5000, 1.6, 0)
    reading = _pair(generator, 9000, 40000, 1.6, 0)
    rate = _pair(generator, 2, 9, 2.0, 1) * round(float(writing[0] / output * generator.uniform(1, 3)), 1)
    return {
        "prompt_tokens": int(generator.integers(300, 6000)),
        "output_tokens": output,
        "requests_per_second": np.round(rate, 1),
        "reading": reading,
        "writing": writing,
        "used": round(float(generator.uniform(0.5, 0.8)), 2),
    }


def _services(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "prompt_tokens": 1000,
        "output_tokens": 101,
        "requests_per_second": np.array([10.0, 20.0]),
        "reading": np.array([5000.0, 10000.0]),
        "writing": np.array([1000.0, 2000.0]),
        "used": 0.5,
    }
    return [
        easy,
        *(_case(generator, int(output)) for output in (generator.integers(150, 900), 2, generator.integers(3, 9), 400)),
    ]


def _edges(generator):
    sure = _case(generator, 300)
    sure["requests_per_second"] = np.repeat(sure["requests_per_second"][:1], 2)
    sure["reading"], sure["writing"] = np.repeat(sure["reading"][:1], 2), np.repeat(sure["writing"][:1], 2)
    return [sure, _case(generator, 1)]


def _like(read=((0, 1), (1, 0)), write=((0, 1), (1, 0)), later=lambda n: n - 1, share=lambda used: used, end=np.ceil):
    """The calculation with other ends, or one of its parts changed."""

    def wrong(prompt_tokens, output_tokens, requests_per_second, reading, writing, used):
        found = [
            requests_per_second[rate] * work / (speed[how] * share(used))
            for work, speed, picks in ((prompt_tokens, reading, read), (later(output_tokens), writing, write))
            for rate, how in picks
        ]
        return end(np.round(found, 9))

    return wrong


SAME = ((0, 0), (1, 1))

POOLS = Exercise(
    id="serving.pools",
    title="How many prefill and decode instances?",
    signature="pools(prompt_tokens, output_tokens, requests_per_second, reading, writing, used)",
    unit="replicas",
    points=4,
    reference=pools,
    shows=(pools, product_interval),
    groups=(
        Group("services", 0.8, _services),
        Group(
            "edges",
            0.2,
            _edges,
            advice="If both ends of the ranges are equal, so are the answers. If answers have one token, the prefill instances generate it, and no decode instance is needed.",
        ),
    ),
    hints=(
        "Divide the requested tokens a second by the tokens a second of one instance: once for prompts, once for answers.",
        "An instance may work only for the fraction used of its time. And the first token comes from the prefill instance: how many tokens are left to decode?",
        "Fewest: the low rate with the high speed. Most: the high rate with the low speed. Round up, because instances are whole.",
    ),
    solution="""
import math


def pools(prompt_tokens, output_tokens, requests_per_second, reading, writing, used):
    def ends(tokens, speed):
        fewest = requests_per_second[0] * tokens / (speed[1] * used)
        most = requests_per_second[1] * tokens / (speed[0] * used)
        return [math.ceil(fewest), math.ceil(most)]

    return ends(prompt_tokens, reading) + ends(output_tokens - 1, writing)
""",
    explanation=(
        "Two inputs that are each known only to a factor of 1.5 leave the answer uncertain by a factor of 2.25, and so "
        "the number of chips to buy. Half an hour of measuring removes one of the two factors; for the other, ask the "
        "people who sell the service."
    ),
    meaning=lambda: (
        "With 40 requests a second of 4,096 tokens in and 256 out, instances that prefill 26,000 to 34,000 or decode "
        f"2,500 to 3,500 tokens a second, and 70 % in use, you need {_told(0)} to {_told(1)} prefill and {_told(2)} to "
        f"{_told(3)} decode instances. With longer prompts the KV caches grow as well, so both rates fall, and the "
        "ratio of the two changes less than the prompts do."
    ),
    mistakes=(
        Mistake(
            "low paired with low",
            _like(SAME, SAME),
            "You paired the low rate with the low speed. Few requests on fast instances need the fewest; many requests on slow ones need the most.",
        ),
        Mistake(
            "the low speed at both ends",
            _like(((0, 0), (1, 0)), ((0, 0), (1, 0))),
            "You used the low speed at both ends. The fewest are enough if the instances are as fast as they may be.",
        ),
        Mistake(
            "the high speed at both ends",
            _like(((0, 1), (1, 1)), ((0, 1), (1, 1))),
            "You used the high speed at both ends. The most are needed if the instances are as slow as they may be.",
        ),
        Mistake(
            "prefill instances decode as well",
            lambda prompt_tokens, output_tokens, **rest: np.array(
                [
                    *_like()(prompt_tokens + output_tokens, output_tokens, **rest)[:2],
                    *_like()(prompt_tokens, output_tokens, **rest)[2:],
                ]
            ),
            "You let the prefill instances generate the whole answers. They process the prompts and generate only the first token.",
        ),
        Mistake(
            "ends swapped",
            _like(((1, 0), (0, 1)), ((1, 0), (0, 1))),
            "Your numbers are right, but in the wrong order: fewest first.",
        ),
        Mistake(
            "all tokens from decode instances",
            _like(later=lambda n: n),
            "You let the decode instances generate all tokens. The first one comes from the prefill instance.",
        ),
        Mistake(
            "decode instances prefill as well",
            lambda prompt_tokens, output_tokens, **rest: _like(later=lambda n: prompt_tokens + n - 1)(
                prompt_tokens, output_tokens, **rest
            ),
            "You sent the prompts through both kinds of instances. A decode instance receives their keys and values, and only decodes.",
        ),
        Mistake(
            "always busy",
            _like(share=lambda used: 1.0),
            "You let the instances work all the time. They may work for the fraction used of it: divide by used.",
        ),
        Mistake(
            "multiplied by used",
            _like(share=lambda used: 1 / used),
            "You multiplied by used, so less use means fewer instances. Divide by it.",
        ),
        Mistake(
            "rounded down",
            _like(end=np.floor),
            "You rounded down, which leaves too little capacity. Round up.",
        ),
        Mistake(
            "rounded",
            _like(end=lambda x: np.floor(x + 0.5)),
            "You rounded to the nearest whole number. A missing half of an instance is still missing: round up.",
        ),
        Mistake(
            "fractional instances",
            _like(end=lambda x: x),
            "You returned fractions of instances. Round up to whole ones.",
        ),
        Mistake(
            "one more for safety",
            _like(end=lambda x: np.floor(x) + 1),
            "You added one to a whole quotient. used is already the safety margin: round up, no more.",
        ),
    ),
    together=(
        Together("all tokens from decode instances", "low paired with low", _like(SAME, SAME, later=lambda n: n)),
    ),
    mutants=MUTANTS["serving.pools"],
)


def _told(place):
    found = pools(4096, 256, (40.0, 40.0), (26e3, 34e3), (2500.0, 3500.0), 0.7)
    return f"{found[place]:.0f}"
