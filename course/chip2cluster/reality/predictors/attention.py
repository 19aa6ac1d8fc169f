"""Attention, forward pass: matrix products at a fraction of peak, plus exponentials and start-up.

An unfused attention is a row of kernels, each of which reads and writes all scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from ... import occupancy, roofline, specs
from ..._validate import known
from ..validation_model import Row
from .gemm import memory_rate

TILE = 128  # queries and keys in a tile of a fused kernel
BYTES = 2  # bytes of an element
IN_TURN = ("FA2", "Triton")  # kernels that do not overlap exponentials with products
# Exponentials a second: 16 a clock and multiprocessor (CUDA programming guide), at the boost clock. That of the
# H100, 3.9e12, stands in Shah et al., "FlashAttention-3", arXiv:2407.08608.
EXPONENTIALS = {"A100 SXM 80GB": 108 * 16 * 1.41e9, "H100 SXM": 3.9e12, "H200 SXM": 3.9e12}


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the fraction of peak of each kernel, from its longest sequence, and the start-up seconds of a block.

    The start follows from the kernel of which two lengths are given: all but the start grows with the length.
    """
    short = min(rows, key=lambda row: row.given["sequence"])
    longest = {row.given["kernel"]: row for row in rows if row is not short}
    same = longest[short.given["kernel"]]
    slope = (_taken(same) - _taken(short)) / (_done(same.given) - _done(short.given))
    numbers = {"start": (_taken(short) - _done(short.given) * slope) / _waves(short.given)}
    for kernel, row in longest.items():
        products = _taken(row) - numbers["start"] * _waves(row.given) - _exponentials(row.given)
        numbers[kernel] = _done(row.given) / products / _peak(row.given)
    return numbers


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict FLOP/s; with a causal mask only the unmasked half of the scores counts."""
    given = row.given
    if given["kernel"] == "standard":
        return _kept(given) / _unfused(given)
    products = _done(given) / (fitted[given["kernel"]] * _peak(given))
    return _kept(given) / (products + _exponentials(given) + fitted["start"] * _waves(given))


def _taken(row: Row) -> float:
    """Return the measured seconds."""
    return _kept(row.given) / row.measured


def _attention(given: Mapping, *, causal: bool, fused: bool = True) -> roofline.Kernel:
    shape = given["sequence"], given["heads"], given["head_dim"], None, given["batch"], BYTES
    return roofline.attention_prefill(*shape, causal=causal, fused=fused)


def _kept(given: Mapping) -> float:
    """Return the FLOP that the benchmark counts."""
    return float(_attention(given, causal=given["causal"]).flops)


def _done(given: Mapping) -> float:
    """Return the FLOP of all computed tiles; a causal mask needs only half of each diagonal tile."""
    tiles = ceil(given["sequence"] / TILE)
    return _kept(given) * ((tiles + 1) / tiles if given["causal"] else 1.0)


def _exponentials(given: Mapping) -> float:
    """Return the softmax seconds, one exponential per score, for kernels without overlap."""
    if given["kernel"] not in IN_TURN:
        return 0.0
    return _done(given) / (4 * given["head_dim"]) / EXPONENTIALS[given["chip"]]


def _waves(given: Mapping) -> int:
    """Return the number of waves of blocks, each with a tile of queries."""
    blocks = given["batch"] * given["heads"] * ceil(given["sequence"] / TILE)
    return int(
        occupancy.waves(blocks, known("compute_units of the chip", specs.accelerator(given["chip"]).compute_units))
    )


def _unfused(given: Mapping) -> float:
    """Return the seconds of unfused attention in PyTorch, as in the benchmark of FlashAttention.

    The scores are written, read and written by the softmax, and read; adding a mask reads them and as many
    elements of the mask, and writes them, and what it drops has been computed. Queries, keys and values are copied
    into the order that a batch of products wants.
    """
    whole = _attention(given, causal=False, fused=False)
    operand = BYTES * given["batch"] * given["sequence"] * given["heads"] * given["head_dim"]
    mask = 3.0 * BYTES * given["batch"] * given["heads"] * given["sequence"] ** 2 if given["causal"] else 0.0
    chip = specs.accelerator(given["chip"])
    return float(max(whole.flops / _peak(given), (whole.bytes_moved + mask + 6 * operand) / memory_rate(chip)))


def _peak(given: Mapping) -> float:
    """Return the dense 16-bit peak, FLOP/s."""
    return specs.accelerator(given["chip"]).peak_flops_dense("bf16")
