"""``size``: chips for a deadline, and chips that a model needs to fit."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from math import ceil
from typing import TYPE_CHECKING

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import number, quantity, share, whole
from ..shared_options import UsageError
from ..text_format import format_value

if TYPE_CHECKING:
    from ...specs import Accelerator
    from ...transformer import Config

QUESTION = "How many chips finish a training run by a deadline, and how many does the model need to fit?"
EXAMPLE = 'size --model "Llama 3 70B" --tokens 15e12 --deadline "30 days" --chip "H100 SXM"'


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_model(parser, parameters=True)
    shared_options.add_chip(parser)
    shared_options.add_precision(parser)
    parser.add_argument("--tokens", type=number(least=1), metavar="N", help="training tokens: 15e12, or 15T")
    parser.add_argument("--deadline", type=quantity("s"), metavar="TIME", help='of the training run: "30 days"')
    parser.add_argument(
        "--sequence", type=whole(), metavar="N", help="tokens of a sequence (default: the model's, or 8192)"
    )
    shared_options.add_mfu(parser)
    shared_options.add_chips(parser, required=False, says="available chips, to check")
    parser.add_argument(
        "--memory-share", type=share(), metavar="SHARE", help="fraction of the memory to use (default: 0.9)"
    )


def answer(options: Namespace) -> Answer:
    """Compute the number of chips."""
    from ... import transformer

    if (options.tokens is None) != (options.deadline is None):
        raise UsageError("arguments --tokens and --deadline: give both or neither")
    assumed = Assumptions(options)
    config, device = shared_options.config(options), shared_options.chip(options, options.precision)
    count = options.parameters if config is None else float(transformer.parameters(config))
    numbers: list[Number] = []
    problems: list[str] = []
    if options.deadline is not None:
        numbers, problems = _training(options, assumed, config, count, device)
    held, missing = _memory(options, assumed, config, count, device)
    remarks = (
        "Counts working time only, without failures, restarts and the search of a layout; `plan` includes them.",
    )
    return Answer(
        command="size", question=QUESTION, numbers=(*numbers, *held), assumptions=assumed.rows,
        problems=(*problems, *missing), remarks=remarks if numbers else (),
    )  # fmt: skip


def _training(
    options: Namespace, assumed: Assumptions, config: Config | None, count: float, device: Accelerator
) -> tuple[list[Number], list[str]]:
    from ... import transformer, utilization

    if config is None:
        each, how = 6 * count, "transformer.training_flops"
        assumed.note(
            "flops_per_token",
            "arithmetic of a token",
            each,
            "FLOP",
            "sheet",
            "6 for each parameter, without attention scores",
        )
    else:
        trained = transformer.model(options.model).sequence if options.model else None
        says = "as the model was trained" if trained else "usual in pre-training"
        sequence = assumed.value("sequence", "tokens of a sequence", trained or 8192, "tokens", "illustrative", says)
        each, how = (
            float(transformer.training_flops_per_token(config, sequence)),
            "transformer.training_flops_per_token",
        )
    work = each * options.tokens
    peak = shared_options.peak(device, options.precision, assumed)
    low, middle, high = shared_options.mfu(options, assumed, device)
    fewest, most = (utilization.devices_needed(work, options.deadline, peak, one) for one in (high, low))
    needed = utilization.devices_needed(work, options.deadline, peak, middle)
    numbers = [
        Number(name="chips", says=f"chips that train it in {format_value(options.deadline, 's')}", value=needed, unit="chips",
               low=fewest, high=most, function="utilization.devices_needed", topic="mfu"),
        Number(name="chip_hours", says="chip-hours", value=needed * options.deadline / 3600, unit="h",
               function="utilization.device_time", topic="mfu"),
        Number(name="flops", says=f"arithmetic of {format_value(options.tokens, 'tokens')}", value=work, unit="FLOP", function=how, topic="mfu"),
    ]  # fmt: skip
    if options.chips is None:
        return numbers, []
    slow, usual, quick = (utilization.training_time_at(work, options.chips, peak, one) for one in (low, middle, high))
    numbers.insert(1, Number(
        name="seconds", says=f"time on {options.chips:,} chips", value=usual, unit="s", low=quick, high=slow,
        function="utilization.training_time_at", topic="mfu",
    ))  # fmt: skip
    late = f"{options.chips:,} chips take {format_value(usual, 's')}, not {format_value(options.deadline, 's')}; {needed:,} make it"
    return numbers, [late] if usual > options.deadline else []


def _memory(
    options: Namespace, assumed: Assumptions, config: Config | None, count: float, device: Accelerator
) -> tuple[list[Number], list[str]]:
    from ... import specs, transformer

    memory = shared_options.memory(device, assumed)
    planned = assumed.value(
        "memory_share", "share of it to plan with", 0.9, "share", "illustrative", "the rest is for buffers"
    )
    room = memory * planned
    with shared_options.option_errors("--precision"):
        weights = count * specs.bytes_of(options.precision)
    stored = f"in {options.precision}"
    if config is not None and config.stored_weights:
        weights, stored = config.stored_weights.memory(config), "as its checkpoint stores them"
    state = transformer.state_memory(count).total
    assumed.note(
        "state", "bytes of a parameter in training", 16, "B", "sheet", "16-bit weights and gradients, 12 for Adam"
    )
    training, serving = ceil(state / room), ceil(weights / room)
    numbers = [
        Number(name="chips_to_train", says="chips that hold weights, gradients and optimizer", value=training, unit="chips",
               low=training, function="transformer.state_memory", topic="parallelism"),
        Number(name="chips_to_serve", says=f"chips that hold the weights {stored}", value=serving, unit="chips",
               low=serving, function="transformer.weight_memory", topic="serving"),
        Number(name="state_bytes", says="weights, gradients and optimizer", value=state, unit="B",
               function="transformer.state_memory", topic="parallelism"),
        Number(name="weight_bytes", says="weights", value=weights, unit="B", function="transformer.weight_memory", topic="mfu"),
    ]  # fmt: skip
    if options.chips is None:
        return numbers, []
    least, what = (training, "its training") if options.deadline is not None else (serving, "its weights")
    small = (
        f"{options.chips:,} chips have {format_value(options.chips * room, 'B')} to plan with; {what} needs {least:,}"
    )
    return numbers, [small] if options.chips < least else []
