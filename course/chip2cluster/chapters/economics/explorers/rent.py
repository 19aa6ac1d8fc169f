"""Explorer of buy or rent: the cost of a used hour either way, and the break-even utilization."""

from typing import Any

import numpy as np

from chip2cluster import draw, economics
from chip2cluster._validate import one_positive
from chip2cluster.draw.pictures.buy_or_rent import share
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import Strip

USED = tuple(percent / 100 for percent in range(5, 101))
SHOWN = tuple(percent / 100 for percent in range(5, 101, 5))
OPTIONS = {
    "used_fraction": SHOWN,
    "years": (1, 2, 3, 4, 5, 6, 7, 8),
    "interest_per_year": (0.0, 0.04, 0.08, 0.12),
    "space_dollars_per_kw_month": (0.0, 100.0, 140.0, 184.0, 250.0),
    "dollars_per_kwh": (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4),
    "rent_dollars_per_hour": (1.25, 1.99, 2.5, 2.99, 4.0, 6.0, 10.8),
    "capital_dollars": (15e3, 25e3, 35e3, 45e3, 60e3),
    "watts": (700.0, 1000.0, 1275.0, 1800.0),
    "pue": (1.0, 1.1, 1.2, 1.5, 1.8),
}
RESIDUAL, OTHER = 0.1, 1500.0  # resale value over price, dollars a year for staff and repair


FREE = ("interest_per_year", "space_dollars_per_kw_month")  # may be zero


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
        slider("used_fraction", "Utilization", 0.5, text=_percent),
        slider("years", "Years of use", 4, text="{:g}".format),
        slider("interest_per_year", "Interest a year", 0.08, text=_percent),
        slider("space_dollars_per_kw_month", "Rented space, per kW and month", 0.0, unit="dollars", text=_dollars),
        slider("dollars_per_kwh", "Price of a kWh", 0.1, unit="dollars", text="{:.2f}".format),
        slider("rent_dollars_per_hour", "Rent of an hour", 2.99, unit="dollars", text=_dollars, more=True),
        slider("capital_dollars", "Price with its share of the node", 35e3, unit="dollars", text=_dollars, more=True),
        slider("watts", "Power with its share of the node", 1275.0, unit="W", text="{:,g}".format, more=True),
        slider("pue", "PUE", 1.2, text="{:g}".format, more=True),
    )


class Rent(Explorer):
    """Buy or rent: set how much of the time a chip is used, and see when buying is cheaper.

    At the end the chip is sold for a tenth of its price; staff and repair cost 1,500 dollars a year.

    Parameters
    ----------
    used_fraction : float
        Utilization: share of all hours in which the chip is used, above 0 and at most 1.
    years : float
        Years of use.
    dollars_per_kwh : float
        Price of the energy.
    interest_per_year : float
        Interest rate on the money that is tied up, 0 to 1 per year.
    space_dollars_per_kw_month : float
        Rent of space with power and cooling, dollars per kW and month; 0 for a building of one's own.
    rent_dollars_per_hour, capital_dollars, watts, pue : float
        Price of a rented hour and of the chip with its share of node and network, its power with that
        share during use, and the power usage effectiveness (PUE).

    Raises
    ------
    ValueError, TypeError
        For an unknown control, a number that is not above zero (interest and space may be 0), a share above 1 and a PUE
        below 1.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.rent(0.7).current.picture.title
    'Used 70 % of the time: buying costs 1.99, renting 2.99 dollars'
    """

    title = "Buy or rent"
    extent = Extent(letters=250)
    positional = ("used_fraction", "years", "dollars_per_kwh")
    controls = _controls({})
    strip = Strip(
        "used_fraction",
        {"years": (4, 6), "interest_per_year": (0.0, 0.08), "space_dollars_per_kw_month": (0.0, 184.0)},
    )

    def __init__(self, *given, **values):
        values = self._named(given, values)
        own = {}
        for name in OPTIONS:
            if name in values:
                own[name] = (one_positive(name, values[name], allow_zero=name in FREE),)
        for name in ("used_fraction", "interest_per_year"):
            if values.get(name, 1) > 1:
                raise ValueError(f"{name} must be at most 1, got {values[name]!r}")
        if values.get("pue", 1) < 1:
            raise ValueError(f"pue must be at least 1, got {values['pue']!r}")
        self.controls = _controls(own)
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        used, rent = values["used_fraction"], values["rent_dollars_per_hour"]
        cost, always = _cost(used, values), _cost(1.0, values)
        equal = economics.break_even_used_fraction(always.per_calendar_hour, rent, always.energy)
        shares = np.array(sorted({*USED, used}))
        curve = tuple(zip(shares.tolist(), _cost(shares, values).total.tolist(), strict=True))
        subject = (
            f"{values['years']:g} years of use, interest {_percent(values['interest_per_year'])}, a kWh for "
            f"{values['dollars_per_kwh']:.2f} dollars"
        )
        picture = draw.buy_or_rent(curve, rent, equal, used, energy=cost.energy)
        rows = (
            *((NAMES[name], part, 100 * part / cost.total) for name, part in cost.parts.items()),
            ("buying, total", cost.total, 100.0),
            ("renting", rent, 100 * rent / cost.total),
        )
        given = self._choices("used_fraction", values)
        handle = Handle("used_fraction", tuple(zip(given, _cost(np.array(given), values).total.tolist(), strict=True)))
        table, say = (
            Table(subject, COLUMNS, rows, marked=len(NAMES), note="Dollars per used hour"),
            _say(cost, always, rent, used, equal),
        )
        return Frame(picture, table, say, handles=(handle,))


def _cost(used, values):
    return economics.own_cost(
        values["capital_dollars"], values["years"], residual_fraction=RESIDUAL, used_fraction=used,
        mean_watts=values["watts"], pue=values["pue"], dollars_per_kwh=values["dollars_per_kwh"],
        other_dollars_per_year=OTHER, interest_per_year=values["interest_per_year"],
        space_dollars_per_kw_month=values["space_dollars_per_kw_month"],
    )  # fmt: skip


def _say(cost, always, rent, used, equal):
    cheaper = "buying is cheaper" if cost.total < rent else "renting is cheaper"
    return (
        f"An owner pays {always.per_calendar_hour:.2f} dollars for every calendar hour and {always.energy:.2f} more for the "
        f"energy of a used one. At {100 * used:.0f} % utilization that is {cost.total:.2f} dollars per used hour; renting "
        f"costs {rent:.2f}: {cheaper}. Break-even: {share(equal)}."
    )


NAMES = {
    "capital": "depreciation",
    "interest": "interest",
    "staff_and_space": "staff, repair, space",
    "unused": "unused hours",
    "energy": "energy",
}
COLUMNS = (
    Column("part"),
    Column("per used hour", "$", "{:.2f}".format),
    Column("of the owner's cost", "%", "{:.0f}".format),
)
