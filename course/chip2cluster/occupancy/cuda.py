"""CUDA occupancy: active blocks of a kernel on one NVIDIA SM, and the limiting resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import bounded_whole
from .array_operations import IntOperations, flags, operations
from .device_limits import Limits, limits
from .result import UNLIMITED, BlockLimits, Occupancy

if TYPE_CHECKING:
    from .._typing import ArrayLike, BoolOrArray, IntOrArray


def occupancy(
    compute_capability: str,
    threads_per_block: ArrayLike,
    registers_per_thread: ArrayLike = 0,
    shared_memory_per_block: ArrayLike = 0,
    *,
    static_shared_memory: ArrayLike = 0,
    carveout: ArrayLike | None = None,
    opt_in: ArrayLike = True,
    barriers: ArrayLike = 1,
    launch_bounds: ArrayLike | None = None,
) -> Occupancy:
    """Compute the occupancy: blocks and warps of a kernel that are resident on one SM at the same time.

    The SM accepts whole blocks until one of five resources is exhausted; its resident
    warps hide latency.

    Parameters
    ----------
    compute_capability : str
        Compute capability such as ``"9.0"``; see `limits`.
    threads_per_block : int or array of int
        Number of threads in a block, 1 to 1024.
    registers_per_thread : int or array of int
        Registers per thread, 0 to 255.
    shared_memory_per_block : int or array of int
        Dynamic shared memory per block, bytes.
    static_shared_memory : int or array of int
        Shared memory per block declared in the kernel, bytes.
    carveout : int or array of int, optional
        Preferred fraction of the largest shared memory, percent; counted as rounded up to a
        size that the hardware supports. A hint: a launch may get more, and then hold more blocks
        than this result and the driver's say. None is the driver's default: the largest.
    opt_in : bool or array of bool
        Whether the kernel has opted in to more than 48 KiB of shared memory per block.
    barriers : int or array of int
        Number of named barriers, 0 to 16; ``__syncthreads()`` is one. Counted from compute
        capability 9.0 on.
    launch_bounds : int or array of int, optional
        Largest block that the kernel was compiled for (``__launch_bounds__``). A larger block
        cannot be launched and gives 0 blocks, limited by ``"warps"``; the driver's own
        calculation ignores it.

    Returns
    -------
    Occupancy
        Active blocks and warps, occupancy, and the limiting resources.

    Notes
    -----
    A block that is valid but too large gives 0 blocks, not an error. A carve-out too small
    for one block grows until the block fits. Ignores clusters (`active_clusters`), tensor
    memory (`tensor_memory_blocks`), virtual resources and registers that tools reserve.
    Does not predict speed: a kernel with many independent instructions per thread
    (instruction-level parallelism, ILP) needs few warps (`warps_to_hide`). Source: NVIDIA
    ``cuda_occupancy.h``.

    Examples
    --------
    >>> result = occupancy("9.0", 256, registers_per_thread=40)
    >>> result.active_blocks, result.active_warps, result.occupancy
    (6, 48, 0.75)
    >>> sorted(result.limiters)
    ['registers']
    >>> occupancy("8.0", [64, 128, 1024], 32).active_warps
    array([64, 64, 64])
    """
    chip = limits(compute_capability)
    threads = bounded_whole("threads_per_block", threads_per_block, 1, chip.max_threads_per_block)
    resources = check_resources(
        chip, registers_per_thread, shared_memory_per_block, static_shared_memory, carveout, opt_in, barriers
    )
    bound = None
    if launch_bounds is not None:
        bound = bounded_whole("launch_bounds", launch_bounds, 1, chip.max_threads_per_block)
    return fill(chip, threads, *(*resources, bound))


def sweep(
    compute_capability: str,
    threads_per_block: ArrayLike,
    registers_per_thread: ArrayLike,
    shared_memory_per_block: ArrayLike,
    *,
    static_shared_memory: int = 0,
    carveout: int | None = None,
    opt_in: bool = True,
    barriers: int = 1,
) -> Occupancy:
    """Compute the occupancy for all combinations of three lists.

    Parameters
    ----------
    compute_capability : str
        Compute capability such as ``"9.0"``; see `limits`.
    threads_per_block : sequence of int
        Numbers of threads in a block.
    registers_per_thread : sequence of int
        Numbers of registers per thread.
    shared_memory_per_block : sequence of int
        Amounts of dynamic shared memory per block, bytes.
    static_shared_memory : int
        Shared memory per block declared in the kernel, bytes.
    carveout : int, optional
        Preferred fraction of the largest shared memory, percent.
    opt_in : bool
        Whether the kernel has opted in to more than 48 KiB of shared memory per block.
    barriers : int
        Number of named barriers, 0 to 16.

    Returns
    -------
    Occupancy
        Arrays of shape (threads, registers, shared memory).

    Notes
    -----
    Each limit is computed along its own axis and only the minimum on the whole grid, so a
    million points take milliseconds. Ignores what `occupancy` ignores.
    Source: NVIDIA ``cuda_occupancy.h``.

    Examples
    --------
    >>> grid = sweep("9.0", [128, 256], [32, 64, 128], [0, 48 * 1024])
    >>> grid.active_warps.shape
    (2, 3, 2)
    >>> grid.active_warps[1]
    array([[64, 32],
           [32, 32],
           [16, 16]])
    """
    return occupancy(
        compute_capability,
        _axis("threads_per_block", threads_per_block, (-1, 1, 1)),
        _axis("registers_per_thread", registers_per_thread, (1, -1, 1)),
        _axis("shared_memory_per_block", shared_memory_per_block, (1, 1, -1)),
        static_shared_memory=static_shared_memory,
        carveout=carveout,
        opt_in=opt_in,
        barriers=barriers,
    )


def check_resources(
    chip: Limits, registers: Any, dynamic: Any, static: Any, carveout: Any, opt_in: Any, barriers: Any
) -> tuple[Any, ...]:
    """Check the resources of a kernel and return them in the order of `fill`'s arguments."""
    return (
        bounded_whole("registers_per_thread", registers, 0, chip.max_registers_per_thread),
        bounded_whole("shared_memory_per_block", dynamic),
        bounded_whole("static_shared_memory", static),
        carveout if carveout is None else bounded_whole("carveout", carveout, 0, 100),
        flags("opt_in", opt_in),
        bounded_whole("barriers", barriers, 0, chip.max_barriers_per_block),
    )


