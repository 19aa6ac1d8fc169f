"""Task on the lower bound of a decode step's time."""

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def step_seconds(parameters, cache_bytes, context, sequences, peak_flops, memory_bandwidth):
    """Least seconds of a step in fp8 in which each of the sequences gets a token."""
    moved = parameters + cache_bytes * context * sequences
    return roofline.kernel_time(2 * parameters * sequences, moved, peak_flops, memory_bandwidth)


def _case(generator, sequences, context):
    return {
        "parameters": round(float(generator.uniform(2e9, 90e9)), -8),
        "cache_bytes": 1024 * int(generator.integers(30, 300)),
        "context": int(context),
        "sequences": int(sequences),
        "peak_flops": round(float(generator.uniform(0.9e15, 4.5e15)), -13),
        "memory_bandwidth": round(float(generator.uniform(1.5e12, 8e12)), -10),
    }


def _memory(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = dict(parameters=8e9, cache_bytes=100_000, context=2000, sequences=10, peak_flops=1e15, memory_bandwidth=2e12)
    counts = zip(generator.integers(3, 60, 4), generator.integers(1500, 9000, 4), strict=True)
    return [easy, *(_case(generator, *pair) for pair in counts)]


def _arithmetic(generator):
    return [_case(generator, sequences, 1) for sequences in (4000, 9000)]


def _rule(combine=max, flops=2, size=1, weights=None, cached=lambda context, sequences: context * sequences):
    def wrong(parameters, cache_bytes, context, sequences, peak_flops, memory_bandwidth):
        read = size * parameters * (weights(sequences) if weights else 1) + cache_bytes * cached(context, sequences)
        return combine(flops * parameters * sequences / peak_flops, read / memory_bandwidth)

    return wrong


STEP_SECONDS = Exercise(
    id="lab.serving.step_seconds",
    title="One step, at least",
    signature="step_seconds(parameters, cache_bytes, context, sequences, peak_flops, memory_bandwidth)",
    unit="s",
    graded=True,
    points=3,
    reference=step_seconds,
    groups=(
        Group("usual batches", 0.8, _memory),
        Group(
            "huge batches",
            0.2,
            _arithmetic,
            v.VALUE,
            advice="With thousands of short sequences the arithmetic takes longer than the memory reads.",
        ),
    ),
    hints=(
        "Two things happen at once: bytes are read from memory, and each sequence's token is multiplied by all weights.",
        "Bytes: parameters · 1, plus cache_bytes · context for each sequence. FLOP: 2 · parameters for each sequence.",
        "Divide each by its own rate to get two times. They overlap, so the step takes the longer one; do not add them.",
    ),
    explanation="The batch shares each read of the weights, but not of the caches. That is why a larger batch pays at first, and why it stops paying.",
    mistakes=(
        Mistake(
            "caches forgotten",
            _rule(cached=lambda context, sequences: 0),
            "You read only the weights. Every sequence also reads the keys and values of its context.",
        ),
        Mistake(
            "one sequence's cache",
            _rule(cached=lambda context, sequences: context),
            "You read the cache of one sequence. Sequences do not share their caches: multiply by sequences.",
        ),
        Mistake(
            "weights for each sequence",
            _rule(weights=lambda sequences: sequences),
            "You read the weights once for each sequence. The batch shares one read.",
        ),
        Mistake("two bytes a parameter", _rule(size=2), "You counted two bytes per parameter. In fp8 it is one."),
        Mistake(
            "no overlap",
            _rule(combine=lambda a, b: a + b),
            "You added the time of the arithmetic and the time of the memory reads. They overlap: take the longer one.",
        ),
        Mistake(
            "the shorter time",
            _rule(combine=min),
            "You took the shorter of the two times. The step ends when both are done: take the longer one.",
        ),
        Mistake(
            "bytes only",
            _rule(combine=lambda a, b: b),
            "You counted only the bytes. With a huge batch the arithmetic takes longer.",
            share=0.8,
        ),
        Mistake(
            "one FLOP a parameter",
            _rule(flops=1),
            "You counted one FLOP per parameter. Each parameter is multiplied and added: two.",
            share=0.8,
        ),
        Mistake(
            "rate",
            lambda **given: given["sequences"] / step_seconds(**given),
            "That is tokens a second. Return the time of the step.",
        ),
        Mistake(
            "one token of context",
            _rule(cached=lambda context, sequences: sequences),
            "You read one cached token for each sequence. Each sequence reads all of its context.",
        ),
    ),
)
