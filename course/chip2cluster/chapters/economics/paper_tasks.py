"""Tasks on paper about cost and carbon: a million tokens, the emissions of a run, which grid is possible."""

import math
from dataclasses import replace

from chip2cluster.exercise.machine_ranges import MFU, MODEL, PEAK, PUE, TOKENS_TRAINED
from chip2cluster.exercise.paper_task import Number, PaperTask, Step

GPU_HOURS = Number("thousand hours", 20, 9000, per=1e3)
GRID = Number("g/kWh", 20, 700)

TASKS = (
    PaperTask(
        exercise="economics.tokens",
        title="The price of a million tokens",
        text="A service needs {gpus} GPUs. They are rented day and night in whole instances of {gpus_per_instance} GPUs, each for {dollars_per_instance_hour} an hour. "
        "While the service works, it generates {tokens_per_second} in total, and it works for {used_fraction} of all hours. What does a million "
        "tokens cost?",
        given={
            "gpus": Number("", values=(2, 4, 6, 10, 12, 16, 20, 24), whole=True),
            "gpus_per_instance": Number("", values=(4, 8), whole=True),
            "dollars_per_instance_hour": Number("dollars", 10, 60),
            "tokens_per_second": Number("tokens/s", 1500, 60000),
            "used_fraction": Number("%", 20, 85, per=0.01),
        },
        unit="dollars",
        plausible=lambda x: 400 < x.tokens_per_second / x.gpus < 4000,
        steps=(
            Step(
                "instances, rounded up, times the price",
                0.4,
                lambda x: math.ceil(x.gpus / x.gpus_per_instance) * x.dollars_per_instance_hour,
                "dollars/h",
            ),
            Step(
                "tokens of an hour, in the used share of the time",
                0.3,
                lambda x: x.tokens_per_second * 3600 * x.used_fraction / 1e6,
                "million tokens/h",
            ),
            Step(
                "first over second",
                0.3,
                lambda x: (
                    math.ceil(x.gpus / x.gpus_per_instance)
                    * x.dollars_per_instance_hour
                    / (x.tokens_per_second * 3600 * x.used_fraction / 1e6)
                ),
                "dollars",
            ),
        ),
    ),
    PaperTask(
        exercise="economics.grid",
        title="Which grid can that have been?",
        text="A model card gives {gpu_hours} of GPUs and location-based emissions of {tonnes} of CO₂, and no place. The power of a GPU with its part of the server lies "
        "between {watts_low} and {watts_high}, the power usage effectiveness (PUE) between {pue_low} and {pue_high}. Between which two carbon intensities must "
        "the grid lie? The card's authors say that they used a grid of 20 g/kWh: can that be?",
        given={
            "gpu_hours": GPU_HOURS,
            "tonnes": Number("t", 2, 3000),
            "watts_low": Number("W", 350, 650),
            "watts_high": Number("W", 700, 1200),
            "pue_low": Number("", 1.06, 1.15),
            "pue_high": Number("", 1.2, 1.6),
        },
        inputs=lambda x: {
            "gpu_hours": x.gpu_hours,
            "tonnes": x.tonnes,
            "watts": [x.watts_low, x.watts_high],
            "pues": [x.pue_low, x.pue_high],
        },
        judges=True,
        judgement="Possible only if 20 g/kWh lies in the interval.",
        unit="g/kWh",
        plausible=lambda x: 15 < x.tonnes * 1e9 / (x.gpu_hours * x.watts[0] * x.pues[0]) < 900,
        steps=(
            Step(
                "most and least energy: hours × power × PUE",
                0.5,
                lambda x: [x.gpu_hours * x.watts[at] * x.pues[at] / 1e6 for at in (1, 0)],
                "MWh",
            ),
            Step(
                "emissions over energy",
                0.5,
                lambda x: [x.tonnes * 1e9 / (x.gpu_hours * x.watts[at] * x.pues[at]) for at in (1, 0)],
                "g/kWh",
            ),
        ),
    ),
    PaperTask(
        exercise="economics.tonnes",
        title="From GPU-hours to tonnes",
        text="A training run took {gpu_hours} of GPUs that drew {watts} each. Its nodes drew {node_over_gpu} as much as their GPUs, the building has a power usage "
        "effectiveness (PUE) of {pue}, and the grid emits {grams_per_kwh}. Contracts for power at 0 g/kWh cover {contracted_fraction} of the energy. Give the "
        "location-based and the market-based emissions.",
        given={
            "gpu_hours": GPU_HOURS,
            "watts": Number("W", 250, 1000),
            "node_over_gpu": Number("times", 1.25, 1.9),
            "pue": PUE,
            "grams_per_kwh": GRID,
            "contracted_fraction": Number("%", 10, 90, per=0.01),
        },
        unit="t",
        steps=(
            Step("energy of the GPUs", 0.3, lambda x: x.gpu_hours * x.watts / 1e6, "MWh"),
            Step(
                "times node and building", 0.3, lambda x: x.gpu_hours * x.watts * x.node_over_gpu * x.pue / 1e6, "MWh"
            ),
            Step(
                "times the grid; without the share under contract",
                0.4,
                lambda x: [
                    x.gpu_hours * x.watts * x.node_over_gpu * x.pue * x.grams_per_kwh * left / 1e9
                    for left in (1, 1 - x.contracted_fraction)
                ],
                "t",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.economics.gpu_hours",
        title="GPU-hours of a planned run",
        text="A dense model of {parameters} parameters will be trained on {tokens} tokens; count 6 FLOP for each parameter and token. The GPUs have a dense peak of "
        "{peak_flops_dense} and reach a model FLOP utilization of {mfu} while they work. Failures and restarts leave {goodput} of the time. How many GPU-hours "
        "does the run take?",
        given={
            "parameters": replace(MODEL, per=1e9),
            "tokens": replace(TOKENS_TRAINED, per=1e12),
            "peak_flops_dense": replace(PEAK, per=1e12),
            "mfu": MFU,
            "goodput": Number("%", 75, 97, per=0.01),
        },
        unit="thousand hours",
        per=1e3,
        steps=(
            Step("arithmetic", 0.3, lambda x: f"{6 * x.parameters * x.tokens:.3g}", "FLOP"),
            Step("rate of a GPU while it works", 0.3, lambda x: x.peak_flops_dense * x.mfu / 1e12, "TFLOP/s"),
            Step(
                "seconds over 3600, over the goodput",
                0.4,
                lambda x: 6 * x.parameters * x.tokens / (x.peak_flops_dense * x.mfu) / 3600 / x.goodput / 1e3,
                "thousand hours",
            ),
        ),
    ),
)
