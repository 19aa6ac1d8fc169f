"""The cost of electricity."""

from ..model import Exercise, Group, Mistake


def _machines(generator):
    pairs = generator.uniform((100, 2), (900, 90), (5, 2))
    return [{"watts": float(watts), "hours": float(hours)} for watts, hours in pairs]


def _reference(watts, hours, price=0.30):
    return watts * hours / 1000 * price


def _watt_hours(watts, hours, price=0.30):
    return watts * hours * price


def _no_hours(watts, hours, price=0.30):
    return watts / 1000 * price


def _in_seconds(watts, hours, price=0.30):
    return watts * hours * 3600 / 1000 * price


BILL = Exercise(
    id="lab.power.bill",
    title="The cost of one night",
    signature="bill(watts, hours)",
    unit="euros",
    constants=lambda generator: {"price": round(float(generator.uniform(0.20, 0.50)), 2)},
    points=2,
    graded=True,
    reference=_reference,
    groups=(Group("machines", 1.0, _machines),),
    hints=(
        "Energy is power times time.",
        "Electricity is sold by the kilowatt-hour.",
        "Watts times hours is watt-hours; the price is for a thousand of them.",
    ),
    explanation="Energy is power times time, and each kilowatt-hour costs the same.",
    mistakes=(
        Mistake("watt-hours", _watt_hours, "You paid the price of a kilowatt-hour for each watt-hour."),
        Mistake("no hours", _no_hours, "You left the hours out."),
        Mistake("seconds", _in_seconds, "You took hours for seconds."),
    ),
)
