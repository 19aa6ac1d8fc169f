"""Task on the bound on output tokens per second for a stream of requests."""

from chip2cluster import roofline
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def output_rate(parameters, cache_bytes, prompt, output, sequences, peak_flops, memory_bandwidth):
    """Output tokens/s of a replica in fp8 that always has so many sequences at work."""
    moved = (output - 1) * (parameters / sequences + cache_bytes * (prompt + output / 2))
    return output / roofline.kernel_time(2 * parameters * (prompt + output - 1), moved, peak_flops, memory_bandwidth)


def _case(generator, prompt, output, sequences):
    return {
        "parameters": round(float(generator.uniform(5e9, 90e9)), -8),
        "cache_bytes": 1024 * int(generator.integers(40, 200)),
        "prompt": int(prompt),
        "output": int(output),
        "sequences": int(sequences),
        "peak_flops": round(float(generator.uniform(1.5e15, 4.5e15)), -13),
        "memory_bandwidth": round(float(generator.uniform(2e12, 8e12)), -10),
    }


def _writing(generator):
    # A case that can be done on paper comes first: it is the one that a student sees.
    easy = dict(
        parameters=10e9, cache_bytes=100_000, prompt=50, output=101, sequences=10, peak_flops=1e15,
        memory_bandwidth=1e12,
    )  # fmt: skip
    drawn = zip(
        generator.integers(60, 900, 3), generator.integers(900, 4000, 3), generator.integers(8, 60, 3), strict=True
    )
    return [easy, *(_case(generator, *one) for one in drawn)]


def _reading(generator):
    drawn = zip(
        generator.integers(3000, 9000, 3), generator.integers(20, 60, 3), generator.integers(200, 900, 3), strict=True
    )
    # So many share the weights that even the answer is bound by its arithmetic.
    crowd = _case(generator, 3000, 40, generator.integers(700, 900)) | {
        "parameters": round(float(generator.uniform(70e9, 90e9)), -8),
        "cache_bytes": 1024 * int(generator.integers(40, 60)),
        "peak_flops": round(float(generator.uniform(1.5e15, 2e15)), -13),
        "memory_bandwidth": round(float(generator.uniform(6e12, 8e12)), -10),
    }
    return [*(_case(generator, *one) for one in drawn), crowd]


def _single(generator):
    return [_case(generator, 700, 1, 30)]


def _rule(
    work=lambda prompt, output: prompt + output - 1,
    later=lambda output: output - 1,
    share=lambda sequences: sequences,
    context=lambda prompt, output: prompt + output / 2,
    given=lambda prompt, output: output,
    combine=max,
    size=1,
):
    def wrong(parameters, cache_bytes, prompt, output, sequences, peak_flops, memory_bandwidth):
        moved = later(output) * (size * parameters / share(sequences) + cache_bytes * context(prompt, output))
        seconds = combine(2 * parameters * work(prompt, output) / peak_flops, moved / memory_bandwidth)
        return given(prompt, output) / seconds if seconds else float("inf")

    return wrong


OUTPUT_RATE = Exercise(
    id="lab.serving.output_rate",
    title="Output tokens a second, at most",
    signature="output_rate(parameters, cache_bytes, prompt, output, sequences, peak_flops, memory_bandwidth)",
    unit="tokens/s",
    graded=True,
    points=5,
    reference=output_rate,
    tolerance=1e-6,
    groups=(
        Group("long answers", 0.5, _writing),
        Group(
            "long prompts",
            0.3,
            _reading,
            v.VALUE,
            advice="With long prompts and short answers the arithmetic of the prefill dominates: 2 FLOP for each parameter and token.",
        ),
        Group(
            "one token", 0.2, _single, advice="An answer of one token comes from the prefill: no decode step is left."
        ),
    ),
    hints=(
        "Take one request and compute what it costs the replica: its arithmetic and its bytes.",
        "Its prompt + output - 1 tokens are multiplied by all weights. Each of its output - 1 decode steps reads its "
        "share of the weights, parameters / sequences, and a cache of prompt + output / 2 tokens on average.",
        "A request costs the longer of the two times, because arithmetic and memory reads overlap. Divide its output tokens by that time.",
    ),
    explanation="A request uses two resources, FLOP and bytes. Long prompts are expensive in the first, long answers in the second.",
    mistakes=(
        Mistake(
            "all weights for each sequence",
            _rule(share=lambda sequences: 1),
            "You charged a request with all the weights at every step. All sequences of the batch share each read of the weights.",
        ),
        Mistake(
            "longest context at every step",
            _rule(context=lambda prompt, output: prompt + output),
            "You let every step read the context of the last one. The context grows: on average half of the answer has been generated.",
        ),
        Mistake(
            "constant context",
            _rule(context=lambda prompt, output: prompt),
            "You let every step read only the prompt's cache. The answer is cached too: on average half of it.",
        ),
        Mistake(
            "half of the context",
            _rule(context=lambda prompt, output: (prompt + output) / 2),
            "You halved the prompt as well. All of it is cached from the first token on; only the answer grows.",
        ),
        Mistake(
            "prompt tokens counted",
            _rule(given=lambda prompt, output: prompt + output),
            "You counted prompt tokens. The rate counts only output tokens.",
        ),
        Mistake(
            "no overlap",
            _rule(combine=lambda a, b: a + b),
            "You added the time of the arithmetic and the time of the memory reads. They overlap: take the longer one.",
        ),
        Mistake(
            "first token in the wrong place",
            _rule(later=lambda output: output, work=lambda prompt, output: prompt + output),
            "Either you decode output tokens, although the first one comes from the prefill and output - 1 are left; "
            "or you counted only output - 1 tokens in the rate, although the answer has output of them.",
        ),
        Mistake(
            "one token too many through the model",
            _rule(work=lambda prompt, output: prompt + output),
            "You sent one token too many through the model. The last token of the answer is generated but never processed: prompt + output - 1.",
            share=0.5,
        ),
        Mistake("two bytes a parameter", _rule(size=2), "You counted two bytes per parameter. In fp8 it is one."),
        Mistake(
            "one user's rate",
            lambda **given: output_rate(**given) / given["sequences"],
            "That is the rate of one user. The replica serves several sequences at once.",
        ),
        Mistake(
            "bytes only",
            _rule(combine=lambda a, b: b),
            "You counted only the bytes. Long prompts are compute-bound.",
            share=0.5,
        ),
        Mistake(
            "prompt without arithmetic",
            _rule(work=lambda prompt, output: output - 1),
            "You left out the arithmetic of the prompt. Each of its tokens is multiplied by every weight, too.",
            share=0.5,
        ),
    ),
)
