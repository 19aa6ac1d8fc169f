"""The experiments: what each asks, the quantities of its two axes, and what the recorded H100 and H200 did."""

from __future__ import annotations

from typing import NamedTuple


class Experiment(NamedTuple):
    """Question and axes of an experiment; units are base units."""

    question: str
    x_name: str
    x_unit: str
    y_name: str
    y_unit: str
    log_x: bool = True
    log_y: bool = True
    expects: str = ""


EXPERIMENTS = {
    "triad": Experiment(
        "How many bytes a second move, by working set?",
        "working set", "B", "bandwidth", "B/s",
        expects="small sets pay for a launch, sets within L2 can exceed the memory's bandwidth, and large ones reach 76 to 86 % of the datasheet",
    ),
    "products": Experiment(
        "How many FLOP/s does a matrix product reach, by its shape?",
        "FLOP of the product", "FLOP", "rate", "FLOP/s",
        expects="the smallest products take about 5 µs, and the best in bf16 reach about 80 % of the dense peak until the power cap",
    ),
    "steps": Experiment(
        "What does one more row or column cost?",
        "size", "", "rate", "FLOP/s", log_x=False, log_y=False,
        expects="multiples of 8 use the fastest kernels, odd k or n others that are 4 to 9 times slower, and m is free",
    ),
    "launches": Experiment(
        "How long does a small kernel take in a chain of many?",
        "bytes of one array", "B", "time per kernel", "s",
        expects="launches from the host set the pace of short kernels; a graph leaves a gap of about 1 µs",
    ),
    "copies": Experiment(
        "How fast are copies between host and device?",
        "size", "B", "bandwidth", "B/s",
        expects="pinned memory reaches half of its rate at 1 to 2 MiB and 55 GB/s in the end, pageable memory a seventh to a quarter of that",
    ),
    "power": Experiment(
        "What does a sustained load draw, and what happens to the clock?",
        "time", "s", "power", "W", log_x=False, log_y=False,
        expects="large products meet the power cap within a second, and the clock falls until the power fits",
    ),
    "attention": Experiment(
        "How many FLOP/s does fused attention reach, by sequence length?",
        "sequence", "tokens", "rate", "FLOP/s",
        expects="longer sequences reach more, at best about a third of the peak (FlashAttention) or 70 % of it (cuDNN)",
    ),
    "training": Experiment(
        "What is the MFU of a training step, by its batch?",
        "sequences in a step", "", "MFU", "", log_y=False,
        expects="small batches are launch-bound; an eager step of a small model reaches 29 to 47 % at best",
    ),
}  # fmt: skip
