"""``plan``: a training run on a cluster: time, cost, energy, layout, and whether it fits."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from .. import shared_options
from ..answer import Answer
from ..assumptions import Assumptions, cited
from ..option_types import number, quantity, share, whole
from ..plan_report import MOST_CHIPS, instead, missed, numbers
from ..plan_scenario import SHARES, design_from, power_is_known, price_is_known, scenario_from
from ..shared_options import UsageError

if TYPE_CHECKING:
    from ...capstone import Outcome
    from ...specs import Accelerator

QUESTION = (
    "How much time, money and energy does this training run take on these chips, in which layout, and does it fit?"
)
EXAMPLE = 'plan --model "Llama 3 70B" --tokens 15e12 --chips 1024 --chip "H100 SXM" --deadline "365 days"'


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_model(parser, parameters=False)
    parser.add_argument(
        "--tokens", type=number(least=1), required=True, metavar="N", help="training tokens: 15e12, or 15T"
    )
    shared_options.add_chip(parser)
    parser.add_argument(
        "--chips", type=whole(most=MOST_CHIPS), required=True, metavar="N", help="number of chips of the job"
    )
    shared_options.add_precision(parser)
    parser.add_argument("--global-batch", type=whole(most=1e7), metavar="N", help="sequences per step (default: 2048)")
    parser.add_argument(
        "--sequence", type=whole(most=1e8), metavar="N", help="tokens per sequence (default: that of the model)"
    )
    parser.add_argument(
        "--layout", metavar="FIELDS", help='"tensor=8 pipeline=4 data=32"; (default: the fastest that fits)'
    )
    machine = parser.add_argument_group("the machine")
    machine.add_argument("--chips-per-node", type=whole(most=1024), metavar="N", help="(default: 8)")
    machine.add_argument(
        "--domain", type=whole(most=1e5), metavar="N", help="chips joined by scale-up links (default: a node)"
    )
    machine.add_argument("--nic", type=quantity("B/s"), metavar="RATE", help='NIC of one chip (default: "400 Gb/s")')
    machine.add_argument(
        "--oversubscription",
        type=number(least=1, most=1e3),
        metavar="RATIO",
        help="of the network above the leaf switches (default: 1)",
    )
    machine.add_argument("--storage", type=quantity("B/s"), metavar="RATE", help='for all nodes (default: "100 GB/s")')
    machine.add_argument(
        "--spares", type=whole(least=0, most=1e5), metavar="N", help="spare nodes (default: always one available)"
    )
    machine.add_argument("--node-mtbf", type=quantity("s"), metavar="TIME", help='of one node: "264 days"')
    for part, what in SHARES.items():
        machine.add_argument(
            f"--{part}-share", type=share(), metavar="SHARE", help=f"{what}, measured by you (default: 1)"
        )
    machine.add_argument(
        "--kernel-share", type=share(), metavar="SHARE", help="fraction of peak that kernels reach, measured by you"
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument("--deadline", type=quantity("s"), metavar="TIME", help='"90 days"')
    limits.add_argument("--budget", type=number(), metavar="DOLLARS", help="for depreciation and electricity")
    limits.add_argument("--capital", type=number(), metavar="DOLLARS", help="price of the machine (capex)")
    limits.add_argument("--power", type=quantity("W"), metavar="POWER", help='of the facility: "2 MW"')
    limits.add_argument("--carbon", type=number(), metavar="KG", help="kg of CO2 equivalent")
    world = parser.add_argument_group("prices and power")
    world.add_argument("--chip-price", type=number(), metavar="DOLLARS", help="purchase price of a chip")
    world.add_argument("--dollars-per-kwh", type=number(zero=True), metavar="DOLLARS", help="(default: 0.10)")
    world.add_argument("--pue", type=number(least=1, most=100), metavar="RATIO", help="of the facility (default: 1.2)")
    world.add_argument("--country", metavar="NAME", help="of the grid (default: the mean of the USA)")
    world.add_argument("--watts", type=quantity("W"), metavar="POWER", help="of a chip without a published power")


def answer(options: Namespace) -> Answer:
    """Plan a training run."""
    from ... import capstone

    assumed = Assumptions(options)
    config, device = shared_options.config(options), shared_options.chip(options, options.precision)
    per_node = shared_options.chips_of_a_node(assumed)
    if options.chips % per_node:
        close = max(options.chips // per_node, 1) * per_node
        raise UsageError(
            f"argument --chips: {options.chips} are not whole nodes of {per_node}; use {close}, or --chips-per-node"
        )
    design = design_from(options, assumed, device, per_node)
    scenario = scenario_from(options, assumed, device, config)
    with shared_options.option_errors("--model, --chips, --chip-price, --watts"):
        out = capstone.evaluate(design, scenario)
    without, missing = _left_out(options, device)
    for name, says in (
        ("mean_share_of_tdp", "mean power of a chip over its TDP"),
        ("node_over_device", "power of a node over its chips"),
    ):
        assumed.note(
            name,
            says,
            getattr(scenario, name),
            "share" if name.startswith("mean") else "",
            "illustrative",
            "see `capstone.Scenario`",
        )
    assumed.note("number_bytes", "bytes of each weight, gradient, activation and sent value", 2.0, "B", "illustrative",
               "16 bit, also in fp8 and fp4, as in `parallelism.memory_by_stage`")  # fmt: skip
    assumed.note(
        "restart_seconds",
        "from a failure until work continues",
        scenario.failures.restart_seconds,
        "s",
        "illustrative",
        "see `capstone.FailureRates`",
    )
    kernels = out.kernel_share
    kind = "given" if options.kernel_share is not None else "fitted"
    said = "" if kind == "given" else f"{kernels.fitted_on}; {cited(kernels.source)}"
    assumed.note(
        "kernel_share", "fraction of peak that kernels reach", kernels.share, "share", kind, said, "--kernel-share"
    )
    return Answer(
        command="plan", question=QUESTION, numbers=numbers(out, without) if out.fits else (), assumptions=assumed.rows,
        problems=(*(f"{one.says}{instead(one.nearest, design)}" for one in out.problems), *missed(out)),
        remarks=(*_remarks(out, options.layout is None), *missing) if out.fits else (),
    )  # fmt: skip


_IN_DOLLARS, _OF_POWER = ("dollars", "capital_dollars"), ("joules", "watts", "kg_by_location")


def _left_out(options: Namespace, device: Accelerator) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the rows that a missing price or power leaves out, and the remarks that say so."""
    names: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    if not price_is_known(options, device):
        names, remarks = _IN_DOLLARS, (shared_options.no_price(device, "--chip-price 30e3"),)
    if not power_is_known(options, device):
        # Electricity is a part of the cost.
        names = (*_IN_DOLLARS[:1], *names, *_OF_POWER)
        remarks += (
            f"Without energy, carbon and cost, because no power is published for {device.name}; "
            'give one, such as --watts "500 W".',
        )
    return names, remarks


