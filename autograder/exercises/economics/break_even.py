"""From which use on to own is cheaper than to rent."""

from math import inf

from chip2cluster import economics

from ... import verdict as v
from ..draws import draw_until
from ..model import Exercise, Group, Mistake

HOURS = 8760


def used_fraction(
    capital_dollars,
    years,
    residual_fraction,
    yearly_dollars,
    watts,
    pue,
    dollars_per_kwh,
    rent_dollars,
):
    """Share of all hours from which on an own GPU is cheaper than a rented one."""
    cost = economics.own_cost(
        capital_dollars,
        years,
        residual_fraction=residual_fraction,
        mean_watts=watts,
        pue=pue,
        dollars_per_kwh=dollars_per_kwh,
        other_dollars_per_year=yearly_dollars,
    )
    return economics.break_even_used_fraction(cost.capital + cost.staff_and_space, rent_dollars, cost.energy)


def _case(capital, years, residual, other, watts, pue, kwh, rent):
    return {
        "capital_dollars": capital,
        "years": years,
        "residual_fraction": residual,
        "yearly_dollars": other,
        "watts": watts,
        "pue": pue,
        "dollars_per_kwh": kwh,
        "rent_dollars": rent,
    }


def _drawn(generator, rent=(1.2, 6.0)):
    return _case(
        round(float(generator.uniform(15e3, 60e3)), -2),
        int(generator.integers(3, 7)),
        round(float(generator.uniform(0.05, 0.3)), 2),
        round(float(generator.uniform(800, 4000)), -1),
        round(float(generator.uniform(600, 1800)), -1),
        round(float(generator.uniform(1.08, 1.6)), 2),
        round(float(generator.uniform(0.06, 0.3)), 3),
        round(float(generator.uniform(*rent)), 2),
    )


def _owners(generator):
    # A dollar for each hour of the calendar, half a dollar for the energy of a used one. A student sees this one.
    drawn = [_case(70080.0, 4, 0.5, 0.0, 2000.0, 1.25, 0.2, 2.5)]
    drawn += [draw_until(lambda case: 0.1 < used_fraction(**case) < 0.95, lambda: _drawn(generator)) for _ in range(4)]
    return drawn


def _edges(generator):
    dear = draw_until(lambda case: 1.1 < used_fraction(**case) < 5, lambda: _drawn(generator, (0.6, 2.0)))
    return [dear, {**dear, "rent_dollars": 0.1, "watts": 1800.0, "dollars_per_kwh": 0.3}]


def _like(
    kept=lambda r: 1 - r, kilowatts=lambda w, p: w / 1e3 * p, capital=lambda p: 1.0, other=1.0, hours=HOURS, equal=None
):
    """The same with a slip in one of the parts; ``equal`` takes calendar hour, rent and energy."""

    def wrong(
        capital_dollars,
        years,
        residual_fraction,
        yearly_dollars,
        watts,
        pue,
        dollars_per_kwh,
        rent_dollars,
    ):
        a = (capital_dollars * kept(residual_fraction) * capital(pue) / years + other * yearly_dollars) / hours
        e = kilowatts(watts, pue) * dollars_per_kwh
        c = rent_dollars
        if equal:
            return equal(a, c, e)
        return a / (c - e) if c > e else inf

    return wrong


