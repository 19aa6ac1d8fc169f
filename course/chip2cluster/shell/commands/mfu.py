"""``mfu``: model FLOPs utilization (MFU) of a measured run."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import number, one_of, share, whole
from ..shared_options import UsageError

if TYPE_CHECKING:
    from ...transformer import Config

QUESTION = "What is the model FLOPs utilization (MFU) of my run, and is that usual?"
EXAMPLE = 'mfu --parameters 1.3B --peak "71 TFLOP/s" --memory "24 GB" --memory-bandwidth "936 GB/s" --chips 8 --tokens-per-second 24e3'

# What each convention counts: arguments of `transformer.training_flops_per_token`, and its description.
CONVENTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "palm": ({"convention": "palm"}, "all parameters and all attention scores (PaLM)"),
    "torchtitan": (
        {"convention": "torchtitan"},
        "as palm, without the input embedding (torchtitan, nanoGPT, nanochat)",
    ),
    "megatron": ({"convention": "megatron"}, "matrix products and all attention scores (Megatron-LM until 2024)"),
    "megatron-causal": (
        {"convention": "megatron", "causal": True},
        "matrix products and half of the scores (Megatron-LM and Megatron-Bridge today)",
    ),
    "6n": ({"convention": "6n"}, "6 for each parameter, without attention scores"),
}


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_model(parser, parameters=True)
    shared_options.add_chip(parser)
    shared_options.add_precision(parser)
    shared_options.add_chips(parser, required=True)
    parser.add_argument(
        "--tokens-per-second", type=number(), required=True, metavar="N", help="throughput of all chips together"
    )
    parser.add_argument(
        "--sequence", type=whole(), metavar="N", help="tokens per sequence (default: that of the model)"
    )
    parser.add_argument(
        "--convention",
        type=one_of(CONVENTIONS),
        metavar="NAME",
        help=f"FLOP that count: {', '.join(CONVENTIONS)} (default: palm; 6n with --parameters)",
    )
    parser.add_argument("--at-least", type=share(), metavar="SHARE", help="required MFU")


def answer(options: Namespace) -> Answer:
    """Compute the MFU."""
    from ... import reality, transformer, utilization

    assumed = Assumptions(options)
    config, device = shared_options.config(options), shared_options.chip(options, options.precision)
    named = assumed.value(
        "convention", "convention of the FLOP count", "palm" if config else "6n", "", "illustrative",
        "logs differ: see the other conventions" if config else "a number of parameters has no shape",
    )  # fmt: skip
    if config is None:
        if named != "6n":
            raise UsageError(
                f"argument --convention: {named} counts attention, which needs a shape; give --model, --shape or --config"
            )
        counts = {"6n": float(transformer.training_flops(options.parameters, 1))}
    else:
        counts = _counts(options, assumed, config)
    each = counts[named]
    assumed.note("flops_per_token", "FLOP per token", each, "FLOP", "sheet", CONVENTIONS[named][1])
    peak = shared_options.peak(device, options.precision, assumed)
    reached = utilization.mfu(options.tokens_per_second, each, options.chips, peak)
    usual = reality.training_shares(device.name, options.precision)
    assumed.note("published", "published MFU", usual.median, "share", "measured", usual.says)
    numbers = (
        Number(name="mfu", says="fraction of dense peak (MFU)", value=reached, unit="share", function="utilization.mfu", topic="mfu"),
        Number(name="published_mfu", says="MFU of published runs", value=usual.median, unit="share", low=usual.low,
               high=usual.high, function="reality.training_shares", topic="mfu"),
        Number(name="flops_per_second_per_chip", says="model FLOP/s per chip", value=reached * peak, unit="FLOP/s",
               function="utilization.achieved_flops_per_device", topic="mfu"),
        Number(name="flops_per_token", says="FLOP per token", value=each, unit="FLOP",
               function="transformer.training_flops_per_token" if config else "transformer.training_flops", topic="mfu"),
        *(
            Number(name=f"mfu_{other}", says=f"MFU by {other}: {CONVENTIONS[other][1]}",
                   value=utilization.mfu(options.tokens_per_second, count, options.chips, peak), unit="share",
                   function="transformer.training_flops_per_token", topic="mfu", group="other conventions")
            for other, count in counts.items() if other != named
        ),
    )  # fmt: skip
    problems = []
    if reached > 1:
        problems.append(
            "above the peak: check that the throughput is that of all chips, the peak is dense, and the precision is right"
        )
    if options.at_least is not None and reached < options.at_least:
        problems.append(f"{100 * reached:.1f} % is less than {100 * options.at_least:g} %")
    return Answer(command="mfu", question=QUESTION, numbers=numbers, assumptions=assumed.rows, problems=tuple(problems))


def _counts(options: Namespace, assumed: Assumptions, config: Config) -> dict[str, float]:
    """Return the FLOP per token by convention."""
    from ... import transformer

    trained, why = 2048, "usual in tests"
    if options.model:
        trained, why = transformer.model(options.model).sequence, "as the model was trained"
    sequence = assumed.value("sequence", "tokens per sequence", trained, "tokens", "illustrative", why)
    return {
        name: float(transformer.training_flops_per_token(config, sequence, **arguments))
        for name, (arguments, _) in CONVENTIONS.items()
    }
