"""Size of a checkpoint, time to write it, and stall of the job, synchronous or asynchronous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._validate import plain, positive, whole
from ..transformer import state_memory

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def checkpoint_bytes(
    parameters: ArrayLike, *, weight_bytes: ArrayLike = 2, optimizer_bytes: ArrayLike = 12
) -> FloatOrArray:
    """Size of a checkpoint from which training can continue.

    Parameters
    ----------
    parameters : float or array
        Number of parameters of the whole model.
    weight_bytes, optimizer_bytes : float or array
        Bytes per parameter. The defaults are mixed-precision Adam: 16-bit weights; 32-bit
        master weights, momentum and variance. ``optimizer_bytes=0`` is a checkpoint for inference.

    Returns
    -------
    float or array
        Bytes, 14 per parameter by default; gradients are not saved.

    Notes
    -----
    Ignores metadata and the state of the data loader and of the random number generators. Source:
    Rajbhandari et al., "ZeRO", arXiv:1910.02054, section 3.1, without its gradients.

    Examples
    --------
    >>> checkpoint_bytes(70e9) / 1e9, checkpoint_bytes(70e9, optimizer_bytes=0) / 1e9
    (980.0, 140.0)
    """
    return state_memory(parameters, weight_bytes=weight_bytes, gradient_bytes=0, optimizer_bytes=optimizer_bytes).total


def checkpoint_time(
    checkpoint_bytes: ArrayLike, nodes: ArrayLike, node_bandwidth_one_way: ArrayLike, storage_bandwidth: ArrayLike
) -> FloatOrArray:
    """Time to write a checkpoint from all nodes in parallel to shared storage.

    Parameters
    ----------
    checkpoint_bytes : float or array
        Size of the whole checkpoint, from `checkpoint_bytes`, bytes.
    nodes : int or array of int
        Number of nodes, each of which writes an equal part.
    node_bandwidth_one_way : float or array
        Unidirectional bandwidth from one node to the storage, bytes/s.
    storage_bandwidth : float or array
        Write bandwidth of the storage for all nodes together, bytes/s.

    Returns
    -------
    float or array
        Seconds, set by the slower of nodes and storage.

    Notes
    -----
    Lower bound. Ignores opening files, stragglers, and other jobs that write. Source: the bottleneck of the path.

    Examples
    --------
    980 GB from 128 nodes with 25 GB/s each, to a file system of 100 GB/s.

    >>> checkpoint_time(980e9, 128, 25e9, 100e9)
    9.8
    """
    size = positive("checkpoint_bytes", checkpoint_bytes, allow_zero=True)
    sent = whole("nodes", nodes) * positive("node_bandwidth_one_way", node_bandwidth_one_way)
    taken = positive("storage_bandwidth", storage_bandwidth)
    if type(sent) is float and type(taken) is float:
        return plain(size / min(sent, taken))
    return plain(size / np.minimum(sent, taken))


@dataclass(frozen=True)
class AsynchronousCheckpoint:
    """Asynchronous checkpoint: copied to host memory, then written while the devices continue.

    Attributes
    ----------
    stall_seconds : float or array
        Time that the job stops for the copy: the ``checkpoint_seconds`` of `expected_time`.
    persist_seconds : float or array
        Time from the end of the copy until the checkpoint is written.

    Examples
    --------
    >>> AsynchronousCheckpoint(stall_seconds=1.0, persist_seconds=50.0).shortest_interval
    49.0
    """

    stall_seconds: FloatOrArray
    persist_seconds: FloatOrArray

    @property
    def shortest_interval(self) -> FloatOrArray:
        """Least work between two checkpoints such that one is written before the next begins, seconds."""
        return plain(np.maximum(self.persist_seconds - self.stall_seconds, 0.0))


def asynchronous_checkpoint(
    checkpoint_bytes: ArrayLike,
    nodes: ArrayLike,
    copy_bandwidth_one_way: ArrayLike,
    node_bandwidth_one_way: ArrayLike,
    storage_bandwidth: ArrayLike,
) -> AsynchronousCheckpoint:
    """Stall and write time of an asynchronous checkpoint.

    Parameters
    ----------
    checkpoint_bytes : float or array
        Size of the whole checkpoint, bytes.
    nodes : int or array of int
        Number of nodes, each of which writes an equal part.
    copy_bandwidth_one_way : float or array
        Bandwidth from all devices of one node to its host memory, bytes/s.
    node_bandwidth_one_way, storage_bandwidth : float or array
        Bandwidth from one node to the storage, and write bandwidth of the storage, same as in `checkpoint_time`.

    Returns
    -------
    AsynchronousCheckpoint
        Time of the copy (``stall_seconds``) and of writing (``persist_seconds``).

    Notes
    -----
    Hidden writing is not free: a failure before the checkpoint is written costs one more interval, which
    `expected_time` includes. The best interval is `optimal_interval` of the stall alone, or ``shortest_interval``
    if that is longer. Ignores that writing uses network and host-memory bandwidth of the job. Source: PyTorch, distributed checkpointing, ``async_save``.

    Examples
    --------
    >>> dump = asynchronous_checkpoint(980e9, 128, 8 * 25e9, 25e9, 100e9)
    >>> round(1e3 * dump.stall_seconds), dump.persist_seconds
    (38, 9.8)
    """
    size = positive("checkpoint_bytes", checkpoint_bytes, allow_zero=True)
    copied = whole("nodes", nodes) * positive("copy_bandwidth_one_way", copy_bandwidth_one_way)
    persist = checkpoint_time(checkpoint_bytes, nodes, node_bandwidth_one_way, storage_bandwidth)
    return AsynchronousCheckpoint(plain(size / copied), persist)
