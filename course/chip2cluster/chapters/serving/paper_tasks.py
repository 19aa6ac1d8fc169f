"""Tasks on paper about serving: a decode step, replicas, prefill and decode instances."""

import math

from chip2cluster.exercise.paper_task import Number, PaperTask, Step


def _step_bytes(x):
    return x.parameters + x.sequences * x.context * x.cache_bytes


def _pools(x):
    prompt = [rate * x.prompt_tokens for rate in x.requests_per_second]
    output = [rate * (x.output_tokens - 1) for rate in x.requests_per_second]
    return [
        math.ceil(prompt[0] / (x.reading[1] * x.used)),
        math.ceil(prompt[1] / (x.reading[0] * x.used)),
        math.ceil(output[0] / (x.writing[1] * x.used)),
        math.ceil(output[1] / (x.writing[0] * x.used)),
    ]


TASKS = (
    PaperTask(
        exercise="lab.serving.step_seconds",
        title="One decode step, at least",
        text="A model of {parameters} parameters generates a token for each of {sequences} sequences in one step. Weights are stored in 8 bits and read "
        "once. Each sequence has a context of {context} tokens and reads {cache_bytes} of key-value cache for each of them. Each token costs 2 FLOP "
        "for each parameter. The accelerator has a dense 8-bit peak of {peak_flops} and a memory bandwidth of {memory_bandwidth}; reads and "
        "arithmetic overlap. What is the least time of the step? Judge which of the two limits it.",
        given={
            "parameters": Number("billion", 6, 120, per=1e9),
            "cache_bytes": Number("kB", 60, 400, per=1e3),
            "context": Number("", values=(1000, 2000, 4000, 8000, 16000), whole=True),
            "sequences": Number("", values=(4, 8, 16, 32, 64, 128, 256), whole=True),
            "peak_flops": Number("TFLOP/s", 600, 4500, per=1e12),
            "memory_bandwidth": Number("TB/s", 2, 8, per=1e12),
        },
        unit="ms",
        per=1e-3,
        judges=True,
        judgement="The longer of the two times names the limit: memory or arithmetic.",
        plausible=lambda x: (
            250 < x.peak_flops / x.memory_bandwidth < 650 and _step_bytes(x) < 280e9 and x.sequences * x.context < 1.2e6
        ),
        steps=(
            Step("bytes: weights and all caches", 0.3, lambda x: _step_bytes(x) / 1e9, "GB"),
            Step("their time", 0.2, lambda x: 1e3 * _step_bytes(x) / x.memory_bandwidth, "ms"),
            Step("time of the arithmetic", 0.2, lambda x: 2e3 * x.parameters * x.sequences / x.peak_flops, "ms"),
            Step(
                "the longer one",
                0.3,
                lambda x: 1e3 * max(_step_bytes(x) / x.memory_bandwidth, 2 * x.parameters * x.sequences / x.peak_flops),
                "ms",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.serving.own_replicas",
        title="Replicas of a service",
        text="A service gets {requests_per_second}; an answer has {output} tokens on average. A replica generates {tokens_per_second} over all its answers "
        "and should be busy for no more than {used} of its time. How many replicas does the service need?",
        given={
            "tokens_per_second": Number("tokens/s", 900, 15000),
            "requests_per_second": Number("requests/s", 5, 150),
            "output": Number("", 150, 1500, whole=True),
            "used": Number("%", 55, 90, per=0.01),
        },
        unit="replicas",
        exact=True,
        plausible=lambda x: 2 < x.requests_per_second * x.output / (x.tokens_per_second * x.used) < 200,
        steps=(
            Step("tokens a second of all answers", 0.4, lambda x: x.requests_per_second * x.output, "tokens/s"),
            Step("what a replica may do", 0.3, lambda x: x.tokens_per_second * x.used, "tokens/s"),
            Step(
                "first over second, rounded up",
                0.3,
                lambda x: math.ceil(x.requests_per_second * x.output / (x.tokens_per_second * x.used)),
                "replicas",
            ),
        ),
    ),
    PaperTask(
        exercise="serving.pools",
        title="How many prefill and decode instances?",
        text="A service expects between {rate_low} and {rate_high} requests a second, with prompts of {prompt_tokens} tokens and answers of {output_tokens} "
        "tokens; the first token of an answer comes from prefill. A prefill instance processes between {reading_low} and {reading_high} of prompts, a "
        "decode instance generates between {writing_low} and {writing_high}. No instance may be busy for more than {used} of its time. Give four "
        "numbers: the fewest and the most prefill instances, then the fewest and the most decode instances. Which of the three ranges would "
        "you measure first?",
        given={
            "prompt_tokens": Number("", 500, 6000, whole=True),
            "output_tokens": Number("", values=(201, 301, 401, 501, 801), whole=True),
            "rate_low": Number("", 4, 20),
            "rate_high": Number("", 21, 60),
            "reading_low": Number("tokens/s", 4000, 15000),
            "reading_high": Number("tokens/s", 16000, 40000),
            "writing_low": Number("tokens/s", 900, 3000),
            "writing_high": Number("tokens/s", 3100, 9000),
            "used": Number("%", 55, 90, per=0.01),
        },
        inputs=lambda x: {
            "prompt_tokens": x.prompt_tokens,
            "output_tokens": x.output_tokens,
            "requests_per_second": [x.rate_low, x.rate_high],
            "reading": [x.reading_low, x.reading_high],
            "writing": [x.writing_low, x.writing_high],
            "used": x.used,
        },
        unit="instances",
        exact=True,
        judges=True,
        judgement="The range with the largest ratio of its ends; any reason from the numbers counts.",
        plausible=lambda x: (
            x.reading[1] / x.reading[0] < 4 and x.writing[1] / x.writing[0] < 4 and max(_pools(x)) < 100
        ),
        steps=(
            Step(
                "prompt tokens a second, least and most",
                0.2,
                lambda x: [rate * x.prompt_tokens for rate in x.requests_per_second],
                "tokens/s",
            ),
            Step(
                "decoded tokens a second: one less for each answer",
                0.2,
                lambda x: [rate * (x.output_tokens - 1) for rate in x.requests_per_second],
                "tokens/s",
            ),
            Step(
                "over the allowed speed: least with fast, most with slow; rounded up",
                0.6,
                _pools,
                "instances",
            ),
        ),
    ),
)
