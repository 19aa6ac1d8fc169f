"""``mfu``: which share of the chips' arithmetic reaches the model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from .. import common
from ..answer import Answer, Number
from ..common import Taken
from ..reading import number, share, whole

QUESTION = "What share of my chips' arithmetic reaches my model, and is that usual?"
EXAMPLE = 'mfu --parameters 1.3B --peak "71 TFLOP/s" --memory "24 GB" --memory-bandwidth "936 GB/s" --chips 8 --tokens-per-second 24e3'


def options(parser: ArgumentParser) -> None:
    """What the command takes."""
    common.add_model(parser, parameters=True)
    common.add_chip(parser)
    common.add_precision(parser)
    common.add_chips(parser, required=True)
    parser.add_argument("--tokens-per-second", type=number(), required=True, metavar="N", help="of all chips together")
    parser.add_argument("--sequence", type=whole(), metavar="N", help="tokens of a sequence (default: the model's)")
    parser.add_argument("--at-least", type=share(), metavar="SHARE", help="that is wished for")


def answer(options: Namespace) -> Answer:
    """Count what reaches the model."""
    from ... import reality, transformer, utilization

    taken = Taken(options)
    config, device = common.config(options), common.chip(options, options.precision)
    if config is None:
        each = float(transformer.training_flops(options.parameters, 1))
        taken.note(
            "flops_per_token",
            "arithmetic of a token",
            each,
            "FLOP",
            "sheet",
            "6 for each parameter, without attention scores",
        )
    else:
        trained, why = (
            (transformer.model(options.model).sequence, "as the model was trained")
            if options.model
            else (2048, "usual in tests")
        )
        sequence = taken.value("sequence", "tokens of a sequence", trained, "tokens", "illustrative", why)
        each = float(transformer.training_flops_per_token(config, sequence))
    peak = common.peak(device, options.precision, taken)
    reached = utilization.mfu(options.tokens_per_second, each, options.chips, peak)
    usual = reality.training_shares(device.name, options.precision)
    taken.note("published", "share of the peak, published", usual.median, "share", "measured", usual.says)
    numbers = (
        Number(name="mfu", says="share of the dense peak that reaches the model", value=reached, unit="share", function="utilization.mfu", topic="mfu"),
        Number(name="published_mfu", says="what published runs reached", value=usual.median, unit="share", low=usual.low,
               high=usual.high, function="reality.training_shares", topic="mfu"),
        Number(name="flops_per_second_per_chip", says="model arithmetic of a chip", value=reached * peak, unit="FLOP/s",
               function="utilization.achieved_flops_per_device", topic="mfu"),
        Number(name="flops_per_token", says="arithmetic of a token", value=each, unit="FLOP",
               function="transformer.training_flops_per_token" if config else "transformer.training_flops", topic="mfu"),
    )  # fmt: skip
    problems = []
    if reached > 1:
        problems.append("more than the peak: is the speed that of all chips, the peak dense, the precision right?")
    if options.at_least is not None and reached < options.at_least:
        problems.append(f"{100 * reached:.1f} % is less than {100 * options.at_least:g} %")
    return Answer(command="mfu", question=QUESTION, numbers=numbers, assumptions=taken.rows, problems=tuple(problems))
