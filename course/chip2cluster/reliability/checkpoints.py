"""How large a checkpoint is, how long it is on its way, and how long the job stands still for it."""

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
    """Bytes of a checkpoint from which training can go on.

    Parameters
    ----------
    parameters : float or array
        Of the whole model.
    weight_bytes, optimizer_bytes : float or array
        Bytes for each parameter. The defaults are mixed-precision Adam: 16-bit weights; 32-bit
        master weight, momentum and variance. ``optimizer_bytes=0`` is a checkpoint to serve from.

    Returns
    -------
    float or array
        Bytes: 14 for each parameter by default. Gradients are not saved.

    Notes
    -----
    Ignores the state of the data loader and of the random numbers, and metadata. Source:
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
    """Time to write a checkpoint: all nodes write their part at once, the storage takes it in.

    Parameters
    ----------
    checkpoint_bytes : float or array
        Of the whole checkpoint, as `checkpoint_bytes` gives them.
    nodes : int or array of int
        Nodes that write, each an equal part.
    node_bandwidth_one_way : float or array
        Bytes/s from one node towards the storage.
    storage_bandwidth : float or array
        Bytes/s that the storage takes in from all of them together.

    Returns
    -------
    float or array
        Seconds: the slower of the two.

    Notes
    -----
    A lower bound. Ignores opening files, stragglers, and others who write at the time. Source:
    the narrowest place on the way.

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
    """A checkpoint that is copied out of the devices and written while they go on.

    Attributes
    ----------
    stall_seconds : float or array
        For which the job stands still: the ``checkpoint_seconds`` of `expected_time`.
    persist_seconds : float or array
        From then until it is safe.

    Examples
    --------
    >>> AsynchronousCheckpoint(stall_seconds=1.0, persist_seconds=50.0).shortest_interval
    49.0
    """

    stall_seconds: FloatOrArray
    persist_seconds: FloatOrArray

    @property
    def shortest_interval(self) -> FloatOrArray:
        """Work between two dumps, at least, so that one is safe before the next begins, seconds."""
        return plain(np.maximum(self.persist_seconds - self.stall_seconds, 0.0))


def asynchronous_checkpoint(
    checkpoint_bytes: ArrayLike,
    nodes: ArrayLike,
    copy_bandwidth_one_way: ArrayLike,
    node_bandwidth_one_way: ArrayLike,
    storage_bandwidth: ArrayLike,
) -> AsynchronousCheckpoint:
    """Stall and time on the way of a checkpoint that is written behind the job's back.

    Parameters
    ----------
    checkpoint_bytes, nodes, node_bandwidth_one_way, storage_bandwidth
        As `checkpoint_time`.
    copy_bandwidth_one_way : float or array
        Bytes/s from all devices of one node into its main memory.

    Returns
    -------
    AsynchronousCheckpoint
        Its ``stall_seconds`` are the copy, its ``persist_seconds`` the writing.

    Notes
    -----
    What it hides is not free: a failure while the dump is on its way costs one more interval,
    as `expected_time` reckons. The best interval is `optimal_interval` of the stall alone, or the
    ``shortest_interval`` where that is longer. Ignores that writing takes some of the network and of the main
    memory's bandwidth from the job. Source: PyTorch, distributed checkpointing, ``async_save``.

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
