"""Tile and wave quantization of a matrix product (GEMM) on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .. import specs
from .._kernel_records import source, stored
from .._validate import plain, positive, whole
from ..occupancy import wave_efficiency
from ..roofline import attainable, gemm
from ._tiling import blocks, exact_count

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import ArrayLike, FloatOrArray
    from ..provenance import Source

TILE_K = 32  # step along k of the measured kernels, from their names


@dataclass(frozen=True)
class OddSize:
    """Measured product of square matrices.

    Attributes
    ----------
    size : int
        Number of rows and columns.
    flops_per_second : float
        Measured rate, FLOP/s.
    tile : tuple of int
        Rows and columns of the kernel's tile.
    loads : int
        Elements per load.
    chip : str
        Name of the GPU.
    source : Source
        Citation, date and confidence.
    """

    size: int
    flops_per_second: float
    tile: tuple[int, int]
    loads: int
    chip: str
    source: Source


def tile_utilization(
    m: ArrayLike,
    n: ArrayLike,
    k: ArrayLike,
    tile_m: ArrayLike,
    tile_n: ArrayLike,
    tile_k: ArrayLike = 1,
    *,
    compute_units: ArrayLike | None = None,
) -> FloatOrArray:
    """Compute the useful fraction of a GPU's Tensor Core work with tile quantization and wave quantization.

    Parameters
    ----------
    m, n, k : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    tile_m : int or array of int
        Number of rows of C that one thread block computes.
    tile_n : int or array of int
        Number of columns of C that one thread block computes.
    tile_k : int or array of int
        Step of a thread block along k.
    compute_units : int or array of int, optional
        Number of SMs of the chip, each with one tile at a time; without it wave
        quantization is not counted.

    Returns
    -------
    float or array
        Fraction, ``m n k`` over the padded ``m n k`` times the wave efficiency; above 0 and
        at most 1.

    Notes
    -----
    All three sizes are padded, whereas a systolic array pads two. It holds for a kernel whose tile is known; ignores
    that a library chooses among many tiles, slower loads of rows that are not `aligned`, and kernels that
    split k or balance tiles more evenly (split-K, stream-K). Source: NVIDIA, "Matrix
    multiplication background user's guide", tile and wave quantization.

    Examples
    --------
    >>> round(tile_utilization(65536, 4096, 129, 128, 128, 64), 3)
    0.672
    >>> [round(tile_utilization(n, n, n, 128, 128, compute_units=128), 2) for n in (2048, 2049)]
    [1.0, 0.67]
    """
    m, n, k = whole("m", m), whole("n", n), whole("k", k)
    tile_m, tile_n, tile_k = whole("tile_m", tile_m), whole("tile_n", tile_n), whole("tile_k", tile_k)
    down, across, steps = blocks(m, tile_m), blocks(n, tile_n), blocks(k, tile_k)
    share = plain(m / (down * tile_m) * (n / (across * tile_n)) * (k / (steps * tile_k)))
    if compute_units is None:
        return share
    return plain(share * wave_efficiency(exact_count(down * across), compute_units))


def gpu_useful_rate(
    m: ArrayLike,
    n: ArrayLike,
    k: ArrayLike,
    tile_m: ArrayLike,
    tile_n: ArrayLike,
    tile_k: ArrayLike,
    peak_flops: ArrayLike,
    memory_bandwidth: ArrayLike,
    *,
    compute_units: ArrayLike | None = None,
    bytes_per_element: float = 2,
) -> FloatOrArray:
    """Compute the highest useful rate of a GEMM on a GPU, with tile and wave quantization and memory.

    Parameters
    ----------
    m : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    n : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    k : int or array of int
        Size of the product C[m, n] = A[m, k] B[k, n], at least 1.
    tile_m : int or array of int
        Number of rows of C that one thread block computes.
    tile_n : int or array of int
        Number of columns of C that one thread block computes.
    tile_k : int or array of int
        Step of a thread block along k.
    peak_flops : float or array
        Dense peak of the chip, FLOP/s.
    memory_bandwidth : float or array
        Bandwidth of the chip's memory, bytes/s.
    compute_units : int or array of int, optional
        Number of SMs of the chip, each with one tile at a time; without it wave
        quantization is not counted.
    bytes_per_element : float
        Size of an element, 2 for bf16, bytes.

    Returns
    -------
    float or array
        Rate, ``min(peak_flops * tile_utilization, memory_bandwidth * intensity)``, FLOP/s.

    Notes
    -----
    The counterpart of `useful_rate`. An upper bound for the kernel that has this tile, not for a library: on an H100
    cuBLAS 13 took 41 tile shapes in one series and ran above the bound of a fixed tile where that has a nearly empty
    wave. For sizes that are not `aligned` another kernel runs far below it, `product_steps`. Sources: as `tile_utilization`;
    Williams et al., Communications of the ACM 52(4), 2009 (roofline).

    Examples
    --------
    >>> chip = dict(tile_m=128, tile_n=128, tile_k=64, peak_flops=312e12, memory_bandwidth=2039e9)  # A100
    >>> [round(gpu_useful_rate(65536, 4096, k, **chip) / 1e12) for k in (128, 129, 192)]
    [253, 210, 312]
    """
    share = tile_utilization(m, n, k, tile_m, tile_n, tile_k, compute_units=compute_units)
    intensity = gemm(m, n, k, bytes_per_element).intensity
    return attainable(intensity, positive("peak_flops", peak_flops) * share, memory_bandwidth)


@cache
def odd_sizes() -> tuple[OddSize, ...]:
    """Return measured square products around 2048 in bf16, with the tile of the kernel that ran.

    Returns
    -------
    tuple of OddSize
        Measurements by ascending size.

    Notes
    -----
    One GPU, one version of one library. Source: each row's ``source``.

    Examples
    --------
    >>> [(row.size, round(row.flops_per_second / 1e12)) for row in odd_sizes()][:3]
    [(2040, 156), (2055, 116), (2056, 90)]
    """
    table = stored()["odd_sizes"]
    return tuple(
        OddSize(row["size"], row["rate"], tuple(row["tile"]), row["loads"], table["chip"], source(table["source"]))
        for row in table["rows"]
    )


def odd_size_table() -> DataFrame:
    """Compare measured square products around 2048 with the bound of tile and wave quantization.

    Returns
    -------
    pandas.DataFrame
        One row for each size; units are in the headers.

    Notes
    -----
    The bound assumes the clock of the datasheet; a card may run faster. Ignores what
    `gpu_useful_rate` ignores. Source: as `odd_sizes`.

    Examples
    --------
    >>> odd_size_table()["measured (TFLOP/s)"].to_list()
    [156, 116, 90, 107, 111, 84, 112]
    """
    import pandas  # imported here because the models do not need it

    rows = []
    for row in odd_sizes():
        chip = specs.accelerator(row.chip)
        roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
        size, (down, across) = row.size, row.tile
        bound = gpu_useful_rate(size, size, size, down, across, TILE_K, *roofs, compute_units=chip.compute_units)
        rows.append((size, f"{down} × {across}", row.loads, round(row.flops_per_second / 1e12), round(bound / 1e12)))
    columns = ["N", "kernel tile", "elements per load", "measured (TFLOP/s)", "tile and wave bound (TFLOP/s)"]
    return pandas.DataFrame(rows, columns=columns)
