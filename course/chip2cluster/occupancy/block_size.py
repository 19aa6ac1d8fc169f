"""Block size with the highest occupancy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import bounded_whole, one_bounded_whole
from .cuda import check_resources, fill
from .device_limits import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._typing import ArrayLike, FloatOrArray, IntOrArray


class BlockSize(NamedTuple):
    """Result of `max_potential_block_size`; int for scalars, arrays otherwise.

    ``min_grid_size`` is the number of blocks that fills the device once, ``occupancy`` the
    fraction of warps that are then active, 0 to 1.
    """

    threads_per_block: IntOrArray
    active_blocks: IntOrArray
    min_grid_size: IntOrArray
    occupancy: FloatOrArray


def max_potential_block_size(
    compute_capability: str,
    registers_per_thread: ArrayLike = 0,
    shared_memory_per_block: ArrayLike | Callable[[int], int] = 0,
    *,
    compute_units: ArrayLike = 1,
    max_threads_per_block: int = 1024,
    static_shared_memory: ArrayLike = 0,
    carveout: ArrayLike | None = None,
    opt_in: ArrayLike = True,
    barriers: ArrayLike = 1,
) -> BlockSize:
    """Compute the block size with the highest occupancy on an SM, the largest in a tie.

    Parameters
    ----------
    compute_capability : str
        Compute capability such as ``"9.0"``; see `limits`.
    registers_per_thread : int or array of int
        Registers per thread, 0 to 255.
    shared_memory_per_block : int, array of int, or callable
        Dynamic shared memory per block, bytes; or a function of the block size that
        returns it.
    compute_units : int or array of int
        Number of SMs of the device; 1 gives the grid that fills one SM.
    max_threads_per_block : int
        Largest block size that the kernel supports, 1 to 1024 (``__launch_bounds__``).
    static_shared_memory : int or array of int
        Shared memory per block declared in the kernel, bytes.
    carveout : int or array of int, optional
        Preferred fraction of the largest shared memory, percent; rounded up to a size that
        the hardware supports. None is the driver's default: the largest.
    opt_in : bool or array of bool
        Whether the kernel has opted in to more than 48 KiB of shared memory per block.
    barriers : int or array of int
        Number of named barriers, 0 to 16; ``__syncthreads()`` is one. Counted from compute
        capability 9.0 on.

    Returns
    -------
    BlockSize
        Block size, active blocks, grid size and occupancy; zeros if no block size fits.

    Notes
    -----
    Tries every whole number of warps, from large to small. The highest occupancy is not
    always the fastest. Ignores what `occupancy` ignores. Source: NVIDIA
    ``cuda_occupancy.h``, ``cudaOccMaxPotentialOccupancyBlockSize``.

    Examples
    --------
    >>> max_potential_block_size("9.0", registers_per_thread=40, compute_units=132)
    BlockSize(threads_per_block=768, active_blocks=2, min_grid_size=264, occupancy=0.75)
    >>> max_potential_block_size("9.0", 32, lambda threads: 64 * threads).threads_per_block
    1024
    """
    chip = limits(compute_capability)
    largest = one_bounded_whole("max_threads_per_block", max_threads_per_block, 1, chip.max_threads_per_block)
    units = bounded_whole("compute_units", compute_units, 1)
    warp = chip.warp_size
    # The candidates are along an additional last axis.
    threads = np.minimum(np.arange(-(-largest // warp), 0, -1) * warp, largest)
    by_size = None
    if callable(shared_memory_per_block):
        by_size = np.array([shared_memory_per_block(int(size)) for size in threads])
    shared_memory = shared_memory_per_block if by_size is None else by_size
    registers, dynamic, *rest = check_resources(
        chip, registers_per_thread, shared_memory, static_shared_memory, carveout, opt_in, barriers
    )
    dynamic = _column(dynamic) if by_size is None else dynamic
    result = fill(chip, threads, _column(registers), dynamic, *map(_column, rest))
    active = threads * result.active_blocks
    # argmax returns the first of equal values: the largest block.
    best = active.argmax(axis=-1)[..., None]
    blocks = np.take_along_axis(result.active_blocks, best, -1)[..., 0]
    warps = np.take_along_axis(result.active_warps, best, -1)[..., 0]
    size = np.where(blocks > 0, threads[best[..., 0]], 0)
    values = (size, blocks, blocks * units, warps / chip.max_warps_per_sm)
    return BlockSize(*(value if np.ndim(value) else np.asarray(value).item() for value in values))


def _column(value: Any) -> Any:
    return value[..., None] if isinstance(value, np.ndarray) else value
