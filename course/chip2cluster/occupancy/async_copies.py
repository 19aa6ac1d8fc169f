"""Asynchronous copies: bytes in flight to shared memory without waiting threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .latency_hiding import rounded_up

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def copy_bytes_in_flight(
    stages: ArrayLike, tile_bytes: ArrayLike, *, active_blocks: ArrayLike = 1, tiles_in_use: ArrayLike = 1
) -> FloatOrArray:
    """Compute the bytes in flight to one SM by asynchronous copies (multi-stage pipeline).

    A block has ``stages`` tiles of shared memory. It computes on one of them while copies
    into the others are in flight; no thread waits for them.

    Parameters
    ----------
    stages : int or array of int
        Number of tiles of shared memory that a block copies into.
    tile_bytes : float or array
        Size of a tile, the data of one step of the block's loop, bytes.
    active_blocks : int or array of int
        Number of active blocks on the SM; see `occupancy`.
    tiles_in_use : int or array of int
        Number of a block's tiles that are in use and not in flight; 0 for the upper bound
        ``stages`` x ``tile_bytes``.

    Returns
    -------
    float or array
        Bytes in flight to one SM; 0 if all tiles are in use. Compare with `bytes_in_flight`
        divided by the number of SMs.

    Notes
    -----
    An upper bound: a copy starts only when its tile is free. The stages must also fit
    into shared memory (`occupancy`). Source: Little 1961; NVIDIA, PTX ISA,
    ``cp.async`` (from compute capability 8.0) and ``cp.async.bulk.tensor`` (9.0).

    Examples
    --------
    >>> copy_bytes_in_flight([1, 2, 4], 16 * 1024)
    array([    0., 16384., 49152.])
    """
    in_flight = whole("stages", stages) - whole("tiles_in_use", tiles_in_use, minimum=0)
    per_tile = positive("tile_bytes", tile_bytes) * whole("active_blocks", active_blocks)
    return plain(np.maximum(in_flight, 0) * per_tile)


def stages_needed(
    latency: ArrayLike,
    memory_bandwidth: ArrayLike,
    compute_units: ArrayLike,
    tile_bytes: ArrayLike,
    *,
    active_blocks: ArrayLike = 1,
    tiles_in_use: ArrayLike = 1,
) -> IntOrArray:
    """Compute the pipeline stages of asynchronous copies that keep the memory busy (Little's law).

    Parameters
    ----------
    latency : float or array
        Memory latency, seconds.
    memory_bandwidth : float or array
        Memory bandwidth of the whole device, bytes/s.
    compute_units : int or array of int
        Number of SMs of the device.
    tile_bytes : float or array
        Size of a tile, the data of one step of the block's loop, bytes.
    active_blocks : int or array of int
        Number of active blocks on the SM; see `occupancy`.
    tiles_in_use : int or array of int
        Number of a block's tiles that are in use and not in flight; 0 for the upper bound
        ``stages`` x ``tile_bytes``.

    Returns
    -------
    int or array of int
        Smallest number of stages per block, including those in use.

    Notes
    -----
    Ignores that latency grows under load, and the time to compute on a tile; real kernels
    use one or two more stages. Source: as `copy_bytes_in_flight`.

    Examples
    --------
    >>> stages_needed(500e-9, 3.35e12, compute_units=132, tile_bytes=[4096, 16384])
    array([5, 2])
    """
    by_one_stage = positive("tile_bytes", tile_bytes) * whole("active_blocks", active_blocks)
    by_one_stage = by_one_stage * whole("compute_units", compute_units)
    rate = positive("memory_bandwidth", memory_bandwidth)
    in_use = whole("tiles_in_use", tiles_in_use, minimum=0)
    return in_use + rounded_up(positive("latency", latency), rate, by_one_stage)
