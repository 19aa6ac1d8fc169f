"""Wave quantization: a grid runs in whole waves of blocks, and the last one is rarely full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import bounded_whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def waves(blocks: ArrayLike, compute_units: ArrayLike, active_blocks: ArrayLike = 1) -> IntOrArray:
    """Compute the waves of a grid of equal blocks (wave quantization): ``ceil(blocks / (units * active_blocks))``.

    Parameters
    ----------
    blocks : int or array of int
        Number of blocks in the grid.
    compute_units : int or array of int
        Number of SMs of the device.
    active_blocks : int or array of int
        Number of active blocks on an SM; see `occupancy`.

    Returns
    -------
    int or array of int
        Number of waves, the run time in units of one block's time.

    Notes
    -----
    Assumes that all blocks take the same time and start together. With unequal blocks or
    persistent kernels the steps are less sharp. Source: NVIDIA, "Matrix multiplication
    background user's guide", section on wave quantization.

    Examples
    --------
    >>> waves([148, 149, 296], compute_units=148)
    array([1, 2, 2])
    """
    slots = bounded_whole("compute_units", compute_units, 1) * bounded_whole("active_blocks", active_blocks, 1)
    return -(-bounded_whole("blocks", blocks, 1) // slots)


def wave_efficiency(blocks: ArrayLike, compute_units: ArrayLike, active_blocks: ArrayLike = 1) -> FloatOrArray:
    """Compute the fraction of block slots in use, averaged over all waves (wave quantization).

    Parameters
    ----------
    blocks : int or array of int
        Number of blocks in the grid.
    compute_units : int or array of int
        Number of SMs of the device.
    active_blocks : int or array of int
        Number of active blocks on an SM; see `occupancy`.

    Returns
    -------
    float or array
        Fraction, above 0; 1 if the last wave is full.

    Notes
    -----
    Ignores what `waves` ignores. Source: as there.

    Examples
    --------
    >>> wave_efficiency(109, compute_units=108).__round__(3)
    0.505
    """
    slots = bounded_whole("compute_units", compute_units, 1) * bounded_whole("active_blocks", active_blocks, 1)
    return bounded_whole("blocks", blocks, 1) / (waves(blocks, compute_units, active_blocks) * slots)
