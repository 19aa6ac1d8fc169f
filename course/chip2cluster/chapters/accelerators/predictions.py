"""Questions on accelerators."""

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.predict.question import Question

MACS_PER_TENSOR_CORE = 512  # of an H100 in fp16, each cycle; NVIDIA H100 architecture white paper
MACS_PER_TPU_CORE = 4 * 128 * 128  # of a TPU v4, each cycle: four arrays; N. Jouppi et al., ISCA 2023
MACS_PER_XEON_CORE = 512  # with AMX in bf16, each cycle; Intel, optimization manual


def _headline():
    return specs.accelerator("GB200").peak_flops_dense("bf16") / specs.accelerator("H100 SXM").peak_flops_dense("bf16")


def _why_headline(truth):
    new = specs.accelerator("GB200")
    return (
        f"The {new.peak_flops_sparse('fp4') / 1e15:.0f} petaFLOPS are fp4 with sparsity. Without counting the skipped zeros "
        f"it is {new.peak_flops_dense('fp4') / 1e15:.0f} in fp4, and {new.peak_flops_dense('bf16') / 1e15:.1f} in bf16. "
        "Compare that number with the peak of your H100."
    )


def _cycle():
    chip = specs.accelerator("H100 SXM")
    return (
        known("compute_units", chip.compute_units)
        * chip.compute_unit_counts["tensor_cores_per_sm"]
        * MACS_PER_TENSOR_CORE
    )


def _why_cycle(truth):
    chip = specs.accelerator("H100 SXM")
    cores = chip.compute_unit_counts["tensor_cores_per_sm"]
    return (
        f"{chip.compute_units} units with {cores} matrix cores each, and every core starts {MACS_PER_TENSOR_CORE} "
        "multiply-accumulates in a cycle. The clock is no faster than a laptop's; the speed comes from the width."
    )


def _tensorcores():
    return _cycle() / MACS_PER_TPU_CORE


def _why_tensorcores(truth):
    units = specs.accelerator("H100 SXM").compute_units
    return (
        f"{units} SMs start {_cycle():,} multiply-accumulates in a cycle, and one TensorCore {MACS_PER_TPU_CORE:,}. Both "
        "are the smallest part of their chip that runs a program by itself, so core counts cannot be compared."
    )


def _bandwidth_growth():
    return specs.accelerator("B200").memory_bandwidth / specs.accelerator("V100 SXM2").memory_bandwidth


def _why_bandwidth_growth(truth):
    old, new = specs.accelerator("V100 SXM2"), specs.accelerator("B200")
    return (
        f"From {old.memory_bandwidth / 1e12:.1f} to {new.memory_bandwidth / 1e12:.0f} TB/s, while the peak went from "
        f"{old.peak_flops_dense('fp16') / 1e12:.0f} to {new.peak_flops_dense('fp16') / 1e12:,.0f} TFLOP/s. Each byte must now "
        "feed twice as much arithmetic."
    )


def _processor():
    chip, host = specs.accelerator("H100 SXM"), specs.accelerator("Xeon Platinum 8480+")
    return chip.peak_flops_dense("bf16") / host.peak_flops_dense("bf16")


def _why_processor(truth):
    host = specs.accelerator("Xeon Platinum 8480+")
    clock = known("boost_clock_hz", host.boost_clock_hz)
    return (
        f"{host.compute_units} × {MACS_PER_XEON_CORE} × 2 × {clock / 1e9:.0f} GHz are "
        f"{host.peak_flops_dense('bf16') / 1e12:.0f} TFLOP/s, as much as an accelerator of 2017. A CPU with matrix units is "
        "not a hundred times slower, but a program that does not use those units is."
    )


QUESTIONS = (
    Question(
        "accelerators.headline",
        "A keynote announces \"20 petaFLOPS\" for one GPU of the GB200 generation. Your H100 does 0.99 petaFLOP/s in dense "
        "bf16, and you run dense bf16. How many times as fast can the new GPU be, by its own datasheet?",
        "times", _headline, _why_headline,
    ),
    Question(
        "accelerators.bandwidth_growth",
        "From the V100 of 2017 to the B200 of 2024, NVIDIA's dense fp16 peak grew 18 times. How many times did the memory "
        "bandwidth grow?",
        "times", _bandwidth_growth, _why_bandwidth_growth,
    ),
    Question(
        "accelerators.macs_per_cycle",
        "How many multiply-accumulates in fp16 does an H100 SXM start in one cycle of its clock?",
        "multiply-accumulates", _cycle, _why_cycle,
    ),
    Question(
        "accelerators.tensorcores",
        "A TensorCore of a TPU v4 holds four arrays of 128 × 128 multipliers, and each starts one multiply-accumulate in every "
        "cycle. How many TensorCores start as many in a cycle as all 132 SMs of an H100?",
        "TensorCores", _tensorcores, _why_tensorcores,
    ),
    Question(
        "accelerators.processor",
        "The Xeon beside an H100 SXM has 56 cores with matrix units: each core starts 512 multiply-accumulates in bf16 per "
        "cycle, at 2.0 GHz. How many times the Xeon's dense bf16 peak does the H100 have?",
        "times", _processor, _why_processor,
    ),
)  # fmt: skip
