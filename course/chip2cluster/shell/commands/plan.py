"""``plan``: a training on a cluster: days, dollars, energy, the layout, and whether it fits."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .. import common
from ..answer import Answer
from ..common import Taken, Unusable
from ..planned import MOST_CHIPS, instead, missed, numbers
from ..reading import number, quantity, share, whole

if TYPE_CHECKING:
    from ...capstone import Design, Outcome
    from ...parallelism import Layout
    from ...specs import Accelerator

QUESTION = "How many days, dollars and joules does this training take on these chips, in which layout, and does it fit?"
EXAMPLE = 'plan --model "Llama 3 70B" --tokens 15e12 --chips 1024 --chip "H100 SXM" --deadline "365 days"'
_SHARES = {
    "domain": "of the payload rate in the domain that messages reach",
    "network": "of the payload rate beyond it that messages reach",
    "storage": "of the storage's rate that the job gets",
}


def options(parser: ArgumentParser) -> None:
    """What the command takes."""
    common.add_model(parser, parameters=False)
    parser.add_argument("--tokens", type=number(least=1), required=True, metavar="N", help="to train on: 15e12, or 15T")
    common.add_chip(parser)
    parser.add_argument("--chips", type=whole(most=MOST_CHIPS), required=True, metavar="N", help="that the job runs on")
    common.add_precision(parser)
    parser.add_argument("--global-batch", type=whole(most=1e7), metavar="N", help="sequences of a step (default: 2048)")
    parser.add_argument(
        "--sequence", type=whole(most=1e8), metavar="N", help="tokens of a sequence (default: the model's)"
    )
    parser.add_argument(
        "--layout", metavar="FIELDS", help='"tensor=8 pipeline=4 data=32"; the fastest that fits when left out'
    )
    machine = parser.add_argument_group("the machine")
    machine.add_argument("--chips-per-node", type=whole(most=1024), metavar="N", help="(default: 8)")
    machine.add_argument(
        "--domain", type=whole(most=1e5), metavar="N", help="chips that their own links join (default: a node's)"
    )
    machine.add_argument(
        "--nic", type=quantity("B/s"), metavar="RATE", help='of one chip out of it (default: "400 Gb/s")'
    )
    machine.add_argument(
        "--oversubscription",
        type=number(least=1, most=1e3),
        metavar="RATIO",
        help="of the network's middle (default: 1)",
    )
    machine.add_argument("--storage", type=quantity("B/s"), metavar="RATE", help='for all nodes (default: "100 GB/s")')
    machine.add_argument(
        "--spares", type=whole(least=0, most=1e5), metavar="N", help="nodes; left out, there is always one at hand"
    )
    machine.add_argument("--node-mtbf", type=quantity("s"), metavar="TIME", help='of one node: "264 days"')
    for part, what in _SHARES.items():
        machine.add_argument(
            f"--{part}-share", type=share(), metavar="SHARE", help=f"{what}, measured by you (default: 1)"
        )
    machine.add_argument(
        "--kernel-share", type=share(), metavar="SHARE", help="of the peak that kernels reach, measured by you"
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument("--deadline", type=quantity("s"), metavar="TIME", help='"90 days"')
    limits.add_argument("--budget", type=number(), metavar="DOLLARS", help="for write-off and electricity")
    limits.add_argument("--capital", type=number(), metavar="DOLLARS", help="for the machine")
    limits.add_argument("--power", type=quantity("W"), metavar="POWER", help='of the facility: "2 MW"')
    limits.add_argument("--carbon", type=number(), metavar="KG", help="kg of CO2 equivalent")
    world = parser.add_argument_group("prices and power")
    world.add_argument("--chip-price", type=number(), metavar="DOLLARS", help="of one chip, to buy")
    world.add_argument("--dollars-per-kwh", type=number(zero=True), metavar="DOLLARS", help="(default: 0.10)")
    world.add_argument("--pue", type=number(least=1, most=100), metavar="RATIO", help="of the facility (default: 1.2)")
    world.add_argument("--country", metavar="NAME", help="whose grid (default: the mean of the USA)")
    world.add_argument("--watts", type=quantity("W"), metavar="POWER", help="of a chip, where its maker prints none")


def answer(options: Namespace) -> Answer:
    """Plan a training."""
    from ... import capstone

    taken = Taken(options)
    config, device = common.config(options), common.chip(options, options.precision)
    per_node = common.chips_of_a_node(taken)
    if options.chips % per_node:
        close = max(options.chips // per_node, 1) * per_node
        raise Unusable(
            f"argument --chips: {options.chips} are no whole nodes of {per_node}; {close} are, or say --chips-per-node"
        )
    design = _design(options, taken, device, per_node)
    scenario = _scenario(options, taken, device, config)
    with common.named("--model, --chips, --chip-price, --watts"):
        out = capstone.evaluate(design, scenario)
    for name, says in (
        ("mean_share_of_tdp", "mean of a chip's power over its sheet's"),
        ("node_over_device", "node over its chips"),
    ):
        taken.note(
            name,
            says,
            getattr(scenario, name),
            "share" if name.startswith("mean") else "",
            "illustrative",
            "see `capstone.Scenario`",
        )
    taken.note("number_bytes", "weights, gradients, what is kept and what is sent, each", 2.0, "B", "illustrative",
               "16 bit, in fp8 and fp4 too, as `parallelism.memory_by_stage` has it")  # fmt: skip
    taken.note(
        "restart_seconds",
        "from a failure until work goes on",
        scenario.failures.restart_seconds,
        "s",
        "illustrative",
        "see `capstone.FailureRates`",
    )
    kernels = out.kernel_share
    kind = "given" if options.kernel_share is not None else "fitted"
    said = "" if kind == "given" else f"{kernels.fitted_on}; {common.cited(kernels.source)}"
    taken.note(
        "kernel_share", "share of the peak that kernels reach", kernels.share, "share", kind, said, "--kernel-share"
    )
    return Answer(
        command="plan", question=QUESTION, numbers=numbers(out) if out.fits else (), assumptions=taken.rows,
        problems=(*(f"{one.says}{instead(one.nearest, design)}" for one in out.problems), *missed(out)),
        remarks=_remarks(out, options.layout is None) if out.fits else (),
    )  # fmt: skip


def _remarks(out: Outcome, searched: bool) -> tuple[str, ...]:
    """What the interval is made of, and what is not in it."""
    from ...capstone.kernels import CHOSEN

    kernels, (middle, most) = out.kernel_share, CHOSEN
    told = f"four of five published training runs are within a factor of {kernels.faster:g} of this model"
    if kernels.spread > kernels.faster:
        told += f", but it may be {kernels.spread:g} times slower, since no training on this chip was read"
    remarks = [
        f"Between: {told}, and the luck of failures. One's own machine; for rented chips take the chip-hours to `cost`."
    ]
    if searched:
        remarks.append(
            "The layout is the fastest that the model knows. Published trainings, in layouts that people chose, take "
            f"{middle:g} times as long in the middle, and nine of ten at most {most:g} times: give yours by --layout."
        )
    if kernels.doubt:
        remarks.append(f"{kernels.doubt[0].upper()}{kernels.doubt[1:]}. Give yours by --kernel-share.")
    if out.scenario.config.experts:
        remarks.append(
            "Experts: each routed copy of a token is sent on its own, in 16 bit. What sends one copy to a node, or sends "
            "and keeps 8 bit, needs less time and room than this."
        )
    return tuple(remarks)


def _design(options: Namespace, taken: Taken, device: Accelerator, per_node: int) -> Design:
    from ... import capstone

    domain = taken.value("domain", "chips that their own links join", per_node, "chips", "illustrative", "a node")
    nic = taken.value(
        "nic", "a chip's rate out of that, one way", 50e9, "B/s", "illustrative", "an adapter of 400 Gb/s for each chip"
    )
    ratio = taken.value("oversubscription", "oversubscription of the middle", 1.0, "", "illustrative", "none")
    storage = taken.value(
        "storage", "rate of the storage", 100e9, "B/s", "illustrative", "a large parallel file system"
    )
    spares = options.spares
    taken.note("spares", "spare nodes", "always one" if spares is None else spares, "nodes", "illustrative" if spares is None else "given",
               "as in a cloud" if spares is None else "", "--spares")  # fmt: skip
    with common.named("--chip, --domain, --nic"):
        return capstone.Design(
            chip=device, nodes=options.chips // per_node, chips_per_node=per_node, domain=domain,
            nic_bytes_per_second_one_way=nic, oversubscription=ratio, storage_bytes_per_second=storage,
            layout=_layout(options), spares=spares,
        )  # fmt: skip


def _scenario(options: Namespace, taken: Taken, device: Accelerator, config: Any) -> Any:
    from ... import capstone, economics, reliability, transformer

    usual = transformer.model(options.model).sequence if options.model else 8192
    sequence = taken.value(
        "sequence",
        "tokens of a sequence",
        usual,
        "tokens",
        "illustrative",
        "as the model was trained" if options.model else "usual",
    )
    batch = taken.value(
        "global_batch",
        "sequences of a step",
        2048,
        "",
        "illustrative",
        "some millions of tokens, as in large trainings",
    )
    rate = reliability.observed_rates()[0]
    mtbf = taken.value("node_mtbf", "between two failures of a node", 1 / rate.failures_per_node_second, "s", "measured",
                       f"{rate.name}: {common.cited(rate.source)}")  # fmt: skip
    with common.named("--country"):
        grid = economics.grid_intensity("USA" if options.country is None else options.country)
    prices = capstone.Prices()
    kwh = taken.value("dollars_per_kwh", "a kWh", prices.per_kwh, "dollars", "illustrative", "industry, by and large")
    pue = taken.value(
        "pue", "facility over its nodes", 1.2, "", "illustrative", "between the best, 1.1, and the mean of many"
    )
    taken.note(
        "grid",
        f"carbon of a kWh, {grid.country}, {grid.year}",
        grid.grams_per_kwh / 1e3,
        "kg",
        "measured",
        "Our World in Data",
        "--country",
    )
    if options.chip_price is None and device.name not in prices.chips:
        raise Unusable(f"argument --chip-price: {device.name} has no price here; give one, such as --chip-price 30e3")
    price = taken.value(
        "chip_price",
        "a chip, to buy",
        prices.chips.get(device.name),
        "dollars",
        "illustrative",
        prices.source().citation,
    )
    if options.watts is None and device.tdp_watts is None:
        raise Unusable(
            f'argument --watts: nobody publishes the power of {device.name}; give one, such as --watts "500 W"'
        )
    common.peak(device, options.precision, taken)
    taken.sheet(device, "memory_bytes", "memory of a chip", device.memory_bytes, "B")
    if options.watts is not None:
        taken.given("watts", "power of a chip", "W")
    else:
        taken.sheet(device, "tdp_watts", "power of a chip", device.tdp_watts or 0.0, "W")
    asked = {"deadline_seconds": options.deadline, "dollars": options.budget, "capital_dollars": options.capital,
             "watts": options.power, "kg_co2": options.carbon}  # fmt: skip
    wires = {f"{part}_share": taken.value(f"{part}_share", what, 1.0, "share", "payload", "nothing is lost to others")
             for part, what in _SHARES.items()}  # fmt: skip
    limits: dict[str, Any] = {name: limit for name, limit in asked.items() if limit is not None}
    with common.named("--model, --shape, --precision"):
        return capstone.Scenario(
            model=options.model or config, tokens=options.tokens, global_batch=batch, sequence=sequence,
            precision=options.precision, prices=capstone.Prices(chips={device.name: price}, per_kwh=kwh),
            failures=capstone.FailureRates(node_mtbf=mtbf), pue=pue, grams_per_kwh=grid.grams_per_kwh,
            watts_per_chip=options.watts, kernel_share=options.kernel_share,
            **wires, **limits,
        )  # fmt: skip


def _layout(options: Namespace) -> Layout | None:
    from ...parallelism import Layout

    if options.layout is None:
        return None
    with common.named("--layout"):
        return Layout(**common.fields_of("--layout", options.layout, {one.name: one.default for one in fields(Layout)}))
