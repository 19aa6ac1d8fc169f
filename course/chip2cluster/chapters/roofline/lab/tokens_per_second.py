"""Task on the tokens per second of a batch."""

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def tokens_per_second(parameters, cache_bytes, batch, peak_flops, memory_bandwidth):
    """Tokens a second of a whole batch in bf16, weights read once a step."""
    step = roofline.decode_step(parameters, batch, cache_bytes, bytes_per_element=2)
    return batch / step.time(peak_flops, memory_bandwidth)


def _servers(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"parameters": 1e9, "cache_bytes": 1e9, "batch": 2, "peak_flops": 300e12, "memory_bandwidth": 2e12}
    return [easy] + [
        {
            "parameters": round(float(n), -8),
            "cache_bytes": round(float(c), -6),
            "batch": int(b),
            "peak_flops": float(p),
            "memory_bandwidth": float(w),
        }
        for n, c, b, p, w in zip(
            generator.uniform(1e9, 70e9, 6),
            (*generator.uniform(0.05e9, 3e9, 4), *generator.uniform(2e6, 9e6, 2)),
            (3, 7, 24, 56, 1400, 2900),
            (312e12, 989.4e12, 2250e12, 197e12, 165.2e12, 121e12),
            (2.039e12, 3.35e12, 8e12, 0.819e12, 1.008e12, 0.9e12),
            strict=True,
        )
    ]


def _compute_bound(generator):
    rows = [
        {"parameters": 8e9, "cache_bytes": 0.0, "batch": 1024, "peak_flops": 312e12, "memory_bandwidth": 2.039e12},
        {"parameters": 8e9, "cache_bytes": 1e6, "batch": 2048, "peak_flops": 121e12, "memory_bandwidth": 0.3e12},
    ]
    return rows


def _step(
    caches_each=1, cache_per_batch=True, weights_per_sequence=False, size=2, flops=2, combine=max, per_user=False
):
    def wrong(parameters, cache_bytes, batch, peak_flops, memory_bandwidth):
        weights = size * parameters * (batch if weights_per_sequence else 1)
        caches = caches_each * cache_bytes * (batch if cache_per_batch else 1)
        time = combine(flops * parameters * batch / peak_flops, (weights + caches) / memory_bandwidth)
        return (1 if per_user else batch) / time

    return wrong


TOKENS = Exercise(
    id="lab.roofline.tokens_per_second",
    title="Tokens per second of a batch",
    signature="tokens_per_second(parameters, cache_bytes, batch, peak_flops, memory_bandwidth)",
    unit="tokens/s",
    graded=True,
    points=4,
    reference=tokens_per_second,
    shows=(tokens_per_second, roofline.decode_step),
    groups=(
        Group("servers", 0.8, _servers),
        Group("edges", 0.2, _compute_bound, advice="With a large batch and small caches the arithmetic decides."),
    ),
    hints=(
        "First the time of one step: your shortest_time does it, once you know its FLOP and its bytes.",
        "Bytes: 2 · parameters, once for the whole batch, plus batch · cache_bytes. FLOP: 2 · parameters · batch.",
        "Each step gives batch tokens: batch / time.",
    ),
    explanation=(
        "The weights are shared by the batch, the caches are not. A bigger batch spreads the first over more tokens and "
        "pays the second for each: throughput rises, and levels off at bandwidth / cache_bytes or at the compute roof."
    ),
    mistakes=(
        Mistake(
            "caches forgotten",
            _step(caches_each=0),
            "You left out the caches: each step reads the keys and values of every sequence.",
        ),
        Mistake(
            "caches counted twice",
            _step(caches_each=2),
            "You counted the caches twice. cache_bytes is in bytes already, keys and values together.",
        ),
        Mistake(
            "seconds a step",
            lambda parameters, cache_bytes, batch, peak_flops, memory_bandwidth: (
                batch / tokens_per_second(parameters, cache_bytes, batch, peak_flops, memory_bandwidth)
            ),
            "You returned the time of a step. Tokens per second are batch divided by that time.",
        ),
        Mistake(
            "one cache for all",
            _step(cache_per_batch=False),
            "You read one cache for the whole batch. Each sequence has a cache of its own.",
        ),
        Mistake(
            "weights for each sequence",
            _step(weights_per_sequence=True),
            "You read the weights once for each sequence. The batch shares one read.",
        ),
        Mistake(
            "one user's rate",
            _step(per_user=True),
            "That is the rate of one user. The batch gives batch tokens a step.",
        ),
        Mistake("element size forgotten", _step(size=1), "You counted one byte a parameter. In bf16 it is two."),
        Mistake(
            "multiply-accumulates counted once",
            _step(flops=1),
            "You counted one FLOP per parameter and token. A multiply-accumulate is two.",
            v.FACTOR,
        ),
        Mistake(
            "no overlap",
            _step(combine=lambda a, b: a + b),
            "You added the time to compute and the time to read. They overlap: the longer one decides.",
        ),
        Mistake(
            "traffic alone",
            _step(combine=lambda a, b: b),
            "You counted the traffic alone, or the work of one sequence. The batch computes 2 FLOP for each parameter and "
            "each sequence; when it is large, that takes longer.",
        ),
    ),
)