BREAK_EVEN = Exercise(
    id="economics.break_even",
    title="From which use on?",
    signature=(
        "used_fraction(capital_dollars, years, residual_fraction, yearly_dollars, watts, pue, dollars_per_kwh, "
        "rent_dollars)"
    ),
    unit="",
    points=4,
    reference=used_fraction,
    shows=(used_fraction, economics.own_cost, economics.break_even_used_fraction),
    groups=(
        Group("owners", 0.8, _owners),
        Group(
            "never",
            0.2,
            _edges,
            advice='A result above 1 stays as it is; where energy costs as much as the rent, it is float("inf").',
        ),
    ),
    hints=(
        "What does an hour of the calendar cost the owner, whether anybody works or not? And what does only a used hour cost?",
        "The first is the loss of value a year plus the rest a year, over 8,760. The second is energy: kW at the meter times its price. "
        "Set the owner's hour equal to the tenant's.",
        "a = (capital * (1 − residual) / years + other) / 8760; e = watts / 1000 * pue * price; the answer is a / (rent − e).",
    ),
    solution="""
def used_fraction(capital_dollars, years, residual_fraction, yearly_dollars, watts, pue, dollars_per_kwh, rent_dollars):
    a = (capital_dollars * (1 - residual_fraction) / years + yearly_dollars) / 8760
    e = watts / 1000 * pue * dollars_per_kwh
    if rent_dollars <= e:
        return float("inf")
    return a / (rent_dollars - e)
""",
    explanation=(
        "What the calendar costs is spread over the used hours, so it is divided by u. What a used hour costs is the same for "
        "each, so it is taken off the rent. The energy moves the answer a little, the years and the rent much."
    ),
    meaning=lambda: (
        f"35,000 dollars a GPU, four years, a tenth left, 1,500 dollars a year, 1,275 W, a PUE of 1.2, 10 cents a kWh: to own pays from "
        f"{100 * _told(2.99):.0f} % of use on against 2.99 dollars an hour, from {100 * _told(1.8):.0f} % on against 1.80, and never "
        "against a spot price of one dollar. How much of the time is yours used? Count it before you buy."
    ),
    mistakes=(
        Mistake(
            "the resale added",
            _like(kept=lambda r: 1 + r),
            "You added what the chip is sold for in the end. The owner gets it back: take it off.",
        ),
        Mistake("no resale", _like(kept=lambda r: 1.0), "You left out what the chip is sold for in the end."),
        Mistake(
            "only the resale",
            _like(kept=lambda r: r),
            "You spread the resale over the years. What is lost is the rest, 1 − residual_fraction of the price.",
        ),
        Mistake(
            "no PUE", _like(kilowatts=lambda w, p: w / 1e3), "You left out the PUE: the meter counts the building."
        ),
        Mistake(
            "PUE on the purchase",
            _like(capital=lambda p: p),
            "You put the PUE on the purchase. It is a ratio of powers and multiplies the energy alone.",
        ),
        Mistake(
            "no energy",
            _like(equal=lambda a, c, e: a / c),
            "You left out the energy. The owner pays for it, and the tenant has it in the rent.",
        ),
        Mistake(
            "energy by day and night",
            _like(equal=lambda a, c, e: (a + e) / c),
            "You let the owner pay energy in all hours. It is drawn in the used ones: take it off the rent.",
        ),
        Mistake(
            "energy for the tenant",
            _like(equal=lambda a, c, e: a / (c + e)),
            "You let the tenant pay for the energy on top of the rent. It is the owner who pays for it.",
        ),
        Mistake("no staff", _like(other=0.0), "You left out staff, space and repair."),
        Mistake(
            "upside down",
            _like(equal=lambda a, c, e: (c - e) / a if c > e else inf),
            "Yours is upside down: the calendar's hour is over what is left of the rent.",
        ),
        Mistake(
            "cut off at one",
            _like(equal=lambda a, c, e: min(a / (c - e), 1.0) if c > e else 1.0),
            "You cut the answer off at 1. What is larger says how far to own is from paying.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "a negative share",
            _like(equal=lambda a, c, e: a / (c - e)),
            "Your share turns negative where energy alone costs more than the rent. It is never cheaper there: float('inf').",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake("watts for kilowatts", _like(kilowatts=lambda w, p: w * p), "You took watts for kilowatts.", v.UNIT),
        Mistake("days", _like(hours=365), "You divided a year by its days. An hour is wanted: 8,760 of them.", v.UNIT),
    ),
)


def _told(rent):
    return used_fraction(35e3, 4, 0.1, 1500.0, 1275.0, 1.2, 0.10, rent)
