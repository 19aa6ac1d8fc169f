"""Task on the arithmetic intensity of attention over a KV cache."""

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def attention_intensity(context, query_heads, kv_heads, head_dim):
    """Intensity of attention for one new bf16 token over a cache of ``context`` tokens."""
    return roofline.attention_decode(context, query_heads, head_dim, kv_heads).intensity


def _caches(generator):
    groups = (2, 4, 8, 3, 5)
    return [
        {
            "context": int(generator.integers(20, 200)),
            "query_heads": int(h) * g,
            "kv_heads": int(h),
            "head_dim": int(generator.integers(3, 20)) * 8,
        }
        for g, h in zip(groups, generator.integers(2, 12, 5), strict=True)
    ]


def _shared(generator):
    return [
        {"context": 1, "query_heads": 8, "kv_heads": 8, "head_dim": 64},
        {"context": 131072, "query_heads": 64, "kv_heads": 1, "head_dim": 128},
    ]


def _attention(flops_per_mac=2, cached_heads=None, tensors=2, ends=2, size=2):
    def wrong(context, query_heads, kv_heads, head_dim):
        heads = query_heads if cached_heads == "query" else kv_heads
        flops = 2 * flops_per_mac * query_heads * context * head_dim
        return flops / (size * head_dim * (tensors * heads * context + ends * query_heads))

    return wrong


ATTENTION = Exercise(
    id="lab.roofline.attention_intensity",
    title="The intensity of decode attention",
    signature="attention_intensity(context, query_heads, kv_heads, head_dim)",
    unit="FLOP/byte",
    graded=True,
    points=4,
    reference=attention_intensity,
    shows=(attention_intensity, roofline.attention_decode),
    groups=(
        Group("caches", 0.8, _caches),
        Group("edges", 0.2, _shared, advice="Try a cache of one token, and a single key-value head."),
    ),
    hints=(
        "Work: every query head meets every cached token twice, in the scores and in the weighted sum.",
        "Each of those is head_dim multiply-accumulates: 4 · query_heads · context · head_dim FLOP in all.",
        "Now the traffic. The cache holds a key and a value for every cached token, but only for the key heads. Query and output are one row for each query head. An element has 2 bytes.",
    ),
    explanation=(
        "For a long context the query and the output are negligible compared with the cache, and the intensity is "
        "query_heads / kv_heads: the number of query heads that share one cached head. The batch doesn't matter, because "
        "each sequence has its own cache."
    ),
    mistakes=(
        Mistake(
            "grouped queries ignored",
            _attention(cached_heads="query"),
            "You read keys and values for every query head. Grouped heads share them: the cache has kv_heads heads.",
        ),
        Mistake(
            "multiply-accumulates counted once",
            _attention(flops_per_mac=1),
            "Half the work is missing: a multiply-accumulate is two operations, and there are two products.",
            v.FACTOR,
        ),
        Mistake(
            "keys alone",
            _attention(tensors=1),
            "You read only the keys or only the values. Both are cached, and both are read.",
        ),
        Mistake(
            "query and output forgotten", _attention(ends=0), "You left out the queries read and the outputs written."
        ),
        Mistake(
            "output forgotten", _attention(ends=1), "You counted only one of the queries read and the outputs written."
        ),
        Mistake("element size forgotten", _attention(size=1), "You divided by elements. A bf16 element has 2 bytes."),
        Mistake(
            "work of the cached heads alone",
            lambda context, query_heads, kv_heads, head_dim: (
                _attention()(context, query_heads, kv_heads, head_dim) * kv_heads / query_heads
            ),
            "You counted the work of kv_heads heads. Every query head computes, even if heads share a cache.",
        ),
    ),
)
