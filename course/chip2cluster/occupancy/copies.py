"""Asynchronous copies: bytes on their way to shared memory while no thread waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from .latency import rounded_up

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray, IntOrArray


def copy_bytes_in_flight(
    stages: ArrayLike, tile_bytes: ArrayLike, *, active_blocks: ArrayLike = 1, tiles_in_use: ArrayLike = 1
) -> FloatOrArray:
    """Bytes that asynchronous copies keep on their way to one multiprocessor.

    A block has ``stages`` tiles of shared memory. It works on one and has copies into
    the others under way; no thread waits for them.

    Parameters
    ----------
    stages : int or array of int
        Tiles of shared memory that a block copies into.
    tile_bytes : float or array
        Bytes of one tile: all that one step of the block's loop needs.
    active_blocks : int or array of int
        Blocks that live on the multiprocessor; see `occupancy`.
    tiles_in_use : int or array of int
        Tiles of a block that are worked on and so not on their way; 0 for the upper bound
        ``stages`` x ``tile_bytes``.

    Returns
    -------
    float or array
        Bytes of one multiprocessor; 0 where all tiles are in use. Hold it against
        `bytes_in_flight` over the multiprocessors.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and sizes not above zero.

    Notes
    -----
    An upper bound: a copy starts only when its tile is free. The stages must also fit
    into the shared memory (`occupancy`). Source: Little 1961; NVIDIA, PTX ISA,
    ``cp.async`` (from compute capability 8.0) and ``cp.async.bulk.tensor`` (9.0).

    Examples
    --------
    >>> copy_bytes_in_flight([1, 2, 4], 16 * 1024)
    array([    0., 16384., 49152.])
    """
    waiting = whole("stages", stages) - whole("tiles_in_use", tiles_in_use, minimum=0)
    per_tile = positive("tile_bytes", tile_bytes) * whole("active_blocks", active_blocks)
    return plain(np.maximum(waiting, 0) * per_tile)


def stages_needed(
    latency: ArrayLike,
    memory_bandwidth: ArrayLike,
    compute_units: ArrayLike,
    tile_bytes: ArrayLike,
    *,
    active_blocks: ArrayLike = 1,
    tiles_in_use: ArrayLike = 1,
) -> IntOrArray:
    """Stages of shared memory that each block needs so that its copies keep the memory busy.

    Parameters
    ----------
    latency : float or array
        Seconds.
    memory_bandwidth : float or array
        Of the whole device, bytes/s.
    compute_units : int or array of int
        Multiprocessors of the device.
    tile_bytes, active_blocks, tiles_in_use
        As in `copy_bytes_in_flight`.

    Returns
    -------
    int or array of int
        The least number, those in use included.

    Raises
    ------
    ValueError, TypeError
        For counts that are not whole, and numbers not above zero.

    Notes
    -----
    Ignores that latency grows under load, and how long a tile is worked on; real kernels
    take one or two stages more. Source: as `copy_bytes_in_flight`.

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
