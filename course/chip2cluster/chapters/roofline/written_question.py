"""Lab 3: whose cache is read how often."""

from chip2cluster import roofline, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, si

HEAD_DIM = 128


def draw(generator):
    constants = {
        "parameters": float(generator.integers(6, 15)) * 1e9,
        "layers": int(generator.integers(28, 49)),
        "kv_heads": 8,
        "groups": int(generator.choice([4, 6, 8])),
        "peak_flops": float(generator.integers(6, 11)) * 1e14,
        "memory_bandwidth": float(generator.integers(20, 50)) * 1e11,
    }
    rows = [
        {"batch": 1, "context": float(generator.integers(2, 6) * 100)},
        {"batch": float(generator.integers(8, 25)), "context": float(generator.integers(20, 50) * 100)},
        {"batch": float(generator.integers(32, 65)), "context": float(generator.integers(20, 50) * 100)},
    ]
    coming = {"batch": float(generator.integers(80, 129)), "context": float(generator.integers(20, 50) * 100)}
    return Draw(constants, rows, coming)


def step(batch, context, times_read, parameters, layers, kv_heads, groups, peak_flops, memory_bandwidth):
    cache = times_read * 2 * layers * kv_heads * HEAD_DIM * context * 2
    kernel = roofline.decode_step(parameters, batch, cache)
    return roofline.kernel_time(kernel.flops, kernel.bytes_moved, peak_flops, memory_bandwidth)


def shown(parameters, layers, kv_heads, groups, peak_flops, memory_bandwidth):
    return {
        "model": f"{parameters / 1e9:g} billion",
        "layers": str(layers),
        "kv_heads": str(kv_heads),
        "query_heads": str(kv_heads * groups),
        "head_dim": str(HEAD_DIM),
        "peak": units.show(peak_flops, "FLOP/s"),
        "bandwidth": units.show(memory_bandwidth, "B/s"),
    }


QUESTION = Question(
    scene="A program decodes a model of {model} parameters in bf16: {layers} layers, {query_heads} query heads, "
    "{kv_heads} key-value heads of width {head_dim}. The chip was measured to do {peak} and to read {bandwidth}, and "
    "the steps come close to the roofline of these.",
    columns=(Column("batch", "batch"), Column("context", "tokens of context")),
    result=Column("seconds", "time of a step", si("s")),
    explanations=(
        Explanation(
            "a step reads each sequence's cache once, for all query heads that share it.",
            "Every step is bound by memory. The batch shares the weights and not the caches, so what grows with batch and "
            "context is the caches, and it grows as if each were read once.",
            "A counter of bytes read that showed several times the size of the caches would prove me wrong.",
            lambda **numbers: step(times_read=1, **numbers),
        ),
        Explanation(
            "a step reads each sequence's cache anew for every query head.",
            "Every step is bound by memory. The batch shares the weights and not the caches, and the part that grows is as "
            "large as if every query head had a cache of its own: the grouping saves room, and no time.",
            "A counter of bytes read that showed each cache once would prove me wrong.",
            lambda **numbers: step(times_read=numbers["groups"], **numbers),
        ),
    ),
    coming="what you expect of a step at batch {batch} with {context} tokens of context",
    draw=draw,
    shown=shown,
)
