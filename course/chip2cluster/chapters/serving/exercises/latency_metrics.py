"""Exercise on TTFT, TPOT and output rate, from the times of tokens."""

from typing import Any

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.serving import Requests, ServingRun

from ..mutants import MUTANTS


def waits(arrivals, token_times):
    """Mean time to first token, mean time between tokens, output tokens a second."""
    run = _run(arrivals, token_times)
    gaps = run.time_between_tokens
    between = gaps.mean() if gaps.size else 0.0
    return np.array([run.time_to_first_token.mean(), between, run.output_tokens_per_second])


def _run(arrivals, token_times):
    times = tuple(np.array(one) for one in token_times)
    requests = Requests(np.array(arrivals), 1, [len(one) for one in times])
    nowhere = np.zeros(len(times), dtype=int)
    steps: Any = None  # the times of the tokens alone are needed
    return ServingRun(requests, nowhere, times, steps, 0, 0, 0)


def _requests(generator, lengths):
    arrivals = np.round(generator.uniform(1, 9) + np.cumsum(generator.uniform(0.1, 2, len(lengths))), 2)
    times = []
    for arrival, length in zip(arrivals, lengths, strict=True):
        first = arrival + generator.uniform(0.1, 0.8)
        gaps = generator.uniform(0.02, 0.2) * generator.uniform(0.7, 1.5, length - 1)
        times.append(np.round(np.concatenate([[first], first + np.cumsum(gaps)]), 3).tolist())
    return {"arrivals": arrivals, "token_times": times}


def _answers(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"arrivals": np.array([10.0, 11.0]), "token_times": [[12.0, 13.0, 14.0], [12.0, 14.0]]}
    return [easy, *(_requests(generator, generator.permutation([2, 3, 5, 8])[:count]) for count in (3, 4, 2))]


def _single(generator):
    return [_requests(generator, [1, 4, 1]), _requests(generator, [1]), _requests(generator, [6])]


def _with(first=None, between=None, rate=None):
    """A mistake in one of the three answers."""

    def wrong(arrivals, token_times):
        found = waits(arrivals, token_times)
        for place, rule in enumerate((first, between, rate)):
            if rule:
                found[place] = rule(np.asarray(arrivals), [np.array(one) for one in token_times])
        return found

    return wrong


def _count(times):
    return sum(len(one) for one in times)


def _span(arrivals, times):
    return max(one[-1] for one in times) - arrivals[0]


def _later(times):
    return [one for one in times if len(one) > 1]


WAITS = Exercise(
    id="serving.waits",
    title="TTFT, inter-token latency and throughput",
    signature="waits(arrivals, token_times)",
    unit="",
    points=3,
    reference=waits,
    shows=(waits,),
    groups=(
        Group("answers of several tokens", 0.8, _answers),
        Group(
            "answers of one token",
            0.2,
            _single,
            advice="An answer of one token has no gap between tokens: it counts in the first and the third number, but not in the second. If there are no gaps at all, the second number is 0.",
        ),
    ),
    hints=(
        "For each request: first token minus arrival. For each pair of neighboring tokens: later minus earlier.",
        "Collect the gaps of all requests in one list, then take the mean. An answer of n tokens has n − 1 gaps.",
        "The rate is all tokens over the whole interval: from the first arrival to the last token of any request.",
    ),
    solution="""
import numpy as np


def waits(arrivals, token_times):
    first = [times[0] - arrival for arrival, times in zip(arrivals, token_times)]
    gaps = [gap for times in token_times for gap in np.diff(times)]
    stretch = max(times[-1] for times in token_times) - arrivals[0]
    tokens = sum(len(times) for times in token_times)
    return [np.mean(first), np.mean(gaps) if gaps else 0.0, tokens / stretch]
""",
    explanation=(
        "The first number is how long a user waits for the answer to begin, the second is how fast it then appears, "
        "and the third is what the operator is paid for. One does not imply the others: a server can be good at any one "
        "of them and bad at the other two."
    ),
    meaning=lambda: (
        "When you read a benchmark, check which of the three it reports, and whether its time per token includes the "
        "first token: vLLM's TPOT does not, while a latency divided by the number of tokens does."
    ),
    mistakes=(
        Mistake(
            "arrival forgotten",
            _with(first=lambda a, t: np.mean([one[0] for one in t])),
            "You measured the time to first token from time zero. A user starts waiting when the request arrives.",
        ),
        Mistake(
            "measured from the first arrival",
            _with(first=lambda a, t: np.mean([one[0] for one in t]) - a[0]),
            "You measured every wait from the first arrival. Each user waits from the arrival of their own request.",
        ),
        Mistake(
            "first token counted as a gap",
            _with(between=lambda a, t: sum(one[-1] - at for at, one in zip(a, t, strict=True)) / _count(t)),
            "Your time between tokens includes the wait for the first one: it is latency over tokens. A gap is between two tokens.",
        ),
        Mistake(
            "n gaps for n tokens",
            _with(between=lambda a, t: sum(one[-1] - one[0] for one in t) / _count(t)),
            "You divided by the number of tokens. n tokens have n − 1 gaps.",
        ),
        Mistake(
            "a mean of means",
            _with(between=lambda a, t: np.mean([np.diff(one).mean() for one in _later(t)] or [0.0])),
            "You averaged within each request first, so a short answer weighs as much as a long one. Every gap must count the same.",
            share=0.0,
        ),
        Mistake(
            "one over the gap",
            _with(rate=lambda a, t: _reader(t)),
            "You returned the rate that one user sees, one over the time between tokens. The server decodes for all "
            "users, and spends time on prompts too: divide all tokens by the whole interval.",
        ),
        Mistake(
            "interval from the first token",
            _with(rate=lambda a, t: _count(t) / max(max(one[-1] for one in t) - min(one[0] for one in t), 1e-3)),
            "Your interval begins with the first token. The server has been working since the first arrival.",
        ),
        Mistake(
            "interval ends with the last request",
            _with(rate=lambda a, t: _count(t) / (t[-1][-1] - a[0])),
            "Your interval ends with the last request of the list. An earlier one may finish later.",
        ),
        Mistake(
            "interval from time zero",
            _with(rate=lambda a, t: _count(t) / max(one[-1] for one in t)),
            "Your interval begins at time zero. It begins with the first arrival.",
        ),
        Mistake(
            "requests instead of tokens",
            _with(rate=lambda a, t: len(t) / _span(a, t)),
            "You counted requests. Count output tokens a second.",
        ),
    ),
    mutants=MUTANTS["serving.waits"],
)


def _reader(times):
    gaps = np.concatenate([np.diff(one) for one in times])
    return 1 / gaps.mean() if gaps.size else 0.0
