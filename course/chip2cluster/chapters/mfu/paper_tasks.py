"""Tasks on paper about model FLOP utilization: from measurements, from published totals, as an audit."""

from dataclasses import replace

from chip2cluster.exercise.machine_ranges import CHIPS_OF_JOB, HOUR_PRICE, MODEL, PEAK, TOKENS_TRAINED
from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

PARAMETERS, TOKENS = replace(MODEL, per=1e9), replace(TOKENS_TRAINED, per=1e12)
SECONDS = 86400


def _days(x, peak, mfu):
    return 6 * x.parameters * x.tokens / (x.devices * peak * 1e12 * mfu) / SECONDS


def _computed_percent(x):
    return 100 * x.tokens_per_second * x.flops_per_token / (x.devices * x.peak_flops_dense)


def _report(x):
    run = {name: value for name, value in vars(x).items() if name != "factor"}
    return {**run, "printed": round(_computed_percent(x) * x.factor, 1)}


def _report_words(x):
    return {"printed": f"{x.printed:g} %"}


def _reading(x):
    readings = (("MFU", 1.0), ("HFU", 4 / 3), ("sparse peak", 0.5))
    near = (name for name, factor in readings if abs(factor * _computed_percent(x) - x.printed) <= 0.5)
    return next(near, "not reproducible")


