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
    title="Two waits and a rate",
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
            advice="An answer of one token has no gap: it counts in the first and in the third number, and not in the second. "
            "Where there is no gap at all, the second is 0.",
        ),
    ),
    hints=(
        "Each request: first token minus arrival. Each pair of neighbours in its list: later minus earlier.",
        "Collect the gaps of all requests in one list, then take the mean. n tokens have n − 1 gaps.",
        "The rate is all tokens over the whole stretch: from the first arrival to the last token of all.",
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
        "The first wait is the user's patience, the second the speed at which one reads, the third what the owner is paid for. "
        "They are three numbers: a server can be good in any one of them and bad in the others."
    ),
    meaning=lambda: (
        "Say which of the three a benchmark prints, and whether its gaps hold the first token: vLLM's TPOT does not, and a latency "
        "divided by the number of tokens does."
    ),
    mistakes=(
        Mistake(
            "the arrival forgotten",
            _with(first=lambda a, t: np.mean([one[0] for one in t])),
            "Your time to first token is counted from zero on the clock. A user begins to wait when the request arrives.",
        ),
        Mistake(
            "from the first arrival",
            _with(first=lambda a, t: np.mean([one[0] for one in t]) - a[0]),
            "You counted everybody's wait from the first arrival. Each user waits from their own.",
        ),
        Mistake(
            "the first token in the gaps",
            _with(between=lambda a, t: sum(one[-1] - at for at, one in zip(a, t, strict=True)) / _count(t)),
            "Your time between tokens holds the wait for the first one: latency over tokens. A gap lies between two tokens.",
        ),
        Mistake(
            "n gaps for n tokens",
            _with(between=lambda a, t: sum(one[-1] - one[0] for one in t) / _count(t)),
            "You divided by the number of tokens. n tokens have n − 1 gaps.",
        ),
        Mistake(
            "a mean of means",
            _with(between=lambda a, t: np.mean([np.diff(one).mean() for one in _later(t)] or [0.0])),
            "You took the mean of each request first, so that a short answer weighs as much as a long one. Every gap counts alike.",
            share=0.0,
        ),
        Mistake(
            "one over the gap",
            _with(rate=lambda a, t: _reader(t)),
            "You returned what one user sees, one over the time between tokens. The server writes for all of them, and "
            "waits for prompts too: all tokens over the whole stretch.",
        ),
        Mistake(
            "from the first token",
            _with(rate=lambda a, t: _count(t) / max(max(one[-1] for one in t) - min(one[0] for one in t), 1e-3)),
            "Your stretch begins with the first token. The server has worked since the first arrival.",
        ),
        Mistake(
            "the last in the list",
            _with(rate=lambda a, t: _count(t) / (t[-1][-1] - a[0])),
            "Your stretch ends with the last request of the list. An earlier one may write longer.",
        ),
        Mistake(
            "from zero",
            _with(rate=lambda a, t: _count(t) / max(one[-1] for one in t)),
            "Your stretch begins at zero on the clock. It begins with the first arrival.",
        ),
        Mistake(
            "requests, not tokens",
            _with(rate=lambda a, t: len(t) / _span(a, t)),
            "You counted requests. Output tokens a second are asked for.",
        ),
    ),
    mutants=MUTANTS["serving.waits"],
)


def _reader(times):
    gaps = np.concatenate([np.diff(one) for one in times])
    return 1 / gaps.mean() if gaps.size else 0.0
