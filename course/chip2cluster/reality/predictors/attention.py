"""Attention, forward: a share of the peak for each fused kernel, the memory's roof for the unfused one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from ... import roofline, specs
from ..model import Row
from .gemm import memory_rate

TILE = 128  # queries and keys that a fused kernel takes at a time
BYTES = 2  # of an element


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Share of the peak that each fused kernel reaches with long sequences."""
    return {row.given["kernel"]: row.measured / peak(row.given) for row in rows}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """FLOP/s; with a causal mask only the half of the scores that it keeps counts."""
    given = row.given
    if given["kernel"] != "standard":
        return fitted[given["kernel"]] * peak(given) * useful(given)
    shape = given["sequence"], given["heads"], given["head_dim"], None, given["batch"], BYTES
    whole = roofline.attention_prefill(*shape, causal=False, fused=False)  # it computes what the mask drops
    kept = roofline.attention_prefill(*shape, causal=given["causal"], fused=False)
    chip = specs.accelerator(given["chip"])
    return kept.flops / whole.time(peak(given), memory_rate(chip))


def peak(given: Mapping) -> float:
    """Dense peak in 16 bits, FLOP/s."""
    return specs.accelerator(given["chip"]).peak_flops_dense("bf16")


def useful(given: Mapping) -> float:
    """Share of the tiles' arithmetic that a causal mask keeps, over the half that is counted."""
    if not given["causal"]:
        return 1.0
    tiles = ceil(given["sequence"] / TILE)
    return tiles / (tiles + 1)
