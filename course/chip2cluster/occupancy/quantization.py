"""Wave quantization: a grid runs in whole waves, and the last one is rarely full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arguments import count

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def waves(blocks: ArrayLike, compute_units: ArrayLike, active_blocks: ArrayLike = 1) -> IntOrArray:
    """Rounds that a grid of equal blocks needs: ``ceil(blocks / (units * active_blocks))``.

    Parameters
    ----------
    blocks : int or array of int
        Blocks of the grid.
    compute_units : int or array of int
        Multiprocessors of the device.
    active_blocks : int or array of int
        Blocks that one holds at the same time; see `occupancy`.

    Returns
    -------
    int or array of int
        The run time in units of one block's time.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole numbers of at least 1.

    Notes
    -----
    Assumes that all blocks take equally long and start together. Blocks that differ,
    and persistent kernels, blur the steps. Source: NVIDIA, "Matrix multiplication
    background user's guide", section on wave quantization.

    Examples
    --------
    >>> waves([148, 149, 296], compute_units=148)
    array([1, 2, 2])
    """
    slots = count("compute_units", compute_units, 1) * count("active_blocks", active_blocks, 1)
    return -(-count("blocks", blocks, 1) // slots)


def wave_efficiency(blocks: ArrayLike, compute_units: ArrayLike, active_blocks: ArrayLike = 1) -> FloatOrArray:
    """Share of the block slots that do work, averaged over all waves.

    Parameters
    ----------
    blocks, compute_units, active_blocks : int or array of int
        As in `waves`.

    Returns
    -------
    float or array
        Above 0, up to 1 where the last wave is full.

    Raises
    ------
    ValueError, TypeError
        As `waves`.

    Notes
    -----
    Ignores the same as `waves`, and the same source.

    Examples
    --------
    >>> wave_efficiency(109, compute_units=108).__round__(3)
    0.505
    """
    slots = count("compute_units", compute_units, 1) * count("active_blocks", active_blocks, 1)
    return count("blocks", blocks, 1) / (waves(blocks, compute_units, active_blocks) * slots)
