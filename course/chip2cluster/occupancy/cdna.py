"""How many wavefronts of a kernel live on one SIMD of an AMD CDNA compute unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .arguments import OnInts, count, operations
from .result import UNLIMITED
from .tables import CdnaLimits, cdna_limits

if TYPE_CHECKING:
    from .._typing import ArrayLike, IntOrArray


class WaveLimits(NamedTuple):
    """Wavefronts a SIMD that each resource alone would allow; `UNLIMITED` where none is used."""

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
    """Wavefronts of a kernel that one SIMD can hold at the same time.

    A compute unit has four SIMDs, each with its own register file; the workgroups
    on the unit share its local data share (LDS).

    Parameters
    ----------
    target : str
        Compiler target or product: ``"gfx942"`` or ``"MI300X"``; see `cdna_limits`.
    workgroup_size : int or array of int
        Work-items in a workgroup, 1 to 1024; a wavefront has 64.
    vector_registers, accumulation_registers : int or array of int
        Registers of each kind that a work-item uses, 0 to 256.
    lds_bytes : int or array of int
        LDS of a workgroup, bytes.

    Returns
    -------
    int or array of int
        Wavefronts per SIMD, at least 1. Divide by
        ``cdna_limits(target).max_waves_per_simd`` for a share.

    Raises
    ------
    ValueError, TypeError
        For numbers that are not whole or out of range, and unknown names.

    Notes
    -----
    This is the number that the compiler prints: each limit by itself, and the
    smallest. It does not ask whether a whole workgroup fits; `cdna_workgroups` does.
    1,024 work-items need 4 wavefronts on each SIMD, so with an answer below 4 such a
    kernel cannot start. Ignores scalar registers, and the unit in which LDS is dealt out.
    Source: LLVM, AMDGPU back end.

    Examples
    --------
    >>> cdna_occupancy("MI300X", 256, vector_registers=72)
    7
    >>> cdna_occupancy("MI100", 256, [24, 72, 129])
    array([10,  3,  1])
    """
    alone = cdna_wave_limits(target, workgroup_size, vector_registers, accumulation_registers, lds_bytes)
    return operations(*alone).least_of(alone)


def cdna_workgroups(
    target: str,
    workgroup_size: ArrayLike,
    vector_registers: ArrayLike = 0,
    accumulation_registers: ArrayLike = 0,
    lds_bytes: ArrayLike = 0,
) -> IntOrArray:
    """Workgroups of a kernel that live on one compute unit; 0: the kernel cannot start.

    Workgroups come whole, as blocks do: all wavefronts of one must find room on the four
    SIMDs together.

    Parameters
    ----------
    target, workgroup_size, vector_registers, accumulation_registers, lds_bytes
        As in `cdna_occupancy`.

    Returns
    -------
    int or array of int

    Raises
    ------
    ValueError, TypeError
        As `cdna_occupancy`.

    Notes
    -----
    Ignores what `cdna_occupancy` ignores. Source: LLVM, AMDGPU back end, for each limit;
    that they come whole is the rule of `occupancy`.

    Examples
    --------
    >>> cdna_workgroups("MI300X", [256, 1024], vector_registers=200), cdna_occupancy("MI300X", 1024, 200)
    (array([2, 0]), 2)
    """
    alone = cdna_wave_limits(target, workgroup_size, vector_registers, accumulation_registers, lds_bytes)
    chip = cdna_limits(target)
    waves = -(-count("workgroup_size", workgroup_size, 1) // chip.wavefront_size)
    lds = count("lds_bytes", lds_bytes)
    ops = operations(*alone)
    held = chip.simds_per_cu * ops.least(alone.slots, alone.vector_registers) // waves
    by_lds = ops.pick(lds > 0, chip.lds_per_cu // (lds + (lds == 0)), UNLIMITED)
    return ops.least_of((held, _workgroups(chip, ops, waves), by_lds))


def cdna_wave_limits(
    target: str,
    workgroup_size: ArrayLike,
    vector_registers: ArrayLike = 0,
    accumulation_registers: ArrayLike = 0,
    lds_bytes: ArrayLike = 0,
) -> WaveLimits:
    """Wavefronts per SIMD that each resource alone would allow; their least is `cdna_occupancy`.

    Parameters
    ----------
    target, workgroup_size, vector_registers, accumulation_registers, lds_bytes
        As in `cdna_occupancy`.

    Returns
    -------
    WaveLimits
        Ints for scalars, arrays of the broadcast shape otherwise.

    Raises
    ------
    ValueError, TypeError
        As `cdna_occupancy`.

    Notes
    -----
    On gfx908 the two kinds of register have files of their own and the larger count
    decides; from gfx90a on they share one file and add up. A workgroup of one
    wavefront needs no barrier, so the 16 barriers of a unit do not limit it.
    Source: LLVM, AMDGPU back end.

    Examples
    --------
    >>> cdna_wave_limits("gfx90a", 512, vector_registers=64, lds_bytes=20000)
    WaveLimits(slots=8, workgroups=8, vector_registers=8, lds=6)
    """
    chip = cdna_limits(target)
    size = count("workgroup_size", workgroup_size, 1, chip.max_workgroup_size)
    vector = count("vector_registers", vector_registers, 0, chip.max_registers_per_kind)
    accumulation = count("accumulation_registers", accumulation_registers, 0, chip.max_registers_per_kind)
    lds = count("lds_bytes", lds_bytes, 0, chip.lds_per_cu)
    ops = operations(size, vector, accumulation, lds)
    waves = -(-size // chip.wavefront_size)
    alone = WaveLimits(
        chip.max_waves_per_simd,
        _per_simd(chip, _workgroups(chip, ops, waves) * waves),
        _by_registers(chip, ops, vector, accumulation),
        ops.pick(lds > 0, _per_simd(chip, chip.lds_per_cu // (lds + (lds == 0)) * waves), UNLIMITED),
    )
    if ops is OnInts:
        return alone
    shape = np.broadcast_shapes(*map(np.shape, (size, vector, accumulation, lds)))
    return WaveLimits(*(np.broadcast_to(limit, shape) for limit in alone))


def _workgroups(chip: CdnaLimits, ops: Any, waves: IntOrArray) -> IntOrArray:
    slots = chip.max_waves_per_simd * chip.simds_per_cu
    return ops.pick(waves == 1, slots, ops.least(slots // waves, chip.max_workgroups_with_barrier))


def _per_simd(chip: CdnaLimits, waves_per_cu: IntOrArray) -> IntOrArray:
    # The busiest SIMD: waves that do not divide evenly still have to live somewhere.
    return -(-waves_per_cu // chip.simds_per_cu)


def _by_registers(chip: CdnaLimits, ops: Any, vector: IntOrArray, accumulation: IntOrArray) -> IntOrArray:
    if chip.unified_register_file:
        # Accumulation registers start at a multiple of four.
        used = ops.pick(accumulation > 0, -(-vector // 4) * 4 + accumulation, vector)
    else:
        used = ops.pick(accumulation > vector, accumulation, vector)
    unit = chip.register_allocation_unit
    given = -(-used // unit) * unit
    waves = chip.vector_registers_per_lane // (given + (given == 0))
    return ops.pick(given > 0, waves, UNLIMITED)
