"""Warp divergence: cost of a branch for the warps of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import bounded_whole, one_bounded_whole, plain, positive

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

WARP = 32  # threads


def branch_paths(threads: int, cut: int) -> list[tuple[int, int]]:
    """Count the threads of each warp on the two paths of a branch (warp divergence).

    Parameters
    ----------
    threads : int
        Number of threads in the block.
    cut : int
        Thread index below which threads take the first path, 0 to ``threads``.

    Returns
    -------
    list of (int, int)
        Numbers of threads on both paths for each warp; the last warp may have fewer than 32
        threads.

    Raises
    ------
    ValueError
        If ``cut`` exceeds ``threads``.

    Notes
    -----
    Source: NVIDIA, "CUDA C++ programming guide", SIMT architecture.

    Examples
    --------
    >>> branch_paths(80, cut=48)
    [(32, 0), (16, 16), (0, 16)]
    """
    threads = one_bounded_whole("threads", threads, 1)
    cut = one_bounded_whole("cut", cut, 0, threads)
    pairs = []
    for first in range(0, threads, WARP):
        last = min(first + WARP, threads)
        below = min(max(cut - first, 0), last - first)
        pairs.append((below, last - first - below))
    return pairs


def branch_cycles(threads: ArrayLike, cut: ArrayLike, cycles_if: ArrayLike, cycles_else: ArrayLike) -> FloatOrArray:
    """Compute the total cycles of all warps of a block for a branch, with warp divergence.

    Parameters
    ----------
    threads : int or array of int
        Number of threads in the block.
    cut : int or array of int
        Thread index below which threads take the first path; may exceed ``threads``.
    cycles_if : float or array
        Duration of the first path, cycles.
    cycles_else : float or array
        Duration of the second path, cycles.

    Returns
    -------
    float or array
        Total number of cycles; a divergent warp executes both paths.

    Notes
    -----
    Ignores the branch instruction, and that compilers use predication for short branches.
    Source: as `branch_paths`.

    Examples
    --------
    >>> branch_cycles(64, cut=[16, 32], cycles_if=8, cycles_else=4)
    array([16., 12.])
    """
    threads, cut = bounded_whole("threads", threads, 1), bounded_whole("cut", cut)
    warps, first = -(-threads // WARP), -(-cut // WARP)
    uniform = cut >= threads  # all threads take the first path
    first = first * (1 - uniform) + warps * uniform
    only_first = (cut // WARP) * (1 - uniform) + warps * uniform
    return plain(
        1.0 * first * positive("cycles_if", cycles_if, allow_zero=True)
        + 1.0 * (warps - only_first) * positive("cycles_else", cycles_else, allow_zero=True)
    )
