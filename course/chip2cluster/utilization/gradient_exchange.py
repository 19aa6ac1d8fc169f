"""Compute against communication: when the gradient exchange of a training step exceeds its arithmetic.

Replicas of a model process different tokens and exchange gradients, or weights and
gradients. Both the arithmetic and the bytes grow with the parameters, so these cancel:
the number of tokens that a replica processes between two exchanges decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice, fraction, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

FORWARD, BACKWARD = 2.0, 4.0  # FLOP for each parameter and token
ZERO_STAGES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Exchanged:
    """Bytes that one device sends during the forward and the backward passes of a step.

    Attributes
    ----------
    forward, backward : float or array
        Bytes sent during each.
    """

    forward: FloatOrArray
    backward: FloatOrArray

    @property
    def total(self) -> FloatOrArray:
        """Bytes of the whole step."""
        return plain(self.forward + self.backward)


def exchanged_bytes(
    parameters: ArrayLike,
    replicas: ArrayLike,
    *,
    zero_stage: int = 0,
    weight_bytes: ArrayLike = 2.0,
    gradient_bytes: ArrayLike = 2.0,
    passes: ArrayLike = 1,
) -> Exchanged:
    """Bytes that each device sends in a step of data parallelism (DP), ZeRO or FSDP, unidirectional.

    Parameters
    ----------
    parameters : float or array
        Parameters whose replicas exchange, P; those of one device if a replica
        is spread over several.
    replicas : int or array of int
        Replicas that process different data, n.
    zero_stage : {0, 1, 2, 3}
        ZeRO stage. 0, everything replicated: an all-reduce of the gradients, 2 P, during the backward
        pass. 1 and 2, optimizer (and gradients) sharded: gradients are reduce-scattered
        during the backward pass, new weights gathered during the next forward pass. 3,
        full sharding (FSDP): weights are gathered for each forward and each backward pass
        and gradients reduce-scattered, 3 P. Each times ``(n - 1) / n``.
    weight_bytes, gradient_bytes : float or array
        Bytes of a number in messages.
    passes : int or array of int
        Micro-batches of a step that a device processes one after another (gradient accumulation); stage 2
        reduces gradients in each of them, full sharding gathers weights in each of them too.

    Returns
    -------
    Exchanged
        Bytes of the forward and of the backward passes.

    Notes
    -----
    Assumes rings or anything as economical, and full sharding that frees the weights
    after each pass and reduces the gradients of each micro-batch. Ignores headers, and
    in-network reduction (SHARP). Source: Rajbhandari et al. 2020 (ZeRO), section 7.

    Examples
    --------
    >>> exchanged_bytes(7e9, 64).total / 1e9, exchanged_bytes(7e9, 64, zero_stage=3).total / 1e9
    (27.5625, 41.34375)
    """
    choice("zero_stage", zero_stage, ZERO_STAGES)
    count = whole("replicas", replicas)
    each = positive("parameters", parameters) * (count - 1) / count
    weights = each * positive("weight_bytes", weight_bytes)
    gradients = each * positive("gradient_bytes", gradient_bytes)
    forward, backward = forward_and_backward(zero_stage, weights, gradients)
    times = rounds(zero_stage, whole("passes", passes))
    return Exchanged(plain(forward * times[0]), plain(backward * times[1]))


def critical_tokens(
    replicas: ArrayLike,
    peak_flops_dense: ArrayLike,
    bandwidth_one_way: ArrayLike,
    *,
    zero_stage: int = 0,
    kernel_efficiency: ArrayLike = 1.0,
    weight_bytes: ArrayLike = 2.0,
    gradient_bytes: ArrayLike = 2.0,
    active_share: ArrayLike = 1.0,
) -> FloatOrArray:
    """Critical batch per replica: fewest tokens in one pass whose arithmetic hides the exchange.

    Parameters
    ----------
    replicas : int or array of int
        Data-parallel replicas of the model; 1 exchanges nothing.
    peak_flops_dense : float or array
        Dense peak of one device, FLOP/s.
    bandwidth_one_way : float or array
        Unidirectional bandwidth of one device in the exchange, bytes/s.
    zero_stage : {0, 1, 2, 3}
        ZeRO stage, see `exchanged_bytes`.
    kernel_efficiency : float or array
        Fraction of peak that the kernels reach while they run, above 0 and at most 1.
    weight_bytes, gradient_bytes : float or array
        Bytes of a number in messages.
    active_share : float or array
        Fraction of the parameters that one token uses; below 1 for a mixture of experts (MoE).

    Returns
    -------
    float or array
        Tokens of one replica in one pass (one micro-batch); divided by the devices of a replica
        it is the tokens of a chip, times the replicas the smallest global batch.

    Notes
    -----
    The size of the model cancels. With 2 bytes for everything all stages give the
    same: ``(n - 1) / n * rate / bandwidth_one_way``, the arithmetic intensity of the
    network. Full sharding sends half as much again, and has half as long again to hide it.
    Ignores the same as `exchange_step`. Source: J. Austin et al., "How to scale your
    model", 2025, chapters on training and on GPUs.

    Examples
    --------
    >>> [round(critical_tokens(10**6, 990e12, 400e9, zero_stage=stage)) for stage in (0, 1, 3)]
    [2475, 2475, 2475]
    >>> critical_tokens(2, 990e12, 400e9)                   # of two replicas each sends half
    1237.5
    """
    choice("zero_stage", zero_stage, ZERO_STAGES)
    count = whole("replicas", replicas)
    forward, backward = forward_and_backward(
        zero_stage, positive("weight_bytes", weight_bytes), positive("gradient_bytes", gradient_bytes)
    )
    forward, backward = forward / FORWARD, backward / BACKWARD
    scalars = isinstance(forward, float) and isinstance(backward, float)
    longest = max(forward, backward) if scalars else np.maximum(forward, backward)
    rate = positive("peak_flops_dense", peak_flops_dense) * fraction("kernel_efficiency", kernel_efficiency)
    # Scalars first: the division by possible arrays comes last.
    alone = longest * rate / fraction("active_share", active_share)
    return plain(alone * ((count - 1) / count) / positive("bandwidth_one_way", bandwidth_one_way))


def ring_bandwidth(
    devices_per_node: ArrayLike, scale_up_one_way: ArrayLike, scale_out_one_way_per_device: ArrayLike
) -> FloatOrArray:
    """Bandwidth of a ring through all devices of several nodes, at best: what each device sends.

    Parameters
    ----------
    devices_per_node : int or array of int
        Devices of a node that take part in the same exchange.
    scale_up_one_way : float or array
        Unidirectional bandwidth of a device inside its node, bytes/s.
    scale_out_one_way_per_device : float or array
        Unidirectional bandwidth of a node to others divided by its devices, bytes/s: one NIC each.

    Returns
    -------
    float or array
        Bytes/s, unidirectional. A ring crosses a node's border once, so as many rings as there are
        NICs share the message, and the NICs of a node work together.

    Notes
    -----
    A bound at datasheet rates. If the devices of a node belong to different
    exchanges, as with tensor parallelism inside the node, ``devices_per_node`` is 1.
    Ignores latency, oversubscription above the nodes and in-network reduction. Source: as
    `collectives.hierarchical_all_reduce_time`, with the two levels overlapped.

    Examples
    --------
    >>> ring_bandwidth(8, 450e9, 50e9) / 1e9, ring_bandwidth(1, 450e9, 50e9) / 1e9
    (400.0, 50.0)
    """
    inside = positive("scale_up_one_way", scale_up_one_way)
    outside = positive("scale_out_one_way_per_device", scale_out_one_way_per_device)
    return plain(np.minimum(inside, whole("devices_per_node", devices_per_node) * outside))


def forward_and_backward(
    zero_stage: int, weights: FloatOrArray, gradients: FloatOrArray
) -> tuple[FloatOrArray, FloatOrArray]:
    """Return the bytes sent in the forward and the backward half of one pass, from those of a single ring pass."""
    if zero_stage == 0:
        return 0.0 * weights, 2.0 * gradients
    if zero_stage == 3:
        return weights, weights + gradients
    return weights, gradients


def rounds(zero_stage: int, passes: Any) -> tuple[Any, Any]:
    """Return how often in a step each half is sent: sharded state is scattered or gathered in every pass."""
    return passes if zero_stage == 3 else 1, passes if zero_stage >= 2 else 1
