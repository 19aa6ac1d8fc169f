"""``memory``: bytes of a training or fine-tuning on a chip, and whether they fit."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import one_of, share, whole
from ..shared_options import UsageError
from ..text_format import format_value

if TYPE_CHECKING:
    from ...transformer import Config, TrainingMemory

QUESTION = "How much memory does my training or fine-tuning need on a chip and on its host, and does it fit?"
EXAMPLE = 'memory --model "Llama 3 8B" --method qlora --rank 16 --sequence 2048 --chip "RTX 4090"'
METHODS = ("full", "lora", "qlora")
RECIPES = ("zero", "megatron", "fsdp2", "fp32", "bf16", "adam_8bit", "bf16_moments", "muon")
TARGETS = ("q", "k", "v", "o", "gate", "up", "down")
OFFLOADS = {"none": (), "optimizer": ("optimizer",), "all": ("optimizer", "weights")}


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_model(parser, parameters=True)
    shared_options.add_chip(parser)
    shared_options.add_chips(
        parser, required=False, says="chips that share the states by data parallelism (default: 1)"
    )
    parser.add_argument(
        "--method",
        type=one_of(METHODS),
        metavar="NAME",
        help="full (every weight is trained), lora (adapters), qlora (adapters on 4-bit weights) (default: full)",
    )
    parser.add_argument("--rank", type=whole(most=1e5), metavar="N", help="rank of the adapters (default: 16)")
    parser.add_argument(
        "--targets", metavar="LIST", help=f"projections with an adapter: {','.join(TARGETS)} (default: all)"
    )
    parser.add_argument(
        "--recipe",
        type=one_of(RECIPES),
        metavar="NAME",
        help=f"bytes of each state: {', '.join(RECIPES)} (default: zero, 16 B in all; fp32 for adapters)",
    )
    parser.add_argument("--zero-stage", type=whole(least=0, most=3), metavar="N", help="0 to 3 (FSDP) (default: 0)")
    parser.add_argument(
        "--offload", type=one_of(OFFLOADS), metavar="WHAT", help="to the host: optimizer, or all (default: none)"
    )
    parser.add_argument("--sequence", type=whole(most=1e8), metavar="N", help="tokens of a sequence (default: 2048)")
    parser.add_argument("--batch", type=whole(most=1e6), metavar="N", help="sequences of a micro-batch (default: 1)")
    parser.add_argument(
        "--recompute",
        type=one_of(("none", "selective", "full")),
        metavar="WHAT",
        help="activation checkpointing: none, selective or full (default: full)",
    )
    parser.add_argument(
        "--memory-share", type=share(), metavar="SHARE", help="fraction of the memory to use (default: 0.9)"
    )
    parser.add_argument(
        "--precision", default="bf16", metavar="NAME", help="of --peak, for a custom chip (default: bf16)"
    )


def answer(options: Namespace) -> Answer:
    """Compute the memory."""
    from ... import transformer

    assumed = Assumptions(options)
    config = shared_options.config(options)
    device = shared_options.chip(options, options.precision) if shared_options.chip_is_described(options) else None
    method = assumed.value("method", "method", "full", "", "illustrative", "every weight is trained")
    if config is None and method != "full":
        raise UsageError(f"argument --method: {method} needs the shape of the model; give --model, --shape or --config")
    usual = "zero" if method == "full" else "fp32"
    recipe = assumed.value("recipe", "states of what is trained", usual, "", "illustrative", _says(usual))
    if config is None or method == "full":
        need = _full(options, assumed, config, recipe)
        trained = options.parameters if config is None else transformer.parameters(config)
    else:
        need = _adapters(options, assumed, config, recipe)
        trained = transformer.lora_parameters(config, options.rank or 16, _targets(options, config))
    name = "transformer.training_memory" if method == "full" else "transformer.finetuning_memory"
    parts = {
        "total_bytes": ("memory on a chip", need.total),
        "weight_bytes": ("weights", need.weights),
        "gradient_bytes": ("gradients", need.gradients),
        "optimizer_bytes": ("optimizer", need.optimizer),
        "activation_bytes": ("activations", need.activations),
    }
    host = getattr(need, "host", 0.0)
    if host:
        parts |= {"host_bytes": ("memory on the host, per chip", host),
                  "pcie_bytes": ("bytes between chip and host in a step", need.pcie_bytes)}  # fmt: skip
    numbers = [
        Number(name=key, says=says, value=float(value), unit="B", function=name, topic="parallelism")
        for key, (says, value) in parts.items()
    ]
    numbers.append(Number(name="trained_parameters", says="parameters that are trained", value=int(trained), unit="parameters",
                          function="transformer.lora_parameters" if method != "full" else "transformer.parameters", topic="mfu"))  # fmt: skip
    problems: list[str] = []
    if device is not None:
        memory = shared_options.memory(device, assumed)
        part = assumed.value(
            "memory_share", "share of it to plan with", 0.9, "share", "illustrative", "the rest is for buffers"
        )
        if need.total > part * memory:
            problems.append(
                f"{format_value(float(need.total), 'B')} do not fit in {format_value(part * memory, 'B')} of the "
                f"{device.name}{_advice(options, method)}"
            )
    remarks = ["Without the buffers of the framework, the CUDA context and fragmentation."]
    if config is None:
        remarks.append("Without activations, because a number of parameters has no shape.")
    return Answer(command="memory", question=QUESTION, numbers=tuple(numbers), assumptions=assumed.rows,
                  problems=tuple(problems), remarks=tuple(remarks))  # fmt: skip


def _says(recipe: str) -> str:
    from ... import transformer

    return transformer.state_bytes(recipe).says


def _activations(options: Namespace, assumed: Assumptions) -> tuple[int, int, dict[str, Any]]:
    """Return sequence, batch, and the activation options."""
    sequence = assumed.value("sequence", "tokens of a sequence", 2048, "tokens", "illustrative", "usual in fine-tuning")
    batch = assumed.value("batch", "sequences of a micro-batch", 1, "sequences", "illustrative", "the smallest")
    recompute = assumed.value(
        "recompute", "activation checkpointing", "full", "", "illustrative", "usual in fine-tuning"
    )
    assumed.note("dropout", "dropout", "none", "", "illustrative", "today's models have none")
    return sequence, batch, {"recompute": recompute, "dropout": False}


def _full(options: Namespace, assumed: Assumptions, config: Config | None, recipe: str) -> TrainingMemory:
    from ... import transformer

    for name in ("rank", "targets"):
        if getattr(options, name) is not None:
            raise UsageError(f"argument --{name}: only adapters have one; add --method lora or qlora")
    chips = assumed.value("chips", "chips that share the states", 1, "chips", "illustrative", "one")
    stage = assumed.value("zero_stage", "ZeRO stage", 0, "", "illustrative", "nothing is sharded")
    moved = assumed.value("offload", "states on the host", "none", "", "illustrative", "all on the chip")
    sizes = {
        "zero_stage": stage, "data_parallel": chips, "offload": OFFLOADS[moved], **transformer.state_bytes(recipe).arguments,
    }  # fmt: skip
    with shared_options.option_errors("--offload, --zero-stage"):
        if config is None:
            return transformer.state_memory(options.parameters, **sizes)
        sequence, batch, kept = _activations(options, assumed)
        return transformer.training_memory(config, sequence, batch, **sizes, **kept)


def _adapters(options: Namespace, assumed: Assumptions, config: Config, recipe: str) -> TrainingMemory:
    from ... import transformer

    for name in ("zero_stage", "offload", "chips"):
        if getattr(options, name) is not None:
            raise UsageError(f"argument --{name.replace('_', '-')}: modelled for --method full only; leave it out")
    rank = assumed.value("rank", "rank of the adapters", 16, "", "illustrative", "usual")
    targets = _targets(options, config)
    assumed.note("targets", "projections with an adapter", ",".join(targets), "", "given" if options.targets else "illustrative",
                 "" if options.targets else "all that the model has", "--targets")  # fmt: skip
    sequence, batch, kept = _activations(options, assumed)
    with shared_options.option_errors("--method, --targets"):
        return transformer.finetuning_memory(
            config, sequence, batch, rank=rank, targets=targets, quantized=options.method == "qlora", recipe=recipe, **kept
        )  # fmt: skip


def _targets(options: Namespace, config: Any) -> tuple[str, ...]:
    """Return the projections with an adapter: those given, or all that the model has."""
    if options.targets is not None:
        return tuple(word.strip() for word in options.targets.split(","))
    if config.experts:
        return TARGETS[:4]
    return TARGETS if config.gated else tuple(name for name in TARGETS if name != "gate")


def _advice(options: Namespace, method: str) -> str:
    """Return what to try next."""
    if options.recompute in ("none", "selective"):
        return "; try --recompute full"
    next_one = {
        "full": "--method lora, or --offload optimizer",
        "lora": "--method qlora",
        "qlora": "a shorter --sequence",
    }
    return f"; try {next_one[method]}"
