"""The intensity of attention over a cache."""

from chip2cluster import roofline

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


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
    prompt=(
        "One new token attends to a cache of context tokens, in bf16. There are query_heads query heads and kv_heads key "
        "and value heads, each head_dim wide. Count two products (scores, weighted sum); read the keys, the values and "
        "the queries once, write the outputs once. Return the intensity in FLOP/byte."
    ),
    signature="attention_intensity(context, query_heads, kv_heads, head_dim)",
    unit="FLOP/byte",
    graded=True,
    points=4,
    minutes=9,
    difficulty=3,
    importance=4,
    reference=attention_intensity,
    shows=(attention_intensity, roofline.attention_decode),
    groups=(
        Group("caches", 0.8, _caches),
        Group("edges", 0.2, _shared, advice="Try a cache of one token, and a single key-value head."),
    ),
    hints=(
        "Work: every query head meets every cached token twice, in the scores and in the weighted sum.",
        "Each of those is head_dim multiply-accumulates: 4 · query_heads · context · head_dim FLOP in all.",
        "Traffic in elements: 2 · kv_heads · context · head_dim for keys and values, 2 · query_heads · head_dim for "
        "query and output; 2 bytes each.",
    ),
    explanation=(
        "For a long context the query and the output vanish beside the cache, and what is left is "
        "query_heads / kv_heads: how many query heads share one cached head. The batch does not enter at all, since "
        "each sequence brings a cache of its own."
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
            "keys alone", _attention(tensors=1), "You read only one of keys and values. Both are cached, both are read."
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
            "You counted the work of kv_heads heads. Every query head computes, also when they share a cache.",
        ),
    ),
    mutants=(
        Mutant(
            "def attention_intensity(t, h, g, d):\n    return 4 * h * t * d / (2 * (2 * h * t * d + 2 * h * d))",
            v.MISCONCEPTION,
            "kv_heads heads",
        ),
        Mutant(
            "def attention_intensity(t, h, g, d):\n    return 2 * h * t * d / (2 * (2 * g * t * d + 2 * h * d))",
            v.FACTOR,
            "two products",
        ),
        Mutant("def attention_intensity(t, h, g, d):\n    return h / g", v.MISCONCEPTION, "left out the queries"),
        Mutant(
            "def attention_intensity(t, h, g, d):\n    return 4 * h * t * d / (2 * (g * t * d + 2 * h * d))",
            v.MISCONCEPTION,
            "both are read",
        ),
    ),
)