TASKS = (
    PaperTask(
        exercise="mfu.mfu",
        title="Utilization from tokens a second",
        text="A training run on {devices} accelerators processes {tokens_per_second} in total. A token costs {flops_per_token} of model arithmetic, and each "
        "accelerator has a dense peak of {peak_tflops}. What is the model FLOP utilization?",
        given={
            "tokens_per_second": Number("million tokens/s", 0.1, 20, per=1e6),
            "flops_per_token": Number("GFLOP", 45, 2600, per=1e9),
            "devices": CHIPS_OF_JOB,
            "peak_tflops": PEAK,
        },
        unit="%",
        per=0.01,
        plausible=lambda x: 0.2 < x.tokens_per_second * x.flops_per_token / (x.devices * x.peak_tflops * 1e12) < 0.6,
        steps=(
            Step(
                "arithmetic of all tokens in a second",
                0.4,
                lambda x: x.tokens_per_second * x.flops_per_token / 1e15,
                "PFLOP/s",
            ),
            Step("peak of all accelerators", 0.3, lambda x: x.devices * x.peak_tflops / 1e3, "PFLOP/s"),
            Step(
                "first over second",
                0.3,
                lambda x: 100 * x.tokens_per_second * x.flops_per_token / (x.devices * x.peak_tflops * 1e12),
                "%",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.mfu.average_mfu",
        title="Utilization from a published total",
        text="A report says that a dense model of {parameters} parameters was trained on {tokens} tokens in {gpu_hours} of GPUs with a dense peak of {peak_tflops} "
        "each. Count 6 FLOP for each parameter and token. What was the mean model FLOP utilization? Judge whether it is plausible for such a "
        "run, and what a figure above 70 % could mean.",
        given={
            "parameters": PARAMETERS,
            "tokens": TOKENS,
            "gpu_hours": Number("million hours", 0.05, 40, per=1e6),
            "peak_tflops": PEAK,
        },
        unit="%",
        per=0.01,
        judges=True,
        judgement="Runs of 2020 to 2025 report 20 to 60 %. Above 70 % hints at recomputed work, a wrong peak or missing hours.",
        plausible=lambda x: 0.2 < 6 * x.parameters * x.tokens / (x.gpu_hours * 3600 * x.peak_tflops * 1e12) < 0.8,
        steps=(
            Step("arithmetic: 6 × parameters × tokens", 0.3, lambda x: f"{6 * x.parameters * x.tokens:.3g}", "FLOP"),
            Step(
                "peak arithmetic of all hours",
                0.4,
                lambda x: f"{x.gpu_hours * 3600 * x.peak_tflops * 1e12:.3g}",
                "FLOP",
            ),
            Step(
                "first over second",
                0.3,
                lambda x: 100 * 6 * x.parameters * x.tokens / (x.gpu_hours * 3600 * x.peak_tflops * 1e12),
                "%",
            ),
        ),
    ),
    PaperTask(
        exercise="mfu.audit",
        title="Which utilization did they print?",
        text="A report on a run of {devices} accelerators with a dense peak of {peak_flops_dense} each gives {tokens_per_second} in total and {flops_per_token} of model arithmetic "
        "for each token. It prints a utilization of {printed}. Which quantity is that, within half a percentage point: the MFU; the HFU, "
        "which counts full recomputation as 4/3 of the model's arithmetic; a utilization of the sparse peak, which is twice the dense one; "
        "or is it not reproducible?",
        given={
            "tokens_per_second": Number("million tokens/s", 0.1, 20, per=1e6),
            "flops_per_token": Number("GFLOP", 45, 2600, per=1e9),
            "devices": CHIPS_OF_JOB,
            "peak_flops_dense": replace(PEAK, per=1e12),
            "factor": Choice(dict.fromkeys((1.0, 4 / 3, 0.5, 1.13, 0.8), "")),
        },
        inputs=_report,
        prints=_report_words,
        judges=True,
        words=("MFU", "HFU", "sparse peak", "not reproducible"),
        plausible=lambda x: 25 < _computed_percent(x) < 52,
        steps=(
            Step("MFU", 0.4, _computed_percent, "%"),
            Step(
                "HFU and share of the sparse peak",
                0.3,
                lambda x: [_computed_percent(x) * 4 / 3, _computed_percent(x) / 2],
                "%",
            ),
            Step("the one within half a point of the printed figure", 0.3, _reading),
        ),
    ),
    PaperTask(
        exercise="mfu.interval",
        title="Days and dollars as intervals",
        text="A dense model of {parameters} parameters shall be trained on {tokens} tokens with {devices} accelerators; count 6 FLOP for each parameter and "
        "token. The peak lies between {peak_low} and {peak_high}, the model FLOP utilization between {mfu_low} and {mfu_high}, and an accelerator costs "
        "between {price_low} and {price_high} an hour. Give four numbers: the fewest and the most days, then the fewest and the most dollars.",
        given={
            "parameters": PARAMETERS,
            "tokens": TOKENS,
            "devices": CHIPS_OF_JOB,
            "peak_low": Number("TFLOP/s", 250, 2000),
            "peak_high": Number("TFLOP/s", 300, 2500),
            "mfu_low": Number("%", 25, 38, per=0.01),
            "mfu_high": Number("%", 40, 55, per=0.01),
            "price_low": Number("dollars", 1.3, 3),
            "price_high": replace(HOUR_PRICE, low=3.1),
        },
        inputs=lambda x: {
            "parameters": x.parameters,
            "tokens": x.tokens,
            "devices": x.devices,
            "peak_tflops": [x.peak_low, x.peak_high],
            "mfu": [x.mfu_low, x.mfu_high],
            "dollars_per_hour": [x.price_low, x.price_high],
        },
        judges=True,
        unit="days, days, million dollars, million dollars",
        per=(1, 1, 1e6, 1e6),
        plausible=lambda x: (
            1.05 < x.peak_tflops[1] / x.peak_tflops[0] < 1.6 and 4 < _days(x, x.peak_tflops[0], x.mfu[0]) < 200
        ),
        steps=(
            Step(
                "fewest days: high peak, high utilization", 0.3, lambda x: _days(x, x.peak_tflops[1], x.mfu[1]), "days"
            ),
            Step("most days: low peak, low utilization", 0.3, lambda x: _days(x, x.peak_tflops[0], x.mfu[0]), "days"),
            Step(
                "dollars: accelerators × hours × price, low with low and high with high",
                0.4,
                lambda x: [
                    _days(x, x.peak_tflops[1], x.mfu[1]),
                    _days(x, x.peak_tflops[0], x.mfu[0]),
                    _days(x, x.peak_tflops[1], x.mfu[1]) * 24 * x.devices * x.dollars_per_hour[0] / 1e6,
                    _days(x, x.peak_tflops[0], x.mfu[0]) * 24 * x.devices * x.dollars_per_hour[1] / 1e6,
                ],
            ),
        ),
    ),
)