def _remarks(out: Outcome, searched: bool) -> tuple[str, ...]:
    """Return the remarks about the interval and its limits."""
    from ...capstone.kernel_efficiency import CHOSEN

    kernels, (middle, most) = out.kernel_share, CHOSEN
    text = f"four of five published training runs are within a factor of {kernels.faster:g} of this model"
    if kernels.spread > kernels.faster:
        text += f", but it may be {kernels.spread:g} times slower, because no training run on this chip is known"
    remarks = [
        f"Range: {text}, plus random failures. Costs are for an owned machine; for rented chips use the chip-hours in `cost`."
    ]
    if searched:
        remarks.append(
            "The layout is the fastest in this model. Published training runs, in their own layouts, take "
            f"{middle:g} times as long in the median, and nine of ten at most {most:g} times: give yours by --layout."
        )
    if unknown := _unknown_precision(out):
        remarks.append(unknown)
    if kernels.doubt:
        remarks.append(
            f"{kernels.doubt[0].upper()}{kernels.doubt[1:]}. Measure a layer and give its share by --kernel-share."
        )
    if out.scenario.config.experts:
        remarks.append(
            "Experts: each routed copy of a token is sent separately, in 16 bit. Sending one copy per node, or sending "
            "and storing 8 bit, needs less time and memory."
        )
    return tuple(remarks)


def _unknown_precision(out: Outcome) -> str | None:
    """Return the remark that no published training run has this precision; None if one has, or the share is given."""
    from ... import capstone

    precision, kernels = out.scenario.precision, out.kernel_share
    if out.scenario.kernel_share is not None or not kernels.fitted_on.startswith(f"no training run in {precision}"):
        return None
    known = ", ".join(dict.fromkeys(one.precision for one in capstone.kernel_shares()))
    return (
        f"No training run in {precision} is published, only in {known}: the time rests on the efficiency of other "
        "chips in bf16, although formats differ. Give yours by --kernel-share."
    )
