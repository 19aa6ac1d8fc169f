"""Tables of published training runs: printed utilizations compared with computed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import specs
from ..transformer import model, recomputed_flops_per_token, training_flops_per_token
from ..transformer.recomputation import SELECTIVE_RULES
from .mfu_ratios import hfu, mfu
from .step_breakdown import step_breakdown
from .throughput import tokens_per_second

if TYPE_CHECKING:
    from pandas import DataFrame

# Model, tokens of a sequence, devices, chip, tokens/s, MFU as printed (%); for the last one the
# range that its authors print for 8 and for 128 chips, with and without compiled kernels.
_RUNS = (
    ("PaLM 540B", 2048, 6144, "TPU v4", 238.3e3, "46.2"),  # Chowdhery et al. 2022, section 4.1
    ("Megatron 530B", 2048, 2240, "A100 SXM 80GB", 65.43e3, "30.2"),  # the same, of Smith et al. 2022
    (
        "Megatron 1T",
        2048,
        512,
        "A100 SXM 80GB",
        tokens_per_second(512 * 2048, 71.49),
        "56.3",
    ),  # Korthikanti et al. 2022
    ("MPT 70B", 2048, 256, "H100 SXM", 265_149, "42.42"),  # MosaicML, llm-foundry, training benchmarks
    ("Llama 3.1 8B", 8192, 128, "H100 SXM", 128 * 6514, "33 to 39"),  # torchtitan, benchmark of December 2024
)

# Korthikanti et al. 2022, table 5: model, devices, sequences of a step, pipeline stages, chunks,
# seconds of a step with selective and with full recomputation, and for the first of them the
# HFU as printed (%). The 22B has no pipeline.
_SELECTIVE_AND_FULL = (
    ("Megatron 22B", 8, 4, 1, 1, 1.10, 1.42, "43.7"),
    ("Megatron 175B", 64, 64, 8, 3, 13.75, 18.13, "52.8"),
    ("Megatron 530B", 280, 280, 35, 3, 37.83, 49.05, "57.0"),
    ("Megatron 1T", 512, 512, 64, 1, 71.49, 94.42, "57.0"),
)

# Runs in narrower numbers: year, model, devices, chip, precision, tokens/s of a device, and its TFLOP/s as
# printed, with half of the scores. Sequences of 8,192 tokens. PyTorch, torchtitan, benchmark of December 2024;
# NVIDIA, Megatron Bridge, performance summary of release 26.06.
_NARROW_RUNS = (
    ("2024", "Llama 3.1 8B", 128, "H100 SXM", "fp8", 8380, "–"),
    ("2026", "Llama 3.1 405B", 1024, "H100 SXM", "fp8", 326, "822"),
    ("2026", "Llama 3.1 405B", 256, "GB200", "fp8", 843, "2,129"),
    ("2026", "Llama 3.1 405B", 256, "GB200", "fp4", 1166, "2,944"),
)


def published_runs() -> DataFrame:
    """Tabulate the computed MFU of published training runs and the printed one.

    Returns
    -------
    pandas.DataFrame
        One row a run; units are in the headers.

    Notes
    -----
    Against the dense bf16 peak of the datasheet, with all parameters and all attention
    scores counted. The H100 of torchtitan's benchmark were limited to 500 W, with a lower peak
    that its authors do not know, so the last row is too low. Source: named for each row in this module.

    Examples
    --------
    >>> published_runs().loc["PaLM 540B", "MFU (%)"]
    '46.2'
    """
    import pandas  # imported here because the models do not need it

    rows = {}
    for name, sequence, devices, chip, speed, printed in _RUNS:
        work = training_flops_per_token(model(name).config, sequence)
        used = mfu(speed, work, devices, specs.accelerator(chip).peak_flops_dense("bf16"))
        rows[name] = (f"{devices:,} {chip}", f"{work / 1e9:,.0f}", f"{speed:,.0f}", f"{100 * used:.1f}", printed)
    header = ["devices", "GFLOP a token", "tokens/s", "MFU (%)", "printed (%)"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def narrow_runs() -> DataFrame:
    """Tabulate the utilization of published training runs in fp8 and fp4, against two peaks.

    Returns
    -------
    pandas.DataFrame
        One row a run; units are in the headers.

    Notes
    -----
    Utilizations count all parameters and all attention scores, as `published_runs` does; the
    rates count half of the scores and leave the input table out, as the authors of these runs
    do. The first row's chips were limited to 500 W, below the peak of the datasheet. Attention and the head
    run in wider numbers, so no run can reach the whole of a narrow peak. Source: named for each row in
    this module.

    Examples
    --------
    >>> narrow_runs().iloc[3][["of its own peak (%)", "of the bf16 peak (%)"]].tolist()
    ['31', '123']
    """
    import pandas  # imported here because the models do not need it

    sequence, rows, index = 8192, [], []
    for year, name, devices, chip, precision, speed, printed in _NARROW_RUNS:
        config, found = model(name).config, specs.accelerator(chip)
        work = training_flops_per_token(config, sequence)
        rate = speed * training_flops_per_token(config, sequence, "megatron", causal=True)
        used = (100 * mfu(speed, work, 1, found.peak_flops_dense(kind)) for kind in (precision, "bf16"))
        index.append(f"{name}, {devices:,} {chip}")
        rows.append(
            (year, precision, f"{speed:,}", f"{rate / 1e12:,.0f}", printed, *(f"{share:.0f}" for share in used))
        )
    header = [
        "year",
        "precision",
        "tokens/s a chip",
        "TFLOP/s",
        "printed (TFLOP/s)",
        "of its own peak (%)",
        "of the bf16 peak (%)",
    ]
    return pandas.DataFrame(rows, index=index, columns=header)


def recomputation_runs() -> DataFrame:
    """Tabulate the predicted step time with full recomputation, from the time with selective.

    Returns
    -------
    pandas.DataFrame
        One row a model; units are in the headers.

    Notes
    -----
    The selective time gives the kernel efficiency, which then gives the full
    time. Selective recomputation costs what it recomputes, the forward pass of
    the scores. Source: Korthikanti et al. 2022, table 5.

    Examples
    --------
    >>> recomputation_runs().loc["Megatron 1T", ["full, computed (s)", "full, measured (s)"]].tolist()
    ['94.87', '94.42']
    """
    import pandas  # imported here because the models do not need it

    peak, sequence, rows = specs.accelerator("A100 SXM 80GB").peak_flops_dense("bf16"), 2048, {}
    for name, devices, batch, stages, chunks, selective, full, *_ in _SELECTIVE_AND_FULL:
        config, tokens = model(name).config, batch * sequence
        recomputed = {
            kind: tokens * recomputed_flops_per_token(config, sequence, kind, "megatron", selective_rule="rerun")
            for kind in ("selective", "full")
        }
        run = dict(model_flops=tokens * training_flops_per_token(config, sequence, "megatron"), devices=devices)
        run |= dict(peak_flops_dense=peak, stages=stages, micro_batches=batch, chunks=chunks)
        at_peak = step_breakdown(**run, recomputed_flops=recomputed["selective"])
        kernels = at_peak.seconds / selective
        computed = step_breakdown(**run, kernel_efficiency=kernels, recomputed_flops=recomputed["full"]).seconds
        used = at_peak.model_arithmetic / selective, at_peak.model_arithmetic / full
        rows[name] = (
            f"{100 * kernels:.1f}", f"{selective:.2f}", f"{100 * used[0]:.1f}", f"{computed:.2f}", f"{full:.2f}",
            f"{100 * used[1]:.1f}",
        )  # fmt: skip
    header = [
        "kernels reach (% of peak)",
        "selective (s)",
        "MFU (%)",
        "full, computed (s)",
        "full, measured (s)",
        "MFU, full (%)",
    ]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)


def selective_rule_runs() -> DataFrame:
    """Tabulate the HFU of published steps by both rules for selective recomputation.

    Returns
    -------
    pandas.DataFrame
        One row a model, percentages as text.

    Notes
    -----
    ``"rerun"`` counts the forward pass of the scores, which runs again; ``"paper"`` all
    that the scores cost, and is the rule of the printed column: see
    `transformer.recomputed_flops_per_token`. The step of the smallest model is printed to
    one part in 110, so its first decimal may be off by two.
    Source: Korthikanti et al. 2022, table 5.

    Examples
    --------
    >>> selective_rule_runs().loc["Megatron 530B"].tolist()
    ['56.0', '56.4', '57.0', '57.0']
    """
    import pandas  # imported here because the models do not need it

    peak, sequence, rows = specs.accelerator("A100 SXM 80GB").peak_flops_dense("bf16"), 2048, {}
    for name, devices, batch, _, _, seconds, _, printed in _SELECTIVE_AND_FULL:
        config = model(name).config
        work = training_flops_per_token(config, sequence, "megatron")
        run = tokens_per_second(batch * sequence, seconds), work, devices, peak
        used = [mfu(*run)]
        for rule in SELECTIVE_RULES:
            recomputed = recomputed_flops_per_token(config, sequence, "selective", "megatron", selective_rule=rule)
            used.append(hfu(*run, recompute="selective", recomputed_flops_per_token=recomputed))
        rows[name] = (*(f"{100 * share:.1f}" for share in used), printed)
    header = ["MFU (%)", "HFU by what runs (%)", "HFU by the paper's rule (%)", "HFU, printed (%)"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=header)