def fill(
    chip: Limits,
    threads: Any,
    registers: Any,
    dynamic: Any,
    static: Any,
    carveout: Any,
    opt_in: Any,
    barriers: Any,
    launch_bounds: Any = None,
) -> Occupancy:
    """Fill an SM with blocks; the arguments have been checked."""
    arguments = (threads, registers, dynamic, static, carveout, opt_in, barriers, launch_bounds)
    ops = operations(*arguments)
    warps = -(-threads // chip.warp_size)
    by_registers, registers_per_block = _by_registers(chip, ops, warps, registers)
    by_memory, memory_per_block = _by_shared_memory(chip, ops, static + dynamic, carveout, opt_in)
    by_warps, by_barriers = chip.max_warps_per_sm // warps, _by_barriers(chip, ops, barriers)
    if launch_bounds is not None:
        by_warps = ops.where(threads <= launch_bounds, by_warps, 0)
    alone = BlockLimits(by_warps, by_registers, by_memory, chip.max_blocks_per_sm, by_barriers)
    blocks = ops.minimum_of(alone)
    result = (blocks, blocks * warps, chip.max_warps_per_sm, alone, registers_per_block, memory_per_block)
    return Occupancy(*result) if ops is IntOperations else _broadcast(arguments, *result)


def _by_registers(chip: Limits, ops: Any, warps: IntOrArray, registers: IntOrArray) -> tuple[IntOrArray, IntOrArray]:
    # Registers are allocated to warps in units, from the quarter of the register file of their scheduler.
    # One block may have the whole register file, so the limit per block needs no separate check.
    # Here and below, x + (x == 0) prevents a division by zero in the unused branch of `where`.
    unit, quarters = chip.register_allocation_unit, chip.sub_partitions_per_sm
    per_warp = -(-registers * chip.warp_size // unit) * unit
    warps_held = chip.registers_per_sm // quarters // (per_warp + (per_warp == 0)) * quarters
    blocks = ops.where(per_warp > 0, warps_held // warps, UNLIMITED)
    return blocks, per_warp * warps


def _by_shared_memory(
    chip: Limits, ops: Any, requested: IntOrArray, carveout: IntOrArray | None, opt_in: BoolOrArray
) -> tuple[IntOrArray, IntOrArray]:
    unit, reserved = chip.shared_memory_allocation_unit, chip.reserved_shared_memory_per_block
    given = -(-(requested + reserved) // unit) * unit
    most = ops.where(opt_in, chip.shared_memory_per_block_opt_in, chip.shared_memory_per_block_default) + reserved
    # The carve-out is rounded up to a size that the hardware supports, and grows for a block that needs more.
    percent = 100 if carveout is None else carveout
    preferred = ops.next_size(chip.carveout_sizes, chip.shared_memory_per_sm * percent // 100)
    pool = ops.where(preferred >= given, preferred, ops.next_size(chip.carveout_sizes, given))
    blocks = ops.where(given > 0, ops.where(given <= most, pool // (given + (given == 0)), 0), UNLIMITED)
    return blocks, given


def _by_barriers(chip: Limits, ops: Any, barriers: IntOrArray) -> IntOrArray:
    if chip.barriers_per_sm is None:
        return UNLIMITED
    return ops.where(barriers > 0, chip.barriers_per_sm // (barriers + (barriers == 0)), UNLIMITED)


def _broadcast(
    arguments: tuple[Any, ...],
    blocks: IntOrArray,
    warps: IntOrArray,
    max_warps: int,
    alone: BlockLimits,
    *per_block: IntOrArray,
) -> Occupancy:
    shape = np.broadcast_shapes(*(np.shape(argument) for argument in arguments if argument is not None))

    def full(value: IntOrArray) -> IntOrArray:
        return value if np.shape(value) == shape else np.broadcast_to(value, shape)

    return Occupancy(full(blocks), full(warps), max_warps, BlockLimits(*map(full, alone)), *map(full, per_block))


def _axis(name: str, values: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    try:
        axis = np.asarray(values)
    except ValueError:
        axis = None
    if axis is None or axis.ndim != 1:
        raise ValueError(f"{name} must be a one-dimensional sequence of numbers, got {values!r}")
    return axis.reshape(shape)
