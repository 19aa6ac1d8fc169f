"""``serve``: how fast a model answers, for how many, at what price."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import common
from ..answer import Answer, Number
from ..common import Taken, Unusable
from ..reading import MOST_CHIPS, number, quantity, share, whole
from ..shown import shown

if TYPE_CHECKING:
    from ...serving import Deployment, Efficiency, Replica
    from ...specs import Accelerator
    from ...transformer import Config

QUESTION = "How fast does a model answer on these chips, how many users fit, and what is a million tokens?"
MOST_READ, MOST_WRITTEN = 131_072, 4_096  # tokens of a request that is simulated
STEPS = 40_000  # to be simulated, by and large
EXAMPLE = 'serve --model "Llama 3 70B" --chip "H100 SXM" --chips 8 --prompt 2000 --output 500 --price 3'


def options(parser: ArgumentParser) -> None:
    """What the command takes."""
    common.add_model(parser, parameters=False)
    common.add_chip(parser)
    common.add_chips(parser, required=True)
    common.add_precision(parser)
    parser.add_argument(
        "--chips-per-replica",
        type=whole(most=MOST_CHIPS),
        metavar="N",
        help="that share every layer (default: all up to 8, else 8)",
    )
    parser.add_argument("--cache-precision", metavar="NAME", help="of keys and values (default: as --precision)")
    parser.add_argument("--prompt", type=whole(most=1e8), metavar="N", help="tokens that are read (default: 1000)")
    parser.add_argument("--output", type=whole(most=1e8), metavar="N", help="tokens that are written (default: 500)")
    parser.add_argument("--users", type=whole(most=1e9), metavar="N", help="at once; as many as fit when left out")
    parser.add_argument("--memory-share", type=share(), metavar="SHARE", help="for weights and cache (default: 0.9)")
    parser.add_argument(
        "--price", type=number(), metavar="DOLLARS", help="of a chip-hour; the median of offers when left out"
    )
    parser.add_argument("--rate", type=number(), metavar="N", help="requests a second: simulates what users wait then")
    parser.add_argument("--first-token-within", type=quantity("s"), metavar="TIME", help='that is wished for: "500 ms"')
    parser.add_argument(
        "--token-within", type=quantity("s"), metavar="TIME", help='likewise, between two tokens: "50 ms"'
    )


def answer(options: Namespace) -> Answer:
    """Serve."""
    from ... import serving

    taken = Taken(options)
    config, device = common.config(options), common.chip(options, options.precision)
    if config is None:
        raise Unusable("argument --model: a service needs the shape of the model; name one, or give --shape")
    common.peak(device, options.precision, taken)
    taken.sheet(device, "memory_bandwidth", "memory's rate of a chip", device.memory_bandwidth, "B/s")
    taken.sheet(device, "memory_bytes", "memory of a chip", device.memory_bytes, "B")
    kept = taken.value(
        "memory_share", "share of it for weights and cache", 0.9, "share", "illustrative", "vLLM's default"
    )
    prompt = taken.value("prompt", "tokens that are read", 1000, "tokens", "illustrative", "a page or two")
    output = taken.value("output", "tokens that are written", 500, "tokens", "illustrative", "most of a page")
    together = taken.value(
        "chips_per_replica", "chips that share every layer", min(options.chips, 8), "chips", "illustrative", "a node"
    )
    if options.chips % together:
        nearest = max(options.chips // together, 1) * together
        raise Unusable(
            f"argument --chips: {options.chips} is no multiple of the {together} chips of a replica; {nearest} is"
        )
    context = prompt + output
    with common.named("--precision, --cache-precision"):
        cached = {"cache_precision": options.cache_precision, "memory_share": kept}
        needed = serving.devices_needed(config, device, context, precision=options.precision, **cached)
    if needed is None or needed > together:
        return _too_small(options, taken, config, device, needed, together)
    deployment = serving.deploy(config, device, together, options.precision, **cached)
    if together > 1:
        taken.note("link", "link of a chip, one way", deployment.link_bandwidth_one_way or "none", "B/s", "sheet", device.scale_up_link or "messages cost nothing here")  # fmt: skip
    reached, ratios = _efficiency(options, taken, config)
    return _served(options, taken, deployment, options.chips // together, (prompt, output), reached, ratios, device)


def _efficiency(options: Namespace, taken: Taken, config: Config) -> tuple[Efficiency, tuple[float, float]]:
    """Shares of the sheet's rates that published services of such models reached, and how far from it they lay."""
    import numpy as np

    from ... import reality, serving

    fitted = reality.fitted("serving")
    family = _fitted_precision(options.precision, fitted)
    compute, memory = (fitted[f"{family}, of the {part}"] for part in ("peak", "memory"))
    fit = f"two published rows in {family} of TensorRT-LLM (reality page)"
    rows = [
        1 / point.ratio for point in reality.counted("serving") if _mixture(point.row.given) == bool(config.experts)
    ]
    low, middle, high = (float(one) for one in np.percentile(rows, (10, 50, 90)))
    if (
        config.experts
    ):  # the fit is of dense models: messages to experts, and experts asked more than others, are not in it
        compute, memory, low, high = compute * middle, memory * middle, low / middle, high / middle
        fit += f", times {middle:.2f}, what mixtures of experts reach of that in the middle"
    taken.note("compute_share", "share of the peak that is reached", compute, "share", "fitted", fit)
    taken.note("rate_share", "share of the memory's rate", memory, "share", "fitted", fit)
    taken.note(
        "spread",
        "measured rates over this forecast",
        f"{low:.2f} to {high:.2f}",
        "",
        "measured",
        f"{len(rows)} published rows of {'mixtures of experts' if config.experts else 'dense models'}, 10th to 90th percentile",
    )
    return serving.Efficiency(compute=compute, memory=memory), (low, high)


