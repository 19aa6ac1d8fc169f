"""Exercise on the decode batch in steady state at a given request rate (Little's law)."""

import numpy as np

from chip2cluster import serving
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def own_batch(requests_per_second, output_tokens, weights_ms, cache_us):
    """Mean number of sequences that decode, and the seconds between their tokens."""
    batch = serving.steady_batch(requests_per_second, output_tokens, weights_ms * 1e-3, cache_us * 1e-6)
    return np.array([batch, weights_ms * 1e-3 + batch * cache_us * 1e-6])


def _case(generator, load=None):
    output, cache = int(generator.integers(50, 900)), round(float(generator.uniform(20, 600)), 1)
    limit = 1e6 / (output * cache)  # requests a second that no batch keeps up with
    share = float(generator.uniform(0.15, 0.85)) if load is None else load
    return {
        "requests_per_second": float(f"{share * limit:.4g}"),
        "output_tokens": output,
        "weights_ms": round(float(generator.uniform(2, 30)), 2),
        "cache_us": cache,
    }


def _rates(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"requests_per_second": 5.0, "output_tokens": 100, "weights_ms": 10.0, "cache_us": 1000.0}
    return [easy, *(_case(generator) for _ in range(5))]


def _edges(generator):
    return [
        _case(generator, load=float(generator.uniform(1.05, 2.5))),
        _case(generator, load=0.97),
        _case(generator, load=4.0),
        # At the limit to the last digit: nothing is left for the weights.
        {
            "requests_per_second": 10.0,
            "output_tokens": 100,
            "weights_ms": float(generator.integers(2, 30)),
            "cache_us": 1000.0,
        },
    ]


def _parts(requests_per_second, output_tokens, weights_ms, cache_us):
    return requests_per_second * output_tokens, weights_ms * 1e-3, cache_us * 1e-6


def _from_batch(rule):
    """A wrong batch, and the step that it would have; beyond the limit as the reference."""

    def wrong(**case):
        tokens, w, k = _parts(**case)
        if tokens * k >= 1:
            return np.array([np.inf, np.inf])
        batch = rule(tokens, w, k, case)
        return np.array([batch, w + batch * k])

    return wrong


def _from_step(rule):
    """The right batch with a wrong time."""

    def wrong(**case):
        _, w, k = _parts(**case)
        batch, step = own_batch(**case)
        return np.array([batch, rule(batch, step, w, k, case)])

    return wrong


def _no_limit(**case):
    tokens, w, k = _parts(**case)
    with np.errstate(divide="ignore"):
        batch = np.divide(tokens * w, 1 - tokens * k)
    return np.array([batch, w + batch * k])


