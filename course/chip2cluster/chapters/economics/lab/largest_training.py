"""Task on the largest training run within three limits, with personal numbers."""

from chip2cluster import economics, specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .gpu_hours import gpu_hours

HOUR, TRILLION = 3600.0, 1e12
CHIPS = ("A100 SXM 80GB", "H100 SXM", "B200")


def _project(generator):
    """A model, chips and where they stand."""
    chip = specs.accelerator(str(generator.choice(CHIPS)))
    tdp = known("tdp_watts", chip.tdp_watts)
    project = {
        "parameters": 1e9 * int(generator.integers(3, 90)),
        "peak_flops_dense": chip.peak_flops_dense("bf16"),
        "mfu": round(float(generator.uniform(0.3, 0.5)), 2),
        "goodput": round(float(generator.uniform(0.75, 0.92)), 2),
        "gpus": 8 * int(generator.integers(8, 128)),
        "final_share": round(float(generator.uniform(0.35, 0.75)), 2),
        "dollars_per_hour": round(float(generator.uniform(1.3, 6)), 2),
        "watts": float(round(tdp * float(generator.uniform(0.65, 0.9)))),
        "node_over_gpu": round(float(generator.uniform(1.3, 1.8)), 2),
        "pue": round(float(generator.uniform(1.08, 1.55)), 2),
        "grams_per_kwh": float(generator.integers(60, 650)),
    }
    # Equal, they would leave open which of the two was forgotten.
    return project | {"pue": project["pue"] + 0.01 * (project["pue"] == project["node_over_gpu"])}


def own_tokens(dollars, tonnes, days, **project):
    """Trillions of tokens that the final run can see within a sum, the tonnes of all its power, and its days."""
    return _tokens(dollars, tonnes, days, project)


def _hours(dollars, tonnes, days, project, share, energy, days_share=lambda share: 1.0, gpus=True):
    """GPU-hours of the final run that each limit allows."""
    kept = share(project["final_share"])
    node, pue = (
        project[name] if counts else 1.0 for name, counts in zip(("node_over_gpu", "pue"), energy, strict=True)
    )
    drawn = economics.device_energy(1, HOUR, project["watts"])
    hour = economics.facility_energy(economics.node_energy(drawn, node), pue)
    each = economics.carbon_by_location(hour, project["grams_per_kwh"]) / 1e3
    return (
        kept * dollars / project["dollars_per_hour"], kept * tonnes / each,
        24 * days * (project["gpus"] if gpus else 1) * days_share(project["final_share"]),
    )  # fmt: skip


def _tokens(
    dollars, tonnes, days, project, *, share=lambda share: share, energy=(True, True), days_share=lambda share: 1.0, gpus=True,
    pick=min, each=6.0, goodput=lambda goodput: goodput, mfu=True,
):  # fmt: skip
    hours = pick(_hours(dollars, tonnes, days, project, share, energy, days_share, gpus))
    # Hours grow with the tokens in proportion, so those of one trillion tell how many fit.
    of_one = gpu_hours(
        project["parameters"],
        TRILLION,
        project["peak_flops_dense"],
        project["mfu"] if mfu else 1.0,
        goodput(project["goodput"]),
    )
    return float(hours / of_one * 6.0 / each)


AMPLE = {"dollars": 1e11, "tonnes": 1e8, "days": 1e5}


def _limits(generator):
    def one(name, low, high, digits=0):
        return AMPLE | {name: round(float(generator.uniform(low, high)), digits)}

    mixed = [
        {
            "dollars": round(float(10 ** generator.uniform(5, 7.3)), -3),
            "tonnes": round(float(10 ** generator.uniform(1, 3)), 1),
            "days": round(float(10 ** generator.uniform(0.8, 2.2)), 1),
        }
        for _ in range(3)
    ]
    # Two limits that never bind beside one that does, so that each can be worked alone.
    return [
        AMPLE | {"dollars": 1e6},
        one("tonnes", 40, 900, 1),
        one("days", 10, 120, 1),
        one("dollars", 2e5, 9e6),
        *mixed,
    ]


def _like(**rules):
    return lambda dollars, tonnes, days, **project: _tokens(dollars, tonnes, days, project, **rules)


OWN = Exercise(
    id="lab.economics.own_tokens",
    title="Your own limits",
    signature="own_tokens(dollars, tonnes, days)",
    unit="trillion tokens",
    graded=True,
    points=5,
    tolerance=1e-3,
    constants=_project,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=own_tokens,
    groups=(Group("limits", 1.0, _limits, v.VALUE),),
    hints=(
        'Your numbers are in the cell above: project["mfu"] and its like. Each limit allows so many GPU-hours of the final run. Which of the '
        "three counts?",
        "Dollars and tonnes are those of the whole project, and only final_share of its hours are the final run's. The days are those of the "
        "final run alone, on all its GPUs.",
        "All hours grow in proportion to the tokens. So let your own functions say what a trillion of them takes, in dollars, tonnes and days, "
        "and see how often each limit holds that.",
    ),
    explanation="One of the three limits binds and the other two are free: more money does not help where the grid is the limit.",
    mistakes=(
        Mistake("dollars alone", _like(pick=lambda hours: hours[0]), "You looked at the dollars alone. Tonnes and days are limits, too."),
        Mistake("tonnes alone", _like(pick=lambda hours: hours[1]), "You looked at the tonnes alone. Dollars and days are limits, too."),
        Mistake("days alone", _like(pick=lambda hours: hours[2]), "You looked at the days alone. Dollars and tonnes are limits, too."),
        Mistake("the loosest", _like(pick=max), "You took the loosest limit. All three hold."),
        Mistake("no trials", _like(share=lambda share: 1.0), "You gave all dollars and tonnes to the final run. final_share of the project's hours are its."),
        Mistake("over the share", _like(share=lambda share: 1 / share), "You divided by final_share. Of what the limits allow only that share is the final run's."),
        Mistake("trials in the days", _like(days_share=lambda share: share), "You took trials off the days. The days are those of the final run alone."),
        Mistake("no goodput", _like(goodput=lambda goodput: 1.0), "You left the goodput out: not every hour counts."),
        Mistake("over the goodput", _like(goodput=lambda goodput: 1 / goodput), "You divided by the goodput. Only that share of the hours brings tokens: fewer fit."),
        Mistake("at the peak", _like(mfu=False), "You left the MFU out. Nobody reaches the peak."),
        Mistake("forward alone", _like(each=2.0), "You took 2 FLOP for each parameter and token. A training takes 6."),
        Mistake("no PUE", _like(energy=(True, False)), "You left the PUE out of the tonnes."),
        Mistake("GPUs alone", _like(energy=(False, True)), "You left the rest of the nodes out of the tonnes."),
        Mistake("one GPU", _like(gpus=False), "Your days are those of one GPU. The final run has all of them."),
        Mistake("tokens", lambda **case: 1e12 * own_tokens(**case), "Your answer is in tokens. Trillions are wanted.", v.UNIT),
        Mistake("billions", lambda **case: 1e3 * own_tokens(**case), "Your answer is in billions of tokens. Trillions are wanted.", v.UNIT),
    ),
)  # fmt: skip
