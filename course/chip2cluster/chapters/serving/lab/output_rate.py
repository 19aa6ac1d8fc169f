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
    title="A stream of requests, at most",
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
            advice="With long prompts and short answers the arithmetic of the prompt decides: 2 FLOP for each parameter and token.",
        ),
        Group(
            "one token", 0.2, _single, advice="An answer of one token comes with the prompt: nothing is left to decode."
        ),
    ),
    hints=(
        "Take one request, and ask what it costs the replica: so much arithmetic, and so many bytes.",
        "Its prompt + output - 1 tokens are multiplied with all weights. Its output - 1 later tokens each read its share of the "
        "weights, parameters / sequences, and a cache of prompt + output / 2 tokens on average.",
        "The longer of the two times is what a request costs, for arithmetic and reading overlap. And output tokens are paid for with it.",
    ),
    explanation="A request is paid for in two currencies, FLOP and bytes. Long prompts are expensive in the first, long answers in the second.",
    mistakes=(
        Mistake(
            "weights for each sequence",
            _rule(share=lambda sequences: 1),
            "You charged a request with all the weights at every step. All sequences of the batch share that reading.",
        ),
        Mistake(
            "the longest context",
            _rule(context=lambda prompt, output: prompt + output),
            "You let every token read the context of the last one. It grows: on average half of the answer is written.",
        ),
        Mistake(
            "a context that doesn't grow",
            _rule(context=lambda prompt, output: prompt),
            "You let every token read the prompt alone. The answer is cached too: on average half of it.",
        ),
        Mistake(
            "half of the context",
            _rule(context=lambda prompt, output: (prompt + output) / 2),
            "You halved the prompt as well. It is there from the first token; only the answer grows.",
        ),
        Mistake(
            "prompt tokens counted",
            _rule(given=lambda prompt, output: prompt + output),
            "You counted tokens that were read. The rate is of output tokens.",
        ),
        Mistake(
            "no overlap",
            _rule(combine=lambda a, b: a + b),
            "You added the time to compute and the time to read. They overlap: the longer one decides.",
        ),
        Mistake(
            "a decoded first token",
            _rule(later=lambda output: output, work=lambda prompt, output: prompt + output),
            "Either you decoded output tokens, and output - 1 are left after the first, which comes with the prompt; or you counted only "
            "output - 1 in the rate: output are written.",
        ),
        Mistake(
            "the last token passes the model",
            _rule(work=lambda prompt, output: prompt + output),
            "You sent one token too many through the model. The last one of the answer is written and never read: prompt + output - 1.",
            share=0.5,
        ),
        Mistake("two bytes a parameter", _rule(size=2), "You counted two bytes a parameter. In fp8 it is one."),
        Mistake(
            "one user's rate",
            lambda **given: output_rate(**given) / given["sequences"],
            "That is the rate of one user. The replica serves sequences of them at once.",
        ),
        Mistake(
            "reading alone",
            _rule(combine=lambda a, b: b),
            "You counted the bytes alone. Long prompts are bound by their arithmetic.",
            share=0.5,
        ),
        Mistake(
            "prompt for nothing",
            _rule(work=lambda prompt, output: output - 1),
            "You left out the arithmetic of the prompt. Each of its tokens meets every weight, too.",
            share=0.5,
        ),
    ),
)