def _fitted_precision(name: str, fitted: Mapping[str, float]) -> str:
    """Return the precision of the published rows whose elements are as wide, or refuse."""
    from ... import specs

    published = list(dict.fromkeys(key.partition(", of the ")[0] for key in fitted if ", of the " in key))
    for one in published:
        if specs.bytes_of(one) == specs.bytes_of(name):
            return one
    widths = {specs.bytes_of(one) for one in published}
    usable = ", ".join(one for one in specs.precisions(variants=False) if specs.bytes_of(one) in widths)
    raise Unusable(
        f"argument --precision: no serving measurements are published for the width of {name}; use one of {usable}"
    )


def _mixture(given: Mapping[str, Any]) -> bool:
    """Whether the model of a published row has experts."""
    from ... import serving

    names = ("model", "chip", "devices", "precision", "attention")
    return bool(serving.served_deployment(*(given[name] for name in names)).config.experts)


def _too_small(
    options: Namespace, taken: Taken, config: Config, device: Accelerator, needed: int | None, together: int
) -> Answer:
    from ... import specs, transformer

    weights = transformer.weight_memory(transformer.parameters(config), specs.bytes_of(options.precision))
    numbers = [
        Number(name="weight_bytes", says="weights", value=weights, unit="B", function="transformer.weight_memory", topic="mfu"),
    ]  # fmt: skip
    if needed is not None:
        numbers.append(
            Number(name="chips_needed", says="chips that hold them and one user's cache", value=needed, unit="chips",
                   function="serving.devices_needed", topic="serving")
        )  # fmt: skip
    least = f"at least {needed} are needed" if needed else "no number of them does"
    problem = f"{common.called(options)} does not fit on {together} {device.name} in {options.precision}: {least}"
    return Answer(
        command="serve", question=QUESTION, numbers=tuple(numbers), assumptions=taken.rows, problems=(problem,)
    )


