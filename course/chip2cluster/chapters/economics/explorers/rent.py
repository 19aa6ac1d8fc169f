"""Explorer of owning and renting: what a used hour costs either way, and from which use on to own is cheaper."""

from typing import Any

import numpy as np

from chip2cluster import draw, economics
from chip2cluster._validate import one_positive
from chip2cluster.draw.pictures.buy_or_rent import share
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Slider
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import Strip

USED = tuple(percent / 100 for percent in range(5, 101))
SHOWN = tuple(percent / 100 for percent in range(5, 101, 5))
OPTIONS = {
    "used_fraction": SHOWN,
    "years": (1, 2, 3, 4, 5, 6, 7, 8),
    "dollars_per_kwh": (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4),
    "rent_dollars_per_hour": (1.25, 1.99, 2.5, 2.99, 4.0, 6.0, 10.8),
    "capital_dollars": (15e3, 25e3, 35e3, 45e3, 60e3),
    "watts": (700.0, 1000.0, 1275.0, 1800.0),
    "pue": (1.0, 1.1, 1.2, 1.5, 1.8),
}
RESIDUAL, OTHER = 0.1, 1500.0  # share of the price that is left, dollars a year for staff, space and repair


def _percent(fraction):
    return f"{100 * fraction:g} %"


def _dollars(amount):
    return f"{amount:,.2f}" if amount < 100 else f"{amount:,.0f}"


def _controls(own):
    """The controls, with numbers of the reader's own among their options."""

    def options(name):
        return tuple(sorted({*OPTIONS[name], *own.get(name, ())}))

    def slider(name, label, default, **looks):
        return Slider(name=name, label=label, options=options(name), default=default, **looks)

    return (
        slider("used_fraction", "Used share of all hours", 0.5, text=_percent),
        slider("years", "Years that it is kept", 4, text="{:g}".format),
        slider("dollars_per_kwh", "A kWh costs", 0.1, unit="dollars", text="{:.2f}".format),
        slider("rent_dollars_per_hour", "An hour is rented for", 2.99, unit="dollars", text=_dollars, more=True),
        slider("capital_dollars", "A chip with its share of all costs", 35e3, unit="dollars", text=_dollars, more=True),
        slider("watts", "It draws with its share of the node", 1275.0, unit="W", text="{:,g}".format, more=True),
        slider("pue", "PUE", 1.2, text="{:g}".format, more=True),
    )


class Rent(Explorer):
    """Use an own chip for more or less of the time, keep it longer, and see when it is cheaper than a rented one.

    In the end the chip is sold for a tenth; staff, space and repair are 1,500 dollars a year.

    Parameters
    ----------
    used_fraction : float
        Share of all hours in which somebody uses the chip: above 0 and at most 1.
    years : float
        For which it is kept.
    dollars_per_kwh : float
        Price of the energy.
    rent_dollars_per_hour, capital_dollars, watts, pue : float
        Price of a rented hour and of the chip with its share of node and network, its power with that
        share while it is used, and the power usage effectiveness.

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a number that is not above zero, a share above 1 and a PUE below 1.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.rent(0.7).current.picture.title
    'Used 70 % of the time: to own costs 1.68, to rent 2.99 dollars'
    """

    title = "Own or rent"
    positional = ("used_fraction", "years", "dollars_per_kwh")
    controls = _controls({})
    strip = Strip("used_fraction", {"years": (2, 4, 6), "dollars_per_kwh": (0.05, 0.1, 0.3)})

    def __init__(self, *given, **values):
        values = self._named(given, values)
        own = {}
        for name in OPTIONS:
            if name in values:
                own[name] = (one_positive(name, values[name]),)
        if values.get("used_fraction", 1) > 1:
            raise ValueError(f"used_fraction must be at most 1, got {values['used_fraction']!r}")
        if values.get("pue", 1) < 1:
            raise ValueError(f"pue must be at least 1, got {values['pue']!r}")
        self.controls = _controls(own)
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        used, rent = values["used_fraction"], values["rent_dollars_per_hour"]
        cost, always = _cost(used, values), _cost(1.0, values)
        equal = economics.break_even_used_fraction(always.capital + always.staff_and_space, rent, always.energy)
        shares = np.array(sorted({*USED, used}))
        curve = tuple(zip(shares.tolist(), _cost(shares, values).total.tolist(), strict=True))
        subtitle = f"Kept for {values['years']:g} years, a kWh for {values['dollars_per_kwh']:.2f} dollars"
        picture = draw.buy_or_rent(curve, rent, equal, used, energy=cost.energy, subtitle=subtitle)
        rows = (
            *((NAMES[name], part, 100 * part / cost.total) for name, part in cost.parts.items()),
            ("to own, in all", cost.total, 100.0),
            ("to rent", rent, 100 * rent / cost.total),
        )
        caption = f"Dollars of an hour that is used. {subtitle}"
        return Frame(picture, Table(caption, COLUMNS, rows, marked=4), _say(cost, always, rent, used, equal))


def _cost(used, values):
    return economics.own_cost(
        values["capital_dollars"], values["years"], residual_fraction=RESIDUAL, used_fraction=used,
        mean_watts=values["watts"], pue=values["pue"], dollars_per_kwh=values["dollars_per_kwh"],
        other_dollars_per_year=OTHER,
    )  # fmt: skip


def _say(cost, always, rent, used, equal):
    cheaper = "to own is cheaper" if cost.total < rent else "to rent is cheaper"
    return (
        f"An hour of the calendar costs an owner {always.capital + always.staff_and_space:.2f} dollars and energy "
        f"{always.energy:.2f} for a used one. Used {100 * used:.0f} % of the time that is {cost.total:.2f} dollars for "
        f"each used hour, and {rent:.2f} to a tenant: {cheaper}. They are equal at {share(equal)}."
    )


NAMES = {
    "capital": "the chip, while it is used",
    "staff_and_space": "staff, space, repair",
    "unused": "hours that nobody uses",
    "energy": "energy",
}
COLUMNS = (
    Column("part"),
    Column("of a used hour", "$", "{:.2f}".format),
    Column("of what an owner pays", "%", "{:.0f}".format),
)
