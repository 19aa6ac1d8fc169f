"""Matrix products: roofline with measured roofs, waves of the best tile size, the store, and one start-up.

A block stores its tile once its arithmetic is done, so the store comes after it and is not
hidden by it as the loads are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from ... import occupancy, roofline, specs
from ..._validate import known
from ..comparison import fitted as numbers_of
from ..validation_model import Row

# Tile sizes of C per block, from NVIDIA's "Matrix multiplication background user's guide".
TILES = ((256, 128), (128, 256), (128, 128), (256, 64), (64, 256), (128, 64), (64, 128), (64, 64))


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit FLOP/s of each chip and precision in its best shape, and start-up seconds from the smallest product."""
    numbers: dict[str, float] = {}
    for row in rows:
        numbers[_roof(row.given)] = max(row.measured, numbers.get(_roof(row.given), 0.0))
    smallest = min(rows, key=lambda row: _work(row.given))
    numbers["start"] = _work(smallest.given) / smallest.measured - _running(smallest.given, numbers)
    return numbers


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict FLOP/s."""
    return _work(row.given) / (fitted["start"] + _running(row.given, fitted))


def memory_rate(chip: specs.Accelerator) -> float:
    """Return the bytes/s of streaming kernels on a chip."""
    return numbers_of("triad")["share"] * chip.memory_bandwidth


def _work(given: Mapping) -> float:
    """Return the FLOP of all products of a row."""
    return float(given.get("groups", 1) * roofline.gemm(given["m"], given["n"], given["k"], given["bytes"]).flops)


def _running(given: Mapping, numbers: Mapping[str, float]) -> float:
    """Return the seconds from the first load to the last store."""
    m, n, groups = given["m"], given["n"], given.get("groups", 1)
    chip = specs.accelerator(given["chip"])
    memory = memory_rate(chip)
    loads = groups * (roofline.gemm(m, n, given["k"], given["bytes"]).bytes_moved - given["bytes"] * m * n)
    work = _work(given)
    peak = numbers[_roof(given)] * max(
        _busy(m, n, groups, tile, known("compute_units of the chip", chip.compute_units)) for tile in TILES
    )
    return float(work / roofline.attainable(work / loads, peak, memory) + groups * given["out_bytes"] * m * n / memory)


def _busy(m: int, n: int, groups: int, tile: tuple[int, int], units: int) -> float:
    """Return the useful fraction of the arithmetic after wave and tile quantization."""
    rows, columns = ceil(m / tile[0]), ceil(n / tile[1])
    useful = m * n / (rows * columns * tile[0] * tile[1])
    return float(occupancy.wave_efficiency(groups * rows * columns, units)) * useful


def _roof(given: Mapping) -> str:
    """Return the key of the fitted rate."""
    return f"{given['chip']} {given['precision']}"
