"""Task on the bill of a project: dollars, MWh, and operational and embodied carbon."""

from chip2cluster import economics
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

HOUR, MWH = 3600.0, 3.6e9


def budget(
    gpu_hours,
    final_share,
    dollars_per_hour,
    watts,
    node_over_gpu,
    pue,
    grams_per_kwh,
    made_kg,
    life_hours,
    used_fraction,
):
    """Dollars, MWh at the meter, tonnes of the power, tonnes of making, of all that a project runs."""
    seconds = HOUR * gpu_hours / final_share
    node = economics.node_energy(economics.device_energy(1, seconds, watts), node_over_gpu)
    energy = economics.facility_energy(node, pue)
    return [
        economics.dollars(1, seconds, dollars_per_hour),
        energy / MWH,
        economics.carbon_by_location(energy, grams_per_kwh) / 1e3,
        economics.embodied_carbon(1, seconds, made_kg, HOUR * life_hours, used_fraction) / 1e3,
    ]


NAMES = (
    "gpu_hours", "final_share", "dollars_per_hour", "watts", "node_over_gpu", "pue", "grams_per_kwh", "made_kg", "life_hours",
    "used_fraction",
)  # fmt: skip


def _case(*values):
    return dict(zip(NAMES, map(float, values), strict=True))


def _projects(generator):
    # 1,000 hours, half of them the final run: 2,000 at 2 dollars and 1.25 kW. A student sees this one.
    hand = _case(1000, 0.5, 2, 500, 2, 1.25, 400, 150, 30000, 0.5)
    return [hand, *(_project(generator) for _ in range(4))]


def _project(generator):
    return _case(
        100 * int(generator.integers(300, 40000)), round(float(generator.uniform(0.25, 0.8)), 2),
        round(float(generator.uniform(1.2, 9)), 2), int(generator.integers(220, 950)),
        round(float(generator.uniform(1.25, 1.9)), 2), round(float(generator.uniform(1.06, 1.6)), 2),
        int(generator.integers(30, 720)), int(generator.integers(120, 600)), 1000 * int(generator.integers(24, 60)),
        round(float(generator.uniform(0.35, 0.9)), 2),
    )  # fmt: skip


def _clean(generator):
    """A grid without carbon; a project that is its final run and uses every hour."""
    return [
        _case(5e5, 0.5, 2.5, 600, 1.5, 1.1, 0, 300, 35000, 0.7),
        _case(1e5 * int(generator.integers(2, 9)), 1, 3, 400, 1.4, 1.2, 60, 200, 43800, 1),
    ]


def _like(
    hours=lambda h, f: h / f, paid=lambda **c: 1.0, kilowatts=lambda w, k, p: w * k * p / 1e3,
    made=lambda hours, life, used: hours / (used * life), scale=(1.0, 1e-3, 1e-6, 1e-3),
):  # fmt: skip
    def wrong(**case):
        whole = hours(case["gpu_hours"], case["final_share"])
        kwh = whole * kilowatts(case["watts"], case["node_over_gpu"], case["pue"])
        values = (
            whole * case["dollars_per_hour"] * paid(**case), kwh, kwh * case["grams_per_kwh"],
            case["made_kg"] * made(whole, case["life_hours"], case["used_fraction"]),
        )  # fmt: skip
        return [value * factor for value, factor in zip(values, scale, strict=True)]

    return wrong


BUDGET = Exercise(
    id="lab.economics.budget",
    title="The bill of the project",
    signature="budget(gpu_hours, final_share, dollars_per_hour, watts, node_over_gpu, pue, grams_per_kwh, made_kg, life_hours, used_fraction)",
    unit="[dollars, MWh, t, t]",
    graded=True,
    points=4,
    reference=budget,
    groups=(
        Group("projects", 0.8, _projects),
        Group("clean or complete", 0.2, _clean, v.VALUE, advice="A grid may emit nothing, and the final run may be all that there is."),
    ),
    hints=(
        "First the hours of the whole project: the final run is only a share of them. Then each of the four numbers is a product.",
        "The energy at the meter counts the nodes and the building. The making is shared out over the hours in which a GPU is used in its life, "
        "and these are fewer than it lives.",
        "Watt-hours are a millionth of a MWh; MWh times grams a kWh are kilograms; and kilograms a thousandth of a tonne. The price is per "
        "hour that is used, whatever the building draws.",
    ),
    explanation="The final run is the part that papers print. Trials, nodes, building and making are the others, and each multiplies or adds.",
    mistakes=(
        Mistake("the final run alone", _like(lambda h, f: h), "You counted the final run alone. It is final_share of all the hours of the project."),
        Mistake("times the share", _like(lambda h, f: h * f), "You multiplied by final_share. The final run is a share of the whole, so the whole is more."),
        Mistake("trials added", _like(lambda h, f: h * (2 - f)), "You added a share of the final run. final_share is one of *all* hours: divide by it."),
        Mistake("no PUE", _like(kilowatts=lambda w, k, p: w * k / 1e3), "You left out the PUE: the meter of the building counts."),
        Mistake("GPUs alone", _like(kilowatts=lambda w, k, p: w * p / 1e3), "You counted the GPUs alone. Their nodes draw node_over_gpu times as much."),
        Mistake("overheads added", _like(kilowatts=lambda w, k, p: w * (k + p - 1) / 1e3), "You added the overheads. The building cools the whole node: "
                "they multiply."),
        Mistake("the PUE on the price", _like(paid=lambda pue, **rest: pue), "You put the PUE on the price. Who rents an hour pays an hour."),
        Mistake("idle hours on the price", _like(paid=lambda used_fraction, **rest: 1 / used_fraction), "You divided the price by the utilization. The hours are "
                "rented when they are used; the fraction is for the making."),
        Mistake("made for every hour", _like(made=lambda hours, life, used: hours / life), "You shared the making out over all hours of a life. Somebody must "
                "carry those in which nobody uses it."),
        Mistake("used hours twice", _like(made=lambda hours, life, used: hours * used / life), "You multiplied the making by the utilization. A GPU that is used "
                "less leaves more to each used hour."),
        Mistake("the whole GPU", _like(made=lambda hours, life, used: 1.0), "You counted the making of one GPU. The project carries its share of hours of many."),
        Mistake("kWh", _like(scale=(1.0, 1.0, 1e-6, 1e-3)), "Your energy is in kWh. MWh are wanted.", v.UNIT),
        Mistake("kilograms", _like(scale=(1.0, 1e-3, 1e-3, 1.0)), "Your carbon is in kilograms. Tonnes are wanted.", v.UNIT),
    ),
)  # fmt: skip
