"""Memory of weights, gradients and optimizer states, and of a whole training step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice, holds, plain, positive, whole
from .activations import activation_memory
from .parameter_counts import parameters as count_parameters

if TYPE_CHECKING:
    from .._typing import ArrayLike, BoolOrArray, FloatOrArray, IntOrArray
    from .config import Config

OFFLOADS = ("optimizer", "weights")


@dataclass(frozen=True)
class TrainingMemory:
    """Bytes on one device, by content; scalars, or arrays that broadcast together.

    Attributes
    ----------
    weights, gradients, optimizer : float or array
        Training states, bytes.
    activations : float or array
        Activations stored for the backward pass, bytes.
    host : float or array
        Training states of the device that are in the memory of its host, bytes.
    pcie_bytes : float or array
        Bytes between the device and its host in one step, both directions together.

    Examples
    --------
    >>> TrainingMemory(weights=2.0, gradients=2.0, optimizer=12.0).total
    16.0
    """

    weights: FloatOrArray
    gradients: FloatOrArray
    optimizer: FloatOrArray
    activations: FloatOrArray = 0.0
    host: FloatOrArray = 0.0
    pcie_bytes: FloatOrArray = 0.0

    @property
    def states(self) -> FloatOrArray:
        """Weights, gradients and optimizer states on the device together, bytes."""
        return self.weights + self.gradients + self.optimizer

    @property
    def total(self) -> FloatOrArray:
        """All parts on the device together, bytes."""
        return self.states + self.activations


def weight_memory(parameters: ArrayLike, bytes_per_parameter: ArrayLike = 2) -> FloatOrArray:
    """Bytes of the weights alone, with or without quantization.

    Parameters
    ----------
    parameters : float or array
        Number of parameters.
    bytes_per_parameter : float or array
        Bytes of a weight: 2 for bf16 and fp16, 1 for fp8 and int8, 0.5 for fp4.

    Returns
    -------
    float or array
        Bytes. Divide by 1e9 for GB and by 2**30 for GiB; the two differ by 7 %.

    Notes
    -----
    Ignores the scales that block formats (MXFP4, NVFP4) store with the values.
    Source: the definition.

    Examples
    --------
    >>> weight_memory(70e9) / 1e9, round(weight_memory(70e9) / 2**30, 1)
    (140.0, 130.4)
    """
    return plain(positive("parameters", parameters) * positive("bytes_per_parameter", bytes_per_parameter))


def state_memory(
    parameters: ArrayLike,
    *,
    zero_stage: ArrayLike = 0,
    data_parallel: ArrayLike = 1,
    weight_bytes: ArrayLike = 2,
    gradient_bytes: ArrayLike = 2,
    optimizer_bytes: ArrayLike = 12,
    offload: Any = (),
    micro_batches: ArrayLike = 1,
) -> TrainingMemory:
    """Bytes of weights, gradients and optimizer states on one device, with ZeRO or FSDP, or on its host.

    Parameters
    ----------
    parameters : float or array
        Parameters of the device's part of the model: all of them without tensor
        and pipeline parallelism.
    zero_stage : {0, 1, 2, 3} or array of int
        ZeRO stage: state that the data-parallel devices shard instead of replicating:
        nothing, optimizer states, gradients too, weights too (FSDP).
    data_parallel : int or array of int
        Devices with the same part of the model (DP).
    weight_bytes, gradient_bytes, optimizer_bytes : float or array
        Bytes per parameter. The defaults are mixed-precision Adam, 16 in all:
        16-bit weights and gradients; 32-bit master weight, momentum and variance.
        ``gradient_bytes=4`` accumulates gradients in 32 bits, 18 in all; `state_bytes` has other recipes.
    offload : tuple of {"optimizer", "weights"}
        States in the memory of the host. With the optimizer the gradients go there too, because the host
        updates the weights; weights only with ``zero_stage=3``, where a device gathers them layer by layer.
    micro_batches : int or array of int
        Micro-batches of a step, each of which fetches offloaded weights for forward and backward pass.

    Returns
    -------
    TrainingMemory
        Bytes by content, with ``activations`` 0.

    Notes
    -----
    An offloaded optimizer sends the device's share of the gradients to the host once a step and of the new
    weights back. Device and host together hold what the device holds without offloading. Ignores the
    buffers of the transfers, pinned memory, and the gathered weights of the current layer in stage 3, and buffers.
    Source: Rajbhandari et al., "ZeRO", arXiv:1910.02054, figure 1 (16 bytes);
    Korthikanti et al. 2022 and Megatron-LM (18 bytes); Ren et al., "ZeRO-Offload",
    arXiv:2101.06840; Rajbhandari et al., "ZeRO-Infinity", arXiv:2104.07857.

    Examples
    --------
    >>> [round(state_memory(7.5e9, zero_stage=stage, data_parallel=64).total / 1e9, 1) for stage in range(4)]
    [120.0, 31.4, 16.6, 1.9]
    >>> host = state_memory(13e9, zero_stage=2, offload=("optimizer",))     # 13 billion parameters, one device
    >>> host.states / 1e9, host.host / 1e9, host.pcie_bytes / 1e9
    (26.0, 182.0, 52.0)
    """
    parameters = positive("parameters", parameters)
    stage, copies = whole("zero_stage", zero_stage, minimum=0), whole("data_parallel", data_parallel)
    if holds(stage > 3):
        raise ValueError(f"zero_stage must be one of 0, 1, 2, 3, got {zero_stage!r}")
    weights = positive("weight_bytes", weight_bytes)
    gradients = positive("gradient_bytes", gradient_bytes, allow_zero=True)
    optimizer = positive("optimizer_bytes", optimizer_bytes, allow_zero=True)
    held = TrainingMemory(
        plain(parameters * (weights * _share(stage >= 3, copies))),
        plain(parameters * (gradients * _share(stage >= 2, copies))),
        plain(parameters * (optimizer * _share(stage >= 1, copies))),
    )
    if not offload:
        return held
    check_offload(offload, stage)
    updated = parameters * _share(stage >= 1, copies)  # of which the host of this device owns the optimizer
    return offloaded(held, offload, updated * gradients, updated * weights, whole("micro_batches", micro_batches))


def check_offload(offload: object, stage: IntOrArray) -> None:
    """Raise an error unless ``offload`` is a tuple of known states that this ZeRO stage can offload."""
    if isinstance(offload, str) or not isinstance(offload, (tuple, list)):
        raise TypeError(f"offload must be a tuple of {' and '.join(map(repr, OFFLOADS))}, got {offload!r}")
    for one in offload:
        choice("offload", one, OFFLOADS)
    if "weights" in offload and "optimizer" not in offload:
        raise ValueError("offload of 'weights' needs 'optimizer' as well, because the host updates what it holds")
    if "weights" in offload and holds(stage < 3):
        raise ValueError("offload of 'weights' needs zero_stage=3; below it each device works on all of them at once")


def offloaded(
    held: TrainingMemory,
    offload: tuple[str, ...],
    gradients: FloatOrArray,
    weights: FloatOrArray,
    micro_batches: IntOrArray,
) -> TrainingMemory:
    """Move states to the host; ``gradients`` and ``weights`` are the bytes of the share that this host updates."""
    host = held.gradients + held.optimizer
    if "weights" not in offload:
        return TrainingMemory(held.weights, 0.0, 0.0, held.activations, plain(host), plain(gradients + weights))
    moved = plain(gradients + 2 * micro_batches * held.weights)
    return TrainingMemory(0.0, 0.0, 0.0, held.activations, plain(host + held.weights), moved)


def training_memory(
    config: Config | str,
    sequence: ArrayLike,
    batch: ArrayLike = 1,
    *,
    tensor_parallel: ArrayLike = 1,
    pipeline_parallel: ArrayLike = 1,
    data_parallel: ArrayLike = 1,
    zero_stage: ArrayLike = 0,
    weight_bytes: ArrayLike = 2,
    gradient_bytes: ArrayLike = 2,
    optimizer_bytes: ArrayLike = 12,
    fused_attention: bool = True,
    offload: tuple[str, ...] = (),
    micro_batches: ArrayLike = 1,
    **activation_options: Any,
) -> TrainingMemory:
    """Bytes on one device during training.

    Parameters
    ----------
    config : Config or str
        Shape of the model, or the name of a published one.
    sequence, batch : int or array of int
        Tokens of a sequence and sequences of one micro-batch.
    tensor_parallel, pipeline_parallel, data_parallel : int or array of int
        Degrees of tensor (TP), pipeline (PP) and data parallelism (DP).
    zero_stage : {0, 1, 2, 3} or array of int
        ZeRO stage, see `state_memory`.
    weight_bytes, gradient_bytes, optimizer_bytes : float or array
        Bytes per parameter, see `state_memory`.
    fused_attention : bool
        Whether one kernel computes the attention and stores no scores (FlashAttention), the default of
        every framework today. False stores them, unless ``recompute`` drops them.
    offload : tuple of {"optimizer", "weights"}
        States in the memory of the host, see `state_memory`.
    micro_batches : int or array of int
        Micro-batches of a step, see `state_memory`.
    **activation_options : object
        ``sequence_parallel``, ``recompute``, ``dropout``, ``pipeline_chunks``,
        ``bytes_per_element``, ``include_ends`` and ``logit_bytes`` of `activation_memory`.

    Returns
    -------
    TrainingMemory
        Bytes by content.

    Notes
    -----
    Splits the parameters evenly over the devices that share the model; the stage
    with the embedding has more. Ignores the same as the two functions.
    Source: Korthikanti et al. 2022, figure 1; Rajbhandari et al. 2020.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> need = training_memory(model("GPT-3 175B").config, 2048, tensor_parallel=8, pipeline_parallel=8,
    ...                        gradient_bytes=4, sequence_parallel=True, recompute="selective")
    >>> round(need.states / 1e9), round(need.activations / 1e9)
    (49, 10)
    """
    activations = activation_memory(
        config,
        sequence,
        batch,
        tensor_parallel=tensor_parallel,
        pipeline_parallel=pipeline_parallel,
        fused_attention=fused_attention,
        **activation_options,
    )
    devices = whole("tensor_parallel", tensor_parallel) * whole("pipeline_parallel", pipeline_parallel)
    states = state_memory(
        count_parameters(config) / devices,
        zero_stage=zero_stage,
        data_parallel=data_parallel,
        weight_bytes=weight_bytes,
        gradient_bytes=gradient_bytes,
        optimizer_bytes=optimizer_bytes,
        offload=offload,
        micro_batches=micro_batches,
    )
    return replace(states, activations=activations)


def _share(is_split: BoolOrArray, copies: IntOrArray) -> FloatOrArray:
    """Return the fraction on one of ``copies`` devices: its shard if the state is sharded, otherwise all of it."""
    if isinstance(is_split, np.ndarray) or isinstance(copies, np.ndarray):
        return np.where(is_split, 1 / np.asarray(copies), 1.0)
    return 1 / copies if is_split else 1.0