OWN = Exercise(
    id="serving.own_batch",
    title="The batch size follows from the rate",
    signature="own_batch(requests_per_second, output_tokens, weights_ms, cache_us)",
    unit="",
    points=5,
    reference=own_batch,
    shows=(own_batch, serving.steady_batch),
    groups=(
        Group("rates that the server can sustain", 0.8, _rates),
        Group(
            "near the limit, and above it",
            0.2,
            _edges,
            advice="If more tokens are requested than any batch can decode, the queue grows without limit: return "
            "infinity twice, float('inf'). You see it by a negative batch, or a denominator of zero.",
        ),
    ),
    hints=(
        "Little's law: the number of requests in the server is the arrival rate times the seconds that each stays. How many steps does one stay?",
        "A request stays for output_tokens steps, and a step takes w + b k with b sequences in it. So b is on both sides. Solve for it.",
        "b = r n (w + b k) gives b = r n w / (1 − r n k), with the rate r and n tokens. If the denominator is not positive, no batch is large enough.",
    ),
    solution="""
def own_batch(requests_per_second, output_tokens, weights_ms, cache_us):
    tokens_per_second = requests_per_second * output_tokens
    w, k = weights_ms / 1000, cache_us / 1e6
    left = 1 - tokens_per_second * k
    if left <= 0:
        return [float("inf"), float("inf")]
    batch = tokens_per_second * w / left
    return [batch, w + batch * k]
""",
    explanation=(
        "Nobody sets the batch size of a server; it follows from the arrival rate. If more requests arrive, the batch "
        "and the step get larger, so each request stays longer, and the batch grows further. Only the KV caches set "
        "the limit, 1 / (n k) requests a second, however fast the weights are read."
    ),
    meaning=lambda: (
        f"Llama 3 8B on an H100, answers of 200 tokens at 4,096 of context, at datasheet rates: {_told(10)} sequences "
        f"at 10 requests a second, {_told(20)} at 20, {_told(30)} at 30, where 129 fit; at 31.2 no batch is large "
        "enough."
    ),
    mistakes=(
        Mistake(
            "step with one sequence",
            _from_batch(lambda tokens, w, k, case: tokens * (w + k)),
            "You let each request stay as long as if it were alone. With b sequences a step takes w + b k, so b is on both sides of Little's law.",
        ),
        Mistake(
            "weights only",
            _from_batch(lambda tokens, w, k, case: tokens * w),
            "You left the KV caches out of the time that each request stays. A step takes w + b k.",
        ),
        Mistake(
            "no caches at all",
            lambda **case: _no_end(np.array([(parts := _parts(**case))[0] * parts[1], parts[1]]), case),
            "You left the KV caches out of both numbers. A step takes w + b k.",
        ),
        Mistake(
            "one step per request",
            _from_batch(lambda tokens, w, k, case: (r := case["requests_per_second"]) * w / (1 - r * k)),
            "You let a request stay for one step. It stays for one step per output token.",
        ),
        Mistake(
            "one cache too many",
            _from_batch(lambda tokens, w, k, case: tokens * (w + k) / (1 - tokens * k)),
            "You gave the step one KV cache more than it has. It takes w + b k, and b already counts all sequences.",
        ),
        Mistake(
            "plus in the denominator",
            _from_batch(lambda tokens, w, k, case: tokens * w / (1 + tokens * k)),
            "Your denominator grows with the rate. Move b k to the other side: more requests must make the batch grow faster and faster.",
        ),
        Mistake(
            "time of a whole answer",
            _from_step(lambda b, step, w, k, case: step * case["output_tokens"]),
            "Your second number is the time of a whole answer. The time between two tokens is one step.",
        ),
        Mistake(
            "step divided by the batch",
            _from_step(lambda b, step, w, k, case: step / b if np.isfinite(b) else np.inf),
            "You divided the step by the batch. That is the server's time per token; each user waits for the whole step.",
        ),
        Mistake(
            "the step of one",
            _from_step(lambda b, step, w, k, case: w + k if np.isfinite(b) else np.inf),
            "Your second number is the step of one sequence alone. With b sequences a step takes w + b k.",
        ),
        Mistake(
            "milliseconds",
            _from_step(lambda b, step, w, k, case: step * 1e3),
            "Your second number is in milliseconds. Return seconds.",
            v.UNIT,
        ),
        Mistake(
            "cache in ms",
            lambda **case: _no_end(_no_limit(**(case | {"cache_us": case["cache_us"] * 1e-3})), case),
            "Your KV caches are too fast by a factor of a thousand: cache_us is in µs, and 1 µs is 1e-6 s.",
            v.UNIT,
        ),
        Mistake(
            "ms and µs taken as seconds",
            lambda **case: np.array([np.inf, np.inf]),
            "Your formula finds that no batch is ever large enough. Convert both times to seconds first: 1 ms is 1e-3 s, and 1 µs is 1e-6 s.",
            v.UNIT,
        ),
        Mistake(
            "no limit",
            _no_limit,
            "You return a batch although no batch is large enough. A negative batch is impossible: return infinity twice.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["serving.own_batch"],
)


def _no_end(answer, case):
    """An answer where a batch keeps up, and infinity beyond, as the reference."""
    tokens, _, k = _parts(**case)
    return answer if tokens * k < 1 else np.array([np.inf, np.inf])


def _told(rate):
    chip = serving.deploy("Llama 3 8B", "H100 SXM")
    return f"{float(serving.steady_batch(rate, 200, *serving.step_parts(chip, 4096))):.0f}"
