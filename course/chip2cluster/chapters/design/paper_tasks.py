"""Tasks on paper about the design of a cluster: between how many days, what a run costs, which designs are worth a look."""

from chip2cluster.exercise.machine_ranges import PUE
from chip2cluster.exercise.paper_task import Number, PaperTask, Step

PLACES = range(5)


def _designs(x):
    return {"days": [getattr(x, f"days_{n}") for n in PLACES], "dollars": [getattr(x, f"dollars_{n}") for n in PLACES]}


def _design_table(x):
    rows = zip("ABCDE", x.days, x.dollars, strict=True)
    text = "\n".join(f"| {name} | {days:g} | {dollars:g} |" for name, days, dollars in rows)
    return {"designs": f"| design | training (days) | cost (million dollars) |\n|---|--:|--:|\n{text}"}


def _unbeaten(x):
    pairs = list(zip(x.days, x.dollars, strict=True))
    return [int(not any(o != p and o[0] <= p[0] and o[1] <= p[1] for o in pairs)) for p in pairs]


def _days(x, kernels, links):
    return (x.peak_seconds / kernels + x.wire_seconds / links + x.fixed_seconds) * x.steps / x.goodput / 86400


TASKS = (
    PaperTask(
        exercise="design.between",
        title="Between how many days?",
        text="A training step takes {peak_seconds} of arithmetic at the peak, {wire_seconds} of messages at the full rate of the links, and {fixed_seconds} of everything else; nothing "
        "overlaps. Kernels reach between {kernels_low} and {kernels_high} of the peak, messages between {links_low} and {links_high} of the link. The run has {steps} steps, "
        "and {goodput} of its time is work. Between how many days does it take? The project has 60 days: is that surely enough, surely too little, or open?",
        given={
            "peak_seconds": Number("s", 0.8, 6),
            "wire_seconds": Number("s", 0.1, 1),
            "fixed_seconds": Number("s", 0.05, 0.4),
            "kernels_low": Number("%", 35, 50, per=0.01),
            "kernels_high": Number("%", 55, 75, per=0.01),
            "links_low": Number("%", 45, 65, per=0.01),
            "links_high": Number("%", 70, 92, per=0.01),
            "steps": Number("thousand", 80, 1200, per=1e3, whole=True),
            "goodput": Number("%", 80, 97, per=0.01),
        },
        inputs=lambda x: {
            "peak_seconds": x.peak_seconds,
            "wire_seconds": x.wire_seconds,
            "fixed_seconds": x.fixed_seconds,
            "kernel_share": [x.kernels_low, x.kernels_high],
            "wire_share": [x.links_low, x.links_high],
            "steps": x.steps,
            "goodput": x.goodput,
        },
        judges=True,
        judgement="Surely enough above the upper end, surely too little below the lower one, open between.",
        unit="days",
        plausible=lambda x: 10 < _days(x, x.kernel_share[1], x.wire_share[1]) < 120,
        steps=(
            Step(
                "shortest and longest step: each part over its share",
                0.5,
                lambda x: [
                    x.peak_seconds / x.kernel_share[at] + x.wire_seconds / x.wire_share[at] + x.fixed_seconds
                    for at in (1, 0)
                ],
                "s",
            ),
            Step(
                "times the steps, over the goodput, in days",
                0.5,
                lambda x: [_days(x, x.kernel_share[at], x.wire_share[at]) for at in (1, 0)],
                "days",
            ),
        ),
    ),
    PaperTask(
        exercise="design.dollars",
        title="The cost of a run",
        text="A cluster has {nodes} nodes and {spares} spare nodes at {dollars_per_node} each; network and storage cost {other_dollars}. All is depreciated evenly over {years} years "
        "of 365 days. A run takes {days}. The nodes that run draw {watts_per_node} each on average, spares are off; the power usage effectiveness (PUE) "
        "is {pue}, and electricity costs {dollars_per_kwh} for a kWh. What does the run cost?",
        given={
            "days": Number("days", 10, 120),
            "nodes": Number("", values=(32, 64, 128, 256, 512), whole=True),
            "spares": Number("", values=(2, 4, 8, 16), whole=True),
            "dollars_per_node": Number("thousand dollars", 220, 450, per=1e3),
            "other_dollars": Number("million dollars", 2, 40, per=1e6),
            "years": Number("", values=(4, 5, 6), whole=True),
            "watts_per_node": Number("kW", 6.5, 12, per=1e3),
            "pue": PUE,
            "dollars_per_kwh": Number("dollars", 0.05, 0.2),
        },
        unit="million dollars",
        per=1e6,
        plausible=lambda x: 0.05 < x.other_dollars / (x.nodes * x.dollars_per_node) < 0.35 and x.spares < x.nodes / 8,
        steps=(
            Step(
                "machine: nodes, spares and the rest",
                0.3,
                lambda x: ((x.nodes + x.spares) * x.dollars_per_node + x.other_dollars) / 1e6,
                "million dollars",
            ),
            Step(
                "its depreciation in these days",
                0.3,
                lambda x: (
                    ((x.nodes + x.spares) * x.dollars_per_node + x.other_dollars) / 1e6 * x.days / (365 * x.years)
                ),
                "million dollars",
            ),
            Step(
                "electricity of the running nodes, added",
                0.4,
                lambda x: (
                    ((x.nodes + x.spares) * x.dollars_per_node + x.other_dollars) / 1e6 * x.days / (365 * x.years)
                    + x.days * 24 * x.nodes * x.watts_per_node / 1e3 * x.pue * x.dollars_per_kwh / 1e6
                ),
                "million dollars",
            ),
        ),
    ),
    PaperTask(
        exercise="design.undominated",
        title="Which designs are worth a look?",
        text="Five designs of a cluster would train the same model:\n\n{designs}\n\nA design beats another one if it is as good in both numbers and better in at least one. Write 1 for each "
        "design that no other one beats and 0 for each that is beaten, in the order A to E, with a semicolon between them. For each beaten design name one "
        "that beats it in the box.",
        given={
            **{f"days_{n}": Number("days", 30, 120) for n in PLACES},
            **{f"dollars_{n}": Number("million dollars", 8, 60) for n in PLACES},
        },
        inputs=_designs,
        prints=_design_table,
        judges=True,
        exact=True,
        plausible=lambda x: 2 <= sum(_unbeaten(x)) <= 3 and len({*x.days}) == 5,
        steps=(
            Step("designs A and B", 0.4, lambda x: _unbeaten(x)[:2]),
            Step("designs C, D and E", 0.6, _unbeaten),
        ),
    ),
)
