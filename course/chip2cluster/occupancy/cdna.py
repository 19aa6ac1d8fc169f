"""Occupancy of AMD CDNA compute units (CUs): wavefronts per SIMD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import bounded_whole
from .array_operations import IntOperations, operations
from .device_limits import CdnaLimits, cdna_limits
from .result import UNLIMITED

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray

_LDS_UNIT, _LDS_UNIT_OF_160_KIB = 512, 1280  # bytes in which LDS is allocated


class WaveLimits(NamedTuple):
    """Wavefronts per SIMD that each resource alone allows; `UNLIMITED` for a resource that is not used."""

    slots: IntOrArray
    workgroups: IntOrArray
    vector_registers: IntOrArray
    lds: IntOrArray


def cdna_occupancy(
    target: str,
    workgroup_size: ArrayLike,
    vector_registers: ArrayLike = 0,
    accumulation_registers: ArrayLike = 0,
    lds_bytes: ArrayLike = 0,
) -> IntOrArray:
    """Compute the occupancy of an AMD CDNA SIMD: wavefronts of a kernel that it holds at the same time.

    A compute unit has four SIMDs, each with its own register file; the workgroups on the
    unit share its local data share (LDS).

    Parameters
    ----------
    target : str
        Compiler target or product, such as ``"gfx942"`` or ``"MI300X"``; see `cdna_limits`.
    workgroup_size : int or array of int
        Number of work-items in a workgroup, 1 to 1024; a wavefront has 64.
    vector_registers : int or array of int
        Vector registers (VGPRs) per work-item, 0 to 256.
    accumulation_registers : int or array of int
        Accumulation registers (AGPRs) per work-item, 0 to 256.
    lds_bytes : int or array of int
        LDS per workgroup, bytes.

    Returns
    -------
    int or array of int
        Number of wavefronts per SIMD, at least 1. Divide by
        ``cdna_limits(target).max_waves_per_simd`` for a fraction.

    Notes
    -----
    The number that the compiler prints is the smallest of the limits. It does not check
    whether a whole workgroup fits; `cdna_workgroups` does. 1,024 work-items need 4
    wavefronts on each SIMD, so with a result below 4 such a kernel cannot start. Ignores
    scalar registers, and the allocation granularity of LDS. Source: LLVM, AMDGPU back end.

    Examples
    --------
    >>> cdna_occupancy("MI300X", 256, vector_registers=72)
    7
    >>> cdna_occupancy("MI100", 256, [24, 72, 129])
    array([10,  3,  1])
    """
    alone = cdna_wave_limits(target, workgroup_size, vector_registers, accumulation_registers, lds_bytes)
    return operations(*alone).minimum_of(alone)


def cdna_workgroups(
    target: str,
    workgroup_size: ArrayLike,
    vector_registers: ArrayLike = 0,
    accumulation_registers: ArrayLike = 0,
    lds_bytes: ArrayLike = 0,
) -> IntOrArray:
    """Compute the workgroups of a kernel that are resident on one compute unit (CU); 0 if it cannot start.

    A workgroup is resident only as a whole, as a block is: all its wavefronts must fit on
    the four SIMDs together.

    Parameters
    ----------
    target : str
        Compiler target or product, such as ``"gfx942"`` or ``"MI300X"``; see `cdna_limits`.
    workgroup_size : int or array of int
        Number of work-items in a workgroup, 1 to 1024; a wavefront has 64.
    vector_registers : int or array of int
        Vector registers (VGPRs) per work-item, 0 to 256.
    accumulation_registers : int or array of int
        Accumulation registers (AGPRs) per work-item, 0 to 256.
    lds_bytes : int or array of int
        LDS per workgroup, bytes.

    Returns
    -------
    int or array of int
        Number of workgroups.

    Notes
    -----
    LDS is allocated in units of 512 bytes, on gfx950 of 1,280. Ignores scalar registers. Source: LLVM, AMDGPU back end,
    for each limit and unit; whole workgroups by the rule of `occupancy`.

    Examples
    --------
    >>> cdna_workgroups("MI300X", [256, 1024], vector_registers=200), cdna_occupancy("MI300X", 1024, 200)
    (array([2, 0]), 2)
    """
    alone = cdna_wave_limits(target, workgroup_size, vector_registers, accumulation_registers, lds_bytes)
    chip = cdna_limits(target)
    waves = -(-bounded_whole("workgroup_size", workgroup_size, 1) // chip.wavefront_size)
    unit = _LDS_UNIT if chip.lds_per_cu <= 2**16 else _LDS_UNIT_OF_160_KIB
    lds = -(-bounded_whole("lds_bytes", lds_bytes) // unit) * unit
    ops = operations(*alone)
    held = chip.simds_per_cu * ops.minimum(alone.slots, alone.vector_registers) // waves
    by_lds = ops.where(lds > 0, chip.lds_per_cu // (lds + (lds == 0)), UNLIMITED)
    return ops.minimum_of((held, _workgroups(chip, ops, waves), by_lds))


def cdna_wave_limits(
    target: str,
    workgroup_size: ArrayLike,
    vector_registers: ArrayLike = 0,
    accumulation_registers: ArrayLike = 0,
    lds_bytes: ArrayLike = 0,
) -> WaveLimits:
    """Compute the wavefronts per SIMD that each resource alone allows; the smallest is `cdna_occupancy`.

    Parameters
    ----------
    target : str
        Compiler target or product, such as ``"gfx942"`` or ``"MI300X"``; see `cdna_limits`.
    workgroup_size : int or array of int
        Number of work-items in a workgroup, 1 to 1024; a wavefront has 64.
    vector_registers : int or array of int
        Vector registers (VGPRs) per work-item, 0 to 256.
    accumulation_registers : int or array of int
        Accumulation registers (AGPRs) per work-item, 0 to 256.
    lds_bytes : int or array of int
        LDS per workgroup, bytes.

    Returns
    -------
    WaveLimits
        Limits, int for scalars and arrays of the broadcast shape otherwise.

    Notes
    -----
    On gfx908 the two kinds of registers have separate files and the larger count decides;
    from gfx90a on they share one file and add up. A workgroup of one wavefront needs no
    barrier, so the 16 barriers of a unit do not limit it.
    Source: LLVM, AMDGPU back end.

    Examples
    --------
    >>> cdna_wave_limits("gfx90a", 512, vector_registers=64, lds_bytes=20000)
    WaveLimits(slots=8, workgroups=8, vector_registers=8, lds=6)
    """
    chip = cdna_limits(target)
    size = bounded_whole("workgroup_size", workgroup_size, 1, chip.max_workgroup_size)
    vector = bounded_whole("vector_registers", vector_registers, 0, chip.max_registers_per_kind)
    accumulation = bounded_whole("accumulation_registers", accumulation_registers, 0, chip.max_registers_per_kind)
    lds = bounded_whole("lds_bytes", lds_bytes, 0, chip.lds_per_cu)
    ops = operations(size, vector, accumulation, lds)
    waves = -(-size // chip.wavefront_size)
    alone = WaveLimits(
        chip.max_waves_per_simd,
        _per_simd(chip, _workgroups(chip, ops, waves) * waves),
        _by_registers(chip, ops, vector, accumulation),
        ops.where(lds > 0, _per_simd(chip, chip.lds_per_cu // (lds + (lds == 0)) * waves), UNLIMITED),
    )
    if ops is IntOperations:
        return alone
    shape = np.broadcast_shapes(*map(np.shape, (size, vector, accumulation, lds)))
    return WaveLimits(*(np.broadcast_to(limit, shape) for limit in alone))


def _workgroups(chip: CdnaLimits, ops: Any, waves: IntOrArray) -> IntOrArray:
    slots = chip.max_waves_per_simd * chip.simds_per_cu
    return ops.where(waves == 1, slots, ops.minimum(slots // waves, chip.max_workgroups_with_barrier))


def _per_simd(chip: CdnaLimits, waves_per_cu: IntOrArray) -> IntOrArray:
    # Round up, because the busiest SIMD holds the remainder of an uneven division.
    return -(-waves_per_cu // chip.simds_per_cu)


def _by_registers(chip: CdnaLimits, ops: Any, vector: IntOrArray, accumulation: IntOrArray) -> IntOrArray:
    if chip.unified_register_file:
        # Accumulation registers start at a multiple of four.
        used = ops.where(accumulation > 0, -(-vector // 4) * 4 + accumulation, vector)
    else:
        used = ops.where(accumulation > vector, accumulation, vector)
    unit = chip.register_allocation_unit
    given = -(-used // unit) * unit
    waves = chip.vector_registers_per_lane // (given + (given == 0))
    return ops.where(given > 0, waves, UNLIMITED)
