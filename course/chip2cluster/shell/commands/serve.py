"""``serve``: latency (TTFT, TPOT), concurrency, throughput and price of a served model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import MOST_CHIPS, number, one_of, precision, quantity, share, whole
from ..published_efficiency import published_efficiency
from ..serve_frontier import frontier
from ..shared_options import UsageError
from ..text_format import format_value

if TYPE_CHECKING:
    from ...serving import Deployment, Efficiency, Replica
    from ...specs import Accelerator
    from ...transformer import Config

QUESTION = "How fast is a model served on these chips, how many users fit, and what does a million tokens cost?"
MOST_READ, MOST_WRITTEN = 131_072, 4_096  # most tokens of a simulated request
STEPS = 40_000  # approximate number of simulated steps
EXAMPLE = 'serve --model "Llama 3 70B" --chip "H100 SXM" --chips 8 --prompt 2000 --output 500 --price 3'


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_model(parser, parameters=False)
    shared_options.add_chip(parser)
    shared_options.add_chips(
        parser, required=False, says="number of chips (default: the fewest for --token-within, --first-token-within)"
    )
    shared_options.add_precision(parser)
    parser.add_argument(
        "--chips-per-replica",
        type=whole(most=MOST_CHIPS),
        metavar="N",
        help="chips that share every layer (TP; default: all up to 8, else 8)",
    )
    parser.add_argument(
        "--cache-precision", type=precision, metavar="NAME", help="of the KV cache (default: same as --precision)"
    )
    parser.add_argument(
        "--weight-precision",
        type=precision,
        metavar="NAME",
        help="of the linear layers, if only weights are quantized: int4 (default: same as --precision)",
    )
    parser.add_argument(
        "--attention",
        type=one_of(("tensor", "data")),
        metavar="KIND",
        help="heads sharded over the chips of a replica, or whole sequences on each (DP attention) (default: tensor)",
    )
    parser.add_argument("--prompt", type=whole(most=1e8), metavar="N", help="prompt tokens (default: 1000)")
    parser.add_argument("--output", type=whole(most=1e8), metavar="N", help="output tokens (default: 500)")
    parser.add_argument("--users", type=whole(most=1e9), metavar="N", help="concurrent users (default: as many as fit)")
    parser.add_argument("--memory-share", type=share(), metavar="SHARE", help="for weights and cache (default: 0.9)")
    parser.add_argument(
        "--price", type=number(), metavar="DOLLARS", help="price of a chip-hour (default: the median of offers)"
    )
    parser.add_argument(
        "--rate", type=number(), metavar="N", help="requests per second: simulates the latency at that rate"
    )
    parser.add_argument(
        "--first-token-within",
        type=quantity("s"),
        metavar="TIME",
        help='longest allowed time to first token (TTFT): "500 ms"',
    )
    parser.add_argument(
        "--token-within",
        type=quantity("s"),
        metavar="TIME",
        help='longest allowed time between two tokens (TPOT): "50 ms"',
    )


def answer(options: Namespace) -> Answer:
    """Return the answer of ``serve``."""
    from ... import serving

    assumed = Assumptions(options)
    config, device = shared_options.config(options), shared_options.chip(options, options.precision)
    if options.precision == "int4" and "int4" not in device.precisions_dense and options.weight_precision is None:
        # Weight-only quantization is what int4 means on such a chip.
        options.precision, options.weight_precision = "bf16", "int4"
        options.cache_precision = options.cache_precision or "bf16"
        reason = f"{device.name} multiplies no int4: weights alone are in 4 bits, with scales; embeddings in 16"
        assumed.note("precision", "precision of products", "bf16", "", "illustrative", reason, "--precision")
    if config is None:
        raise UsageError("argument --model: a service needs the shape of the model; name one, or give --shape")
    shared_options.peak(device, options.precision, assumed)
    if options.chips is None:
        return frontier(options, QUESTION, assumed, config, device)
    assumed.sheet(device, "memory_bandwidth", "memory bandwidth of a chip", device.memory_bandwidth, "B/s")
    shared_options.memory(device, assumed)
    kept = assumed.value(
        "memory_share", "share of it for weights and cache", 0.9, "share", "illustrative", "vLLM's default"
    )
    prompt = assumed.value("prompt", "prompt tokens", 1000, "tokens", "illustrative", "a page or two")
    output = assumed.value("output", "output tokens", 500, "tokens", "illustrative", "most of a page")
    together = assumed.value(
        "chips_per_replica", "chips of a replica (TP)", min(options.chips, 8), "chips", "illustrative", "a node"
    )
    if options.chips % together:
        nearest = max(options.chips // together, 1) * together
        raise UsageError(
            f"argument --chips: {options.chips} is not a multiple of the {together} chips of a replica; use {nearest}"
        )
    context = prompt + output
    with shared_options.option_errors("--precision, --cache-precision"):
        cached = {
            "cache_precision": options.cache_precision, "memory_share": kept, "attention": options.attention or "tensor",
            "weight_precision": options.weight_precision, "memory_bytes": device.driver_memory_bytes,
        }  # fmt: skip
        needed = serving.devices_needed(config, device, context, precision=options.precision, **cached)
    if needed is None or needed > together:
        return _too_small(options, assumed, config, device, needed, together, cached)
    deployment = serving.deploy(config, device, together, options.precision, **cached)
    if together > 1:
        assumed.note("link", "link of a chip, unidirectional", deployment.link_bandwidth_one_way or "none", "B/s", "sheet", device.scale_up_link or "messages cost nothing here")  # fmt: skip
    reached, ratios = published_efficiency(options, assumed, config)
    return _served(options, assumed, deployment, options.chips // together, (prompt, output), reached, ratios, device)


def _too_small(
    options: Namespace, assumed: Assumptions, config: Config, device: Accelerator, needed: int | None, together: int,
    cached: dict[str, Any],
) -> Answer:  # fmt: skip
    from ... import serving

    every = {**cached, "attention": "tensor"}  # without copies, on as many chips as it takes
    weights = serving.deploy(config, device, 10**9, options.precision, **every).weight_memory
    numbers = [
        Number(name="weight_bytes", says="weights", value=weights, unit="B", function="transformer.weight_memory", topic="mfu"),
    ]  # fmt: skip
    if needed is not None:
        numbers.append(
            Number(name="chips_needed", says="chips that hold them and the KV cache of one user", value=needed, unit="chips",
                   function="serving.devices_needed", topic="serving")
        )  # fmt: skip
    least = f"at least {needed} are needed" if needed else "no number of chips suffices"
    problem = (
        f"{shared_options.called(options)} does not fit on {together} {device.name} in {options.precision}: {least}"
    )
    return Answer(
        command="serve", question=QUESTION, numbers=tuple(numbers), assumptions=assumed.rows, problems=(problem,)
    )


def _served(
    options: Namespace, assumed: Assumptions, deployment: Deployment, replicas: int, tokens: tuple[int, int],
    reached: Efficiency, ratios: tuple[float, float], device: Accelerator,
) -> Answer:  # fmt: skip
    from ... import economics, serving, transformer
    from ...reality.expectation.laws.serving_step import LINK_SHARE
    from ...reality.predictors.serving import fixed_seconds

    prompt, output = tokens
    context = prompt + output
    fitting = int(serving.largest_batch(deployment, context))
    users = options.users or fitting * replicas
    each = min(fitting, -(-users // replicas))  # on the fullest replica
    fixed = fixed_seconds(deployment, device, each)
    reached = replace(reached, link=LINK_SHARE, overhead_seconds=fixed)
    assumed.note("fixed_seconds", "fixed time of a step: layers, all-reduces, exchange of experts", fixed, "s", "fitted",
                 "reality.expected, kinds serving_step and expert_all_to_all")  # fmt: skip
    assumed.note(
        "link_share", "fraction of the link", LINK_SHARE, "share", "fitted", "reality.expected, kind serving_step"
    )
    problems = []
    if users > fitting * replicas:
        problems.append(f"{fitting * replicas:,} concurrent users fit, not {users:,}")
    first, first_least = (serving.time_to_first_token(deployment, prompt, efficiency=one) for one in (reached, None))
    token, token_least = (
        serving.time_between_tokens(deployment, context, each, efficiency=one) for one in (reached, None)
    )
    single = replace(reached, overhead_seconds=fixed_seconds(deployment, device, 1))
    alone, alone_least = (serving.time_between_tokens(deployment, context, efficiency=one) for one in (single, None))
    rate = replicas * serving.stream_rate(deployment, prompt, output, sequences=each, efficiency=reached)
    most = replicas * serving.throughput_bound(deployment, prompt, output, sequences=each)
    low, high = rate * ratios[0], min(rate * ratios[1], most)
    price = shared_options.price(options, assumed, device)
    cost: tuple[Number, ...] = ()
    if price is not None:
        each_million = [economics.dollars_per_million_tokens(options.chips, price, one) for one in (rate, high, low)]
        cost = (
            Number(name="dollars_per_million_tokens", says="price of a million output tokens", value=each_million[0], unit="dollars",
                   low=each_million[1], high=each_million[2], function="economics.dollars_per_million_tokens", topic="economics"),
        )  # fmt: skip
    cache = float(transformer.kv_cache_memory(deployment.config, context, 1, deployment.cache_bytes))
    for value, name, required in (
        (first, "the time to first token", options.first_token_within),
        (token, "the time per output token", options.token_within),
    ):
        if required is not None and value > required:
            problems.append(f"{name} is {format_value(value, 's')}, not {format_value(required, 's')}")
    waited: tuple[Number, ...] = ()
    if options.rate is not None:
        waited = _queue(options, assumed, serving.replica(deployment, reached), replicas, tokens)
        if options.rate * output > rate:
            problems.append(
                f"{options.rate:g} requests/s need {options.rate * output:,.0f} tokens/s, but only {rate:,.0f} are possible: the queue grows without bound"
            )
    numbers = (
        Number(name="first_token_seconds", says="time to first token (TTFT), without a queue", value=first, unit="s", low=first_least,
               function="serving.time_to_first_token", topic="serving"),
        Number(name="token_seconds", says=f"time per output token (TPOT), {each:,} users per replica", value=token, unit="s",
               low=token_least, function="serving.time_between_tokens", topic="serving"),
        Number(name="alone_seconds", says="time per output token (TPOT), one user", value=alone, unit="s", low=alone_least,
               function="serving.time_between_tokens", topic="serving"),
        Number(name="users", says="concurrent users that fit", value=fitting * replicas, unit="users", high=fitting * replicas,
               function="serving.largest_batch", topic="serving"),
        Number(name="tokens_per_second", says="output throughput of all chips", value=rate, unit="tokens/s", low=low, high=high,
               function="serving.stream_rate", topic="serving"),
        *cost,
        Number(name="cache_bytes", says=f"KV cache of a user, {context:,} tokens", value=cache, unit="B",
               function="transformer.kv_cache_memory", topic="serving"),
        Number(name="weight_bytes", says="weights of a replica", value=deployment.weight_memory, unit="B",
               function="transformer.weight_memory", topic="mfu"),
        *waited,
    )  # fmt: skip
    return Answer(
        command="serve", question=QUESTION, numbers=numbers, assumptions=assumed.rows, problems=tuple(problems),
        remarks=(
            "Lower ends of times are bounds at datasheet rates. Without the network to the user; queueing only with --rate.",
            "Expected times contain what a step takes beside arithmetic and bytes; bounds do not.",
            *(() if price is not None else (shared_options.no_price(device),)),
        ),
    )  # fmt: skip


def _queue(
    options: Namespace, assumed: Assumptions, replica: Replica, replicas: int, tokens: tuple[int, int]
) -> tuple[Number, ...]:
    """Simulate a replica at its share of the request rate, and return latency percentiles."""
    from ... import serving

    prompt, output = tokens
    if output == 1:
        raise UsageError(
            "argument --output: with --rate at least 2 tokens, because a single token has no inter-token latency"
        )
    if output > MOST_WRITTEN or prompt > MOST_READ:
        raise UsageError(
            f"argument --rate: prompts are simulated up to {MOST_READ:,} tokens and answers up to {MOST_WRITTEN:,}, "
            f"not {prompt:,} and {output:,}"
        )
    rate = options.rate / replicas
    alone = replica.step_seconds(serving.Batch(decoding=1, context=prompt + output))
    count = int(min(400, max(40, STEPS * max(1.0, rate * output * alone) / output)))
    assumed.note("requests", "simulated requests", count, "requests", "illustrative", "Poisson arrivals, one seed")
    found = serving.rate_sweep([rate], replica, prompt, output, count=count, percents=(50, 95))
    rows = []
    for name, says, seconds in (
        ("first_token", "time to first token (TTFT)", found.time_to_first_token[0]),
        ("token", "time per output token (TPOT)", found.time_between_tokens[0]),
    ):
        for percent, value in zip((50, 95), seconds.tolist(), strict=True):
            rows.append(Number(
                name=f"{name}_p{percent}_seconds", says=f"{says}, p{percent}", value=value, unit="s",
                function="serving.rate_sweep", topic="serving", group=f"at {options.rate:g} requests/s",
            ))  # fmt: skip
    return tuple(rows)
