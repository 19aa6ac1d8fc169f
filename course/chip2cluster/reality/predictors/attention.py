"""Attention, forward: matrix products at a kernel's share of the peak, exponentials and starts beside them.

An unfused attention is a row of kernels, each of which reads and writes all scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from ... import occupancy, roofline, specs
from ..._validate import known
from ..model import Row
from .gemm import memory_rate

TILE = 128  # queries and keys that a fused kernel takes at a time
BYTES = 2  # of an element
IN_TURN = ("FA2", "Triton")  # kernels whose exponentials wait for the products; later ones overlap the two
# Exponentials a second: 16 a clock and multiprocessor (CUDA programming guide), at the boost clock. That of the
# H100, 3.9e12, stands in Shah et al., "FlashAttention-3", arXiv:2407.08608.
EXPONENTIALS = {"A100 SXM 80GB": 108 * 16 * 1.41e9, "H100 SXM": 3.9e12, "H200 SXM": 3.9e12}


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Each kernel's share of the peak in its products, from its longest sequence; seconds that a block starts and ends.

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
    """FLOP/s; with a causal mask only the half of the scores that it keeps counts."""
    given = row.given
    if given["kernel"] == "standard":
        return _kept(given) / _unfused(given)
    products = _done(given) / (fitted[given["kernel"]] * _peak(given))
    return _kept(given) / (products + _exponentials(given) + fitted["start"] * _waves(given))


def _taken(row: Row) -> float:
    """Seconds that were measured."""
    return _kept(row.given) / row.measured


def _attention(given: Mapping, *, causal: bool, fused: bool = True) -> roofline.Kernel:
    shape = given["sequence"], given["heads"], given["head_dim"], None, given["batch"], BYTES
    return roofline.attention_prefill(*shape, causal=causal, fused=fused)


def _kept(given: Mapping) -> float:
    """FLOP that are counted."""
    return float(_attention(given, causal=given["causal"]).flops)


def _done(given: Mapping) -> float:
    """FLOP of all the tiles that a kernel computes, of which a causal mask keeps half a tile in each row."""
    tiles = ceil(given["sequence"] / TILE)
    return _kept(given) * ((tiles + 1) / tiles if given["causal"] else 1.0)


def _exponentials(given: Mapping) -> float:
    """Seconds of the softmax, where the products wait for it; one for each score."""
    if given["kernel"] not in IN_TURN:
        return 0.0
    return _done(given) / (4 * given["head_dim"]) / EXPONENTIALS[given["chip"]]


def _waves(given: Mapping) -> int:
    """Rounds of blocks, each with a tile of queries."""
    blocks = given["batch"] * given["heads"] * ceil(given["sequence"] / TILE)
    return int(
        occupancy.waves(blocks, known("compute_units of the chip", specs.accelerator(given["chip"]).compute_units))
    )


def _unfused(given: Mapping) -> float:
    """Seconds of one kernel after the other, as the benchmark of FlashAttention calls PyTorch.

    The scores are written, read and written by the softmax, and read; a mask reads and writes
    them once more, and what it drops has been computed. Queries, keys and values are copied
    into the order that a batch of products wants.
    """
    whole = _attention(given, causal=False, fused=False)
    operand = BYTES * given["batch"] * given["sequence"] * given["heads"] * given["head_dim"]
    mask = 2.0 * BYTES * given["batch"] * given["heads"] * given["sequence"] ** 2 if given["causal"] else 0.0
    chip = specs.accelerator(given["chip"])
    return float(max(whole.flops / _peak(given), (whole.bytes_moved + mask + 6 * operand) / memory_rate(chip)))


def _peak(given: Mapping) -> float:
    """Dense peak in 16 bits, FLOP/s."""
    return specs.accelerator(given["chip"]).peak_flops_dense("bf16")
