"""``cost``: cost, energy and carbon of using chips, rented or owned."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import number, precision, quantity, share
from ..shared_options import UsageError
from ..text_format import format_value

QUESTION = "What does it cost to use chips, rented or owned, and how much energy and carbon?"
EXAMPLE = 'cost --chip "H100 SXM" --chips 1024 --time "30 days" --country Germany'


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_chip(parser)
    shared_options.add_chips(parser, required=True)
    parser.add_argument("--time", type=quantity("s"), required=True, metavar="TIME", help='working time: "30 days"')
    parser.add_argument(
        "--price", type=number(), metavar="DOLLARS", help="of a rented chip-hour (default: the median of offers)"
    )
    parser.add_argument(
        "--capital",
        type=number(),
        metavar="DOLLARS",
        help="of an owned chip with its share of node and network (default: 35000)",
    )
    parser.add_argument("--years", type=number(most=100), metavar="N", help="depreciation period (default: 4)")
    parser.add_argument(
        "--used", type=share(), metavar="SHARE", help="fraction of hours in which an owned chip works (default: 0.7)"
    )
    parser.add_argument(
        "--watts", type=quantity("W"), metavar="POWER", help="mean power of a working chip (default: 0.8 of its TDP)"
    )
    parser.add_argument(
        "--node-over-chips",
        type=number(least=1, most=100),
        metavar="RATIO",
        help="power of a node over that of its chips (default: 1.6)",
    )
    parser.add_argument("--pue", type=number(least=1, most=100), metavar="RATIO", help="of the facility (default: 1.2)")
    parser.add_argument("--country", metavar="NAME", help="of the grid (default: the mean of the USA)")
    parser.add_argument("--dollars-per-kwh", type=number(zero=True), metavar="DOLLARS", help="(default: 0.10)")
    parser.add_argument(
        "--tokens", type=number(least=1), metavar="N", help="trained or generated in that time, for a price per token"
    )
    parser.add_argument("--budget", type=number(), metavar="DOLLARS", help="limit")
    parser.add_argument("--precision", type=precision, default="bf16", help="of --peak")


_PLACEHOLDER = 1.0  # a price or power that only enters rows which are left out
_NEEDS_POWER = (
    "own_dollars",
    "own_dollars_per_chip_hour",
    "break_even_used",
    "facility_joules",
    "facility_watts",
    "kg_by_location",
)


def answer(options: Namespace) -> Answer:
    """Compute the bill."""
    from ... import economics

    assumed = Assumptions(options)
    device = shared_options.chip(options, options.precision)
    price = shared_options.price(options, assumed, device)
    capital = assumed.value(
        "capital",
        "price of a chip with its share of node and network",
        35e3,
        "dollars",
        "illustrative",
        "a node and its network, divided by eight",
    )
    years = assumed.value("years", "depreciation period", 4.0, "years", "illustrative", "usual depreciation")
    used = assumed.value("used", "fraction of hours in use", 0.7, "share", "illustrative", "a busy machine")
    power = _watts(options, assumed, device)
    least, watts, most = power or (_PLACEHOLDER,) * 3
    node = assumed.value(
        "node_over_chips",
        "power of a node over its chips",
        1.6,
        "",
        "illustrative",
        "between 1 and the 1.8 that a DGX H100 is rated at",
    )
    pue = assumed.value(
        "pue", "power usage effectiveness (PUE)", 1.2, "", "illustrative", "between the best, 1.1, and the mean of many"
    )
    kwh = assumed.value("dollars_per_kwh", "price of a kWh", 0.1, "dollars", "illustrative", "industry, roughly")
    with shared_options.option_errors("--country"):
        grid = economics.grid_intensity("USA" if options.country is None else options.country)
    assumed.note(
        "grid",
        f"carbon of a kWh, {grid.country}, {grid.year}",
        grid.grams_per_kwh / 1e3,
        "kg",
        "measured",
        f"{grid.source.citation}",
        "--country",
    )

    bills = [
        economics.bill(options.chips, options.time, economics.Rates(
            dollars_per_device_hour=_PLACEHOLDER if price is None else price, mean_watts_per_device=one, node_over_device=node, pue=pue, grams_per_kwh=grid.grams_per_kwh,
        )) for one in (watts, least, most)
    ]  # fmt: skip
    bill = bills[0]
    own = economics.own_cost(capital, years, used_fraction=used, mean_watts=watts * node, pue=pue, dollars_per_kwh=kwh)
    owned = economics.dollars(options.chips, options.time, own.total)
    rented: list[Number] = []
    if price is not None:
        turn = economics.break_even_used_fraction(own.per_calendar_hour, price, own.energy)
        rented = [
            Number(name="rent_dollars", says="rented", value=bill.dollars, unit="dollars", function="economics.bill", topic="economics"),
            Number(name="break_even_used", says="owning is cheaper above this fraction of hours", value=turn, unit="share",
                   function="economics.break_even_used_fraction", topic="economics"),
        ]  # fmt: skip
    numbers = [
        *rented[:1],
        Number(name="own_dollars", says="owned, with depreciation", value=owned, unit="dollars", function="economics.own_cost", topic="economics"),
        Number(name="own_dollars_per_chip_hour", says="owned chip-hour", value=own.total, unit="dollars",
               function="economics.own_dollars_per_device_hour", topic="economics"),
        *rented[1:],
        Number(name="capital_dollars", says="purchase price (capex)", value=capital * options.chips, unit="dollars",
               function="economics.own_cost", topic="economics"),
        Number(name="chip_hours", says="chip-hours", value=options.chips * options.time / 3600, unit="h",
               function="utilization.device_time", topic="mfu"),
        Number(name="facility_joules", says="energy of the facility", value=bill.facility_joules, unit="J",
               low=bills[1].facility_joules, high=bills[2].facility_joules, function="economics.facility_energy", topic="economics"),
        Number(name="facility_watts", says="power of the facility", value=bill.facility_joules / options.time, unit="W",
               low=bills[1].facility_joules / options.time, high=bills[2].facility_joules / options.time,
               function="economics.facility_energy", topic="economics"),
        Number(name="kg_by_location", says="carbon of that energy, CO2 equivalent", value=bill.kg_by_location, unit="kg",
               low=bills[1].kg_by_location, high=bills[2].kg_by_location, function="economics.carbon_by_location", topic="economics"),
    ]  # fmt: skip
    if options.tokens is not None and price is not None:
        each = bill.per(options.tokens / 1e6).dollars
        numbers.insert(1, Number(name="dollars_per_million_tokens", says="rented, per million tokens", value=each, unit="dollars",
                                 function="economics.Bill", topic="economics"))  # fmt: skip
    if power is None:
        numbers = [one for one in numbers if one.name not in _NEEDS_POWER]
    offers = [] if power is None else [(owned, "owned")]
    if price is not None:
        offers.append((bill.dollars, "rented"))
    if options.budget is not None and not offers:
        raise UsageError(
            f"argument --budget: neither price nor power of {device.name} is known; give --price or --watts"
        )
    cheapest, how = min(offers, default=(0.0, ""))
    over = options.budget is not None and cheapest > options.budget
    problems = (
        (
            f"the cheaper option, {how}, costs {format_value(cheapest, 'dollars')}, not {format_value(options.budget, 'dollars')}",
        )
        if over
        else ()
    )
    remarks: tuple[str, ...] = ("Without staff, space, storage, interest, and the embodied carbon of the chips.",)
    if price is None:
        remarks += (shared_options.no_price(device).replace("the rows in dollars", "the rows of a rented machine"),)
    if power is None:
        remarks += (
            f"Without energy, carbon and the cost of an owned machine, because no power is published for {device.name}; "
            'give one, such as --watts "500 W".',
        )
    picture = None
    if price is not None and power is not None:
        from ..pictures import owned_or_rented

        rates = {"mean_watts": watts * node, "pue": pue, "dollars_per_kwh": kwh}
        picture = partial(owned_or_rented, device.name, capital, years, used, price, turn, rates)
    return Answer(
        picture=picture,
        command="cost",
        question=QUESTION,
        numbers=tuple(numbers),
        assumptions=assumed.rows,
        problems=problems,
        remarks=remarks,
    )


def _watts(
    options: Namespace, assumed: Assumptions, device: shared_options.Accelerator
) -> tuple[float, float, float] | None:
    """Return low, usual and high mean power of a working chip, W; None if none is published."""
    if options.watts is not None:
        return (assumed.given("watts", "mean power of a working chip", "W"),) * 3
    if device.tdp_watts is None:
        return None
    limit = device.tdp_watts
    assumed.value("watts", "mean power of a working chip", 0.8 * limit, "W", "illustrative", f"between 0.6 and 0.9 of the {limit:,.0f} W of the datasheet")  # fmt: skip
    return 0.6 * limit, 0.8 * limit, 0.9 * limit
