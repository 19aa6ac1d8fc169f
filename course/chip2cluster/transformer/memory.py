"""Memory of weights, gradients and optimizer states, and of a whole training step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import holds, plain, positive, whole
from .activations import activation_memory
from .counts import parameters as count_parameters

if TYPE_CHECKING:
    from .._typing import ArrayLike, BoolOrArray, FloatOrArray, IntOrArray
    from .config import Config


@dataclass(frozen=True)
class TrainingMemory:
    """Bytes on one device, by content; scalars, or arrays that broadcast together.

    Attributes
    ----------
    weights, gradients, optimizer : float or array
        Training states, bytes.
    activations : float or array
        Activations stored for the backward pass, bytes.

    Examples
    --------
    >>> TrainingMemory(weights=2.0, gradients=2.0, optimizer=12.0).total
    16.0
    """

    weights: FloatOrArray
    gradients: FloatOrArray
    optimizer: FloatOrArray
    activations: FloatOrArray = 0.0

    @property
    def states(self) -> FloatOrArray:
        """Weights, gradients and optimizer states together, bytes."""
        return self.weights + self.gradients + self.optimizer

    @property
    def total(self) -> FloatOrArray:
        """All parts together, bytes."""
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
) -> TrainingMemory:
    """Bytes of weights, gradients and optimizer states on one device, with ZeRO or FSDP.

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
        ``gradient_bytes=4`` accumulates gradients in 32 bits, 18 in all.

    Returns
    -------
    TrainingMemory
        Bytes by content, with ``activations`` 0.

    Notes
    -----
    Ignores the gathered weights of the current layer in stage 3, and buffers.
    Source: Rajbhandari et al., "ZeRO", arXiv:1910.02054, figure 1 (16 bytes);
    Korthikanti et al. 2022 and Megatron-LM (18 bytes).

    Examples
    --------
    >>> [round(state_memory(7.5e9, zero_stage=stage, data_parallel=64).total / 1e9, 1) for stage in range(4)]
    [120.0, 31.4, 16.6, 1.9]
    """
    parameters = positive("parameters", parameters)
    stage, copies = whole("zero_stage", zero_stage, minimum=0), whole("data_parallel", data_parallel)
    if holds(stage > 3):
        raise ValueError(f"zero_stage must be one of 0, 1, 2, 3, got {zero_stage!r}")
    weights = positive("weight_bytes", weight_bytes)
    gradients = positive("gradient_bytes", gradient_bytes, allow_zero=True)
    optimizer = positive("optimizer_bytes", optimizer_bytes, allow_zero=True)
    return TrainingMemory(
        plain(parameters * (weights * _share(stage >= 3, copies))),
        plain(parameters * (gradients * _share(stage >= 2, copies))),
        plain(parameters * (optimizer * _share(stage >= 1, copies))),
    )


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
    )
    return TrainingMemory(states.weights, states.gradients, states.optimizer, activations)


def _share(is_split: BoolOrArray, copies: IntOrArray) -> FloatOrArray:
    """Return the fraction on one of ``copies`` devices: its shard if the state is sharded, otherwise all of it."""
    if isinstance(is_split, np.ndarray) or isinstance(copies, np.ndarray):
        return np.where(is_split, 1 / np.asarray(copies), 1.0)
    return 1 / copies if is_split else 1.0