def _served(
    options: Namespace, taken: Taken, deployment: Deployment, replicas: int, tokens: tuple[int, int],
    reached: Efficiency, ratios: tuple[float, float], device: Accelerator,
) -> Answer:  # fmt: skip
    from ... import economics, serving, transformer

    prompt, output = tokens
    context = prompt + output
    fitting = int(serving.largest_batch(deployment, context))
    users = options.users or fitting * replicas
    each = min(fitting, -(-users // replicas))  # on the fullest replica
    problems = []
    if users > fitting * replicas:
        problems.append(f"{fitting * replicas:,} users fit at once, not {users:,}")
    first, first_least = (serving.time_to_first_token(deployment, prompt, efficiency=one) for one in (reached, None))
    token, token_least = (
        serving.time_between_tokens(deployment, context, each, efficiency=one) for one in (reached, None)
    )
    alone, alone_least = (serving.time_between_tokens(deployment, context, efficiency=one) for one in (reached, None))
    rate = replicas * serving.stream_rate(deployment, prompt, output, sequences=each, efficiency=reached)
    most = replicas * serving.throughput_bound(deployment, prompt, output, sequences=each)
    low, high = rate * ratios[0], min(rate * ratios[1], most)
    price = common.price(options, taken, device)
    cost = [economics.dollars_per_million_tokens(options.chips, price, one) for one in (rate, high, low)]
    cache = float(transformer.kv_cache_memory(deployment.config, context, 1, deployment.cache_bytes))
    for value, name, wished in (
        (first, "the first token", options.first_token_within),
        (token, "a token", options.token_within),
    ):
        if wished is not None and value > wished:
            problems.append(f"{name} takes {shown(value, 's')}, not {shown(wished, 's')}")
    waited: tuple[Number, ...] = ()
    if options.rate is not None:
        waited = _queue(options, taken, serving.replica(deployment, reached), replicas, tokens)
        if options.rate * output > rate:
            problems.append(
                f"{options.rate:g} requests/s ask for {options.rate * output:,.0f} tokens/s, of which {rate:,.0f} come: the queue grows for ever"
            )
    numbers = (
        Number(name="first_token_seconds", says="until the first token, without a queue", value=first, unit="s", low=first_least,
               function="serving.time_to_first_token", topic="serving"),
        Number(name="token_seconds", says=f"between two tokens, {each:,} users on a replica", value=token, unit="s",
               low=token_least, function="serving.time_between_tokens", topic="serving"),
        Number(name="alone_seconds", says="between two tokens, one user", value=alone, unit="s", low=alone_least,
               function="serving.time_between_tokens", topic="serving"),
        Number(name="users", says="users that fit at once", value=fitting * replicas, unit="users", high=fitting * replicas,
               function="serving.largest_batch", topic="serving"),
        Number(name="tokens_per_second", says="output of all chips", value=rate, unit="tokens/s", low=low, high=high,
               function="serving.stream_rate", topic="serving"),
        Number(name="dollars_per_million_tokens", says="a million output tokens", value=cost[0], unit="dollars", low=cost[1],
               high=cost[2], function="economics.dollars_per_million_tokens", topic="economics"),
        Number(name="cache_bytes", says=f"cache of a user, {context:,} tokens", value=cache, unit="B",
               function="transformer.kv_cache_memory", topic="serving"),
        Number(name="weight_bytes", says="weights of a replica", value=deployment.weight_memory, unit="B",
               function="transformer.weight_memory", topic="mfu"),
        *waited,
    )  # fmt: skip
    return Answer(
        command="serve", question=QUESTION, numbers=numbers, assumptions=taken.rows, problems=tuple(problems),
        remarks=(
            "The least times are bounds at the sheet's rates. No network to the user; a queue where --rate says how many requests come.",
            "The start of kernels and of messages is not in it. Where few users share a step, that decides: expect milliseconds more between two tokens.",
        ),
    )  # fmt: skip


def _queue(
    options: Namespace, taken: Taken, replica: Replica, replicas: int, tokens: tuple[int, int]
) -> tuple[Number, ...]:
    """What users wait where requests come at a rate: a replica simulated with its part of them."""
    from ... import serving

    prompt, output = tokens
    if output == 1:
        raise Unusable("argument --output: with --rate at least 2 tokens, or there is no time between them")
    if output > MOST_WRITTEN or prompt > MOST_READ:
        raise Unusable(
            f"argument --rate: prompts are simulated up to {MOST_READ:,} tokens and answers up to {MOST_WRITTEN:,}, "
            f"not {prompt:,} and {output:,}"
        )
    rate = options.rate / replicas
    alone = replica.step_seconds(serving.Batch(decoding=1, context=prompt + output))
    count = int(min(400, max(40, STEPS * max(1.0, rate * output * alone) / output)))
    taken.note(
        "requests", "requests that were simulated", count, "requests", "illustrative", "arrivals by Poisson, one seed"
    )
    found = serving.rate_sweep([rate], replica, prompt, output, count=count, percents=(50, 95))
    rows = []
    for name, says, seconds in (
        ("first_token", "until the first token", found.time_to_first_token[0]),
        ("token", "between two tokens", found.time_between_tokens[0]),
    ):
        for percent, value in zip((50, 95), seconds.tolist(), strict=True):
            rows.append(Number(
                name=f"{name}_p{percent}_seconds", says=f"{says}, {percent} of 100 wait less", value=value, unit="s",
                function="serving.rate_sweep", topic="serving", group=f"at {options.rate:g} requests/s",
            ))  # fmt: skip
    return tuple(rows)
