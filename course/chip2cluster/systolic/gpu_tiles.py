"""The same loss on a GPU: tiles of the result, steps along k, and the last wave of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .. import specs
from .._kernel_records import source, stored
from .._validate import plain, positive, whole
from ..occupancy import wave_efficiency
from ..roofline import attainable, gemm
from ._shape import blocks, count

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import ArrayLike, BoolOrArray, FloatOrArray
    from ..provenance import Source

ALIGNMENT = 16  # bytes that a thread loads at once
TILE_K = 32  # step along k of the measured kernels, by their names


@dataclass(frozen=True)
class OddSize:
    """A measured product of ``size`` x ``size`` matrices: FLOP/s, the kernel's tile (rows, columns) and elements a load."""

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
    """Share of a GPU's matrix units that does useful work when a product is cut into tiles.

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes of C[m, n] = A[m, k] B[k, n]; at least 1.
    tile_m, tile_n : int or array of int
        Rows and columns of C that one thread block makes.
    tile_k : int or array of int
        Its step along k.
    compute_units : int or array of int, optional
        Multiprocessors of the chip, each with one tile at a time; left out, the
        last wave is not counted.

    Returns
    -------
    float or array
        ``m n k`` over the padded ``m n k``, times the share of full places in the
        waves; above 0 and at most 1.

    Raises
    ------
    ValueError, TypeError
        For sizes that are not whole numbers of at least 1.

    Notes
    -----
    All three sizes are padded, where a systolic array pads two. Ignores that a
    library chooses among many tiles, slower loads of rows that are not `aligned`,
    and kernels that split k or share tiles out more evenly. Source: NVIDIA, "Matrix
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
    return plain(share * wave_efficiency(count(down * across), compute_units))


def aligned(size: ArrayLike, bytes_per_element: ArrayLike = 2) -> BoolOrArray:
    """Whether rows of this many elements begin on a multiple of 16 bytes.

    Parameters
    ----------
    size : int or array of int
        Elements in a row: k for A[m, k], n for B[k, n] and C[m, n].
    bytes_per_element : float or array
        2 for bf16.

    Returns
    -------
    bool or array of bool

    Raises
    ------
    ValueError, TypeError
        For a size that is not a whole number of at least 1, or an element of no size.

    Notes
    -----
    A thread loads 16 bytes at once where it can; rows that begin elsewhere need a
    kernel with smaller loads. What that costs follows no single law: measure.
    Source: NVIDIA, "Matrix multiplication background user's guide".

    Examples
    --------
    >>> aligned([128, 129, 136])
    array([ True, False,  True])
    """
    answer = whole("size", size) * positive("bytes_per_element", bytes_per_element) % ALIGNMENT == 0
    return answer if getattr(answer, "ndim", 0) else bool(answer)


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
    """Highest rate of useful work on a GPU for C[m, n] = A[m, k] B[k, n], tiles and memory counted.

    Parameters
    ----------
    m, n, k, tile_m, tile_n, tile_k, compute_units
        As `tile_utilization`.
    peak_flops : float or array
        Dense peak, FLOP/s.
    memory_bandwidth : float or array
        bytes/s.
    bytes_per_element : float
        2 for bf16.

    Returns
    -------
    float or array
        ``min(peak_flops * tile_utilization, memory_bandwidth * intensity)``, FLOP/s.

    Raises
    ------
    ValueError, TypeError
        As `tile_utilization` and `roofline.attainable`.

    Notes
    -----
    The twin of `useful_rate`. An upper bound for sizes that are `aligned`; for the
    others a kernel with smaller loads may be far below. Sources: as `tile_utilization`;
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
        By rising size.

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
    """Measured square products around 2048 beside what their tiles and waves allow.

    Returns
    -------
    pandas.DataFrame
        One row a size; units are in the headers.

    Notes
    -----
    The bound takes the clock of the data sheet; a card may run faster. It ignores what
    `gpu_useful_rate` ignores. Source: that of `odd_sizes`.

    Examples
    --------
    >>> odd_size_table()["measured (TFLOP/s)"].to_list()
    [156, 116, 90, 107, 111, 84, 112]
    """
    import pandas  # here, because the models do not need it

    rows = []
    for row in odd_sizes():
        chip = specs.accelerator(row.chip)
        roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
        size, (down, across) = row.size, row.tile
        bound = gpu_useful_rate(size, size, size, down, across, TILE_K, *roofs, compute_units=chip.compute_units)
        rows.append((size, f"{down} × {across}", row.loads, round(row.flops_per_second / 1e12), round(bound / 1e12)))
    columns = ["N", "tile of the kernel", "elements per load", "measured (TFLOP/s)", "tiles and waves allow (TFLOP/s)"]
    return pandas.DataFrame(rows, columns=columns)
