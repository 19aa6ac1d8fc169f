"""Design and scenario of ``plan`` from its options, with each assumption noted."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from . import shared_options
from .assumptions import Assumptions, cited
from .shared_options import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from ..capstone import Design
    from ..parallelism import Layout
    from ..specs import Accelerator

SHARES = {
    "domain": "fraction of the payload rate reached in the domain",
    "network": "fraction of the payload rate reached in the network",
    "storage": "fraction of the storage bandwidth that the job gets",
}
_PLACEHOLDER = 1.0  # a price or power that only enters rows which are left out


def price_is_known(options: Namespace, device: Accelerator) -> bool:
    """Return whether a price of the chip is given or published."""
    from .. import capstone

    return options.chip_price is not None or device.name in capstone.Prices().chips


def power_is_known(options: Namespace, device: Accelerator) -> bool:
    """Return whether the power of the chip is given or published."""
    return options.watts is not None or device.tdp_watts is not None


def design_from(options: Namespace, assumed: Assumptions, device: Accelerator, per_node: int) -> Design:
    """Return the cluster that the options describe."""
    from .. import capstone

    domain = assumed.value("domain", "chips joined by scale-up links", per_node, "chips", "illustrative", "a node")
    nic = assumed.value(
        "nic", "NIC bandwidth per chip, unidirectional", 50e9, "B/s", "illustrative", "one 400 Gb/s NIC per chip"
    )
    ratio = assumed.value("oversubscription", "oversubscription of the network", 1.0, "", "illustrative", "none")
    storage = assumed.value(
        "storage", "bandwidth of the storage", 100e9, "B/s", "illustrative", "a large parallel file system"
    )
    spares = options.spares
    assumed.note("spares", "spare nodes", "always one" if spares is None else spares, "nodes", "illustrative" if spares is None else "given",
               "as in a cloud" if spares is None else "", "--spares")  # fmt: skip
    with shared_options.option_errors("--chip, --domain, --nic"):
        return capstone.Design(
            chip=device, nodes=options.chips // per_node, chips_per_node=per_node, domain=domain,
            nic_bytes_per_second_one_way=nic, oversubscription=ratio, storage_bytes_per_second=storage,
            layout=_layout(options), spares=spares,
        )  # fmt: skip


def scenario_from(options: Namespace, assumed: Assumptions, device: Accelerator, config: Any) -> Any:
    """Return the training run, limits, prices and rates that the options describe."""
    from .. import capstone, economics, reliability, transformer

    usual = transformer.model(options.model).sequence if options.model else 8192
    sequence = assumed.value(
        "sequence",
        "tokens per sequence",
        usual,
        "tokens",
        "illustrative",
        "as the model was trained" if options.model else "usual",
    )
    batch = assumed.value(
        "global_batch",
        "sequences per step",
        2048,
        "",
        "illustrative",
        "some millions of tokens, as in large training runs",
    )
    rate = reliability.observed_rates()[0]
    mtbf = assumed.value("node_mtbf", "MTBF of a node", 1 / rate.failures_per_node_second, "s", "measured",
                       f"{rate.name}: {cited(rate.source)}")  # fmt: skip
    with shared_options.option_errors("--country"):
        grid = economics.grid_intensity("USA" if options.country is None else options.country)
    prices = capstone.Prices()
    kwh = assumed.value(
        "dollars_per_kwh", "price of a kWh", prices.per_kwh, "dollars", "illustrative", "industry, roughly"
    )
    pue = assumed.value(
        "pue", "power usage effectiveness (PUE)", 1.2, "", "illustrative", "between the best, 1.1, and the mean of many"
    )
    assumed.note(
        "grid",
        f"carbon of a kWh, {grid.country}, {grid.year}",
        grid.grams_per_kwh / 1e3,
        "kg",
        "measured",
        "Our World in Data",
        "--country",
    )
    price = _PLACEHOLDER
    if price_is_known(options, device):
        price = assumed.value(
            "chip_price",
            "price of a chip",
            prices.chips.get(device.name),
            "dollars",
            "illustrative",
            prices.source().citation,
        )
    elif limited := [f"--{name}" for name in ("budget", "capital") if getattr(options, name) is not None]:
        raise UsageError(f"argument {limited[0]}: {device.name} has no price here; give one, such as --chip-price 30e3")
    if not power_is_known(options, device) and (
        limited := [f"--{name}" for name in ("power", "carbon") if getattr(options, name) is not None]
    ):
        raise UsageError(
            f'argument {limited[0]}: no power is published for {device.name}; give one, such as --watts "500 W"'
        )
    shared_options.peak(device, options.precision, assumed)
    shared_options.memory(device, assumed)
    if options.watts is not None:
        assumed.given("watts", "power of a chip", "W")
    elif device.tdp_watts is not None:
        assumed.sheet(device, "tdp_watts", "power of a chip", device.tdp_watts or 0.0, "W")
    requested = {"deadline_seconds": options.deadline, "dollars": options.budget, "capital_dollars": options.capital,
             "watts": options.power, "kg_co2": options.carbon}  # fmt: skip
    wires = {f"{part}_share": assumed.value(f"{part}_share", what, 1.0, "share", "payload", "no other users")
             for part, what in SHARES.items()}  # fmt: skip
    limits: dict[str, Any] = {name: limit for name, limit in requested.items() if limit is not None}
    with shared_options.option_errors("--model, --shape, --precision"):
        return capstone.Scenario(
            model=options.model or config, tokens=options.tokens, global_batch=batch, sequence=sequence,
            precision=options.precision, prices=capstone.Prices(chips={device.name: price}, per_kwh=kwh),
            failures=capstone.FailureRates(node_mtbf=mtbf), pue=pue, grams_per_kwh=grid.grams_per_kwh,
            watts_per_chip=options.watts if power_is_known(options, device) else _PLACEHOLDER,
            kernel_share=options.kernel_share,
            **wires, **limits,
        )  # fmt: skip


def _layout(options: Namespace) -> Layout | None:
    from ..parallelism import Layout

    if options.layout is None:
        return None
    with shared_options.option_errors("--layout"):
        return Layout(
            **shared_options.fields_of("--layout", options.layout, {one.name: one.default for one in fields(Layout)})
        )
