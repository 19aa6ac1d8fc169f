"""Matrix products: the roofline with measured roofs, and waves of tiles below the upper one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from ... import occupancy, roofline, specs
from ..compare import fitted as numbers_of
from ..model import Row

TILE = 128  # rows and columns of C that one block computes


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """FLOP/s that each chip reaches with its best shape in each precision."""
    return {f"{row.given['chip']} {row.given['precision']}": row.measured for row in rows}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """FLOP/s."""
    given = row.given
    m, n, k, groups = (given.get(name, 1) for name in ("m", "n", "k", "groups"))
    product = roofline.gemm(m, n, k, given["bytes"])
    # The result is wider than the operands where these have 8 bits.
    moved = product.bytes_moved + (given["out_bytes"] - given["bytes"]) * m * n
    chip = specs.accelerator(given["chip"])
    blocks = groups * ceil(m / TILE) * ceil(n / TILE)
    full = occupancy.wave_efficiency(blocks, chip.compute_units or 1)
    useful = m * n / (ceil(m / TILE) * ceil(n / TILE) * TILE**2)  # of the tiles; the edges are empty
    peak = fitted[f"{given['chip']} {given['precision']}"] * full * useful
    return float(roofline.attainable(product.flops / moved, peak, memory_rate(chip)))


def memory_rate(chip: specs.Accelerator) -> float:
    """Bytes/s that streaming kernels get out of a chip's memory."""
    return numbers_of("triad")["share"] * chip.memory_bandwidth
