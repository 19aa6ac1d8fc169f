"""Traffic of a matrix product with tiling: blocked loops, and the lower bound of any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .kernels import Kernel, gemm

if TYPE_CHECKING:
    from .._typing import ArrayLike


def blocked_gemm(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, block_m: ArrayLike, block_n: ArrayLike, bytes_per_element: float = 2
) -> Kernel:
    """Return the FLOP and bytes of C[m, n] = A[m, k] B[k, n] with tiling: block by block, no reuse between blocks.

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes; at least 1.
    block_m, block_n : int or array of int
        Rows and columns of C that are computed together: the
        tile of a thread block for the traffic between L2 and multiprocessors, all tiles
        of a wave together for the traffic between memory and L2.
    bytes_per_element : float
        Bytes of one element, 2 for bf16.

    Returns
    -------
    Kernel
        FLOP and bytes: A is read once for each column of blocks, B once for each row of blocks, C is
        written once. One block as large as C moves the bytes of `gemm`.

    Notes
    -----
    An upper bound of the traffic: a cache that keeps a stripe of A or B from one block
    to the next saves some of it, and so do thread blocks that share a load.
    Source: M. Lam, E. Rothberg, M. Wolf, "The cache performance and optimizations of
    blocked algorithms", ASPLOS 1991.

    Examples
    --------
    >>> [round(blocked_gemm(8192, 8192, 8192, *block).intensity) for block in ((128, 256), (2048, 2048), (8192, 8192))]
    [84, 910, 2731]
    """
    m, n, k = whole("m", m), whole("n", n), whole("k", k)
    block_m, block_n = whole("block_m", block_m), whole("block_n", block_n)
    size = positive("bytes_per_element", bytes_per_element)
    elements = 1.0 * m * k * np.ceil(n / block_n) + 1.0 * k * n * np.ceil(m / block_m) + 1.0 * m * n
    return Kernel(plain(2.0 * m * n * k + 0.0 * elements), plain(size * elements))


def gemm_least_traffic(
    m: ArrayLike, n: ArrayLike, k: ArrayLike, cache_bytes: ArrayLike, bytes_per_element: float = 2
) -> Kernel:
    """Return the FLOP and least bytes of a matrix product with a cache of this size, in any order of operations.

    Parameters
    ----------
    m, n, k : int or array of int
        Sizes; at least 1.
    cache_bytes : float or array
        Capacity of the cache, bytes.
    bytes_per_element : float
        Bytes of one element, 2 for bf16.

    Returns
    -------
    Kernel
        FLOP, and ``max(each matrix once, 2 m n k / sqrt(S) - 2 S elements)`` with S the elements
        that fit.

    Notes
    -----
    A lower bound for the ordinary product (no Strassen) with fused multiply-adds; no
    real kernel is that good. Source: T. M. Smith, B. Lowery, J. Langou, R. van de
    Geijn, "A tight I/O lower bound for matrix multiplication", arXiv:1702.02017.

    Examples
    --------
    >>> gemm_least_traffic(8192, 8192, 8192, cache_bytes=50 * 2**20).bytes_moved / gemm(8192, 8192, 8192).bytes_moved
    1.0
    >>> round(gemm_least_traffic(65536, 65536, 65536, cache_bytes=50 * 2**20).intensity)
    2561
    """
    once = gemm(m, n, k, bytes_per_element)
    elements = positive("cache_bytes", cache_bytes) / positive("bytes_per_element", bytes_per_element)
    reads = once.flops / np.sqrt(elements) - 2.0 * elements
    moved = np.maximum(once.bytes_moved, bytes_per_element * reads)
    return Kernel(plain(once.flops + 0.0 * moved), plain(moved))
