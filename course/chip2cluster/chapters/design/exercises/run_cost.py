"""Exercise on the cost of a training run on a machine that its user owns."""

from chip2cluster import capstone, economics
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.exercise.verdict_codes import UNIT

YEAR = 365.0


def dollars(days, nodes, spares, dollars_per_node, other_dollars, years, watts_per_node, pue, dollars_per_kwh):
    """Dollars of a training run: its part of the depreciation, and the electricity of the nodes that run."""
    capital = (nodes + spares) * dollars_per_node + other_dollars
    return capital * days / (years * YEAR) + _power(days, nodes, watts_per_node, pue, dollars_per_kwh)


def _power(days, nodes, watts, pue, price):
    return economics.facility_energy(nodes * watts * days * 86400.0, pue) / 3.6e6 * price


def _case(days, nodes, spares, node, other, years, watts, pue, price):
    return {
        "days": days, "nodes": nodes, "spares": spares, "dollars_per_node": node, "other_dollars": other,
        "years": years, "watts_per_node": watts, "pue": pue, "dollars_per_kwh": price,
    }  # fmt: skip


def _bills(generator):
    # A tenth of a depreciation over ten years; 240,000 kWh. A student sees this one.
    return [_case(365, 10, 2, 400_000.0, 200_000.0, 10, 10_000.0, 1.25, 0.1), *(_draw(generator) for _ in range(6))]


def _draw(generator):
    return _case(
        round(float(generator.uniform(20, 120)), 1), int(generator.integers(100, 2000)), int(generator.integers(8, 90)),
        float(generator.integers(150, 500)) * 1000, float(generator.integers(5, 60)) * 1e6, int(generator.integers(3, 7)),
        float(generator.integers(60, 140)) * 100, round(float(generator.uniform(1.1, 1.5)), 2),
        round(float(generator.uniform(0.05, 0.25)), 3),
    )  # fmt: skip


def _edges(generator):
    return [_case(30.0, int(generator.integers(20, 90)), 0, 250_000.0, 0.0, 4, 9_000.0, 1.0, 0.1)]


def _like(capital=lambda n, s, node, other: (n + s) * node + other, share=lambda days, years: days / (years * YEAR),
          running=lambda n, s: n, power=_power):  # fmt: skip
    def wrong(days, nodes, spares, dollars_per_node, other_dollars, years, watts_per_node, pue, dollars_per_kwh):
        written_off = capital(nodes, spares, dollars_per_node, other_dollars) * share(days, years)
        return written_off + power(days, running(nodes, spares), watts_per_node, pue, dollars_per_kwh)

    return wrong


def _at_once(other_dollars, **given):
    return dollars(other_dollars=0.0, **given) + other_dollars


BILL = Exercise(
    id="design.dollars",
    title="The bill",
    signature="dollars(days, nodes, spares, dollars_per_node, other_dollars, years, watts_per_node, pue, dollars_per_kwh)",
    unit="$",
    points=3,
    reference=dollars,
    shows=(dollars, economics.own_cost),
    groups=(
        Group("bills", 0.8, _bills),
        Group("edges", 0.2, _edges, advice="There may be no spares, no other_dollars, and a PUE of 1."),
    ),
    hints=(
        "There are two bills. The machine is depreciated over some years, and the run takes some days of those; and the electricity is metered.",
        "Spares are bought and depreciated like the rest, but they are off and draw no power. The facility draws pue times what the nodes draw.",
        "capital · days / (365 · years) + nodes · watts / 1000 · pue · 24 · days · dollars_per_kwh.",
    ),
    solution="""
def dollars(days, nodes, spares, dollars_per_node, other_dollars, years, watts_per_node, pue, dollars_per_kwh):
    capital = (nodes + spares) * dollars_per_node + other_dollars
    kwh = nodes * watts_per_node / 1000 * pue * 24 * days
    return capital * days / (365 * years) + kwh * dollars_per_kwh
""",
    explanation=(
        "Whether you buy or rent, you pay for chip-hours, and electricity is the smaller part. So a machine of twice the size that is done in half the time "
        "costs about the same: the frontier of days against dollars is flat until the machine becomes too large for its batch."
    ),
    meaning=lambda: (
        f"On the chapter's machine electricity is {_told():.0f} % of the bill. So saving a tenth of the power saves about a hundredth of the money, and saving a tenth of "
        "the days saves a tenth of everything."
    ),
    mistakes=(
        Mistake("the whole machine", _like(share=lambda days, years: 1.0), "You paid for the whole machine. It lasts longer than the run, so count only the run's days of its years."),
        Mistake("no depreciation", _like(capital=lambda n, s, node, other: 0.0), "You paid only for the electricity. The machine loses value while it runs: add its depreciation."),
        Mistake("no electricity", _like(power=lambda *_: 0.0), "You left out the electricity."),
        Mistake("spares for nothing", _like(capital=lambda n, s, node, other: n * node + other), "You left out the price of the spares. They are bought like the other nodes."),
        Mistake("spares that draw", _like(running=lambda n, s: n + s), "Your spares draw power. Here they are off until they are needed."),
        Mistake("the rest at once", _at_once, "You charged the run with all of network and storage. They are depreciated like the nodes."),
        Mistake("nodes alone", _like(capital=lambda n, s, node, other: (n + s) * node), "You left out other_dollars, for network and storage."),
        Mistake("no facility", _like(power=lambda d, n, w, pue, price: _power(d, n, w, 1.0, price)), "You paid only for what the nodes draw. The facility draws pue times that."),
        Mistake("facility off", _like(power=lambda d, n, w, pue, price: _power(d, n, w, 1.0, price) / pue), "You divided by the PUE. The facility draws more than its nodes."),
        Mistake("the facility twice", _like(power=lambda d, n, w, pue, price: _power(d, n, w, pue * pue, price)), "You multiplied by the PUE twice. The facility draws pue times what the nodes draw, once."),
        Mistake("the facility on the machine", lambda pue, **given: pue * dollars(pue=1.0, **given), "You multiplied the depreciation by the PUE as well. The PUE multiplies power, not the price of a machine."),
        Mistake("an hour a day", _like(power=lambda d, n, w, pue, price: _power(d, n, w, pue, price) / 24), "You let the nodes run for one hour a day. They run for 24."),
        Mistake("watts for kilowatts", _like(power=lambda d, n, w, pue, price: _power(d, n, w, pue, price) * 1000), "You used watts as if they were kilowatts. Divide by 1,000.", UNIT),
        Mistake("years for days", _like(share=lambda days, years: days / years), "You divided days by years. A year has 365 days.", UNIT),
    ),
)  # fmt: skip


def _told():
    scenario = capstone.Scenario(model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048)
    out = capstone.evaluate(capstone.Design(chip="B200", nodes=1024, spares=None), scenario)
    return 100 * out.running_dollars / out.dollars
