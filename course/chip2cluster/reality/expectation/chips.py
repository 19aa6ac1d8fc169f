"""Figures of a chip that the laws use, and the family that lends its constants to a chip without its own."""

from __future__ import annotations

from functools import cache
from typing import Any

from ... import specs

# Bytes of an element. Four bits carry a scale of one byte for each block of 16.
BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp8_block": 1.0, "fp4": 0.5625, "int4": 0.5625, "int8": 1.0}
ARITHMETIC = {"fp8_block": "fp8", "int4": "bf16"}  # weight-only int4 is multiplied in 16 bits
# Matrix FLOP per fp32 FLOP of a multiprocessor of GB202 with full-rate accumulation: 512 fused multiply-adds a clock in 16
# bits against 128. Written from memory of NVIDIA's white paper on RTX Blackwell PRO, not read again; the catalogue has no
# dense matrix peak of this card.
PER_FP32 = {"bf16": 4, "fp16": 4, "fp8": 8, "fp4": 16}
MEMORY_SHARE = 0.85  # fraction of the memory's datasheet rate that a streaming kernel reaches
FAMILIES = {
    "8.0": "Ampere", "8.9": "Ada", "9.0": "Hopper", "10.0": "Blackwell", "10.3": "Blackwell", "12.0": "Blackwell RTX",
}  # fmt: skip
RACKS, RACK, NODE = ("GB200", "GB300"), 72, 8
BEYOND = {"nccl": "Give nodes and network_per_node (bytes/s, one direction) for several of them"}
B200_UNITS, B200_CLOCK = 148, 1.9e9


@cache
def accelerator(chip: Any) -> specs.Accelerator:
    """Return a chip by its name, or a custom chip itself."""
    return chip if isinstance(chip, specs.Accelerator) else specs.accelerator(chip)


@cache
def family(chip: Any) -> str:
    """Return the family of a chip; empty for a chip without a family here.

    >>> family("GH200 96GB"), family("MI300X")
    ('Hopper', '')
    """
    found = accelerator(chip)
    return FAMILIES.get(found.compute_capability or "", "")


@cache
def peak(chip: Any, precision: str) -> float:
    """Return the dense peak of a precision, FLOP/s."""
    found, arithmetic = accelerator(chip), ARITHMETIC.get(precision, precision)
    if found.compute_capability == "12.0" and arithmetic in PER_FP32 and arithmetic not in found.precisions_dense:
        return PER_FP32[arithmetic] * found.peak_flops_dense("fp32")
    return found.peak_flops_dense(arithmetic)


@cache
def width(precision: str) -> float:
    """Return the bytes of an element, scales of blocks included."""
    if precision not in BYTES:
        raise ValueError(f"precision must be one of {', '.join(BYTES)}, got {precision!r}")
    return BYTES[precision]


@cache
def unit_hertz(chip: Any) -> float:
    """Return clock times multiprocessors; where the catalogue lacks one of them (H20, B300), that of a B200.

    Only groups of more than 32 query heads for each key-value head depend on it.
    """
    found = accelerator(chip)
    return (found.compute_units or B200_UNITS) * (found.boost_clock_hz or B200_CLOCK)


@cache
def link(chip: Any) -> float:
    """Return the link rate in one direction, bytes/s."""
    found = accelerator(chip)
    rate = found.scale_up_bandwidth_one_way
    if not rate:
        raise ValueError(f"{found.name} has no published link between chips; give a chip that has one")
    return rate


@cache
def domain(chip: Any) -> int:
    """Return the largest number of GPUs on one NVLink or PCIe fabric: a rack of 72 with NVLink switches, else 8."""
    return RACK if accelerator(chip).name in RACKS else NODE


def check_domain(kind: str, name: str, count: Any, most: float) -> None:
    """Raise if a count exceeds the fabric, whose links the law assumes."""
    beyond = count > most
    if beyond is True or (beyond is not False and beyond.any()):
        raise ValueError(
            f"{kind} is a law of one NVLink or PCIe fabric, at most {most:g} GPUs of this chip; got {name}={count!r}. "
            f"{BEYOND.get(kind, 'Beyond it use collectives.hierarchical_all_reduce_time, a bound')}"
        )
