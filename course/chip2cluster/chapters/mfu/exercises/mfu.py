"""Exercise on model FLOPs utilization (MFU) from tokens per second."""

from chip2cluster import transformer, utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def mfu(tokens_per_second, flops_per_token, devices, peak_tflops):
    """Model FLOPs utilization of a cluster whose dense peak is given in TFLOP/s a device."""
    return utilization.mfu(tokens_per_second, flops_per_token, devices, peak_tflops * 1e12)


def _runs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"tokens_per_second": 1e6, "flops_per_token": 1e9, "devices": 10, "peak_tflops": 200.0}
    drawn = []
    for peak, devices, used in zip(
        (312.0, 989.4, 275.0, 2250.0, 459.0), (64, 256, 3072, 48, 520), generator.uniform(0.2, 0.6, 5), strict=True
    ):
        work = round(float(generator.uniform(10e9, 3000e9)), -7)
        speed = round(used * devices * peak * 1e12 / work)
        drawn.append(
            {"tokens_per_second": float(speed), "flops_per_token": work, "devices": devices, "peak_tflops": peak}
        )
    return [easy, *drawn]


MFU = Exercise(
    id="mfu.mfu",
    title="Utilization, from tokens a second",
    signature="mfu(tokens_per_second, flops_per_token, devices, peak_tflops)",
    unit="",
    points=2,
    reference=mfu,
    shows=(mfu, utilization.mfu),
    groups=(Group("runs", 1.0, _runs),),
    hints=(
        "The numerator is the useful arithmetic of a second, the denominator the rate that you pay for.",
        "Useful: tokens/s × FLOP/token. Paid for: the peak of all devices together.",
        "tokens_per_second * flops_per_token / (devices * peak_tflops * 1e12).",
    ),
    solution="""
def mfu(tokens_per_second, flops_per_token, devices, peak_tflops):
    return tokens_per_second * flops_per_token / (devices * peak_tflops * 1e12)
""",
    explanation=(
        "You need three numbers of the run and one of the datasheet, and no profiler. Only the "
        "convention for the FLOP of a token and the peak in the denominator are a choice, so say both."
    ),
    meaning=lambda: (
        "MPT 70B, the run of your first guess, has "
        f"{100 * mfu(265_149, transformer.training_flops_per_token(transformer.model('MPT 70B').config, 2048), 256, 989.4):.1f} % of 256 H100. "
        "A run of that size is a good one; ask first whose scores and whose peak were counted."
    ),
    mistakes=(
        Mistake(
            "no brackets",
            lambda tokens_per_second, flops_per_token, devices, peak_tflops: (
                tokens_per_second * flops_per_token / devices * peak_tflops * 1e12
            ),
            "Python reads a / b * c as (a / b) * c. Put parentheses around the whole denominator.",
        ),
        Mistake(
            "one device's peak",
            lambda tokens_per_second, flops_per_token, devices, peak_tflops: (
                tokens_per_second * flops_per_token / (peak_tflops * 1e12)
            ),
            "You divided the speed of the whole cluster by the peak of one device. Multiply the peak by the devices.",
        ),
        Mistake(
            "percent",
            lambda **run: 100 * mfu(**run),
            "You returned a percentage. Return a fraction: 0.5 for half.",
            v.UNIT,
        ),
        Mistake(
            "TFLOP for FLOP",
            lambda **run: 1e12 * mfu(**run),
            "The peak is still in TFLOP/s: convert it to FLOP/s with 1e12.",
            v.UNIT,
        ),
        Mistake(
            "peak with sparsity",
            lambda **run: mfu(**run) / 2,
            "You doubled the peak. That is the figure with sparsity; the one given is dense already.",
        ),
        Mistake(
            "nodes of eight counted once more",
            lambda **run: mfu(**run) / 8,
            "An eighth of it: did you multiply the devices by the eight GPUs of a node? `devices` counts every one already.",
        ),
        Mistake(
            "nodes for devices",
            lambda **run: 8 * mfu(**run),
            "Eight times too much: did you divide the devices by the eight GPUs of a node? Each of them has that peak.",
        ),
        Mistake(
            "upside down",
            lambda **run: 1 / mfu(**run),
            "That is inverted: divide useful by possible, not possible by useful.",
        ),
        Mistake(
            "devices above the line",
            lambda tokens_per_second, flops_per_token, devices, peak_tflops: (
                tokens_per_second * flops_per_token / (peak_tflops * 1e12) * devices
            ),
            "The devices ended up in the numerator. They belong in the denominator, inside the parentheses: Python reads a / b * c as (a / b) * c.",
        ),
        Mistake(
            "divided by the devices twice",
            lambda tokens_per_second, flops_per_token, devices, peak_tflops: (
                tokens_per_second * flops_per_token / (peak_tflops * 1e12) / devices**2
            ),
            "You divided by the number of devices twice.",
        ),
        Mistake(
            "arithmetic a device",
            lambda tokens_per_second, flops_per_token, devices, peak_tflops: (
                tokens_per_second * flops_per_token / devices
            ),
            "That is the rate of one device in FLOP/s. Divide it by its peak.",
        ),
    ),
    mutants=MUTANTS["mfu.mfu"],
)
