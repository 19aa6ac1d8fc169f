"""What a branch costs the warps of a block, whose threads walk as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive
from .arguments import count, one_count

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

WARP = 32  # threads


def branch_paths(threads: int, cut: int) -> list[tuple[int, int]]:
    """Threads of each warp that take the first path, and those that take the second.

    Parameters
    ----------
    threads : int
        Of the block.
    cut : int
        Threads with an index below it take the first path; 0 up to ``threads``.

    Returns
    -------
    list of (int, int)
        A pair for each warp; the last warp may have fewer than 32 threads.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and a cut beyond the block.

    Notes
    -----
    Source: NVIDIA, "CUDA C++ programming guide", SIMT architecture.

    Examples
    --------
    >>> branch_paths(80, cut=48)
    [(32, 0), (16, 16), (0, 16)]
    """
    threads = one_count("threads", threads, 1)
    cut = one_count("cut", cut, 0, threads)
    pairs = []
    for first in range(0, threads, WARP):
        last = min(first + WARP, threads)
        below = min(max(cut - first, 0), last - first)
        pairs.append((below, last - first - below))
    return pairs


def branch_cycles(threads: ArrayLike, cut: ArrayLike, cycles_if: ArrayLike, cycles_else: ArrayLike) -> FloatOrArray:
    """Cycles that all warps of a block pay for a branch, added up.

    Parameters
    ----------
    threads, cut : int or array of int
        As in `branch_paths`; a cut of ``threads`` or more sends everybody the first way.
    cycles_if, cycles_else : float or array
        Of the first and of the second path.

    Returns
    -------
    float or array
        A warp whose threads disagree pays for both paths.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and cycles that are negative or not finite.

    Notes
    -----
    Ignores the branch itself, and that compilers turn short branches into instructions
    that are carried out and thrown away. Source: as `branch_paths`.

    Examples
    --------
    >>> branch_cycles(64, cut=[16, 32], cycles_if=8, cycles_else=4)
    array([16., 12.])
    """
    threads, cut = count("threads", threads, 1), count("cut", cut)
    warps, first = -(-threads // WARP), -(-cut // WARP)
    everybody = cut >= threads
    first = first * (1 - everybody) + warps * everybody
    only_first = (cut // WARP) * (1 - everybody) + warps * everybody
    return plain(
        1.0 * first * positive("cycles_if", cycles_if, allow_zero=True)
        + 1.0 * (warps - only_first) * positive("cycles_else", cycles_else, allow_zero=True)
    )
