"""Task on MFU on a chip of the catalogue."""

from chip2cluster import specs, utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def mfu_on(chip, precision, tokens_per_second, flops_per_token, devices):
    """MFU against the dense peak of a named chip in a named precision."""
    peak = specs.accelerator(chip).peak_flops_dense(precision)
    return utilization.mfu(tokens_per_second, flops_per_token, devices, peak)


def _run(generator, chip, precision):
    devices = int(generator.integers(8, 3000))
    work = round(float(generator.uniform(1e9, 500e9)), -6)
    peak = specs.accelerator(chip).peak_flops_dense(precision)
    speed = float(round(float(generator.uniform(0.2, 0.6)) * devices * peak / work))
    return {
        "chip": chip,
        "precision": precision,
        "tokens_per_second": speed,
        "flops_per_token": work,
        "devices": devices,
    }


def _bf16(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "chip": "A100 SXM 80GB",
        "precision": "bf16",
        "tokens_per_second": 1.56e6,
        "flops_per_token": 1e9,
        "devices": 10,
    }
    chips = ("H100 SXM", "TPU v4", "MI300X", "B200", "A100 SXM 40GB")
    return [easy, *(_run(generator, chip, "bf16") for chip in chips)]


def _others(generator):
    return [_run(generator, *pair) for pair in (("H100 SXM", "fp8"), ("V100 SXM2", "fp16"), ("B200", "fp8"))]


def _sparse(chip, precision, **run):
    device = specs.accelerator(chip)
    dense = device.peak_flops_dense(precision)
    sparse = device.peak_flops_sparse(precision) if precision in device.precisions_sparse else dense
    return mfu_on(chip, precision, **run) * dense / sparse


def _always_bf16(chip, precision, **run):
    device = specs.accelerator(chip)
    return mfu_on(chip, "bf16" if "bf16" in device.precisions_dense else precision, **run)


ON_CHIP = Exercise(
    id="lab.mfu.mfu_on",
    title="Utilization on a named chip",
    signature="mfu_on(chip, precision, tokens_per_second, flops_per_token, devices)",
    unit="",
    graded=True,
    points=3,
    reference=mfu_on,
    groups=(
        Group("bf16", 0.7, _bf16),
        Group(
            "other precisions",
            0.3,
            _others,
            v.VALUE,
            advice="Another precision has another peak: ask for peak_flops_dense(precision).",
        ),
    ),
    hints=(
        "Divide the useful rate by the possible rate. Look up the possible rate in the catalog.",
        "specs.accelerator(chip).peak_flops_dense(precision) is the dense peak of one chip in FLOP/s.",
        "Useful: tokens a second, each with its FLOP. Possible: the peaks of all devices together.",
    ),
    explanation="The same speed is half the utilization in fp8, because the denominator doubles. Print the precision.",
    mistakes=(
        Mistake(
            "always bf16",
            _always_bf16,
            "You used the bf16 peak for every precision. Use peak_flops_dense(precision).",
            share=0.7,
        ),
        Mistake(
            "peak with sparsity",
            _sparse,
            "You divided by the peak with sparsity. Training is dense: peak_flops_dense.",
        ),
        Mistake(
            "one chip's peak",
            lambda devices, **run: mfu_on(devices=1, **run),
            "You divided the speed of the whole cluster by the peak of one chip. Multiply the peak by devices.",
        ),
        Mistake("percent", lambda **run: 100 * mfu_on(**run), "You returned a percentage. Return a fraction.", v.UNIT),
        Mistake("upside down", lambda **run: 1 / mfu_on(**run), "That is inverted: divide useful by possible."),
        Mistake(
            "one chip for all",
            lambda chip, **run: mfu_on(chip="H100 SXM", **{**run, "precision": "bf16"}),
            "You used the peak of an H100 for every chip. Look each one up: specs.accelerator(chip).",
        ),
        Mistake(
            "no brackets",
            lambda chip, precision, tokens_per_second, flops_per_token, devices: (
                tokens_per_second * flops_per_token / devices * specs.accelerator(chip).peak_flops_dense(precision)
            ),
            "Python reads a / b * c as (a / b) * c. Put parentheses around the whole denominator.",
        ),
    ),
)
